"""Who runs a function."""

from __future__ import annotations

import pytest

from crossplane_lite._tools.manifests.yaml import Document
from crossplane_lite._tools.render.functions import InProcess, Remote, assign, runners
from crossplane_lite._tools.render.pipeline import Step
from crossplane_lite.errors import InputError
from tests.render.files import HERE, bucket

STEPS = [Step("one", "f", where="c.yaml: spec.pipeline[0] (one)"), Step("two", "g"), Step("three", "f")]


def described(name: str, **annotations: str) -> dict[str, Document]:
    """Return a Function document by its name."""
    named = {f"render.crossplane.io/{key.replace('_', '-')}": value for key, value in annotations.items()}
    return {name: Document("functions.yaml", {"metadata": {"name": name, "annotations": named}})}


def test_assign() -> None:
    """What the command line gives is assigned by name, and without one where the pipeline has one function."""
    assert assign([("f", "a:b"), ("g", "a:c")], STEPS) == {"f": "a:b", "g": "a:c"}
    assert assign([(None, "a:b")], STEPS[:1]) == {"f": "a:b"}
    assert assign([(None, "a:b")], [STEPS[0], STEPS[2]]) == {"f": "a:b"}
    assert assign([], STEPS) == {}


@pytest.mark.parametrize(
    ("given", "line"),
    [
        (
            [(None, "a:b")],
            "--function a:b doesn't say which function of the pipeline it is (f, g): "
            "add the name, as in --function f=a:b",
        ),
        ([("h", "a:b")], "--function h=a:b: no step calls a function 'h'; the steps call f, g"),
        ([("f", "a:b"), ("f", "a:c")], "--function is given twice for 'f': a:b and a:c"),
    ],
)
def test_wrong_assignments(given: list[tuple[str | None, str]], line: str) -> None:
    """A function that isn't in the pipeline, is given twice or can't be told is refused with what there is."""
    with pytest.raises(InputError) as caught:
        assign(given, STEPS)
    assert str(caught.value) == line


def test_runners() -> None:
    """Functions run in process or over gRPC as their documents say, and the command line wins."""
    documents = {
        **described("f", runtime="Development"),
        **described("g", runtime="InProcess", runtime_in_process_target=f"{HERE}:tell"),
        **described("unused", runtime="Docker"),
    }
    found = runners(STEPS, {"g": f"{HERE}:bucket"}, documents)
    assert list(found) == ["f", "g"]
    assert isinstance(found["f"], Remote)
    assert found["f"].target == "localhost:9443"
    assert isinstance(found["g"], InProcess)
    assert found["g"].function is bucket
    target = {"runtime": "Development", "runtime_development_target": "dns:///example.org:7443"}
    found = runners(STEPS[:1], {}, described("f", **target))
    assert isinstance(found["f"], Remote)
    assert found["f"].target == "dns:///example.org:7443"


@pytest.mark.parametrize(
    ("documents", "line"),
    [
        (
            {},
            "c.yaml: spec.pipeline[0] (one): functionRef.name: no function 'f' was given (given: none): "
            "add its Function document to the FUNCTIONS file, or give --function f=module:function",
        ),
        (
            described("ff", runtime="Development"),
            "c.yaml: spec.pipeline[0] (one): functionRef.name: no function 'f' was given (given: ff); "
            "did you mean 'ff'? add its Function document to the FUNCTIONS file, or give --function f=module:function",
        ),
        (
            described("f"),
            "functions.yaml (f): this command doesn't start Docker containers: give --function f=module:function; or "
            "start the function yourself, and add the annotation render.crossplane.io/runtime: Development to this "
            "document",
        ),
        (
            described("f", runtime="Podman"),
            "functions.yaml (f): the annotation render.crossplane.io/runtime is 'Podman', and must be Development or "
            "InProcess",
        ),
        (
            described("f", runtime="InProcess"),
            "functions.yaml (f): render.crossplane.io/runtime: InProcess needs the annotation "
            "render.crossplane.io/runtime-in-process-target: module:function, too",
        ),
        (
            described("f", runtime="InProcess", runtime_in_process_target="f"),
            "functions.yaml (f): annotation render.crossplane.io/runtime-in-process-target: 'f' is not "
            "module:function, for example main:compose or package.module:compose, with names that Python can import",
        ),
    ],
)
def test_nobody_to_run_it(documents: dict[str, Document], line: str) -> None:
    """A function that nobody can run is refused with what to do."""
    with pytest.raises(InputError) as caught:
        runners(STEPS, {}, documents)
    assert str(caught.value) == line


def test_function_that_cannot_be_loaded() -> None:
    """What is wrong with a function of ours is said with the flag that names it."""
    with pytest.raises(InputError, match=r"^--function nowhere:f: there is no module 'nowhere' in "):
        runners(STEPS[:1], {"f": "nowhere:f"}, {})
