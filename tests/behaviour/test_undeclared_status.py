"""A status that the composite's XRD doesn't allow: an error in every preview, and a fatal result in a cluster.

An API server refuses such a status in every reconcile, so that the composite never becomes ready. `XRD`, `XR` and
`misspelt` are ready for use in a cluster, too.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from crossplane_lite import Unstructured, composition, testing
from crossplane_lite._core.base import extras
from crossplane_lite._tools.manifests.xrd import crds_of
from crossplane_lite.cli import main
from crossplane_lite.errors import MissingExtraError
from crossplane_lite.render import InvalidStatusError, Step, render
from crossplane_lite.requirements import SchemaSelector
from crossplane_lite.runtime import log
from tests.support import run

Json = dict[str, Any]

API = "status.example.org/v1"
TEXT = {"type": "string"}


def version(name: str, **status: Any) -> Json:
    """Return a version of the XRD whose status has these fields."""
    spec = {"type": "object", "properties": {"region": TEXT}}
    schema = {"type": "object", "properties": {"spec": spec, "status": {"type": "object", **status}}}
    return {"name": name, "served": True, "referenceable": name == "v1", "schema": {"openAPIV3Schema": schema}}


XRD: Json = {
    "apiVersion": "apiextensions.crossplane.io/v2",
    "kind": "CompositeResourceDefinition",
    "metadata": {"name": "networks.status.example.org"},
    "spec": {
        "scope": "Cluster",
        "group": "status.example.org",
        "names": {"kind": "Network", "plural": "networks"},
        "versions": [
            version(
                "v1",
                properties={
                    "vpcId": TEXT,
                    "tier": {"type": "string", "enum": ["small", "large"]},
                    "tags": {"type": "object", "additionalProperties": TEXT},
                    "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
                    "gateway": {"type": "object", "required": ["id"], "properties": {"id": TEXT, "zone": TEXT}},
                    "zones": {"type": "array", "items": {"type": "object", "properties": {"id": TEXT}}},
                },
            ),
            version("v2", properties={"vpcID": TEXT}),
        ],
    },
}
XR: Json = {"apiVersion": API, "kind": "Network", "metadata": {"name": "net"}, "spec": {"region": "eu"}}


def setting(field: str, value: Any = None, *, asks: bool = False, name: str = "network") -> Any:
    """Return a function that composes a VPC, and sets a field of the status: to the VPC's id, or to another value."""

    @composition.function(name=name)
    def compose(ctx: Any) -> None:
        xr = ctx.composite(Unstructured)
        spec = {"forProvider": {"region": xr.observed.spec.region}}
        vpc = ctx.resource("vpc", Unstructured("ec2.aws.upbound.io/v1beta1", "VPC", spec=spec))
        if asks:
            ctx.schema(xr.apiVersion, xr.kind)
        *above, last = field.split(".")
        holder = xr.status
        for one in above:
            holder = holder[one]
        holder[last] = vpc.observed.status.atProvider.id if value is None else value

    return compose


misspelt = setting("vpcID")
right = setting("vpcId")
PROBLEM = "xr.status.vpcID: isn't a field of the schema; did you mean 'vpcId'?"


def observed(identity: str = "vpc-1") -> Json:
    """Return the VPC as it exists."""
    return {
        "apiVersion": "ec2.aws.upbound.io/v1beta1",
        "kind": "VPC",
        "metadata": {"name": "net-vpc"},
        "spec": {"forProvider": {"region": "eu"}},
        "status": {"atProvider": {"id": identity}},
    }


@pytest.fixture(autouse=True)
def logging_as_before() -> Iterator[None]:
    """The root logger and the masker as they were, at the end."""
    root = logging.getLogger()
    handlers, level, masker = root.handlers[:], root.level, log._mask
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    log._mask = masker


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Return the paths of the composite's and of the XRD's file. The folder of the XRD has no other file."""
    (tmp_path / "definitions").mkdir()
    paths = [tmp_path / "xr.yaml", tmp_path / "definitions" / "xrd.yaml"]
    for path, content in zip(paths, (XR, XRD), strict=True):
        path.write_text(json.dumps(content), encoding="utf-8")
    return list(map(str, paths))


PREVIEWS = {
    "render": (["render"], 1),
    "simulate": (["simulate"], 1),
    "diff": (["diff"], 4),
    "graph": (["graph"], 1),
    "graph --simulate": (["graph", "--simulate"], 1),
}


@pytest.mark.parametrize("flag", ["--xrd", "--crds"])
@pytest.mark.parametrize("preview", PREVIEWS)
def test_every_command_reports_an_undeclared_field(
    preview: str, flag: str, files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Each preview names the path and the near name, and fails; a declared field passes."""
    (command, *more), status = PREVIEWS[preview]
    given = [command, files[0], flag, files[1], *more]
    assert main([*given, "--function", f"{__name__}:misspelt"]) == status
    out, err = capsys.readouterr()
    assert PROBLEM in (out if command == "diff" else err)
    assert main([*given, "--function", f"{__name__}:right"]) == 0
    out, err = capsys.readouterr()
    assert "vpcI" not in err
    assert "not checked: the composite" not in err


def test_render_prints_what_crossplane_applies(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """The documents are printed nevertheless, with the composite's old status: Crossplane stores no other."""
    command = ["render", files[0], "--xrd", files[1], "--function", f"{__name__}:misspelt"]
    assert main(command) == 1
    out, err = capsys.readouterr()
    assert err.splitlines()[0].startswith(f"invalid: {PROBLEM}")
    assert "kind: VPC" in out
    assert "resourceRefs" in out
    assert "status:" not in out


CALLS: dict[str, Callable[[Any, Json], Any]] = {
    "render": lambda compose, xr: testing.render(xr, compose, xrd=XRD),
    "render of an existing VPC": lambda compose, xr: testing.render(xr, compose, xrd=XRD, observed={"vpc": observed()}),
    "render with schemas": lambda compose, xr: testing.render(xr, compose, schemas=[XRD]),
    "simulate": lambda compose, xr: testing.simulate(xr, compose, xrd=XRD),
    "simulate with schemas": lambda compose, xr: testing.simulate(xr, compose, schemas=[XRD]),
    "run": lambda compose, xr: testing.run(compose, testing.request(xr), xrd=XRD),
    "the library": lambda compose, xr: render(xr, [Step("s", "f")], {"f": compose}, xrd=XRD),
}


@pytest.mark.parametrize("call", CALLS)
def test_every_test_helper_raises(call: str) -> None:
    """The error of a test has the path and the near name, whether the value exists already or not."""
    with pytest.raises(InvalidStatusError) as caught:
        CALLS[call](misspelt, XR)
    assert [one.partition(" (schema")[0] for one in caught.value.errors] == [PROBLEM]
    CALLS[call](right, XR)


@pytest.mark.parametrize("call", CALLS)
def test_the_version_of_the_composite_counts(call: str) -> None:
    """A field that another version declares is right only in that version."""
    other = {**XR, "apiVersion": "status.example.org/v2"}
    CALLS[call](misspelt, other)
    with pytest.raises(InvalidStatusError, match=r"status\.vpcId: isn't a field"):
        CALLS[call](right, other)


def test_the_fixtures_of_pytest(crossplane_folder: testing.Folder, crossplane_simulation: Callable[..., Any]) -> None:
    """The fixtures check the status, too."""
    for call in (crossplane_folder.render, crossplane_folder.simulate, crossplane_simulation):
        with pytest.raises(InvalidStatusError):
            call(XR, misspelt, xrd=XRD)


WRONG = {
    "a type": ("vpcId", 5, "status.vpcId: must be a string"),
    "a choice": ("tier", "medium", "status.tier: must be one of"),
    "the value of a map": ("tags", {"a": 1}, "status.tags.a: must be a string"),
    "a field in an object": ("gateway", {"id": "x", "zonE": "a"}, "status.gateway.zonE: isn't a field"),
    "a field in a list": ("zones", [{"id": "a"}, {"iD": "b"}], "status.zones[1].iD: isn't a field"),
}
ALLOWED = {
    "a key of a map": ("tags.anything", "x"),
    "what is preserved": ("free", {"any": {"thing": [1]}}),
    "what waits in a map": ("tags.anything", None),
    "what waits in what is preserved": ("free.any.thing", None),
    "a required field that waits": ("gateway.id", None),
}


@pytest.mark.parametrize("case", WRONG)
def test_the_rules_of_the_schema(case: str) -> None:
    """Types, choices and unknown names are checked at any depth, in previews and in a cluster."""
    field, value, problem = WRONG[case]
    with pytest.raises(InvalidStatusError) as caught:
        testing.render(XR, setting(field, value), xrd=XRD)
    assert len(caught.value.errors) == 1
    assert caught.value.errors[0].startswith(f"xr.{problem}")
    (fatal,) = answered(setting(field, value, asks=True)).fatal
    assert fatal.startswith(f"xr.{problem}")


@pytest.mark.parametrize("case", ALLOWED)
def test_allowed_fields(case: str) -> None:
    """Maps and preserved objects take any field, and a required field may wait."""
    field, value = ALLOWED[case]
    testing.render(XR, setting(field, value), xrd=XRD)
    assert not answered(setting(field, value, asks=True)).fatal


def test_unresolved_text_and_keys() -> None:
    """A text or key with a value that doesn't exist yet isn't checked, but the names of fields are."""

    def failing(fill: Callable[[Any, str], Any]) -> list[str]:
        @composition.function
        def compose(ctx: Any) -> None:
            vpc = ctx.resource("vpc", Unstructured("ec2.aws.upbound.io/v1beta1", "VPC", spec={"forProvider": {}}))
            fill(ctx.composite(Unstructured).status, f"k-{vpc.observed.status.atProvider.id}")

        try:
            testing.render(XR, compose, xrd=XRD)
        except InvalidStatusError as error:
            return [one.partition(":")[0] for one in error.errors]
        return []

    assert not failing(lambda status, text: setattr(status, "tier", text))
    assert not failing(lambda status, text: setattr(status, "tags", {text: "x"}))
    assert not failing(lambda status, text: setattr(status, "gateway", {text: "x"}))
    assert not failing(lambda status, text: setattr(status, "zones", [{"id": text}]))
    assert failing(lambda status, text: setattr(status, "vpcID", text)) == ["xr.status.vpcID"]


def test_missing_required_fields() -> None:
    """A missing field is an error where the whole pipeline is known, but not after one of its functions."""
    incomplete = setting("gateway.zone", "a", asks=True)
    with pytest.raises(InvalidStatusError, match=r"xr\.status\.gateway\.id: is required"):
        testing.render(XR, incomplete, xrd=XRD)
    assert not answered(incomplete).fatal
    assert not testing.run(incomplete, testing.request(XR), xrd=XRD).fatal


@pytest.mark.parametrize("api", ["v1", "v2"])
def test_fields_of_crossplane(api: str) -> None:
    """The connection details of composites of Crossplane 1 are allowed without a declaration."""
    definition = {**XRD, "apiVersion": f"apiextensions.crossplane.io/{api}"}
    definition["spec"] = {key: value for key, value in XRD["spec"].items() if key != "scope"}
    published = setting("connectionDetails", {"lastPublishedTime": "2024-01-01T00:00:00Z"})
    if api == "v1":
        testing.render(XR, published, xrd=definition)
    else:
        with pytest.raises(InvalidStatusError, match="connectionDetails"):
            testing.render({**XR, "metadata": {"name": "net", "namespace": "n"}}, published, xrd=definition)


def test_each_wave_is_checked() -> None:
    """A value that only a later wave brings is an error in that wave, and the waves before are there."""

    @composition.function
    def compose(ctx: Any) -> None:
        xr = ctx.composite(Unstructured)
        vpc = ctx.resource("vpc", Unstructured("ec2.aws.upbound.io/v1beta1", "VPC", spec={"forProvider": {}}))
        xr.status.tier = vpc.observed.status.atProvider.id

    assert not testing.render(XR, compose, xrd=XRD).composite["status"].get("tier")
    with pytest.raises(InvalidStatusError, match=r"xr\.status\.tier: must be one of"):
        testing.simulate(XR, compose, xrd=XRD, fixtures={"vpc": {"status": {"atProvider": {"id": "vpc-1"}}}})
    fixtures = {"vpc": {"status": {"atProvider": {"id": "large"}}}}
    assert testing.simulate(XR, compose, xrd=XRD, fixtures=fixtures).composite["status"]["tier"] == "large"


def test_functions_find_the_schema_of_the_xrd() -> None:
    """A function that asks for the schema of the composite gets that of the XRD, as in a cluster."""
    seen = []

    @composition.function
    def compose(ctx: Any) -> None:
        ctx.composite(Unstructured)
        seen.append(ctx.schema(API, "Network").found)

    testing.render(XR, compose, xrd=XRD)
    assert seen[-1]


def test_without_the_validator(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the extra nothing is checked: a preview says so, and a function goes on."""

    def load(module: str, extra: str) -> Any:
        raise MissingExtraError(f"{module} is not installed ({extra})")

    monkeypatch.setattr(extras, "load", load)
    with pytest.warns(UserWarning, match="status isn't checked"):
        testing.render(XR, misspelt, schemas=[unlike(XRD)])
    assert not answered(setting("vpcID", asks=True), API, {**schema_of(), "description": "not prepared yet"}).fatal


def unlike(xrd: Json) -> Json:
    """Return an XRD whose schema isn't prepared yet."""
    changed: Json = json.loads(json.dumps(xrd).replace('"region"', '"regions"'))
    return changed


# -- in a cluster


def schema_of(name: str = "v1") -> Json:
    """Return the schema of the composite's version, as Crossplane answers."""
    versions = crds_of("xrd.yaml", XRD)[0]["spec"]["versions"]
    schema: Json = next(one["schema"]["openAPIV3Schema"] for one in versions if one["name"] == name)
    gvk = {"group": "status.example.org", "version": name, "kind": "Network"}
    return {**schema, "x-kubernetes-group-version-kind": [gvk]}


def answered(compose: Any, api_version: str = API, schema: Json | None = None, **given: Any) -> Any:
    """Return the answer to a call in which Crossplane has sent the schema of the composite."""
    schemas = {f"{api_version}/Network": schema_of() if schema is None else schema}
    return run(compose, xr={**XR, "apiVersion": api_version}, schemas=schemas, **given)


def test_a_fatal_result() -> None:
    """With the composite's schema an undeclared field is a fatal result, and nothing is desired."""
    for there in ({}, {"vpc": observed()}):
        answer = answered(setting("vpcID", asks=True), observed=there)
        assert answer.fatal == [PROBLEM]
        assert not answer.resources
        assert not answered(setting("vpcId", asks=True), observed=there).fatal


def test_the_fatal_result_is_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    """Who reads the function's log finds the field, too."""
    with caplog.at_level(logging.INFO):
        answered(setting("vpcID", asks=True))
    assert [(one.levelname, one.getMessage()) for one in caplog.records] == [("ERROR", PROBLEM)]


def test_nothing_is_checked_without_a_question() -> None:
    """A function that doesn't ask for the schema, or for that of another version, isn't checked."""
    assert not run(misspelt, xr=XR).fatal
    asked = run(setting("vpcID", asks=True), xr=XR)
    assert not asked.fatal
    assert list(asked.requirements.schemas) == [f"{API}/Network"]
    assert not answered(setting("vpcID", asks=True), "status.example.org/v2", schema_of("v2")).fatal


def test_any_way_to_ask() -> None:
    """The check follows from `ctx.requirements`, under any key, and from `ctx.schema`."""

    @composition.function
    def required(ctx: Any) -> None:
        ctx.requirements.schemas["mine"] = SchemaSelector(api_version=API, kind="Network")
        ctx.composite(Unstructured).status.vpcID = "x"

    @composition.function
    def asked(ctx: Any) -> None:
        xr = ctx.composite(Unstructured)
        xr.status.vpcID = "x"
        ctx.schema(xr.apiVersion, xr.kind)

    assert run(required, xr=XR, schemas={"mine": schema_of()}).fatal == [PROBLEM]
    assert answered(asked).fatal == [PROBLEM]


def test_previous_steps() -> None:
    """Only the fields that compose() sets are its mistakes; those of previous steps pass through."""
    before = {"apiVersion": API, "kind": "Network", "status": {"other": 1, "gateway": {"zone": "a", "zonE": "b"}}}
    answer = answered(setting("vpcId", "x", asks=True), desired_xr=before)
    assert not answer.fatal
    assert answer.composite["status"] == {**before["status"], "vpcId": "x"}
    answer = answered(setting("gateway.iD", "x", asks=True), desired_xr=before)
    assert [one.partition(":")[0] for one in answer.fatal] == ["xr.status.gateway.iD"]


def test_a_guess_is_not_checked() -> None:
    """A status that was made while a value is missing may be right later, and must not keep the value from coming."""

    @composition.function
    def compose(ctx: Any) -> None:
        xr = ctx.composite(Unstructured)
        ctx.schema(API, "Network")
        vpc = ctx.resource("vpc", Unstructured("ec2.aws.upbound.io/v1beta1", "VPC", spec={"forProvider": {}}))
        xr.status.tier = "large" if vpc.observed.status.atProvider.id else "unknown"

    assert not answered(compose).fatal
    assert not answered(compose, observed={"vpc": observed()}).fatal


def test_a_failed_compose_is_not_checked() -> None:
    """After an exception the status is incomplete, and only the exception is told."""

    @composition.function
    def compose(ctx: Any) -> None:
        ctx.schema(API, "Network")
        ctx.composite(Unstructured).status.vpcID = "x"
        raise ValueError("broken")

    (fatal,) = answered(compose).fatal
    assert "broken" in fatal


@pytest.mark.slow
def test_a_call_without_schemas_loads_nothing() -> None:
    """The code of the check is loaded only for a call with a schema."""
    import subprocess

    program = (
        "import sys\n"
        f"from {__name__} import XR, misspelt\n"
        "for name in [one for one in sys.modules if '_core.call.schemas' in one]: del sys.modules[name]\n"
        "from crossplane_lite import testing\n"
        "testing.run(misspelt, testing.request(XR))\n"
        "assert 'crossplane_lite._core.call.schemas' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], cwd=Path(__file__).parents[2], check=True, timeout=60)
