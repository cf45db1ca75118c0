"""Functions and graphs for the tests of drawing."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from crossplane_lite import Unstructured, composition
from crossplane_lite._core.known import KNOWN
from crossplane_lite._core.known.notes import key_of, nothing_key
from crossplane_lite._tools.graph.graph import DrawnNode, Edge, Graph, Sort, State, graph_of
from crossplane_lite._tools.render.rendered import RenderError
from crossplane_lite.render import Step, render

__all__ = [
    "HERE",
    "NASTY",
    "READY",
    "XR",
    "Shelf",
    "drawn",
    "existing",
    "many",
    "nasty",
    "needs_dot",
    "needs_pictures",
    "shop",
    "spaced",
    "states",
    "thing",
    "warning",
]

HERE = "tests.graph.graphs"

needs_dot = pytest.mark.skipif(shutil.which("dot") is None, reason="the program dot of Graphviz is not installed")

needs_pictures = pytest.mark.skipif(
    shutil.which("dot") is None or importlib.util.find_spec("graphviz") is None,
    reason="Graphviz, the program dot or the package, is not installed",
)

XR: dict[str, Any] = {"apiVersion": "example.org/v1", "kind": "App", "metadata": {"name": "shop"}, "spec": {}}

_NEVER_THERE = "".join([nothing_key(), key_of("", ""), key_of("?sizes[0]", "")])

READY = [{"type": "Ready", "status": "True"}]

# Names that mean something to one of the formats, or that can't be drawn as they are.
NASTY = [
    *("end", "graph", "subgraph x", "default", "class", "click n0 href", "classDef s0 fill:red", "o", "x", "legend"),
    *('"quoted"', "'", '"', "`code`", "a[b]", "a]b[", "(x)", "{{y}}", "|pipe|", "-->", "---", "A & B;", "$$x$$"),
    *("<b>html</b>", "<script>", "&lt;", "&amp;amp;", "&#34;", "#35;", "#quot;", 'style:"x";#quot;'),
    *("%%{init: {'theme':'dark'}}%%", "%% comment", "1. list", "- item", "* x", "_under_ __bold__", "@{shape: x}"),
    *("back\\slash\\N\\n\\l", "\\", "line\nbreak", "\x00\x01\x1b[31m", "\u202ertl\u200b", "\ud800", "ünïcödé 日本 😀"),
    *("  spaces  ", " ", "a" * 300, "http://example.org/x?y=z", "xr.like", "required.like", 'x.status["k.e.y"][0]'),
]


def thing(kind: str) -> Unstructured:
    """Return a resource of a kind that takes everything."""
    return Unstructured("example.org/v1", kind)


class Shelf:
    """A cluster with one ConfigMap, `settings`."""

    def resources(self, selector: Any) -> list[Mapping[str, Any]]:
        found = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}, "data": {"region": "eu"}}
        return [found] if selector.name == "settings" else []

    def schema(self, api_version: str, kind: str) -> Mapping[str, Any] | None:
        return None


@composition.function(auto_ready=True)
def shop(ctx: composition.Context) -> None:
    """Has every kind of node; with an input, a cycle through the composite's status."""
    xr = ctx.composite(Unstructured)
    for key in ("settings", "sizes"):
        selector = composition.ResourceSelector(api_version="v1", kind="ConfigMap", match_name=key)
        ctx.requirements.resources[key] = selector
    settings, sizes = (ctx.required_resources[key][0] for key in ("settings", "sizes"))
    database = ctx.resource("database", thing("Instance"))
    database.spec.region = settings.data.region
    user = ctx.resource("user", thing("User"))
    user.spec.address = f"{database.observed.status.host}:{database.observed.status.port}"
    xr.status.login = user.observed.external_name
    grant = ctx.resource("grant", thing("Grant"))
    grant.spec.login = xr.observed.status.login
    replica = ctx.resource("replica", thing("Instance"))
    replica.spec.size = sizes.data.size
    record = ctx.resource("record", thing("Record"), depends_on=[replica])
    record.spec.region = settings.data.region
    if database.observed.status.backups:
        ctx.resource("backup", thing("Backup")).spec.user = user.observed.external_name
    if ctx.input is not None:
        database.spec.login = xr.observed.status.login


@composition.function
def warning(ctx: composition.Context) -> None:
    """Composes nothing, and warns."""
    ctx.results.warning("mind the step")


@composition.function
def many(ctx: composition.Context) -> None:
    """Has 600 dependencies."""
    first = ctx.resource("first", thing("Thing"))
    for at in range(600):
        ctx.resource(f"r{at}", thing("Thing")).spec.id = first.observed.status.id


def existing(name: str, **status: Any) -> dict[str, Any]:
    """Return an observed resource of the shop, with notes that say that no value was there."""
    kinds = {"database": "Instance", "replica": "Instance", "user": "User", "grant": "Grant", "old": "Old"}
    annotations = {"crossplane.io/composition-resource-name": name, "crossplane.io/external-name": f"{name}-1"}
    annotations[KNOWN] = json.dumps({f"{HERE}.shop": {"m": _NEVER_THERE, "n": 1}})
    owner = {"apiVersion": "example.org/v1", "kind": "App", "name": "shop", "uid": "u", "controller": True}
    return {
        "apiVersion": "example.org/v1",
        "kind": kinds[name],
        "metadata": {"name": f"shop-{name}", "annotations": annotations, "ownerReferences": [owner]},
        "status": status,
    }


def drawn(
    functions: Any = shop, observed: Sequence[Mapping[str, Any]] = (), cycle: bool = False, **kwargs: Any
) -> Graph:
    """Return the graph of one reconcile, failed or not, of one function or of several as steps."""
    listed = functions if isinstance(functions, list) else [functions]
    input_ = {"apiVersion": "example.org/v1", "kind": "Cycle"} if cycle else None
    steps = [Step(f"step-{at}", f"function-{at}", input=input_) for at in range(len(listed))]
    runners = {f"function-{at}": function for at, function in enumerate(listed)}
    xr = {**XR, "metadata": {**XR["metadata"], "uid": "u"}}
    try:
        return graph_of(render(xr, steps, runners, cluster=Shelf(), observed=observed), **kwargs)
    except RenderError as error:
        return graph_of(error, **kwargs)


def states(graph: Graph) -> dict[str, str]:
    """Return the states of a graph's nodes by name, as people read them."""
    return {node.name: node.state.value for node in graph.nodes}


def nasty() -> Graph:
    """Return a graph in which every name is one that could break a format, with every state, and cycles."""
    every = list(State)
    sorts = list(Sort)
    nodes = [
        DrawnNode(name, sorts[at % 3], name[::-1], every[at % len(every)], (at % 4) or None, at % 5 == 0)
        for at, name in enumerate(NASTY)
    ]
    pairs = [(NASTY[at], NASTY[at - 1]) for at in range(1, len(NASTY))]
    edges = [
        Edge(one, other, (other, f"{other}.{one}"), (other,) if at % 3 else (), at % 5 == 0)
        for at, (one, other) in enumerate(pairs)
    ]
    return Graph('Kind "x" <y> %%{init}%% & \\N', nodes, edges, [])


def spaced(text: str) -> str:
    """Return a text with every space a plain one; Graphviz makes some of them unbreakable."""
    return re.sub(r"\s", " ", text)
