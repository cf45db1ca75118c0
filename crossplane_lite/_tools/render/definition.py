"""The effect of a CompositeResourceDefinition (XRD) on its composites: whether they are legacy,
defaults, and checks.

A legacy composite is one of Crossplane 1: its XRD has the scope LegacyCluster. Crossplane's own
fields, such as `compositionRef`, are directly in its `spec`, and it has connection details and
perhaps a claim. Any other composite has these fields in `spec.crossplane`, and neither connection
details nor a claim. Only the XRD decides this: without an XRD, a composite isn't legacy, whatever
fields its spec has.

Defaults are applied as an API server does. If a field is missing from an object, the field gets its
default. Then fields that are missing from this default get their own defaults. A missing object
without a default stays missing. A null field counts as missing, unless its schema is `nullable`: it
gets its default. If it has none, the null stays. Crossplane's own fields have defaults too, such as
`spec.crossplane.compositionUpdatePolicy`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from ..._core.base.api_version import group_of
from ..._core.base.texts import articled, near_name, short_repr, short_text
from ..._core.paths import field_path
from ..._core.paths.schema import Schema, Steps
from ..._core.paths.text import show
from ..._core.paths.trees import lookup
from ...errors import InputError, MissingExtraError
from ..manifests.objects import metadata_of, text_of
from ..manifests.yaml import Document, line_of
from .rendered import split_api_version

_GROUP: Final = "apiextensions.crossplane.io"
_LEGACY: Final = "LegacyCluster"

# Annotations of a composite: that it is paused, and the last request to reconcile it.
PAUSED: Final = ("metadata", "annotations", "crossplane.io/paused")
REQUESTED: Final = ("metadata", "annotations", "crossplane.io/reconcile-requested-at")


def is_legacy(xrd: Mapping[str, Any] | None) -> bool:
    """Return whether an XRD has the scope LegacyCluster, so that its composites work as in
    Crossplane 1.

    This scope is the default in apiextensions.crossplane.io/v1. For None instead of an XRD, the
    result is False.
    """
    return xrd is not None and bool(_scope(xrd) == _LEGACY)


def is_of_cluster(xrd: Mapping[str, Any]) -> bool:
    """Return whether the composites of an XRD are cluster-scoped."""
    return bool(_scope(xrd) != "Namespaced")


def _scope(xrd: Mapping[str, Any]) -> Any:
    default = _LEGACY if xrd.get("apiVersion") == f"{_GROUP}/v1" else "Namespaced"
    return lookup(xrd, ("spec", "scope")) or default


def steering(composite: Mapping[str, Any], legacy: bool) -> Mapping[str, Any]:
    """Return the mapping with Crossplane's own fields, such as `compositionRef`; empty if the
    composite has none.

    Args:
        composite: The composite.
        legacy: Whether the composite is one of Crossplane 1, so that the mapping is `spec` instead
            of `spec.crossplane`.
    """
    holder = lookup(composite, ("spec",) if legacy else ("spec", "crossplane"))
    return holder if isinstance(holder, Mapping) else {}


def defines(xrd: Mapping[str, Any], composite: Mapping[str, Any]) -> bool:
    """Return whether an XRD defines a composite's kind, in any version.

    Raises:
        RenderError: The composite's apiVersion can't be parsed.
    """
    group, _ = split_api_version(str(composite.get("apiVersion")))
    wanted = lookup(xrd, ("spec", "group")), lookup(xrd, ("spec", "names", "kind"))
    return (group, composite.get("kind")) == wanted


def check_defines(composite: Mapping[str, Any], xrd: Mapping[str, Any], where: str) -> None:
    """Refuse an XRD that doesn't define the composite's kind.

    Args:
        composite: The composite.
        xrd: The CompositeResourceDefinition.
        where: File and place of the XRD, for messages.

    Raises:
        InputError: `xrd` isn't a CompositeResourceDefinition, or defines another kind; or
            `composite` is a claim.
        RenderError: The composite's apiVersion can't be parsed.
    """
    _check_kind(xrd, where)
    if defines(xrd, composite):
        return
    kinds = [lookup(xrd, ("spec", key, "kind")) for key in ("names", "claimNames")]
    defined = lookup(xrd, ("spec", "group"))
    group, _ = split_api_version(str(composite.get("apiVersion")))
    kind = composite.get("kind")
    if group == defined and kinds[1] is not None and kind == kinds[1]:
        raise InputError(
            f"{where}: {short_text(kind)} is the kind of the claim, and Crossplane composes its"
            f" composite; give the composite of kind {short_text(kinds[0])}"
        )
    near = near_name(str(kind), [str(kinds[0])])
    if kind == kinds[0]:
        near = near_name(group, [str(defined)])
    raise InputError(
        f"{where} defines the composite {short_text(kinds[0])} of {short_text(defined)}, and the"
        f" composite is {articled(short_text(kind), short_text(group))}{near}: give the composite's"
        " own file, with the group and kind of its XRD"
    )


def schema_of(
    composite: Mapping[str, Any], xrd: Mapping[str, Any], where: str
) -> tuple[Mapping[str, Any], tuple[str | int, ...]]:
    """Return the schema that an API server has for the composite's kind and version, and a path for
    messages.

    The schema is the XRD's, with Crossplane's own fields added, and without top-level fields that
    Crossplane drops. The path leads to the author's part of the schema in the XRD:
    `spec.versions[N].schema.openAPIV3Schema`.

    Args:
        composite: The composite.
        xrd: The CompositeResourceDefinition that defines its kind.
        where: File and place of the XRD, for messages.

    Raises:
        InputError: `xrd` isn't a CompositeResourceDefinition, or is malformed, or defines another
            kind, or lacks the composite's version; or `composite` is a claim.
        RenderError: The composite's apiVersion can't be parsed.
    """
    from ..manifests.xrd import crds_of

    _check_kind(xrd, where)
    # those of the composite; a claim has the same
    versions = crds_of(where, xrd)[0]["spec"]["versions"]
    check_defines(composite, xrd, where)
    _, name = split_api_version(str(composite.get("apiVersion")))
    for at, version in enumerate(versions):
        if version["name"] == name:
            return version["schema"]["openAPIV3Schema"], (
                "spec",
                "versions",
                at,
                "schema",
                "openAPIV3Schema",
            )
    raise InputError(
        f"{where} has no version {short_repr(name)} of {short_text(composite.get('kind'))}, which"
        " is the composite's (the XRD has"
        f" {short_text(', '.join(version['name'] for version in versions))})"
    )


def admitted(composite: Document, xrd: Document) -> tuple[Document, list[str]]:
    """Fill in the defaults of a composite's XRD, and check the composite's spec against the XRD.

    Args:
        composite: The composite, whose content isn't changed.
        xrd: The CompositeResourceDefinition of its kind.

    Returns:
        The composite as an API server would store it, and remarks for the user. There is a remark
        if the composite or rules in CEL weren't checked, because a package for the check isn't
        installed, and if a namespace is left out.

    Raises:
        InputError: `xrd` isn't a CompositeResourceDefinition, or is malformed, or doesn't define
            the composite's kind and version; or an API server would refuse the composite's spec.
            The message names each wrong field, and the file.
        RenderError: The composite's apiVersion can't be parsed.
    """
    content = apply_defaults(composite.content, xrd.content, xrd.where)
    notes: list[str] = []
    namespace = text_of(metadata_of(content).get("namespace"))
    if not is_of_cluster(xrd.content) and not namespace:
        content = {**content, "metadata": {**metadata_of(content), "namespace": "default"}}
        notes.append(
            f"{composite.where} has no metadata.namespace: it is default, as with kubectl, because"
            f" {xrd.where} has scope: {_scope(xrd.content)}"
        )
    if is_of_cluster(xrd.content) and namespace:
        kept = {key: value for key, value in metadata_of(content).items() if key != "namespace"}
        content = {**content, "metadata": kept}
        notes.append(
            f"{composite.where}: metadata.namespace is left out, as an API server does, because"
            f" {xrd.where} has scope: {_scope(xrd.content)}"
        )
    try:
        problems = list(_problems(Document(composite.where, content), xrd, notes))
    except MissingExtraError as error:
        return Document(composite.where, content), [
            *notes,
            f"the composite isn't checked against {xrd.where}: {error}",
        ]
    if problems:
        raise InputError(
            f"{composite.where} doesn't fit its definition in {xrd.where}: {'; '.join(problems)}"
        )
    return Document(composite.where, content), notes


def _check_kind(xrd: Mapping[str, Any], where: str) -> None:
    if (group_of(str(xrd.get("apiVersion"))), xrd.get("kind")) != (
        _GROUP,
        "CompositeResourceDefinition",
    ):
        raise InputError(
            f"{where} is not a CompositeResourceDefinition of {_GROUP} "
            f"(it is {articled(short_text(xrd.get('kind')), short_text(xrd.get('apiVersion')))})"
        )


def _problems(document: Document, xrd: Document, notes: list[str]) -> Iterable[str]:
    """Yield a text for each mistake in a composite's spec: the field's path, and what is wrong.

    A remark is added to `notes` if rules can't be evaluated.

    Raises:
        InputError: The XRD has no usable schema for the composite.
        MissingExtraError: A package for the check isn't installed.
    """
    from ..._core.schemas.rules import verdicts
    from ..._core.schemas.schema import errors_in
    from ..._core.schemas.translate import SchemaError
    from ..manifests.published import published

    composite = document.content
    source, _ = schema_of(composite, xrd.content, xrd.where)
    schema = published(source, *split_api_version(composite["apiVersion"]), composite["kind"])
    try:
        found = errors_in({key: one for key, one in composite.items() if key != "status"}, schema)
    except SchemaError as error:
        raise InputError(f"{xrd.where}: {error}") from None
    for one in found:
        hint = _quote_it(document, one.path) if one.problem.startswith("must be a string ") else ""
        yield f"{one.path}: {one.problem}{hint}" if one.path else one.problem
    if found:
        return
    rules = verdicts(composite, schema)
    yield from (f"{path}: {message}" if path else message for path, message in rules.broken)
    if rules.unknown:
        notes.append(
            f"{len(rules.unknown)} of {rules.applied} rules in CEL of {xrd.where} aren't evaluated:"
            f" {rules.unknown[0]}"
        )


def _quote_it(document: Document, path: str) -> str:
    """Return the advice for a value that YAML doesn't read as a string, such as `16.3` and `yes`;
    empty for others.
    """
    steps: Any = field_path.parse(path)
    if not isinstance(lookup(document.content, steps), (bool, int, float)):
        return ""
    line = line_of(document.where, steps)
    return f"; quote it in {line}" if line else "; quote it"


def apply_defaults(
    composite: Mapping[str, Any], xrd: Mapping[str, Any], where: str
) -> dict[str, Any]:
    """Return a composite with the defaults of its XRD.

    Args:
        composite: The composite, which isn't changed. The result may share parts with it and with
            the XRD.
        xrd: The CompositeResourceDefinition that defines its kind.
        where: File and place of the XRD, for messages.

    Raises:
        InputError: `xrd` isn't a CompositeResourceDefinition, or defines another kind, or lacks the
            composite's version, or has a malformed schema. The message names the place.
        RenderError: The composite's apiVersion can't be parsed.
    """
    source, path = schema_of(composite, xrd, where)
    result: dict[str, Any] = defaulted(dict(composite), source, where, path)
    return result


def defaulted(
    value: Any, schema: Mapping[str, Any], where: str = "the schema", path: Steps = ()
) -> Any:
    """Return an object with the defaults of its kind's schema; `where` and `path` are its place for
    messages.

    Raises:
        InputError: The schema is malformed.
    """

    def wrong(steps: Steps, problem: str) -> InputError:
        return InputError(f"{where}: {short_text(show(steps))}: {problem}")

    return _defaulted(value, Schema(schema, wrong, path))


def _defaulted(value: Any, schema: Schema) -> Any:
    """Return a value with the defaults of its schema.

    Raises:
        InputError: The schema is malformed.
    """
    if isinstance(value, list):
        inner = schema.items
        if inner is None:
            return value
        # Without a default, a null element stays, and the API server would refuse it.
        return [
            _defaulted(inner.default if one is None and not inner.is_nullable else one, inner)
            for one in value
        ]
    if not isinstance(value, dict):
        return value
    properties = schema.properties
    others = schema.others if isinstance(schema.others, Schema) else None
    result = {}
    for name in {**value, **properties}:
        rules = properties.get(name) or others
        found = value.get(name)
        if rules is not None and (name not in value or not rules.is_nullable):
            found = rules.default if found is None else found
        if found is not None:
            result[name] = found if rules is None else _defaulted(found, rules)
        elif name in value:
            result[name] = None
    return result


REFERENCES: Final = "resourceRefs"
"""The name of the field with a composite's references to its composed resources."""


def composition_of(composite: Mapping[str, Any], legacy: bool = False) -> str:
    """Return the name of the Composition that a composite refers to; empty if it refers to no
    Composition.
    """
    return text_of(lookup(steering(composite, legacy), ("compositionRef", "name")))


def with_composition(spec: Any, name: str, legacy: bool) -> dict[str, Any]:
    """Return a composite's spec with a reference to the Composition `name`. See `with_references`
    for the arguments.
    """
    return _with(spec, "compositionRef", {"name": name}, legacy)


def references_of(resources: Iterable[Mapping[str, Any]], namespace: str) -> list[dict[str, str]]:
    """Return references to composed resources, sorted as Crossplane sorts them: by apiVersion,
    kind, name, namespace.

    Args:
        resources: The composed resources. The reference to a resource without a name has no name.
        namespace: The composite's namespace; empty for a cluster-scoped composite. The references
            of a namespaced composite have no namespace, because its composed resources are in its
            own.
    """
    found = []
    for resource in resources:
        reference = {key: text_of(resource.get(key)) for key in ("apiVersion", "kind")}
        metadata = metadata_of(resource)
        for key in ("name",) if namespace else ("name", "namespace"):
            if text_of(metadata.get(key)):
                reference[key] = metadata[key]
        found.append(reference)
    return sorted(found, key=_order)


def with_references(
    spec: Any, references: list[dict[str, str]], legacy: bool = False
) -> dict[str, Any]:
    """Return a copy of a composite's spec with other references to composed resources.

    Args:
        spec: The spec, which isn't changed. A value that isn't a mapping counts as an empty spec.
        references: The new references. They replace all old ones.
        legacy: Whether the composite is of Crossplane 1.
    """
    return _with(spec, REFERENCES, references, legacy)


def _with(spec: Any, field: str, value: Any, legacy: bool) -> dict[str, Any]:
    spec = spec if isinstance(spec, Mapping) else {}
    if legacy:
        return {**spec, field: value}
    crossplane = spec.get("crossplane")
    return {
        **spec,
        "crossplane": {**(crossplane if isinstance(crossplane, Mapping) else {}), field: value},
    }


def _order(reference: Mapping[str, str]) -> str:
    return "".join(reference.get(key, "") for key in ("apiVersion", "kind", "name", "namespace"))
