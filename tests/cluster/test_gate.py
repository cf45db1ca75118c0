"""Previews end with 0 exactly where the control plane takes all objects of all waves."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from crossplane_lite import NULL, Unstructured, composition, testing
from tests.real.compositions import XR, XRD, Case, Compositions, is_right, passes

from .kube import ApiError, wait
from .plane import Plane

COUNT = 30
_MANAGER = "apiextensions.crossplane.io/composed/tests"


def _problem(plane: Plane, one: dict[str, Any]) -> str:
    """Apply an object as Crossplane does, but without effect, and return why the API server refuses it."""
    try:
        path = f"{plane.kube.path(one)}?fieldManager={_MANAGER}&force=true&dryRun=All"
        plane.kube.request("PATCH", path, one, "application/apply-patch+yaml")
    except ApiError as error:
        return str(error)
    return ""


def _refused(plane: Plane, case: Case) -> str:
    """Return why the API server refuses one of the resources that a composition makes; empty if it takes both."""
    objects = copy.deepcopy(case.objects)
    objects[1]["metadata"].setdefault("labels", {})["first"] = "an-uid"
    # A kind may have just come.
    assert wait(lambda: not any(_problem(plane, one).startswith("404") for one in objects), 60)
    return "".join(_problem(plane, one) for one in objects)


def test_previews_agree_with_the_control_plane(plane: Plane, sources: Path) -> None:
    """Each preview passes a composition exactly where all objects are taken and compose() has no mistake."""
    real = Compositions(sorted((sources / "crds").glob("*.yaml")))
    cases = list(real.cases(COUNT))
    refused = [_refused(plane, case) for case in cases]
    right = [not problem and is_right(case) for case, problem in zip(cases, refused, strict=True)]
    assert COUNT / 4 < sum(right) < COUNT * 3 / 4
    wrong = [
        f"{number} ({case.mistake}, {case.definitions}): {preview} {'passes' if passed else 'fails'}; {problem}"
        for number, (case, problem, is_taken) in enumerate(zip(cases, refused, right, strict=True))
        for preview, passed in passes(case, real.of(case)).items()
        if passed is not is_taken
    ]
    assert wrong == []


def test_statuses_agree_with_the_control_plane(plane: Plane) -> None:
    """The API server takes the status that previews pass, and refuses the one that they refuse."""
    plane.kube.apply(XRD)
    head = {key: XR[key] for key in ("apiVersion", "kind")}
    one = {**head, "metadata": {"name": "gate"}, "spec": {}}
    assert wait(lambda: not _problem(plane, one), 60)
    plane.kube.apply(one)
    path = f"{plane.kube.path(one)}/status?fieldManager=tests&force=true&dryRun=All"
    for status, is_taken in (({"id": "x"}, True), ({"undeclared": "x"}, False), ({"id": 5}, False)):
        body = {**head, "metadata": {"name": "gate"}, "status": status}
        try:
            plane.kube.request("PATCH", path, body, "application/apply-patch+yaml")
            taken = True
        except ApiError:
            taken = False
        assert taken is is_taken
    plane.kube.delete(plane.kube.path(one))


_FREE = {"x-kubernetes-preserve-unknown-fields": True}


@pytest.mark.parametrize(
    ("kind", "field", "is_taken"),
    [
        ("AnyType", _FREE, True),
        ("NullableType", {**_FREE, "nullable": True}, True),
        ("FreeObject", {**_FREE, "type": "object"}, False),
        ("PlainText", {"type": "string"}, False),
        ("NullableText", {"type": "string", "nullable": True}, True),
        ("IntOrString", {"x-kubernetes-int-or-string": True}, False),
    ],
)
def test_a_null_in_a_required_field(plane: Plane, kind: str, field: dict[str, Any], is_taken: bool) -> None:
    """The API server takes a null of a new object where any type may stand or it is nullable; previews say the same."""
    spec = {"type": "object", "required": ["x"], "properties": {"x": field}}
    version = {
        **{"name": "v1", "served": True, "storage": True},
        "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}},
    }
    plural = kind.lower()
    names = {"group": "example.org", "scope": "Cluster", "names": {"kind": kind, "plural": plural}}
    crd = {
        **{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition"},
        "metadata": {"name": f"{plural}.example.org"},
        "spec": {**names, "versions": [version]},
    }
    plane.kube.apply(crd)
    one = {"apiVersion": "example.org/v1", "kind": kind, "metadata": {"name": "a"}, "spec": {"x": None}}
    assert wait(lambda: not _problem(plane, one).startswith("404"), 60)
    assert (not _problem(plane, one)) is is_taken

    @composition.function(name="nulls")
    def compose(ctx: composition.Context) -> None:
        ctx.resource("a", Unstructured("example.org/v1", kind, spec={"x": NULL}))

    try:
        testing.render(XR, compose, crds=[crd])
        passed = True
    except testing.InvalidResourceError:
        passed = False
    assert passed is is_taken
