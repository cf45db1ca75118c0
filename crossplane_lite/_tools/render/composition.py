"""Reads the steps of a pipeline from a Composition or an Operation.

The checks of a Composition are those of Crossplane's own `render`: it must be for the composite's
kind, have the labels that the composite selects, and be of mode Pipeline. What the API server would
refuse is refused, too, such as an unknown field or a second step with the same name. The fields are
those of Crossplane's own definitions (Composition of apiextensions.crossplane.io/v1, Operation of
ops.crossplane.io/v1alpha1).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from ..._core.base.texts import articled, near_name, short_repr, short_text
from ..._core.paths.text import show
from ...errors import InputError
from ..manifests.yaml import Document
from .inputs import FieldError, field, is_text, kind_of, labels
from .pipeline import OPERATIONS_GROUP, Selector, Step

OPERATIONS: Final = ("Operation", "CronOperation", "WatchOperation")
"""The kinds of documents that give an Operation."""

_Path = tuple["str | int", ...]

_COMPOSITION: Final = "apiextensions.crossplane.io/v1"
_OPERATION: Final = f"{OPERATIONS_GROUP}/v1alpha1"
# The label by which Crossplane knows the Operations that come from a template.
_MADE_BY: Final = {
    "CronOperation": "ops.crossplane.io/cronoperation",
    "WatchOperation": "ops.crossplane.io/watchoperation",
}


# The fields of a pipeline's steps. None stands for a field with any content, a list for a list of
# such elements.
_REQUIREMENT: Final = {"requirementName": None, "apiVersion": None, "kind": None}
_STEP: Final[dict[str, Any]] = {
    "step": None,
    "functionRef": {"name": None},
    "input": None,
    "credentials": [{"name": None, "source": None, "secretRef": {"name": None, "namespace": None}}],
    "requirements": {
        "requiredResources": [
            {**_REQUIREMENT, "name": None, "namespace": None, "matchLabels": None}
        ],
        "requiredSchemas": [_REQUIREMENT],
    },
}
_PIPELINE: Final[dict[str, Any]] = {"mode": None, "pipeline": [_STEP]}
_OF_COMPOSITION: Final[dict[str, Any]] = {
    **_PIPELINE,
    "compositeTypeRef": {"apiVersion": None, "kind": None},
    "writeConnectionSecretsToNamespace": None,
}
_OF_OPERATION: Final[dict[str, Any]] = {**_PIPELINE, "retryLimit": None}
_MOST_STEPS: Final = 99
# Fields of a Composition in Crossplane 1, and what does their work since.
_REMOVED: Final = {
    "environment": "a step with function-environment-configs",
    "functions": "mode: Pipeline",
    "patchSets": "a step with function-patch-and-transform",
    "publishConnectionDetailsWithStoreConfigRef": "spec.writeConnectionSecretsToNamespace",
    "resources": "a step with function-patch-and-transform",
}


def composition_steps(document: Document, composite: Document, legacy: bool = False) -> list[Step]:
    """Return the steps of a Composition.

    Args:
        document: The Composition.
        composite: The composite resource that the Composition must fit.
        legacy: Whether the composite is one of Crossplane 1, so that its `compositionSelector` is
            directly in `spec`; see `definition.is_legacy`.

    Raises:
        InputError: The document isn't a Composition, doesn't fit the composite, isn't of mode
            Pipeline, or has no steps or a malformed step.
    """
    if (document.content["apiVersion"], document.content["kind"]) != (_COMPOSITION, "Composition"):
        raise _wrong_kind(document, _COMPOSITION, "Composition")
    _check_type(document, composite)
    _check_labels(document, composite, legacy)
    steps = _steps(document)
    for error in _beside_steps(document):
        raise error
    return steps


def problems_of(document: Document) -> Iterator[FieldError]:
    """Yield what is wrong with a Composition by itself: the first mistake of each step, and each
    unknown field.
    """
    yield from (one for one in _each_step(document) if isinstance(one, FieldError))
    if isinstance(document.content.get("spec"), dict):
        yield from _beside_steps(document)


def _beside_steps(document: Document) -> Iterator[FieldError]:
    """Yield an error for each field of a Composition that it can't have."""
    yield from _unknown_fields(document, document.content["spec"], _OF_COMPOSITION, ("spec",))
    yield from _without_secrets(document)


def operation_of(document: Document) -> Document:
    """Return the Operation that Crossplane would make of a document.

    Args:
        document: An Operation, which is returned as it is; or a CronOperation or WatchOperation,
            whose template is used.

    Returns:
        The Operation. An Operation from a template has the name of the CronOperation or
        WatchOperation, and Crossplane's label with this name.

    Raises:
        InputError: The document is of another kind; or a CronOperation or WatchOperation has no
            template, or a malformed one.
    """
    content = document.content
    if content["apiVersion"] != _OPERATION or content["kind"] not in OPERATIONS:
        raise _wrong_kind(
            document, _OPERATION, ", ".join(OPERATIONS[:-1]) + f" or {OPERATIONS[-1]}"
        )
    if content["kind"] == OPERATIONS[0]:
        return document
    if field(document, dict, "spec", "operationTemplate", "spec") is None:
        raise InputError(
            f"{document.where} has no spec.operationTemplate.spec, from which a {content['kind']}"
            " makes its Operations"
        )
    template = content["spec"]["operationTemplate"]
    metadata = field(document, dict, "spec", "operationTemplate", "metadata") or {}
    # Crossplane generates the Operation's name from the document's; its own `render` uses the
    # document's name.
    name = content["metadata"]["name"]
    found = {
        **labels(document, "spec", "operationTemplate", "metadata", "labels"),
        _MADE_BY[content["kind"]]: name,
    }
    named = {**metadata, "labels": found, "name": name}
    return Document(
        document.where,
        {
            "apiVersion": _OPERATION,
            "kind": OPERATIONS[0],
            "metadata": named,
            "spec": template["spec"],
        },
    )


def operation_steps(document: Document) -> list[Step]:
    """Return the steps of an Operation, or of a Composition whose kind has been checked.

    Args:
        document: The document; of an Operation, as `operation_of` returns it.

    Raises:
        InputError: The document isn't of mode Pipeline, or has no steps or a malformed step.
    """
    steps = _steps(document)
    for error in _unknown_fields(document, document.content["spec"], _OF_OPERATION, ("spec",)):
        raise error
    return steps


def _steps(document: Document) -> list[Step]:
    """Return the steps of a document with a pipeline.

    Raises:
        InputError: The document isn't of mode Pipeline, or has no steps or a malformed step.
    """
    found = []
    for one in _each_step(document):
        if isinstance(one, FieldError):
            raise one
        found.append(one)
    return found


def _each_step(document: Document) -> Iterator[Step | FieldError]:
    """Yield the steps of a document with a pipeline, and an error in the place of each that is
    wrong.
    """
    number = 0
    try:
        mode = field(document, str, "spec", "mode")
    except FieldError as error:
        yield error
        return
    if mode not in (None, "Pipeline"):  # an API server fills it in where it is missing
        yield FieldError(
            document,
            ("spec", "mode"),
            f" is {short_text(mode)}; only mode: Pipeline can be rendered",
        )
        return
    elements = _elements(document, "step", "spec", "pipeline")
    while True:
        try:
            name, path = next(elements)
            number += 1
            yield _step(document, name, path)
        except StopIteration:
            break
        except FieldError as error:
            yield error
            number += 1
    if not number:
        yield FieldError(document, (), " has no steps in spec.pipeline")
    if number > _MOST_STEPS:
        problem = f" must have at most {_MOST_STEPS} steps (it has {number})"
        yield FieldError(document, ("spec", "pipeline"), problem)


def _unknown_fields(
    document: Document, content: Any, known: Any, path: _Path
) -> Iterator[FieldError]:
    """Yield an error for each field that an API server doesn't know.

    Args:
        document: The document, for messages.
        content: The part of the document at `path`.
        known: The fields of this part, such as `_STEP`.
        path: The path of this part.
    """
    if isinstance(known, list) and isinstance(content, list):
        for at, one in enumerate(content):
            yield from _unknown_fields(document, one, known[0], (*path, at))
    if not (isinstance(known, dict) and isinstance(content, dict)):
        return
    for key, value in content.items():
        if key in known:
            yield from _unknown_fields(document, value, known[key], (*path, key))
            continue
        instead = _REMOVED.get(key) if path == ("spec",) else None
        hint = f"; Crossplane 2 has {instead} instead" if instead else near_name(key, known)
        kind = articled(document.content["kind"])
        yield FieldError(document, (*path, key), f" isn't a field of {kind}{hint}")


def _without_secrets(document: Document) -> Iterator[FieldError]:
    """Yield an error for credentials without a Secret, which only an Operation may have."""
    steps = document.content["spec"].get("pipeline")
    for number, step in enumerate(steps if isinstance(steps, list) else ()):
        credentials = step.get("credentials") if isinstance(step, dict) else None
        for at, one in enumerate(credentials if isinstance(credentials, list) else ()):
            if isinstance(one, dict) and one.get("source") != "Secret":
                path = ("spec", "pipeline", number, "credentials", at, "source")
                yield FieldError(
                    document,
                    path,
                    " must be Secret; a Composition has no credentials without a Secret",
                )


def watching(steps: Sequence[Step], document: Document, watched: Document) -> list[Step]:
    """Return the steps of an Operation with a watched resource added: each step also requires this
    resource.

    Args:
        steps: The Operation's steps, which aren't changed.
        document: The Operation, CronOperation or WatchOperation as read from the file.
        watched: The watched resource, which has a name.

    Raises:
        InputError: The document is a WatchOperation that watches another kind or apiVersion.
    """
    from .operation import requiring

    content = watched.content
    if document.content["kind"] == OPERATIONS[2]:
        for key in ("apiVersion", "kind"):
            wanted = field(document, str, "spec", "watch", key)
            if wanted and wanted != content[key]:
                raise InputError(
                    f"{document.where} watches resources with the {key} {short_text(wanted)}, and"
                    f" {watched.where} has the {key} {short_text(content[key])}: give a resource"
                    " that is watched"
                )
    return requiring(steps, content)


def _wrong_kind(document: Document, api_version: str, kinds: str) -> InputError:
    return InputError(
        f"{document.where}: the kind is {kind_of(document)}, and must be {kinds} of {api_version}"
    )


def _check_type(document: Document, composite: Document) -> None:
    for key in ("apiVersion", "kind"):
        wanted = field(document, str, "spec", "compositeTypeRef", key)
        if wanted != composite.content[key]:
            has = f"is {short_text(wanted)}" if wanted else "is missing"
            raise InputError(
                f"{document.where}: spec.compositeTypeRef.{key} {has}, and the {key} of"
                f" {composite.where} is {short_text(composite.content[key])}"
            )


def _check_labels(document: Document, composite: Document, legacy: bool) -> None:
    """Refuse a Composition that lacks a label of the composite's `compositionSelector`, or has
    another value for it.

    Raises:
        InputError: The Composition doesn't have the labels; or labels are malformed.
    """
    found = labels(document, "metadata", "labels")
    start = ("spec",) if legacy else ("spec", "crossplane")
    holder = field(composite, dict, *start) or {}
    if "compositionSelector" not in holder:
        return
    for key, value in labels(composite, *start, "compositionSelector", "matchLabels").items():
        if found.get(key) != value:
            has = f"is {short_repr(found[key])}" if key in found else "is missing"
            raise InputError(
                f"{document.where}: the label {short_repr(key, 300)} {has}, and {composite.where}"
                f" selects Compositions where it is {short_repr(value)}"
            )


def _input(document: Document, path: _Path) -> dict[str, Any] | None:
    """Return the input of a step, which is an object with a kind of its own."""
    found: dict[str, Any] | None = field(document, dict, *path)
    if found is not None:
        for key in ("apiVersion", "kind"):
            _text(document, *path, key)
    return found


def _step(document: Document, name: str, path: _Path) -> Step:
    needs = (*path, "requirements")
    schemas = _elements(document, "requirementName", *needs, "requiredSchemas")
    return Step(
        name,
        _text(document, *path, "functionRef", "name"),
        where=f"{_place(document, path)} ({short_text(name)})",
        input=_input(document, (*path, "input")),
        credentials=dict(_credentials(document, path)),
        resources={
            key: _selector(document, at)
            for key, at in _elements(document, "requirementName", *needs, "requiredResources")
        },
        schemas={
            key: (_text(document, *at, "apiVersion"), _text(document, *at, "kind"))
            for key, at in schemas
        },
    )


def _credentials(document: Document, step: _Path) -> Iterator[tuple[str, tuple[str, str]]]:
    for name, path in _elements(document, "name", *step, "credentials"):
        source = field(document, str, *path, "source")
        if source in (None, "None"):  # no credentials are sent then, as in Crossplane
            continue
        if source != "Secret":
            raise FieldError(
                document, (*path, "source"), f" is {short_text(source)}, and must be Secret"
            )
        secret = (*path, "secretRef")
        yield name, (_text(document, *secret, "namespace"), _text(document, *secret, "name"))


def _selector(document: Document, path: _Path) -> Selector:
    name = field(document, str, *path, "name")
    has_labels = field(document, dict, *path, "matchLabels") is not None
    if bool(name) == has_labels:
        has = "both" if name else "neither"
        raise FieldError(document, path, f" must have either a name or matchLabels (it has {has})")
    return Selector(
        _text(document, *path, "apiVersion"),
        _text(document, *path, "kind"),
        name=name or None,
        labels=labels(document, *path, "matchLabels") if has_labels else None,
        namespace=field(document, str, *path, "namespace") or None,
    )


def _elements(document: Document, key: str, *path: str | int) -> Iterator[tuple[str, _Path]]:
    """Yield the name of each element of the list at `path`, which it has under `key`, and the
    element's path.

    Raises:
        InputError: The value at `path` isn't a list, an element isn't a mapping with a name, or two
            have the same name.
    """
    seen: set[str] = set()
    for number in range(len(field(document, list, *path) or ())):
        element = (*path, number)
        if field(document, dict, *element) is None:
            raise FieldError(document, element, " must be a mapping (got null)")
        name = _text(document, *element, key)
        if name in seen:
            raise FieldError(
                document,
                element,
                f" has the same {key} as an element before it: {short_repr(name)}",
            )
        seen.add(name)
        yield name, element


def _text(document: Document, *path: str | int) -> str:
    value = field(document, str, *path)
    if not is_text(value):
        raise FieldError(document, path, f" is {'missing' if value is None else 'an empty string'}")
    text: str = value
    return text


def _place(document: Document, path: _Path) -> str:
    return f"{document.where}: {show(path)}"
