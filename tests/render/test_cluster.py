"""Objects from files are found by the rules of Crossplane, and several sources are asked one after the other."""

from __future__ import annotations

from typing import Any

import pytest

from crossplane_lite._tools.manifests.kind_schemas import Schemas
from crossplane_lite._tools.render.cluster import Chain, Files, World
from crossplane_lite._tools.render.pipeline import Selector
from crossplane_lite._tools.render.rendered import RenderError
from tests.codegen.generated import crd, obj, thing

Json = dict[str, Any]

THING = ("example.org/v1", "Thing")


def one(name: str, namespace: str | None = None, labels: Any = None, kind: tuple[str, str] = THING) -> Json:
    """Return an object."""
    metadata = {"name": name, "namespace": namespace, "labels": labels}
    kept = {key: value for key, value in metadata.items() if value is not None}
    return {"apiVersion": kind[0], "kind": kind[1], "metadata": kept}


def names(files: Any, **selector: Any) -> list[str]:
    """Return the places of what a selector for Things matches."""
    found = files.resources(Selector(*THING, **selector))
    return ["/".join(filter(None, (o["metadata"].get("namespace"), o["metadata"]["name"]))) for o in found]


FILES = Files(
    [
        one("b", "two", {"env": "prod"}),
        one("a", "two", {"env": "prod", "app": "x"}),
        one("c", "one", {"env": "prod"}),
        one("a", "one"),
        one("z", None, {"env": "dev"}),
        one("a", None, {"env": "prod"}, ("example.org/v2", "Thing")),
        one("a", None, {"env": "prod"}, ("example.org/v1", "Other")),
    ]
)


@pytest.mark.parametrize(
    ("name", "namespace", "found"),
    [
        ("a", "one", ["one/a"]),
        ("a", "two", ["two/a"]),
        ("a", None, []),
        ("a", "", []),
        ("c", "two", []),
        ("z", None, ["z"]),
        ("z", "", ["z"]),
        ("z", "one", []),
        ("y", None, []),
    ],
)
def test_by_name(name: str, namespace: str | None, found: list[str]) -> None:
    """A name is looked up in just the namespace that is asked for, which is none for what is cluster-scoped."""
    assert names(FILES, name=name, namespace=namespace) == found


@pytest.mark.parametrize(
    ("labels", "namespace", "found"),
    [
        ({"env": "prod"}, None, ["one/c", "two/a", "two/b"]),
        ({"env": "prod"}, "", ["one/c", "two/a", "two/b"]),
        ({"env": "prod"}, "two", ["two/a", "two/b"]),
        ({"env": "prod", "app": "x"}, None, ["two/a"]),
        ({"app": ""}, None, []),
        ({}, None, ["z", "one/a", "one/c", "two/a", "two/b"]),
        (None, "one", ["one/a", "one/c"]),
        ({"env": "test"}, None, []),
    ],
)
def test_by_labels(labels: Any, namespace: str | None, found: list[str]) -> None:
    """All labels must match, in one namespace or in every; the order is that of namespaces and names."""
    assert names(FILES, labels=labels, namespace=namespace) == found


def test_the_later_of_two() -> None:
    """Of two objects with one kind, namespace and name the later one counts."""
    (found,) = Files([one("a"), {**one("a"), "spec": 3}]).resources(Selector(*THING, name="a"))
    assert found["spec"] == 3


@pytest.mark.parametrize("value", [None, 3, "x", [], {}, [{}]])
@pytest.mark.parametrize("key", ["apiVersion", "kind", "metadata", "name", "namespace", "labels"])
def test_objects_of_wrong_types(key: str, value: Any) -> None:
    """Whatever stands in an object, others are found, and nothing fails."""
    odd = one("odd", "one", {"env": "prod"})
    (odd["metadata"] if key in odd["metadata"] else odd)[key] = value
    found = Files([odd, one("even", "one", {"env": "prod"})]).resources(Selector(*THING, labels={"env": "prod"}))
    assert one("even", "one", {"env": "prod"}) in found


def test_schemas() -> None:
    """Schemas and scopes are those of the given definitions; without any there are none."""
    schemas = Schemas()
    schemas.add_crd(thing(a="s"), "here")
    assert (Files((), schemas).schema(*THING) or {})["properties"]["a"] == {"type": "string"}
    assert Files((), schemas).scope(*THING) == "Namespaced"
    assert Files((), schemas).schema("v1", "Pod") is None
    assert Files().schema(*THING) is None
    assert Files().scope(*THING) is None


class _Scopeless:
    """A cluster that knows of no scopes."""

    def resources(self, selector: Selector) -> list[Any]:
        return []

    def schema(self, api_version: str, kind: str) -> None:
        return None


def test_a_chain() -> None:
    """The first cluster that has an answer gives it, and answers aren't put together."""
    first, second = Schemas(), Schemas()
    first.add_crd(thing(a="s"), "first")
    second.add_crd(thing(b="s"), "second")
    second.add_crd(crd(obj(c="s"), kind="Other"), "second")
    chain = Chain(
        _Scopeless(),
        Files([one("a", "one", {"env": "prod"})], first),
        Files([one("a", "one", {"by": "second"}), one("b", "one", {"env": "prod"}), one("d", "two")], second),
    )
    assert chain.resources(Selector(*THING, name="a", namespace="one")) == [one("a", "one", {"env": "prod"})]
    assert names(chain, labels={"env": "prod"}) == ["one/a"]
    assert names(chain, namespace="two") == ["two/d"]
    assert names(chain, name="none") == []
    assert "a" in (chain.schema(*THING) or {})["properties"]
    assert "c" in (chain.schema("example.org/v1", "Other") or {})["properties"]
    assert chain.schema("v1", "Pod") is None
    assert chain.scope("example.org/v1", "Other") == "Namespaced"
    assert chain.scope("v1", "Pod") is None
    assert Chain().resources(Selector(*THING)) == []


@pytest.mark.parametrize("asked", ["schema", "scope"])
def test_what_is_no_api_version(asked: str) -> None:
    """What Crossplane can't parse as an apiVersion fails the reconcile, as anything else that a cluster refuses."""
    with pytest.raises(RenderError, match="cannot parse apiVersion 'a/b/c'"):
        getattr(Files([], Schemas()), asked)("a/b/c", "A")


def test_a_world() -> None:
    """Objects are put over a cluster's, in the place of those of the same kind and name, and others are taken out."""
    base = Files([one("a", labels={"l": "base"}), one("b"), one("gone")])
    world = World(base, objects=[one("a", labels={"l": "own"}), one("new")], gone=[one("gone")])
    selector = Selector(THING[0], THING[1], labels={})
    found = [(each["metadata"]["name"], each["metadata"].get("labels")) for each in world.resources(selector)]
    assert found == [("a", {"l": "own"}), ("b", None), ("new", None)]
    assert World(None).resources(selector) == []
    assert World(None).schema(*THING) is None
    assert World(None).scope(*THING) is None
