"""The values of a new project, and the files of a template with these values."""

from __future__ import annotations

import importlib.metadata
import keyword
import re
import secrets
import sys
from pathlib import Path
from string import Template
from typing import Final, NamedTuple

from ..._core.base.scalars import booleans_of_1_1, resolve
from ...errors import InputError
from ..packaging.installing import sdk_requirement

_LONGEST: Final = 50
_TEMPLATES: Final = Path(__file__).parent / "templates"
_END: Final = ".tmpl"

# The names of packages that a project's own package would hide, beside those that are installed
# here.
_TAKEN: Final = frozenset(
    "attr attrs cattrs crossplane crossplane_lite google graphviz grpc h2 hpack hyperframe"
    " jsonschema_rs mypy pytest shtab tests tomli typing_extensions yaml".split()
)


class Project(NamedTuple):
    """The values that the files of a new project contain.

    Attributes:
        name: The project's name, such as `my-network`. It is also the name of its folder.
        package: The name of its Python package, such as `my_network`.
        function: The name of the Function object in Crossplane, such as `function-my-network`.
        step: The name that the function writes into an annotation on its resources. Its random end
            makes it unique.
        kind: The project's name as a Kubernetes kind, such as `MyNetwork`.
        sdk: The requirement with which pip installs crossplane-lite.
        dev_sdk: The same requirement with the extras that the author of the function needs.
    """

    name: str
    package: str
    function: str
    step: str
    kind: str
    sdk: str
    dev_sdk: str


def check_name(name: str, longest: int) -> None:
    """Check that a name can be that of an image and of a Kubernetes object, and stand in YAML
    without quotes.

    Of several dashes, dots and underscores package indexes make one dash, so names with anything
    but single dashes would have two spellings.

    Raises:
        InputError: It can't be, or has more than `longest` characters.
    """
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name) or len(name) > longest:
        raise InputError(
            f"{name!r} can't be the name of a function and its image: use at most {longest}"
            " lower-case letters, digits and single dashes, with no dash at an end, for example"
            " set-labels"
        )
    # Some programs still read YAML 1.1.
    if name in booleans_of_1_1() or not isinstance(resolve(name), str):
        raise InputError(
            f"{name!r} can't be the name of a function and its image: unquoted in YAML it isn't a"
            " string, but a number or another value; use a name such as set-labels"
        )


def new_project(name: str, sdk_from: str | None) -> Project:
    """Return the values that the templates of a new project's files need.

    Args:
        name: The project's name: lower-case letters, digits and single dashes, at most 50
            characters, the first a letter.
        sdk_from: The crossplane-lite that the project requires: a folder, a wheel, a URL or a
            version. None for the newest version in the package index.

    Raises:
        InputError: The name isn't such a name, or would make a Python package that hides another
            one; or `sdk_from` can't be used.
    """
    check_name(name, _LONGEST)
    package = name.replace("-", "_")
    if keyword.iskeyword(package) or not package.isidentifier():
        raise InputError(
            f"{name!r} can't be the name of a function: Python can't import it; try my-{name}"
        )
    if package in {*sys.stdlib_module_names, *_TAKEN, *importlib.metadata.packages_distributions()}:
        raise InputError(
            f"{name!r} can't be the name of a function: its Python package would hide the package"
            f" {package}; try my-{name}"
        )
    short = name.removeprefix("function-")
    sdk, dev_sdk = (
        f"crossplane-lite{extras}" if sdk_from is None else sdk_requirement(sdk_from, extras)
        for extras in ("", "[cli]")
    )
    kind = "".join(part.capitalize() for part in short.split("-"))
    return Project(
        name, package, f"function-{short}", f"{short}-{secrets.token_hex(3)}", kind, sdk, dev_sdk
    )


def filled(template: str, **values: str) -> dict[str, str]:
    """Return the files of a template, with values in the place of their names: the text of each, by
    its path.

    Args:
        template: The folder of the template. A file's name ends in `.tmpl` there, `dot.` stands for
            a dot at the beginning, and PACKAGE for the value `package`.
        values: The values, by the names after `$` in the texts.
    """
    found = {}
    for file in sorted((_TEMPLATES / template).rglob(f"*{_END}")):
        path = (
            file.relative_to(_TEMPLATES / template)
            .as_posix()
            .removesuffix(_END)
            .replace("dot.", ".")
        )
        path = path.replace("PACKAGE", values.get("package", ""))
        found[path] = Template(file.read_text(encoding="utf-8")).substitute(values)
    return found
