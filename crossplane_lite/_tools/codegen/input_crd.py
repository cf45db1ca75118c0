"""`crossplane-lite generate-input`: the CustomResourceDefinition of a function's input, from its
attrs class.

A function's package contains this definition for people and editors. Crossplane doesn't use it, and
passes every input to the function unchecked. The fields of an input are at its top level, beside
apiVersion, kind and metadata; there is no spec and no status.

The schema accepts every input that `ctx.input_as()` accepts. It also accepts some inputs that
`ctx.input_as()` refuses, because a structural schema can't express these checks: the members of
most unions, the content of recursive classes and of models, and the validators of classes.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from ..._core.base.api_version import split
from ..._core.base.extras import load
from ..._core.base.texts import type_in_words
from ..._core.schemas.of_class import class_schema
from ..._core.schemas.types import check_class, fields_of
from ...errors import InputError, UsageError
from ...runtime import load as imports
from ..manifests.files import naming

# The fields that every object has; a class may declare them as well.
_HEAD: Final = {
    "apiVersion": {"description": "The group and version of this input.", "type": "string"},
    "kind": {"description": "The kind of this input.", "type": "string"},
    "metadata": {"type": "object"},
}
# Names of packages that say nothing about the function.
_NAMELESS: Final = frozenset(
    {"", "app", "fn", "function", "input", "inputs", "main", "src", "tests"}
)


def command(argv: Sequence[str]) -> int:
    """Run `crossplane-lite generate-input` with the arguments that follow it.

    The definition is printed on stdout, or written to the file of `--output`.

    Returns:
        Always 0.

    Raises:
        InputError: The class isn't given as `module:Class`, the module can't be imported or has no
            such class, or the file can't be written.
        MissingExtraError: PyYAML isn't installed.
        UsageError: The class isn't an attrs class; a field's type or default can't be in an input;
            or the API version, the kind or the plural isn't valid, or can't be made from the class.
        SystemExit: An argument is wrong or missing, or the help was printed.
    """
    arguments = make_parser().parse_args(argv)
    load("yaml", "cli")
    from ..manifests import yaml

    cls = _load_class(arguments.cls)
    text = yaml.dump(
        [
            input_crd(
                cls, api_version=arguments.api_version, kind=arguments.kind, plural=arguments.plural
            )
        ]
    )
    if arguments.output is None:
        print(text, end="")
        return 0
    with naming("write", arguments.output):
        arguments.output.write_text(text, encoding="utf-8")
    return 0


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the arguments of `crossplane-lite generate-input`."""
    parser = argparse.ArgumentParser(
        prog="crossplane-lite generate-input",
        description=(
            "Print the CustomResourceDefinition of a function's input, for the function's package."
            " It is made from the attrs class that the function gives to ctx.input_as()."
        ),
        allow_abbrev=False,
    )
    parser.add_argument(
        "cls",
        metavar="module:Class",
        help="the attrs class; its module can be in the current folder or installed",
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", type=Path, help="the file to write (stdout)"
    )
    parser.add_argument(
        "--api-version",
        metavar="GROUP/VERSION",
        help=(
            "the input's API version (the default of the class's apiVersion, or"
            " NAME.fn.crossplane.io/v1beta1, where NAME is the module's top-level package without"
            " 'function-')"
        ),
    )
    parser.add_argument(
        "--kind", help="the input's kind (the default of the class's kind, or the class's name)"
    )
    parser.add_argument("--plural", help="the kind's plural in lower case (made from the kind)")
    return parser


def _load_class(name: str) -> type[Any]:
    module_name, colon, attribute = name.partition(":")
    if (
        not colon
        or not attribute
        or not all(part.isidentifier() for part in module_name.split("."))
    ):
        raise InputError(
            "give the input's class as module:Class, for example function.input:Input (got"
            f" {name!r})"
        )
    module = imports._import(module_name)
    try:
        cls = getattr(module, attribute)
    except AttributeError:
        raise InputError(
            f"module {module_name} has no class {attribute!r}: check the name behind the colon"
        ) from None
    if not isinstance(cls, type):
        raise InputError(
            f"{name} must be a class (got {type_in_words(cls)}): give the attrs class of the input"
        )
    return cls


def input_crd(
    cls: type[Any],
    *,
    api_version: str | None = None,
    kind: str | None = None,
    plural: str | None = None,
) -> dict[str, Any]:
    """Return the CustomResourceDefinition of an input.

    Args:
        cls: The attrs class of the input. Descriptions are taken from its docstring; the section
            `Attributes:` has the descriptions of fields.
        api_version: The group and version. None means the default of the class's field apiVersion.
            If there is none: `NAME.fn.crossplane.io/v1beta1`, where NAME is the class's top-level
            package without `function-`.
        kind: The kind. None means the default of the class's field kind. If there is none: the
            class's name.
        plural: The kind's plural in lower case. None means that it is made from the kind.

    Raises:
        UsageError: The class isn't an attrs class; a field's type or default can't be in an input;
            or the API version, the kind or the plural isn't valid, or can't be made from the class.
    """
    import attr

    if not attr.has(cls):
        raise UsageError(
            f"the input's class {getattr(cls, '__qualname__', cls)} must be an attrs class: "
            "decorate it with @attrs.define"
        )
    check_class(cls)
    kind = kind or _own(cls, "kind") or cls.__name__
    if not re.fullmatch("[A-Z][A-Za-z0-9]{0,62}", kind):
        raise UsageError(
            "the input's kind must be at most 63 letters and digits, the first an upper-case"
            f" letter (got {kind!r}): give another one with --kind"
        )
    group, version = _group_version(
        api_version or _own(cls, "apiVersion") or _default_api_version(cls)
    )
    plural = plural or _plural(kind.lower())
    if not re.fullmatch("[a-z][a-z0-9]{0,62}", plural):
        raise UsageError(
            "the plural of the input's kind must be at most 63 lower-case letters and digits, the"
            f" first a letter (got {plural!r}): give another one with --plural"
        )
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "names": {
                "categories": ["crossplane"],
                "kind": kind,
                "listKind": f"{kind}List",
                "plural": plural,
                "singular": kind.lower(),
            },
            "scope": "Namespaced",
            "versions": [
                {
                    "name": version,
                    "schema": {"openAPIV3Schema": _root_schema(cls)},
                    "served": True,
                    "storage": True,
                }
            ],
        },
    }


def _own(cls: type[Any], key: str) -> str | None:
    """Return the default of a class's field `key`; without such a field, the value of the class
    variable `key`.

    Return None if there is neither, or if the value isn't a string or is empty.
    """
    found = next(
        (field.default for field in fields_of(cls) if field.key == key), getattr(cls, key, None)
    )
    return found if isinstance(found, str) and found else None


def _default_api_version(cls: type[Any]) -> str:
    name = (
        re.sub("[^a-z0-9]+", "-", cls.__module__.partition(".")[0].lower())
        .strip("-")
        .removeprefix("function-")
    )
    if name in _NAMELESS:
        raise UsageError(
            f"the package's name {name!r} doesn't name the function, so the input needs an API"
            " version of its own: give --api-version, such as naming.fn.crossplane.io/v1beta1, or"
            " a default to the class's field apiVersion"
        )
    return f"{name}.fn.crossplane.io/v1beta1"


def _group_version(api_version: str) -> tuple[str, str]:
    label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
    if (
        not re.fullmatch(rf"{label}(\.{label})+/v[0-9]+((alpha|beta)[0-9]+)?", api_version)
        or len(api_version) > 200
    ):
        raise UsageError(
            "the input's API version must be a group with a dot in it and a version, at most 200"
            f" characters, such as naming.fn.crossplane.io/v1beta1 (got {api_version!r}): give"
            " another one with --api-version"
        )
    return split(api_version)


def _plural(kind: str) -> str:
    if kind.endswith(("ss", "x", "z", "ch", "sh")):
        return f"{kind}es"
    if kind.endswith("s"):
        return kind  # as in Resources
    return f"{kind[:-1]}ies" if kind.endswith("y") and kind[-2:-1] not in "aeiou" else f"{kind}s"


# The schema.


def _root_schema(cls: type[Any]) -> dict[str, Any]:
    made = class_schema(cls)
    properties = {key: value for key, value in made["properties"].items() if key not in _HEAD}
    made["properties"] = {**_HEAD, **properties}
    if required := [key for key in made.pop("required", ()) if key not in _HEAD]:
        made["required"] = required
    return made
