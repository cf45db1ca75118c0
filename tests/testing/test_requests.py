"""Building requests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from crossplane.function.proto.v1 import run_function_pb2 as fnv1
from google.protobuf import json_format

from crossplane_lite import Observable, testing
from crossplane_lite.errors import InputError, UnresolvedError, UsageError
from tests.behaviour.models import Bucket, BucketSpec, ForProvider
from tests.support import ALL_CAPABILITIES

XR = {"apiVersion": "example.org/v1", "kind": "XNet", "metadata": {"name": "net"}, "spec": {"size": 3}}
NAME = "crossplane.io/composition-resource-name"


def thing(name: str | None = None, **more: Any) -> dict[str, Any]:
    """Return a resource, with its composition resource name where one is given."""
    metadata = {"annotations": {NAME: name}} if name else {}
    return {"apiVersion": "example.org/v1", "kind": "Thing", "metadata": metadata, **more}


def built(*args: Any, **kwargs: Any) -> fnv1.RunFunctionRequest:
    """Return the official SDK's message of a request."""
    return fnv1.RunFunctionRequest.FromString(testing.request(*args, **kwargs))


def plain(message: Any) -> Any:
    """Return a message as plain data."""
    return json_format.MessageToDict(message, preserving_proto_field_name=True)


def test_everything() -> None:
    """Each argument gets to its place, as the official SDK's messages read it."""
    made = built(
        XR,
        observed={"a": thing(spec={"x": 1})},
        desired={"b": thing()},
        desired_xr={**XR, "status": {"y": 2}},
        desired_ready={"b": True},
        required={"vpcs": [thing("v"), thing()], "none": (), "nobody": None, "one": thing(z=1)},
        schemas={"thing": {"type": "object"}, "unknown": None},
        credentials={"aws": {"key": "k", "token": b"\xff"}},
        connection_details={"a": {"user": "u"}},
        xr_connection_details={"host": "h"},
        context={"c": [1]},
        input={"apiVersion": "x/v1", "kind": "In"},
        tag="t",
    )
    assert made.meta.tag == "t"
    assert sorted(plain(made.meta)["capabilities"]) == sorted(ALL_CAPABILITIES)
    assert plain(made.observed.composite.resource) == XR
    assert dict(made.observed.composite.connection_details) == {"host": b"h"}
    seen = plain(made.observed.resources["a"].resource)
    assert seen["metadata"].pop("managedFields")[0]["fieldsV1"]["f:spec"] == {"f:x": {}}
    assert seen == thing("a", spec={"x": 1})
    assert dict(made.observed.resources["a"].connection_details) == {"user": b"u"}
    assert plain(made.desired.composite.resource)["status"] == {"y": 2}
    assert made.desired.resources["b"].ready == fnv1.READY_TRUE
    assert {key: len(found.items) for key, found in made.required_resources.items()} == {
        "vpcs": 2,
        "none": 0,
        "nobody": 0,
        "one": 1,
    }
    assert not made.extra_resources
    assert plain(made.required_schemas["thing"].openapi_v3) == {"type": "object"}
    assert not made.required_schemas["unknown"].HasField("openapi_v3")
    assert dict(made.credentials["aws"].credential_data.data) == {"key": b"k", "token": b"\xff"}
    assert plain(made.context) == {"c": [1]}
    assert plain(made.input) == {"apiVersion": "x/v1", "kind": "In"}


def test_nothing() -> None:
    """Without arguments there is what an Operation's first function gets, and no field that wasn't given."""
    assert sorted(plain(built())) == ["meta"]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ((), []),
        (("REQUIRED_SCHEMAS",), ["CAPABILITY_CAPABILITIES", "CAPABILITY_REQUIRED_SCHEMAS"]),
        (["CAPABILITY_CONDITIONS"], ["CAPABILITY_CAPABILITIES", "CAPABILITY_CONDITIONS"]),
    ],
)
def test_capabilities(names: Any, expected: list[str]) -> None:
    """Names count with and without their prefix; one of them makes the caller advertise that it does; none is old."""
    made = built(XR, capabilities=names, required={"x": [thing()]})
    assert plain(made.meta).get("capabilities", []) == expected
    assert len(made.extra_resources["x"].items) == 1  # a caller without required resources has these


def test_forms(tmp_path: Path) -> None:
    """A resource may be a dict, a model, YAML text, a path as text or as Path, and all mean the same."""
    text = "apiVersion: storage.gcp.upbound.io/v1beta2\nkind: Bucket\nspec: {forProvider: {location: EU}}\n"
    (tmp_path / "bucket.yaml").write_text(text)
    forms: list[Any] = [
        Bucket(spec=BucketSpec(forProvider=ForProvider(location="EU"))),
        tmp_path / "bucket.yaml",
        str(tmp_path / "bucket.yaml"),
    ]
    first = plain(built(observed={"b": forms[0]}).observed)
    text = text.replace("storage.gcp.upbound.io/v1beta2", first["resources"]["b"]["resource"]["apiVersion"])
    (tmp_path / "bucket.yaml").write_text(text)
    forms.append(text)
    assert [plain(built(observed={"b": form}).observed) for form in forms] == [first] * 4
    for several in (lambda form: form, lambda form: [form]):
        found = [built(required={"b": several(form)}).required_resources["b"].items for form in forms]
        assert [[plain(item.resource)["spec"] for item in items] for items in found] == [
            [{"forProvider": {"location": "EU"}}]
        ] * 4


def test_named_resources(tmp_path: Path) -> None:
    """Without a mapping, composed resources carry their names; folders, several documents and Lists are taken apart."""
    (tmp_path / "one.yaml").write_text(
        f"---\napiVersion: a/v1\nkind: K\nmetadata: {{annotations: {{{NAME}: a}}}}\n"
        "---\napiVersion: v1\nkind: List\nitems:\n"
        f"- {{apiVersion: a/v1, kind: K, metadata: {{annotations: {{{NAME}: b}}}}}}\n"
    )
    (tmp_path / "two.json").write_text(
        f'{{"apiVersion": "a/v1", "kind": "K", "metadata": {{"annotations": {{"{NAME}": "c"}}}}}}'
    )
    for given in (tmp_path, [tmp_path / "one.yaml", str(tmp_path / "two.json")]):
        assert sorted(built(XR, observed=given).observed.resources) == ["a", "b", "c"]
    assert sorted(built(XR, observed=[thing("a"), thing("b")]).observed.resources) == ["a", "b"]
    assert sorted(built(XR, observed=thing("a")).observed.resources) == ["a"]


def test_arguments_stay_as_they_are() -> None:
    """Nothing that is given is changed."""
    given = {"a": thing(spec={"x": [1]})}
    copy = {"a": thing(spec={"x": [1]})}
    testing.request(XR, observed=given, required={"x": [given["a"]]})
    assert given == copy


WRONG: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: built("nowhere.yaml"), InputError, "can't read nowhere.yaml: No such file or directory"),
    (lambda: built("a: [1"), InputError, "the text of xr, line 2: while parsing a flow sequence"),
    (lambda: built("a: 1\n---\nb: 2\n"), InputError, "the text of xr must hold one document (it holds 2)"),
    (lambda: built({"kind": "X"}), InputError, "xr has no apiVersion"),
    (lambda: built(5), UsageError, "xr must be a mapping, a model or a Struct (got an integer)"),
    (lambda: built({**XR, "spec": {"big": 2**60}}), InputError, "xr.spec.big: "),
    (lambda: built({**XR, "spec": {"x": object()}}), InputError, "xr.spec.x: "),
    (lambda: built({**XR, "spec": {"x": Observable("a.b")}}), UnresolvedError, "xr.spec.x is made from a.b"),
    (lambda: built(XR, observed=[thing()]), InputError, f"observed[0]: Thing has no annotation {NAME}"),
    (
        lambda: built(XR, observed=[thing("a"), thing("a")]),
        InputError,
        "observed[1] and observed[0] have the same annotation crossplane.io/composition-resource-name: 'a'",
    ),
    (
        lambda: built(XR, observed={"a": thing("b")}),
        InputError,
        f"observed['a'] must have the annotation {NAME}: a (it has b)",
    ),
    (lambda: built(XR, observed={"": thing()}), UsageError, "must be strings that aren't empty"),
    (lambda: built(XR, observed={"a": 5}), UsageError, "observed['a'] must be a mapping"),
    (lambda: built(XR, observed=5), UsageError, "observed must be a mapping"),
    (lambda: built(XR, required=[thing()]), UsageError, "required must be a mapping with strings as keys"),
    (lambda: built(XR, required={"x": [{"kind": "K"}]}), InputError, "required['x'][0] has no apiVersion"),
    (lambda: built(XR, schemas={"x": 1}), UsageError, "schemas['x'] must be a mapping"),
    (
        lambda: built(XR, credentials={"x": {"y": 1}}),
        UsageError,
        "credentials['x']['y'] must be a string or bytes (got an integer)",
    ),
    (lambda: built(XR, connection_details={"a": {}}), UsageError, "which is not among the observed resources"),
    (lambda: built(XR, desired_ready={"a": True}), UsageError, "which is not among the desired resources"),
    (lambda: built(XR, desired={"a": thing()}, desired_ready={"a": 1}), UsageError, "must be True or False (got 1)"),
    (lambda: built(XR, capabilities="CONDITIONS"), UsageError, "'capabilities' must be a list of names"),
    (lambda: built(XR, capabilities=["X"]), UsageError, "there is no capability 'X'; there are CAPABILITIES, "),
]


@pytest.mark.parametrize(("build", "error", "text"), WRONG)
def test_errors(build: Callable[[], Any], error: type[Exception], text: str) -> None:
    """What can't be used is an error that names the argument and the place in it."""
    with pytest.raises(error) as caught:
        build()
    assert text in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_name_in_errors_of_arguments() -> None:
    """An argument that doesn't exist is an error of the function that was called, also where a folder's method is."""
    made: Any = testing
    for call in (made.request, made.render, made.simulate, made.Folder().request):
        with pytest.raises(TypeError, match=rf"^{call.__name__}\(\) got an unexpected keyword argument 'observd'"):
            call(XR, observd={})
