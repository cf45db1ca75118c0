"""Rendering and simulating what tests give."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import pytest

from crossplane_lite import Unstructured, composition, testing
from crossplane_lite.errors import InputError, UsageError
from crossplane_lite.render import InProcess
from tests.codegen.generated import crd, obj
from tests.render.files import composition_of, step
from tests.testing import test_waves
from tests.testing.inner import ROOT

XR = {"apiVersion": "example.org/v1", "kind": "XNet", "metadata": {"name": "net"}, "spec": {"region": "eu"}}
NAME = "crossplane.io/composition-resource-name"
EXAMPLE = ROOT / "examples" / "storage_bucket"
INPUT = """\
input: {apiVersion: example.org/v1, kind: Input, size: 3}
credentials:
  - {name: cloud, source: Secret, secretRef: {namespace: system, name: cloud}}
"""
COMPOSITION = composition_of("XNet", "net", step("one", "function-net", INPUT), step("two", "function-again"))


def thing(name: str, kind: str = "Thing") -> Any:
    """Return an object to register."""
    made = Unstructured("example.org/v1", kind)
    made.metadata.name = name
    return made


@composition.function(name="first")
def first(ctx: composition.Context) -> None:
    """Composes a thing of the input and of the context."""
    one = ctx.resource("one", thing("one"))
    one.spec.size = ctx.input["size"]
    one.spec.color = ctx.context.get("color")
    one.spec.key = ctx.credentials["cloud"]["key"].decode()


@composition.function(name="second")
def second(ctx: composition.Context) -> None:
    """Composes a thing of what it asks for."""
    two = ctx.resource("two", thing("two"))
    ctx.requirements.resources["vpcs"] = composition.ResourceSelector(api_version="example.org/v1", kind="VPC")
    two.spec.vpcs = [found.metadata.name for found in ctx.required_resources.get("vpcs", Unstructured)]
    schema = ctx.schema("example.org/v1", "Thing")
    two.spec.found = "size" in schema.get("properties", {})


SECRET = {"apiVersion": "v1", "kind": "Secret", "metadata": {"namespace": "system", "name": "cloud"}}
VPC = {"apiVersion": "example.org/v1", "kind": "VPC", "metadata": {"name": "v"}}
CRD = crd(obj(size={"type": "integer"}))
FUNCTIONS = {"function-net": first, "function-again": InProcess(second)}


def test_pipeline() -> None:
    """A Composition's steps run with input, credentials, context, required resources and schemas, of whatever form."""
    rendered = testing.render(
        XR,
        COMPOSITION,
        functions=FUNCTIONS,
        required=[{**SECRET, "stringData": {"key": "k"}}, VPC],
        schemas=CRD,
        context={"color": "red"},
    )
    assert list(rendered.composed) == ["one", "two"]
    assert rendered.composed["one"]["spec"] == {"size": 3, "color": "red", "key": "k"}
    assert rendered.composed["two"]["spec"] == {"vpcs": ["v"], "found": True}


def test_files_of_a_folder(tmp_path: Path) -> None:
    """Relative paths begin in the folder, as text and as Path, files and folders; the result is the same."""
    (tmp_path / "cluster").mkdir()
    (tmp_path / "crds").mkdir()
    for path, content in {
        "xr.yaml": XR,
        "cluster/secret.yaml": {**SECRET, "stringData": {"key": "k"}},
        "cluster/vpc.json": VPC,
        "crds/thing.yaml": CRD,
        "context.yaml": {"color": "red"},
    }.items():
        (tmp_path / path).write_text(json.dumps(content))
    (tmp_path / "composition.yaml").write_text(COMPOSITION)
    folder = testing.Folder(tmp_path)
    given: dict[str, Any] = {"functions": FUNCTIONS, "context": "context.yaml", "schemas": ["crds"]}
    as_text = folder.render("xr.yaml", "composition.yaml", required="cluster", **given)
    as_path = folder.render(Path("xr.yaml"), tmp_path / "composition.yaml", required=[Path("cluster")], **given)
    assert as_text.composed == as_path.composed
    assert as_text.composed["two"]["spec"] == {"vpcs": ["v"], "found": True}
    assert repr(folder) == f"Folder({str(tmp_path)!r})"


def test_the_example() -> None:
    """The example of the README renders out of its files, first without and then with its observed state."""
    from examples.storage_bucket.function import compose

    folder = testing.Folder(EXAMPLE)
    assert list(folder.render("xr.yaml", compose).composed) == ["bucket"]
    rendered = folder.render("xr.yaml", compose, observed="observed")
    assert list(rendered.composed) == ["acl", "bucket"]
    assert rendered.composite["status"]["bucketName"] == "photos-3f9c1d2ab47e"


def test_observed_by_name() -> None:
    """Observed resources by name get the annotation, and one that isn't desired any more is deleted."""
    uid = {"uid": "u", "name": "net"}
    owner = {"apiVersion": "example.org/v1", "kind": "XNet", "name": "net", "uid": "u", "controller": True}
    old = {"apiVersion": "example.org/v1", "kind": "VPC", "metadata": {"name": "x", "ownerReferences": [owner]}}

    @composition.function
    def compose(ctx: composition.Context) -> None:
        ctx.resource("vpc", Unstructured("example.org/v1", "VPC"))

    rendered = testing.render({**XR, "metadata": uid}, compose, observed={"old": old})
    assert list(rendered.deleted) == ["old"]
    assert list(rendered.composed) == ["vpc"]


def test_fatal() -> None:
    """A fatal result is raised, with its text."""

    @composition.function
    def compose(ctx: composition.Context) -> None:
        ctx.results.fatal("no region")

    with pytest.raises(testing.FatalResultError, match="returned a fatal result: no region"):
        testing.render(XR, compose)
    with pytest.raises(testing.FatalResultError, match="no region"):
        testing.simulate(XR, compose)


def test_fixtures(tmp_path: Path) -> None:
    """What is known of resources comes as a mapping, as text or in a file, and the simulation has run."""
    text = "vpc: {status: {vpcId: v-1}}\n"
    (tmp_path / "fixtures.yaml").write_text(text)
    for given in ({"vpc": {"status": {"vpcId": "v-1"}}}, text, "fixtures.yaml", tmp_path / "fixtures.yaml"):
        simulation = testing.Folder(tmp_path).simulate(XR, test_waves.compose, fixtures=given)
        assert simulation.stable
        assert simulation.observed["subnet-a"]["spec"] == {"vpcId": "v-1"}


def test_a_fixture_for_no_resource() -> None:
    """A fixture for which there is no resource is a warning at the test's line, with a similar name."""
    with pytest.warns(UserWarning) as told:
        simulation = testing.simulate(XR, test_waves.compose, fixtures={"VCP": {"status": {"vpcId": "v-1"}}})
    assert simulation.stable
    text = "fixture 'VCP': no composed resource has this name or kind; did you mean 'VPC'?"
    assert [(str(one.message), one.filename) for one in told] == [(text, __file__)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        testing.simulate(XR, test_waves.compose, fixtures={"VPC": {"status": {"vpcId": "v-1"}}})


def test_errors(tmp_path: Path) -> None:
    """What can't be used is an error that names it."""
    folder = testing.Folder(tmp_path)
    compose = test_waves.compose
    wrong: list[tuple[Any, type[Exception], str]] = [
        (lambda: folder.render("xr.yaml", compose), InputError, f"can't read {tmp_path}/xr.yaml: No such file"),
        (lambda: folder.render({**XR, "metadata": {}}, compose), InputError, "xr has no metadata.name"),
        (lambda: folder.render(XR, XR), InputError, "XNet of example.org/v1"),
        (
            lambda: folder.render(XR, compose, functions={"a": compose}),
            UsageError,
            "'composition' is a function: leave",
        ),
        (lambda: folder.render(XR, 5), UsageError, "composition must be a mapping"),
        (lambda: folder.render(XR, compose._compose), UsageError, "is @composition.function missing?"),
        (
            lambda: folder.render(XR, compose, schemas=["crds"]),
            InputError,
            f"there is no file or folder {tmp_path}/crds",
        ),
        (lambda: folder.render(XR, compose, schemas=[VPC]), InputError, "schemas[0] is neither a CustomResource"),
        (lambda: folder.render(XR, compose, required=[{"kind": "X"}]), InputError, "required[0] has no apiVersion"),
        (
            lambda: folder.render(XR, compose, observed=[VPC]),
            InputError,
            f"observed[0]: VPC v has no annotation {NAME}",
        ),
        (lambda: folder.render(XR, COMPOSITION, functions={}), Exception, "function-net"),
        (lambda: folder.render(XR, COMPOSITION, functions={"function-net": 1}), UsageError, "function-net"),
        (lambda: folder.simulate(XR, compose, fixtures="none.yaml"), InputError, "none.yaml"),
        (lambda: folder.simulate(XR, compose, fixtures=5), UsageError, "fixtures must be a mapping"),
        (lambda: folder.simulate(XR, compose, fixtures={"vpc": 5}), InputError, "the fixture 'vpc' must be a mapping"),
    ]
    for attempt, error, text in wrong:
        with pytest.raises(error) as caught:
            attempt()
        assert text in str(caught.value)


XRD = {
    "apiVersion": "apiextensions.crossplane.io/v2",
    "kind": "CompositeResourceDefinition",
    "metadata": {"name": "xbuckets.example.org"},
    "spec": {
        "scope": "Cluster",
        "group": "example.org",
        "names": {"kind": "XBucket", "plural": "xbuckets"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "referenceable": True,
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "properties": {
                            "spec": {"type": "object", "properties": {"size": {"type": "integer", "default": 7}}}
                        },
                    }
                },
            }
        ],
    },
}
SIZED = {"apiVersion": "example.org/v1", "kind": "XBucket", "metadata": {"name": "a"}, "spec": {}}


def test_an_xrd() -> None:
    """Rendering, simulating and one call take an XRD: its defaults are there, and what doesn't fit is refused."""
    from crossplane_lite import Unstructured, composition

    @composition.function
    def compose(ctx: Any) -> None:
        made = Unstructured("example.org/v1", "Thing")
        made.spec = {"size": ctx.composite(Unstructured).observed.spec.size}
        ctx.resource("thing", made)

    from crossplane_lite import testing

    assert testing.render(SIZED, compose, xrd=XRD).composed["thing"]["spec"] == {"size": 7}
    done = testing.simulate(SIZED, compose, xrd=XRD)
    assert done.rounds[-1].rendered.composed["thing"]["spec"] == {"size": 7}
    assert testing.run(compose, testing.request(SIZED), xrd=XRD).desired["thing"]["spec"] == {"size": 7}
    wrong = {**SIZED, "spec": {"size": "x"}}
    for attempt in (
        lambda: testing.render(wrong, compose, xrd=XRD),
        lambda: testing.simulate(wrong, compose, xrd=XRD),
        lambda: testing.run(compose, testing.request(wrong), xrd=XRD),
    ):
        with pytest.raises(InputError, match=r"spec\.size: must be an integer"):
            attempt()


def test_a_status_is_checked_beside_a_remark() -> None:
    """The status is checked against the XRD also where a namespace was left out, which is a warning."""
    from crossplane_lite import Unstructured, composition, testing
    from crossplane_lite.render import InvalidStatusError

    @composition.function
    def compose(ctx: Any) -> None:
        ctx.composite(Unstructured).status.size = "x"

    request = testing.request(SIZED)
    with pytest.warns(UserWarning, match="no metadata.namespace"), pytest.raises(InvalidStatusError):
        testing.run(compose, request, xrd={**XRD, "spec": {**XRD["spec"], "scope": "Namespaced"}})


def test_desired_resources_are_as_earlier_functions_left_them() -> None:
    """What is given as desired gets no annotation and no empty metadata; what is observed gets the annotation."""
    from google.protobuf import json_format

    from crossplane_lite import testing
    from crossplane_lite.proto.v1 import run_function_pb2 as fnv1

    bare = {"apiVersion": "example.org/v1", "kind": "Thing", "spec": {"a": 1}}
    labelled = {**bare, "metadata": {"labels": {"a": "b"}}}
    data = testing.request(SIZED, desired={"bare": bare, "labelled": labelled}, observed={"bare": bare})
    request = fnv1.RunFunctionRequest.FromString(data)
    desired = {name: json_format.MessageToDict(one.resource) for name, one in request.desired.resources.items()}
    assert desired == {"bare": bare, "labelled": labelled}
    observed = json_format.MessageToDict(request.observed.resources["bare"].resource)
    assert observed["metadata"]["annotations"] == {"crossplane.io/composition-resource-name": "bare"}
