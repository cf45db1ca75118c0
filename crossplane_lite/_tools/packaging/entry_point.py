"""Finds what an image runs: the entry point that `--function` or the project's scripts name, and
whether it exists.

The modules may be for another version of Python or another machine than this one. So they aren't
imported: a name must occur in their source.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from ..._core.base.texts import near_name
from ...errors import InputError
from . import installing

_NAME: Final = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*(:[A-Za-z_]\w*(\.[A-Za-z_]\w*)*)?")
# Code with one of these can give a module names that its source doesn't show.
_HIDES: Final = re.compile(
    r"import \*|\b(__dict__|__getattr__|exec|globals|locals|modules|setattr|vars)\b"
)


class Function(NamedTuple):
    """The function in the image: the name and version of its package, and its entry point.

    The entry point is written `module:function`, or just `module`, which is then run as a program.
    """

    name: str
    version: str
    entry_point: str


def function_of(
    target: Path, project: str, packages: Sequence[installing.Package], wanted: str | None
) -> Function:
    """Return the name, the version and the entry point of the project's package.

    Args:
        target: The folder that the packages are installed in.
        project: The project's folder, its wheel, or a requirement such as its name.
        packages: The packages that pip has chosen.
        wanted: The entry point that `--function` names; None to take the entry point from the
            project's scripts.

    Raises:
        InputError: The project isn't among the packages, or the entry point is wrong or missing, or
            names a module that the packages don't have, or a name that the module doesn't have.
    """
    if os.path.exists(project):
        url = Path(os.path.abspath(project)).as_uri()
        mine = [package for package in packages if package.url.rstrip("/") == url]
    else:
        name = installing.canonical(re.split(r"[\[<>=!~;@ ]", project)[0])
        mine = [package for package in packages if package.name == name]
    if len(mine) != 1:
        raise InputError(
            f"{project} is not one of the packages that pip chose: give the project's folder, wheel"
            " or exact name"
        )
    package = mine[0]
    if wanted is None:
        wanted = _of_scripts(target, package.name)
        source = f"the entry point of {package.name}"
        cure = "correct [project.scripts] in its pyproject.toml, or give --function"
    else:
        source, cure = "--function", "give another one"
    if not _NAME.fullmatch(wanted):
        raise InputError(f"{source} must be module:function or a module (got {wanted!r}): {cure}")
    module, _, attribute = wanted.partition(":")
    path = target / module.replace(".", "/")
    files = [
        file for file in (path / "__init__.py", path.with_name(f"{path.name}.py")) if file.is_file()
    ]
    libraries = list(path.parent.glob(f"{path.name}.*.so"))
    if not files and not libraries:
        raise InputError(
            f"{package.name} and its dependencies have no module {module}, which {source} names"
            f" ({wanted}): {cure}"
        )
    first = attribute.partition(".")[0]
    if (
        first
        and not libraries
        and not (path / first).exists()
        and not list(path.glob(f"{first}.*"))
    ):
        text = files[0].read_text(encoding="utf-8", errors="replace")
        names = set(re.findall(r"[A-Za-z_]\w*", text))
        if first not in names and not _HIDES.search(text):
            hint = near_name(first, sorted(names))
            raise InputError(
                f"module {module} has no {first!r}, which {source} names ({wanted}): {cure}{hint}"
            )
    return Function(package.name, package.version, wanted)


def _of_scripts(target: Path, name: str) -> str:
    package = installing.installed(target).get(name)
    if package is None:
        raise InputError(f"pip installed no metadata of {name}: give --function module:function")
    scripts = {
        one.name: one.value for one in package.entry_points if one.group == "console_scripts"
    }
    if "function" not in scripts and len(scripts) != 1:
        has = f"its scripts are {', '.join(sorted(scripts))}" if scripts else "it has no scripts"
        raise InputError(
            f"{name} doesn't say what to run ({has}): write [project.scripts] "
            'function = "module:compose.main" into its pyproject.toml, or give --function'
        )
    return (scripts.get("function") or next(iter(scripts.values()))).partition("[")[0].strip()
