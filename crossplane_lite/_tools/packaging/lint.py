"""Checks a function's package as Crossplane's package manager does before it installs the package.

Each error and warning names the file and the line.

A version in a constraint such as `>=1.20, <3` has one to three numbers; `x`, `X` or `*` can stand
for a number. A pre-release and a build may follow. A constraint has one or more comparisons with
spaces or commas between them, and all of them must be true. `||` separates alternatives, and
`1.2 - 2` is a range.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final, Literal, NamedTuple

import attr

from ..._core.base.api_version import group_of
from ..._core.base.texts import short_repr
from ..._core.schemas.structure import problems_of, structured
from ...errors import InputError
from ..manifests.crd import versions_of
from ..manifests.objects import metadata_of
from ..manifests.yaml import Lines, number_of, parse_documents

_LONGEST: Final = 512
_MOST: Final = 32

_NUMBER: Final = r"(?:\d+|[xX*])"
_NAMES: Final = r"[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*"
_VERSION: Final = rf"v?{_NUMBER}(?:\.{_NUMBER}){{0,2}}(?:-{_NAMES})?(?:\+{_NAMES})?"
_ONE: Final = rf"(?:!=|>=|=>|<=|=<|~>|[=<>~^])?\s*{_VERSION}"
_RANGE: Final = re.compile(rf"\s*({_VERSION})\s+-\s+({_VERSION})\s*", re.ASCII)
_ALL: Final = re.compile(rf"\s*{_ONE}\s*(?:(?:\s|,\s*){_ONE}\s*)*", re.ASCII)


def constraint_problem(text: str) -> str | None:
    """Return why `text` isn't a version constraint, in words that begin with `must be`; None if it
    is a constraint.
    """
    if len(text) > _LONGEST:
        return f"must be a version constraint of at most {_LONGEST} characters (it has {len(text)})"
    # A range stands for two comparisons.
    groups = _RANGE.sub(r">=\1, <=\2 ", text).split("||")
    if len(groups) > _MOST:
        return (
            f"must be a version constraint of at most {_MOST} alternatives (it has {len(groups)})"
        )
    for group in groups:
        if not _ALL.fullmatch(group):
            return (
                f"must be a version constraint, for example >=v2.0.0 or >=1.20, <3 (got {text!r})"
            )
    return None


_META: Final = "meta.pkg.crossplane.io"
_META_VERSIONS: Final = ("v1", "v1beta1")
_PREFIX: Final = "function-"
_NAME: Final = re.compile(
    r"[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*", re.ASCII
)
_LONGEST_NAME: Final = 253
_DIGEST: Final = re.compile(r"sha256:[0-9a-f]{64}")
_KINDS: Final = ("function", "configuration", "provider", "package")


def _name(_: Any, field: Any, name: str) -> None:
    if not _NAME.fullmatch(name) or len(name) > _LONGEST_NAME:
        raise ValueError(
            f"must be at most {_LONGEST_NAME} lower-case letters, digits and dashes (got {name!r})",
            field,
        )
    if not name.startswith(_PREFIX):
        raise ValueError(f"must begin with {_PREFIX} (got {name!r})", field)


def _constraint(_: Any, field: Any, version: str) -> None:
    if problem := constraint_problem(version):
        raise ValueError(problem, field)


def _digest_or_constraint(_: Any, field: Any, version: str) -> None:
    if not _DIGEST.fullmatch(version):
        _constraint(_, field, version)


@attr.define
class _Metadata:
    name: str = attr.field(validator=_name)


@attr.define
class _Crossplane:
    version: str = attr.field(validator=_constraint)


@attr.define
class _Dependency:
    version: str = attr.field(validator=_digest_or_constraint)
    apiVersion: str | None = None  # noqa: N815
    kind: str | None = None
    package: str | None = None
    function: str | None = None
    configuration: str | None = None
    provider: str | None = None

    def __attrs_post_init__(self) -> None:
        if not any(getattr(self, kind) for kind in _KINDS):
            raise ValueError(f"must name a package in one of the fields {', '.join(_KINDS)}")


@attr.define
class _Spec:
    image: str | None = None
    crossplane: _Crossplane | None = None
    capabilities: list[Literal["composition", "operation"]] | None = None
    dependsOn: list[_Dependency] | None = None  # noqa: N815


@attr.define
class _Function:
    """What Crossplane reads of a package's Function object."""

    metadata: _Metadata
    spec: _Spec | None = None


_Path = Sequence["str | int"]


class Found(NamedTuple):
    """An object of a package, with its file and line.

    Attributes:
        label: The file's name in messages.
        number: The number of the object's YAML document in the file, from 1.
        line: The line on which the document begins, from 1.
        text: The file's text.
        content: The object itself.
    """

    label: str
    number: int
    line: int
    text: str
    content: dict[str, Any]

    def at(self, *path: str | int) -> str:
        """Return `FILE, line N` for the field at `path`, such as `at("spec", "image")`.

        If the field doesn't exist, return the line of the nearest field around it.
        """
        # The text is parsed again for each line, because only messages need lines.
        line = Lines(self.text).find(self.number, path)[0] if path else self.line
        return f"{self.label}, line {line}"


def read_stream(text: str, label: str) -> list[Found]:
    """Return the objects of a YAML stream.

    Args:
        text: The text of the stream.
        label: The file's name in messages.

    Raises:
        InputError: The text isn't YAML as Kubernetes reads it, a document isn't an object, or
            objects are nested more than 200 levels deep.
        MissingExtraError: PyYAML isn't installed.
    """
    found = []
    for document in parse_documents(text, label):
        found.append(Found(label, *number_of(document.where), text, document.content))
    return found


def lint(found: Sequence[Found], label: str) -> tuple[list[str], list[str]]:
    """Check the objects of a function's package.

    Args:
        found: The objects.
        label: The package's name in messages.

    Returns:
        The errors and the warnings. The package manager refuses a package with errors. A warning is
        about a field that Crossplane ignores.
    """
    metas = [one for one in found if group_of(str(one.content.get("apiVersion"))) == _META]
    problems = list(_of_number(metas, label))
    warnings: list[str] = []
    for one in metas:
        for problem in _of_meta(one):
            (warnings if _IGNORED in problem else problems).append(problem)
    names: dict[str, str] = {}
    for one in found:
        if one not in metas:
            problems += _of_object(one, names)
    return problems, warnings


def _of_number(metas: Sequence[Found], label: str) -> Iterator[str]:
    if not metas:
        yield (
            f"{label} has no {_META} Function, which describes the package: write it into"
            " crossplane.yaml"
        )
    for one in metas[1:]:
        yield (
            f"{one.at()}: a package must have one object of {_META}, and {metas[0].at()} has one"
            " already: remove one"
        )


def _of_meta(one: Found) -> Iterator[str]:
    content = one.content
    kind, version = content.get("kind"), str(content.get("apiVersion")).partition("/")[2]
    if kind != "Function":
        yield f"{one.at('kind')}: the package must be a Function ({_given(kind)})"
        return
    if version not in _META_VERSIONS:
        yield (
            f"{one.at('apiVersion')}: apiVersion must be {_META}/v1 (got"
            f" {short_repr(content.get('apiVersion'))})"
        )
    read = {
        "metadata": {key: value for key, value in metadata_of(content).items() if key == "name"}
    }
    if "spec" in content:
        read["spec"] = content["spec"]
    try:
        structured(read, _Function)
    except Exception as e:
        for problem in problems_of(e, ""):
            path = problem.path.removeprefix(".")
            steps = [
                int(step) if step.isdecimal() else step for step in re.findall(r"[^.[\]]+", path)
            ]
            is_ignored = problem.about_key and problem.message != " is required"
            yield f"{one.at(*steps)}: {_IGNORED if is_ignored else ''}{path}{problem.message}"


_IGNORED: Final = "Crossplane ignores this: "


def _given(value: Any) -> str:
    """Return a remark on a wrong value, such as `got 5`; `it is missing` if the value is None."""
    return "it is missing" if value is None else f"got {short_repr(value)}"


def _of_object(one: Found, names: dict[str, str]) -> Iterator[str]:
    kind, api_version = one.content.get("kind"), str(one.content.get("apiVersion"))
    if not isinstance(kind, str) or "apiVersion" not in one.content:
        yield f"{one.at()}: an object of a package must have apiVersion and kind"
        return
    if (group_of(api_version), kind) != ("apiextensions.k8s.io", "CustomResourceDefinition"):
        yield (
            f"{one.at('kind')}: a function's package can only have CustomResourceDefinitions, of"
            f" the function's input (this is a {short_repr(kind)} of {short_repr(api_version)}):"
            " remove the object"
        )
        return
    name = metadata_of(one.content).get("name")
    if not isinstance(name, str):
        yield f"{one.at('metadata', 'name')}: metadata.name must be a string ({_given(name)})"
    elif name in names:
        yield (
            f"{one.at('metadata', 'name')}: {names[name]} defines {name} as well: remove one of"
            " the two"
        )
    else:
        names[name] = one.at()
    try:
        list(versions_of(one.at(), one.content))
    except InputError as e:
        yield str(e)
