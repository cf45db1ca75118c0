"""Compositions and Operations as steps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from crossplane_lite._tools.manifests.yaml import Document
from crossplane_lite._tools.render.composition import composition_steps, operation_of, operation_steps, watching
from crossplane_lite._tools.render.inputs import read_object
from crossplane_lite._tools.render.pipeline import Selector
from crossplane_lite.errors import InputError
from tests.render.files import COMPOSITION, XR, composition_of_step, put

OPERATION = """\
apiVersion: ops.crossplane.io/v1alpha1
kind: Operation
metadata: {name: restart}
spec:
  mode: Pipeline
  pipeline:
    - step: one
      functionRef: {name: f}
"""

WATCH = """\
apiVersion: ops.crossplane.io/v1alpha1
kind: WatchOperation
metadata: {name: watching, labels: {a: b}}
spec:
  watch: {apiVersion: v1, kind: ConfigMap}
  operationTemplate:
    metadata: {name: other, labels: {c: d}}
    spec:
      mode: Pipeline
      pipeline:
        - step: one
          functionRef: {name: f}
"""


def read(folder: Path, text: str, name: str = "composition") -> Document:
    """Return the document of a file with this text."""
    return read_object(put(folder, **{name: text}) / f"{name}.yaml", name)


def steps(folder: Path, text: str, xr: str = XR) -> Any:
    """Return the steps of a Composition with this text."""
    return composition_steps(read(folder, text), read(folder, xr, "xr"))


def failure(folder: Path, text: str, xr: str = XR) -> str:
    """Return the one line with which a Composition is refused, without the directory."""
    with pytest.raises(InputError) as caught:
        steps(folder, text, xr)
    line = str(caught.value)
    assert "\n" not in line
    return line.replace(f"{folder}/", "")


def test_steps(tmp_path: Path) -> None:
    """A step has its name, its function, its input and its credentials, in the order of the pipeline."""
    one, two = steps(tmp_path, COMPOSITION)
    assert (one.name, one.function, one.input) == ("bucket", "function-bucket", None)
    assert (two.name, two.function) == ("tell", "function-tell")
    assert two.input == {"apiVersion": "example.org/v1", "kind": "Input", "level": "high"}
    assert two.credentials == {"cloud": ("system", "cloud")}
    assert two.where == f"{tmp_path}/composition.yaml, document 1 (line 1): spec.pipeline[1] (tell)"


def test_requirements(tmp_path: Path) -> None:
    """A step has what the composition itself asks for: resources by name or labels, and schemas."""
    (one,) = steps(
        tmp_path,
        composition_of_step(
            "requirements:\n"
            "  requiredResources:\n"
            "    - {requirementName: a, apiVersion: v1, kind: ConfigMap, name: x, namespace: team}\n"
            "    - {requirementName: b, apiVersion: v1, kind: Node, matchLabels: {k: v}}\n"
            "    - {requirementName: c, apiVersion: v1, kind: Node, matchLabels: {}, namespace: null}\n"
            "  requiredSchemas:\n"
            "    - {requirementName: s, apiVersion: v1, kind: ConfigMap}\n"
        ),
    )
    assert one.resources == {
        "a": Selector("v1", "ConfigMap", name="x", namespace="team"),
        "b": Selector("v1", "Node", labels={"k": "v"}),
        "c": Selector("v1", "Node", labels={}),
    }
    assert one.schemas == {"s": ("v1", "ConfigMap")}


def test_nothing_and_null(tmp_path: Path) -> None:
    """What is null or empty counts as left out, and credentials without a source are none."""
    (one,) = steps(
        tmp_path, composition_of_step("input: null\ncredentials: null\nrequirements: {requiredResources: []}\n")
    )
    assert (one.input, one.credentials, one.resources, one.schemas) == (None, {}, {}, {})
    text = composition_of_step("credentials: [{name: a, source: None}]\n")
    operation = OPERATION + "      credentials: [{name: a, source: None}]\n"
    for written in (operation, operation.replace("mode: Pipeline", "")):
        (one,) = operation_steps(operation_of(read(tmp_path, written)))
        assert one.credentials == {}
    assert failure(tmp_path, text) == (
        f"{HERE}: spec.pipeline[0].credentials[0].source must be Secret; a Composition has no credentials without a "
        "Secret"
    )


HERE = "composition.yaml, document 1 (line 1)"


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        (
            "kind: Composition",
            "kind: Comp",
            f"{HERE}: the kind is Comp of apiextensions.crossplane.io/v1, and must be Composition of "
            "apiextensions.crossplane.io/v1",
        ),
        (
            "kind: XBucket}",
            "kind: XOther}",
            f"{HERE}: spec.compositeTypeRef.kind is XOther, and the kind of xr.yaml, document 1 (line 1) is XBucket",
        ),
        (
            "{apiVersion: example.org/v1,",
            "{",
            f"{HERE}: spec.compositeTypeRef.apiVersion is missing, and the apiVersion of xr.yaml, document 1 (line 1) "
            "is example.org/v1",
        ),
        ("mode: Pipeline", "mode: Resources", f"{HERE}: spec.mode is Resources; only mode: Pipeline can be rendered"),
        ("mode: Pipeline", "mod: Pipeline", f"{HERE}: spec.mod isn't a field of a Composition; did you mean 'mode'?"),
        (
            "mode: Pipeline",
            "environment: {}",
            f"{HERE}: spec.environment isn't a field of a Composition; Crossplane 2 has a step with "
            "function-environment-configs instead",
        ),
        ("step: tell", "step: bucket", f"{HERE}: spec.pipeline[1] has the same step as an element before it: 'bucket'"),
        ("- step: tell", "- step: 1", f"{HERE}: spec.pipeline[1].step must be a string (got an integer)"),
        ("- step: tell", "- stop: tell", f"{HERE}: spec.pipeline[1].step is missing"),
        ("{name: function-tell}", "[]", f"{HERE}: spec.pipeline[1].functionRef must be a mapping (got a list)"),
        ("{name: function-tell}", "{name: ''}", f"{HERE}: spec.pipeline[1].functionRef.name is an empty string"),
        ("source: Secret", "source: Vault", f"{HERE}: spec.pipeline[1].credentials[0].source is Vault, and must be "
         "Secret"),
        ("namespace: system,", "", f"{HERE}: spec.pipeline[1].credentials[0].secretRef.namespace is missing"),
        ("        - name: cloud\n", "        - a\n        - name: cloud\n", f"{HERE}: "
         "spec.pipeline[1].credentials[0] must be a mapping (got a string)"),
        ("kind: XBucket}\n", "kind: XBucket}\n  pipeline: 1\n", "composition.yaml, line 9: the key 'pipeline' occurs "
         "twice; remove one of the two"),
    ],
)  # fmt: skip
def test_wrong_compositions(tmp_path: Path, old: str, new: str, line: str) -> None:
    """A Composition that isn't for the composite, isn't a pipeline or has a wrong step is refused with the place."""
    assert old in COMPOSITION
    assert failure(tmp_path, COMPOSITION.replace(old, new, 1)) == line


@pytest.mark.parametrize("value", ["null", "[]", "{}", "[null]", "[1]", "[[]]", "x", "{a: b}"])
@pytest.mark.parametrize("key", ["spec", "spec.compositeTypeRef", "spec.mode", "spec.pipeline"])
def test_wrong_types(tmp_path: Path, key: str, value: str) -> None:
    """Whatever stands at a key of a Composition, it is refused with a line that names the file and the key."""
    if (key, value) == ("spec.mode", "null"):  # an API server fills it in
        return
    lines = {"spec.compositeTypeRef": "{apiVersion: example.org/v1, kind: XBucket}", "spec.mode": "Pipeline"}
    lines["spec.pipeline"] = "[{step: one, functionRef: {name: f}}]"
    head = "apiVersion: apiextensions.crossplane.io/v1\nkind: Composition\nmetadata: {name: a}\n"
    body = "".join(f"  {name[5:]}: {value if name == key else text}\n" for name, text in lines.items())
    line = failure(tmp_path, f"{head}spec: {value}\n" if key == "spec" else f"{head}spec:\n{body}")
    assert line.startswith(f"{HERE}")
    assert key in line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("input: x", "spec.pipeline[0].input must be a mapping (got a string)"),
        ("credentials: {}", "spec.pipeline[0].credentials must be a list (got an object)"),
        (
            "credentials:\n"
            "- &a {name: a, source: Secret, secretRef: {name: x, namespace: z}}\n"
            "- *a",
            "spec.pipeline[0].credentials[1] has the same name as an element before it: 'a'",
        ),
        ("requirements: []", "spec.pipeline[0].requirements must be a mapping (got a list)"),
        (
            "requirements: {requiredResources: [{apiVersion: v1}]}",
            "spec.pipeline[0].requirements.requiredResources[0].requirementName is missing",
        ),
        (
            "requirements: {requiredResources: [{requirementName: a, apiVersion: v1, kind: K}]}",
            "spec.pipeline[0].requirements.requiredResources[0] must have either a name or matchLabels "
            "(it has neither)",
        ),
        (
            "requirements: {requiredResources: [{requirementName: a, apiVersion: v1, kind: K, matchLabels: {k: 1}}]}",
            "spec.pipeline[0].requirements.requiredResources[0].matchLabels.k must be a string "
            "(got an integer); quote it",
        ),
        (
            "requirements: {requiredSchemas: [{requirementName: a, apiVersion: v1}]}",
            "spec.pipeline[0].requirements.requiredSchemas[0].kind is missing",
        ),
    ],
)  # fmt: skip
def test_wrong_steps(tmp_path: Path, text: str, line: str) -> None:
    """Whatever is wrong in a step is refused with its path."""
    assert failure(tmp_path, composition_of_step(text)) == f"{HERE}: {line}"


def test_labels(tmp_path: Path) -> None:
    """The Composition has the labels that the composite selects it by."""
    place = "crossplane: {compositionSelector: %s}"
    text = COMPOSITION.replace("name: buckets", "name: buckets\n  labels: {tier: gold}")
    wanted = XR + "  " + place % "{matchLabels: {tier: gold}}" + "\n"
    assert len(steps(tmp_path, text, wanted)) == 2
    end = "and xr.yaml, document 1 (line 1) selects Compositions where it is 'gold'"
    assert failure(tmp_path, COMPOSITION, wanted) == f"{HERE}: the label 'tier' is missing, {end}"
    silver = text.replace("gold", "silver")
    old = read(tmp_path, XR + "  compositionSelector: {matchLabels: {tier: gold}}\n", "xr")
    assert len(composition_steps(read(tmp_path, COMPOSITION), old)) == 2
    with pytest.raises(InputError, match="the label 'tier' is missing"):
        composition_steps(read(tmp_path, COMPOSITION), old, legacy=True)
    assert failure(tmp_path, silver, wanted) == f"{HERE}: the label 'tier' is 'silver', {end}"


def document_kind(text: str) -> str:
    """Return the kind of a document."""
    return next(line.split()[1] for line in text.splitlines() if line.startswith("kind: "))


def test_operation(tmp_path: Path) -> None:
    """An Operation is itself; a template is an Operation under the name of the document that it is in."""
    document = read(tmp_path, OPERATION)
    assert operation_of(document) is document
    (one,) = operation_steps(document)
    assert (one.name, one.function) == ("one", "f")
    for text in (WATCH, WATCH.replace("WatchOperation", "CronOperation").replace("watch: ", "schedule: ")):
        made = operation_of(read(tmp_path, text))
        assert made.content["kind"] == "Operation"
        label = f"ops.crossplane.io/{document_kind(text).lower()}"
        assert made.content["metadata"] == {"name": "watching", "labels": {"c": "d", label: "watching"}}
        assert [one.name for one in operation_steps(made)] == ["one"]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            XR,
            f"{HERE}: the kind is XBucket of example.org/v1, and must be Operation, CronOperation or WatchOperation of "
            "ops.crossplane.io/v1alpha1",
        ),
        (WATCH.replace("operationTemplate", "template"), f"{HERE} has no spec.operationTemplate.spec, "
         "from which a WatchOperation makes its Operations"),
        (WATCH.replace("metadata: {name: other, labels: {c: d}}", "metadata: 1"), f"{HERE}: "
         "spec.operationTemplate.metadata must be a mapping (got an integer)"),
        (OPERATION.replace("mode: Pipeline", "mode: Job"), f"{HERE}: "
         "spec.mode is Job; only mode: Pipeline can be rendered"),
    ],
)  # fmt: skip
def test_wrong_operations(tmp_path: Path, text: str, line: str) -> None:
    """What isn't an Operation, or has no usable template, is refused with its place."""
    with pytest.raises(InputError) as caught:
        operation_steps(operation_of(read(tmp_path, text)))
    assert str(caught.value).replace(f"{tmp_path}/", "") == line


def test_watched(tmp_path: Path) -> None:
    """With a watched resource every step asks for it, and it must be of the kind that is watched."""
    document = read(tmp_path, WATCH)
    found = operation_steps(operation_of(document))
    watched = read(tmp_path, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: ns}\n", "watched")
    (one,) = watching(found, document, watched)
    assert one.resources == {
        "ops.crossplane.io/watched-resource": Selector("v1", "ConfigMap", name="c", namespace="ns"),
    }
    other = read(tmp_path, "apiVersion: v1\nkind: Secret\nmetadata: {name: c}\n", "watched")
    with pytest.raises(
        InputError, match="watches resources with the kind ConfigMap, and .* has the kind Secret: give a"
    ):
        watching(found, document, other)
    assert len(watching(found, read(tmp_path, OPERATION), other)) == 1


def test_long_names_are_shortened(tmp_path: Path) -> None:
    """However long names and kinds are, a message is of a length that people read."""
    name = "x" * 100_000
    for old, new in (
        ("kind: Composition", f"kind: {name}"),
        ("mode: Pipeline", f"mode: {name}"),
        ("kind: XBucket", f"kind: {name}"),
    ):
        assert old in COMPOSITION
        assert len(failure(tmp_path, COMPOSITION.replace(old, new))) < 1_000
