"""What an API server refuses of one object: by the schema of its kind, by rules in CEL, and in
code.

Previews check with it what functions desire (`validation`), and `crossplane-lite validate` checks
files.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..._core.base.api_version import split
from ..._core.base.texts import near_name, short_text, some
from ..._core.paths.schema import Schema
from ..._core.paths.text import show as show_path
from ..._core.paths.trees import lookup
from ..._core.schemas.rules import Verdicts, verdicts
from ..._core.schemas.schema import errors_in
from ..._core.schemas.translate import SchemaError, is_own_kind
from ..kubernetes.rules import problems as kubernetes_problems
from .definition import defaulted
from .rendered import api_versions_checked

if TYPE_CHECKING:
    from ..manifests.kind_schemas import Schemas

_NO_BASE64: Final = "must be base64"
_NEAR: Final = 0.8
_MANIFEST: Final = ("spec", "forProvider", "manifest")


class Mistake(NamedTuple):
    """A mistake in an object.

    Attributes:
        path: The path of the field; empty for the object itself.
        text: What is wrong, with the place of the schema.
    """

    path: str
    text: str

    def of(self, name: str) -> str:
        """Return the line about the mistake in an object with a name."""
        return f"{self.below(name).path}: {self.text}"

    def below(self, path: str) -> Mistake:
        """Return the mistake as one of an object around this one, which has it at a path."""
        joint = "." if path and self.path and self.path[0] != "[" else ""
        return Mistake(f"{path}{joint}{self.path}", self.text)


class Kind(NamedTuple):
    """The schema of a kind.

    Attributes:
        schema: The schema; None if there is none.
        where: The schema's place for messages, such as ` in xrd.yaml`.
    """

    schema: Mapping[str, Any] | None
    where: str


def kind_of(schemas: Schemas, api_version: str, kind: str) -> Kind:
    """Return the schema of a kind.

    Raises:
        InputError: A file of schemas can't be read, or is malformed.
        RenderError: The apiVersion can't be parsed.
    """
    with api_versions_checked():
        schema = schemas.find(api_version, kind)
    return Kind(schema, "" if schema is None else f" in {schemas.where(api_version, kind)}")


class Judged(NamedTuple):
    """What an API server says about an object.

    Attributes:
        mistakes: The mistakes.
        rules: What the rules in CEL say; None where other mistakes keep them from being evaluated.
    """

    mistakes: list[Mistake]
    rules: Verdicts | None = None


def judged(
    resource: dict[str, Any],
    known: Kind,
    old: Mapping[str, Any] | None = None,
    *,
    partial: bool = False,
) -> Judged:
    """Check an object as it would be stored.

    An API server takes what exists as it is, so mistakes in it don't count.

    Args:
        resource: The object.
        known: The kind's schema, which there is.
        old: The object as it exists, without its status; None if it doesn't exist.
        partial: Whether fields may be missing, because others set them.

    Raises:
        InputError: The schema is malformed.
    """
    schema = known.schema or {}
    if not is_own_kind(Schema(schema)):
        resource = defaulted(resource, schema)
    found = [*by_schema(resource, known, partial=partial), *_in_code(resource)]
    if found and old is not None:
        there = {*by_schema(old, known, partial=partial), *_in_code(old)}
        found = [one for one in found if one not in there]
    if found:
        return Judged(found)
    rules = verdicts(resource, schema, old)
    return Judged(
        [
            Mistake(path, f"{message} {schema_of(resource, known)}")
            for path, message in rules.broken
        ],
        rules,
    )


def by_schema(
    resource: Mapping[str, Any], known: Kind, *, partial: bool = False, only: str = ""
) -> Iterator[Mistake]:
    """Yield each mistake in an object that its kind's schema finds.

    Args:
        resource: The object.
        known: The kind's schema.
        partial: Whether fields may be missing.
        only: The field that alone is checked; empty for all.
    """
    where = schema_of(resource, known)
    try:
        found = errors_in(resource, known.schema, partial=partial)
    except SchemaError as error:
        yield Mistake("", f"isn't checked: {error} {where}")
        return
    for one in found:
        if one.path.startswith(only):
            hint = (
                "; stringData takes plain text"
                if one.problem == _NO_BASE64 and resource["kind"] == "Secret"
                else ""
            )
            yield Mistake(one.path, f"{one.problem}{hint} {where}")


def _in_code(resource: Mapping[str, Any]) -> Iterator[Mistake]:
    """Yield each mistake that only an API server's code finds, in one of Kubernetes' own kinds."""
    for path, text in kubernetes_problems(resource):
        yield Mistake(show_path(path), text)


def embedded(resource: Mapping[str, Any], schemas: Schemas) -> Iterator[Mistake]:
    """Yield each mistake in the manifest of provider-kubernetes' Object.

    Raises:
        InputError: A file of schemas can't be read, or is malformed.
        RenderError: The manifest's apiVersion can't be parsed.
    """
    manifest: Any = lookup(resource, _MANIFEST) if resource.get("kind") == "Object" else None
    api_version, kind = (lookup(manifest, (key,)) for key in ("apiVersion", "kind"))
    if isinstance(api_version, str) and isinstance(kind, str):
        known = kind_of(schemas, api_version, kind)
        if known.schema is not None:
            yield from (one.below(show_path(_MANIFEST)) for one in by_schema(manifest, known))


def misnamed(schemas: Schemas, api_version: str, kind: str) -> Mistake | None:
    """Return what is wrong with the name or the version of a kind without a schema; None if that
    isn't known.
    """
    versions = _versions(schemas, api_version, kind)
    if versions:
        return Mistake("apiVersion", versions)
    near = _near_kind(kind, schemas.kinds_of(split(api_version)[0]))
    if near:
        return Mistake(
            "kind", f"{short_text(kind)} isn't a kind of {short_text(api_version)}{near}"
        )
    return None


def no_schema(schemas: Schemas, api_version: str, kind: str) -> str:
    """Return why an object isn't checked whose kind has no schema, with the apiVersion that may be
    meant.

    Args:
        schemas: The schemas at hand.
        api_version: The kind's apiVersion.
        kind: The kind.
    """
    others = schemas.api_versions_of(kind)
    near = near_name(api_version, others)
    if others and not near:
        near = f"; there is one of {some(others, 3)}: is that meant?"
    path = f"apis/{api_version}" if "/" in api_version else f"api/{api_version}"
    return (
        f"no schema of {short_text(api_version)} {short_text(kind)}{near}; a file for --crds:"
        f" kubectl get --raw /openapi/v3/{short_text(path)}"
    )


def schema_of(resource: Mapping[str, Any], known: Kind) -> str:
    """Return the end of a message: which schema says so."""
    return (
        f"(schema of {short_text(resource['apiVersion'])}"
        f" {short_text(resource['kind'])}{known.where})"
    )


def _near_kind(kind: str, kinds: Sequence[str]) -> str:
    """Return a hint with the kind that a misspelt kind of its group means; empty for none.

    The definitions at hand may be a part of the group, so a kind counts as misspelt only if it is
    nearly one of them: in other cases, with its letters in another order, as its plural, or with a
    letter or two wrong. A longer name, such as SecurityGroupRule, is a kind of its own.
    """
    wanted = kind.lower()
    for one in kinds:
        known = one.lower()
        is_plural = wanted in (f"{known}s", f"{known}es", f"{known[:-1]}ies")
        has_other = abs(len(wanted) - len(known)) > 1 and (wanted in known or known in wanted)
        is_near = not has_other and difflib.SequenceMatcher(None, wanted, known).ratio() > _NEAR
        if sorted(wanted) == sorted(known) or is_plural or is_near:
            return f"; did you mean {one!r}?"
    return ""


def _versions(schemas: Schemas, api_version: str, kind: str) -> str:
    """Return a message with the versions that a kind's definitions have; an empty string if no
    definition has the kind.

    Args:
        schemas: The schemas of kinds.
        api_version: The apiVersion for which there is no schema.
        kind: The kind.
    """
    group, version = split(api_version)
    found = schemas.versions(group, kind)
    if not found:
        return ""
    is_known = any(version in versions for versions in found.values())
    those = []
    for where, versions in found.items():
        served = [one for one, is_served in versions.items() if is_served]
        those.append(
            f"{where} has {' and '.join(served) or 'no served version'} of"
            f" {kind}{group and ' of '}{group}"
        )
    problem = "isn't served" if is_known else "isn't a version of the kind"
    return f"{short_text(version)} {problem} ({'; '.join(those)})"
