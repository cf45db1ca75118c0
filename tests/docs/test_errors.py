"""The table of errors: each message is what comes, produced by code that does the wrong thing."""

from __future__ import annotations

import json
import logging
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crossplane_lite import Unstructured, composition, errors, testing
from crossplane_lite.cli import main
from examples.storage_bucket.model.com.example.platform.xstoragebucket import v1alpha1
from examples.storage_bucket.model.io.upbound.gcp.storage.bucket import v1beta2
from tests.docs.blocks import ROOT
from tests.simulate.simulating import crd

TEXT = (ROOT / "docs" / "reference" / "errors.rst").read_text(encoding="utf-8")
# test_messages.py has the table of words below them.
PAGE = TEXT.partition("\nOther messages, by their words\n")[0]
XR = {
    "apiVersion": "platform.example.com/v1alpha1",
    "kind": "XStorageBucket",
    "metadata": {"name": "photos"},
    "spec": {"parameters": {"location": "EU"}},
}
XRD = str(ROOT / "examples" / "storage_bucket" / "xrd.yaml")
Compose = Callable[[composition.Context], Any]


def _new(ctx: composition.Context, name: str) -> Any:
    return ctx.resource(name, Unstructured("example.org/v1", name.capitalize()))


def _set(name: str, field: str, value: Callable[[composition.Context], Any]) -> Compose:
    def compose(ctx: composition.Context) -> None:
        resource = _new(ctx, name)
        holder, _, last = field.rpartition(".")
        for part in holder.split("."):
            resource = getattr(resource, part)
        if isinstance(resource, dict) or last == "port":
            resource[last] = value(ctx)
        else:
            setattr(resource, last, value(ctx))

    return compose


def _cycle(ctx: composition.Context) -> None:
    a, b = _new(ctx, "a"), _new(ctx, "b")
    a.spec.x = b.observed.status.id
    b.spec.x = a.observed.status.id


def _port_of_a_list(resource: Any) -> None:
    resource.spec.ports = [{"port": 80}]
    _ = resource.spec.ports.port


def _bucket(ctx: composition.Context) -> v1beta2.Bucket:
    return ctx.resource("b", v1beta2.Bucket(spec=v1beta2.BucketSpec(forProvider={"location": "EU"})))


def _forced(bucket: v1beta2.Bucket) -> None:
    bucket.spec.forProvider.forceDestroy = bucket.observed.status.atProvider.id  # type: ignore[assignment]


RESOURCE_NAME = "crossplane.io/composition-resource-name"
OWNER = ("apiVersion", "kind", "name", "uid")
COMPOSING: dict[str, Compose] = {
    "ForProvider has no field": lambda ctx: v1beta2.ForProvider(lcation="EU"),  # type: ignore[call-arg]
    "it belongs below": lambda ctx: v1beta2.Bucket(forProvider={}),  # type: ignore[call-arg]
    "is a model, not a dict": lambda ctx: _bucket(ctx).spec["forProvider"],  # type: ignore[index]
    "KeyError": lambda ctx: (ctx.context.update(zones=[]), ctx.context["zone"]),
    "must be a string (got 5": lambda ctx: v1beta2.ForProvider(location=5),  # type: ignore[arg-type]
    "no attribute 'rsp'": lambda ctx: ctx.rsp,  # type: ignore[attr-defined]
    "int() needs one": lambda ctx: int(_new(ctx, "vpc").observed.status.n),
    "which is a string": lambda ctx: _forced(_bucket(ctx)),
    "no attribute 'value'": lambda ctx: _bucket(ctx).observed.status.atProvider.id.value,  # type: ignore[union-attr]
    "is not JSON serializable": lambda ctx: json.dumps({"x": _new(ctx, "a").observed.status.y}),
    "comparing needs": lambda ctx: _bucket(ctx).external_name == "a",
    "has no element [0]": lambda ctx: _bucket(ctx).spec.forProvider.cors[0],
    "keeps the composite's": lambda ctx: setattr(ctx.composite(Unstructured).status, "conditions", [{"type": "A"}]),
    "cm.data.n": lambda ctx: setattr(ctx.resource("cm", Unstructured("v1", "ConfigMap")), "data", {"n": 1}),
    "Crossplane sets it": lambda ctx: _bucket(ctx).metadata.annotations.update({RESOURCE_NAME: "c"}),
    "the composite the controller": lambda ctx: setattr(
        _bucket(ctx).metadata, "ownerReferences", [{**dict.fromkeys(OWNER, "a"), "controller": True}]
    ),
    "registered already": lambda ctx: (_new(ctx, "a"), _new(ctx, "a")),
    "one and the same": lambda ctx: (_new(ctx, "b"), ctx.resource("a", Unstructured("v1", "B"), formerly=["b"])),
    "is observed state": lambda ctx: setattr(ctx.composite(Unstructured).observed.spec, "x", 1),
    "was set, and a function": lambda ctx: setattr(ctx.composite(Unstructured).spec, "x", 1),
    "composed resource has no": lambda ctx: setattr(_new(ctx, "a").spec, "x", _new(ctx, "vpc").status.id),
    "composite has only": lambda ctx: setattr(_new(ctx, "a").spec, "x", ctx.composite(Unstructured).spec.x),
    "dependency cycle": _cycle,
    "b waits for vpc": lambda ctx: setattr(_new(ctx, "b").spec, "x", _new(ctx, "vpc").observed.status.id),
    "no credentials": lambda ctx: ctx.credentials["aws"],
    "must be a resource": lambda ctx: ctx.resource("a", {"apiVersion": "v1"}),  # type: ignore[type-var]
    "is a list, so it has": lambda ctx: _port_of_a_list(_new(ctx, "a")),
    "has no element 0": lambda ctx: _new(ctx, "a").spec.list[0].name,
    "was asked for as": lambda ctx: (ctx.composite(v1alpha1.XStorageBucket), ctx.composite(Unstructured)),
    "has no metadata.namespace": lambda ctx: ctx.connection_secret({"a": "b"}),
    "labels.port": _set("a", "metadata.labels.port", lambda ctx: 80),
    "can't be an object's name": _set("a", "metadata.name", lambda ctx: "A_b"),
    "2**53": _set("a", "spec.x", lambda ctx: 2**60 + 1),
}
# What the messages that the page doesn't have say at their end.
CURES = {
    "is not JSON serializable": "crossplane_lite.json_dumps(...)",
    "comparing needs": "use b.observed.external_name",
    "keeps the composite's": "call ctx.conditions.set(type, status, reason)",
    "cm.data.n": "write str(...)",
    "Crossplane sets it": "leave it out",
    "the composite the controller": "leave it out",
    "registered already": "give each resource a name of its own",
    "is observed state": "set the field of the resource itself, without .observed",
    "composed resource has no": "read vpc.observed.status.id",
    "composite has only": "to read it write xr.observed.spec.x",
    "must be a resource": "write Unstructured('v1', 'kind', spec=...)",
    "is a list, so it has": "take one of its elements first, as in [0].port",
    "has no element 0": "spec.list.append(...) makes it a list",
    "was asked for as": "use one class in all of compose()",
    "has no metadata.namespace": "give namespace=...",
    "labels.port": "write str(...)",
    "can't be an object's name": "use up to 253 lower-case letters",
}
COMMANDS = {
    "there is no module": ["render", "xr.yaml", "--function", "functoin:compose"],
    "is the decorator": ["render", "xr.yaml", "--function", "function:plain"],
    "can't read nope.yaml": ["render", "nope.yaml", "--function", "function:compose"],
    "the composite itself": ["render", "xr.yaml", "--function", "function:compose", "-o", "xr.yaml"],
    "xr.status.bucketname": ["render", "xr.yaml", "--function", "function:misspelt", "--xrd", XRD],
    "never resolved": ["render", "xr.yaml", "--function", "function:waits", "--crds", "crds.yaml"],
    "no composed resource has this": ["simulate", "xr.yaml", "--function", "function:compose", "--fixtures", "f.yaml"],
}
FUNCTION = """
from crossplane_lite import Unstructured, composition

def plain(ctx):
    pass

@composition.function
def compose(ctx):
    pass

@composition.function
def misspelt(ctx):
    ctx.composite(Unstructured).status.bucketname = "x"

@composition.function
def waits(ctx):
    vpc = ctx.resource("vpc", Unstructured("example.org/v1", "VPC"))
    value = vpc.observed.status.atProvider.vpcId
    ctx.resource("subnet", Unstructured("example.org/v1", "Subnet", spec={"vpcId": value}))
"""


def _messages() -> list[str]:
    return re.findall(r"^   \* - ``(.*)``$", PAGE, re.MULTILINE)


def _message(part: str) -> str:
    (found,) = [message for message in _messages() if part in message]
    return found


def test_every_message_has_a_case() -> None:
    """Each message of the tables is produced by one case, but for that of extras, which has a test of its own."""
    parts = [*(COMPOSING.keys() - CURES), *COMMANDS, "it comes with an extra"]
    assert sorted(_message(part) for part in parts) == sorted(_messages())


@pytest.mark.parametrize("part", COMPOSING)
def test_composing(part: str, caplog: pytest.LogCaptureFixture) -> None:
    """The message is in a result of the function, or in its condition, and is on the page or says what to do."""
    caplog.set_level(logging.CRITICAL)
    response = testing.run(composition.function(name="fn")(COMPOSING[part]), testing.request(XR))
    told = [*response.fatal, *(one.message for one in response.results), str(response.conditions)]
    message = CURES[part] if part in CURES else _message(part)
    assert any(part in one and message in one for one in told), told


@pytest.mark.parametrize("part", COMMANDS)
def test_commands(
    part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The message is the command's complaint; the exit status isn't 0, but for a fixture that nobody has."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TLS_SERVER_CERTS_DIR", raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "function", raising=False)
    (tmp_path / "function.py").write_text(FUNCTION)
    (tmp_path / "xr.yaml").write_text(json.dumps(XR))
    (tmp_path / "crds.yaml").write_text(json.dumps(crd("VPC", {"atProvider": {"type": "object", "properties": {}}})))
    (tmp_path / "f.yaml").write_text("Nothing: {status: {}}\n")
    assert (main(COMMANDS[part]) == 0) == (part == "no composed resource has this")
    assert _message(part) in capsys.readouterr().err
    sys.modules.pop("function", None)


def test_extras() -> None:
    """The message of a missing package has the command that installs it."""
    from crossplane_lite._core.base.extras import load

    with pytest.raises(errors.MissingExtraError) as caught:
        load("no_such_library", "cli")
    assert _message("it comes with an extra") in str(caught.value)
