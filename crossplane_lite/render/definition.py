"""A CompositeResourceDefinition's part in a composite: its version of Crossplane, its defaults, and its schema.

Crossplane goes by the XRD's scope alone. With the scope LegacyCluster, the fields that steer the composition are in
`spec` itself, and the composite has connection details and perhaps a claim. With any other scope these fields are in
`spec.crossplane`, and there are neither connection details nor a claim. A composite without an XRD counts as one of the
second sort, whatever the fields of its spec are called.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from .._base.api_version import group_of
from .._base.type_names import articled
from .._manifests.yaml import Document
from .._terminal.excerpts import short_text
from ..errors import InputError, MissingExtraError
from .api_versions import split_api_version

__all__ = ["admitted", "check_defines", "is_legacy", "steering"]

_GROUP: Final = "apiextensions.crossplane.io"
_LEGACY: Final = "LegacyCluster"


def is_legacy(xrd: Mapping[str, Any] | None) -> bool:
    """Say whether the composites of an XRD are those of Crossplane 1, which have the scope LegacyCluster.

    An XRD of apiextensions.crossplane.io/v1 that names no scope has this scope. Without an XRD the answer is no.
    """
    if xrd is None:
        return False
    spec = xrd.get("spec")
    scope = spec.get("scope") if isinstance(spec, Mapping) else None
    return scope == _LEGACY if scope is not None else xrd.get("apiVersion") == f"{_GROUP}/v1"


def steering(composite: Mapping[str, Any], legacy: bool) -> Mapping[str, Any]:
    """Return the part of a composite's spec that steers its composition; empty where there is none."""
    spec = composite.get("spec")
    holder = spec if legacy or not isinstance(spec, Mapping) else spec.get("crossplane")
    return holder if isinstance(holder, Mapping) else {}


def check_defines(composite: Mapping[str, Any], xrd: Mapping[str, Any], where: str) -> None:
    """Refuse an XRD that doesn't define a composite's kind.

    Args:
        composite: The composite.
        xrd: The CompositeResourceDefinition.
        where: File and place of the XRD, for messages.

    Raises:
        InputError: The XRD isn't one, or defines another kind; or a claim was given in place of its composite.
        RenderError: The composite's apiVersion isn't one.
    """
    if (group_of(str(xrd.get("apiVersion"))), xrd.get("kind")) != (_GROUP, "CompositeResourceDefinition"):
        raise InputError(
            f"{where} is not a CompositeResourceDefinition of {_GROUP} "
            f"(it is {articled(short_text(xrd.get('kind')), short_text(xrd.get('apiVersion')))})"
        )
    spec = xrd.get("spec")
    spec = spec if isinstance(spec, Mapping) else {}
    kinds = [_kind_in(spec, key) for key in ("names", "claimNames")]
    group, _ = split_api_version(str(composite.get("apiVersion")))
    kind = composite.get("kind")
    if group == spec.get("group") and kind == kinds[0]:
        return
    if group == spec.get("group") and kinds[1] is not None and kind == kinds[1]:
        raise InputError(
            f"{where}: {short_text(kind)} is the kind of the claim, and Crossplane composes its composite; give the "
            f"composite of kind {short_text(kinds[0])}"
        )
    raise InputError(
        f"{where} defines the composite {short_text(kinds[0])} of {short_text(spec.get('group'))}, not "
        f"{short_text(kind)} of {short_text(group)}"
    )


def admitted(composite: Document, xrd: Document) -> tuple[Document, list[str]]:
    """Return a composite as an API server would store it, and remarks for people.

    Args:
        composite: The composite, whose content isn't changed.
        xrd: The CompositeResourceDefinition of its kind.

    Raises:
        InputError: The XRD isn't one, or defines another kind; or an API server would refuse the composite's spec. The
            message names each wrong field, and the file.
    """
    from .defaults import apply_defaults

    check_defines(composite.content, xrd.content, xrd.where)
    content = apply_defaults(composite.content, xrd.content, xrd.where)
    try:
        problems = list(_problems(content, xrd))
    except MissingExtraError as error:
        return Document(composite.where, content), [f"the composite isn't checked against {xrd.where}: {error}"]
    if problems:
        raise InputError(f"{composite.where} doesn't fit its definition in {xrd.where}: {'; '.join(problems)}")
    return Document(composite.where, content), []


def _kind_in(spec: Mapping[str, Any], key: str) -> Any:
    names = spec.get(key)
    return names.get("kind") if isinstance(names, Mapping) else None


def _problems(composite: Mapping[str, Any], xrd: Document) -> Iterable[str]:
    """Yield the mistakes in a composite's spec."""
    from .._validation.schema import SchemaError, errors_in
    from .defaults import schema_of

    schema, _ = schema_of(composite, xrd.content, xrd.where)
    try:
        found = errors_in(composite, schema)
    except SchemaError as error:
        raise InputError(f"{xrd.where}: the schema can't be used: {error}") from None
    for one in found:
        # The rest is Crossplane's, or the functions'.
        if not one.path or one.path.partition(".")[0].partition("[")[0] == "spec":
            yield f"{one.path}: {one.problem}" if one.path else one.problem
