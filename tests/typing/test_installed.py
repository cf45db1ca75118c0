"""The package's types as mypy and pyright see them from a wheel, from an editable install and in the project's root."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.typing import checkers
from tests.typing.test_checkers import CASES, compare
from tests.typing.trees import copy_of_the_project, stub_texts, without_links

MODELS = ("examples/network/model", "tests/typing/model")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(importlib.util.find_spec("build") is None, reason="build is not installed"),
]


def run(*command: str, folder: Path) -> str:
    """Run a command that must succeed, and return what it prints."""
    # PYTHONPATH of the tests may name the project itself.
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    environment |= {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1"}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


class Built(NamedTuple):
    """What a build made; the source distribution is missing where only a wheel was wanted."""

    wheel: Path
    sdist: Path | None


def build(root: Path, *options: str) -> Built:
    """Build a project: a source distribution, and a wheel from that, or with `--wheel` a wheel from the project."""
    run(sys.executable, "-m", "build", *options, ".", folder=root)
    (wheel,) = (root / "dist").glob("*.whl")
    return Built(wheel, next((root / "dist").glob("*.tar.gz"), None))


class Environment(NamedTuple):
    """A virtual environment.

    Attributes:
        python: Its interpreter.
        library: Its folder of packages.
    """

    python: str
    library: Path


def make_environment(folder: Path) -> Environment:
    """Make a virtual environment that has what the package needs, from the environment of the tests."""
    venv.create(folder, with_pip=True, symlinks=os.name != "nt")
    python = str(folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))
    get_library = "import sysconfig; print(sysconfig.get_path('purelib'))"
    library = Path(run(python, "-c", get_library, folder=folder).strip())
    # Editable installs of that environment don't come along: only site's own folders have their .pth files read.
    (library / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return Environment(python, library)


class Place(NamedTuple):
    """Where a checker runs.

    Attributes:
        root: The folder of the project that is checked.
        python: The interpreter whose installed packages count.
        cases: The copy of each case.
    """

    root: Path
    python: str
    cases: dict[Path, Path]


def put_cases(root: Path) -> dict[Path, Path]:
    """Copy the cases into a project, and the models that they use where they aren't there."""
    for name in MODELS:
        shutil.copytree(checkers.ROOT / name, root / name, dirs_exist_ok=True)
    return {path: Path(shutil.copy(path, root / path.name)) for path in CASES}


FIND = "import importlib.util as u; found = u.find_spec('crossplane_lite'); print(found and found.origin)"


@pytest.fixture(scope="module", params=["wheel", "editable", "root"])
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Place:
    """Each way to come by the package, with the cases in a user's project or in the project's root."""
    folder = tmp_path_factory.mktemp(request.param)
    environment = make_environment(folder / "environment")
    project = copy_of_the_project(folder / "project")
    root, home, installed = folder / "user", str(project / "crossplane_lite" / "__init__.py"), ["-e", str(project)]
    if request.param == "wheel":
        home = str(environment.library / "crossplane_lite" / "__init__.py")
        installed = [str(build(project, "--wheel").wheel)]
    elif request.param == "root":
        root, home, installed = project, "None", []
    if installed:
        run(environment.python, "-m", "pip", "install", "--quiet", "--no-deps", *installed, folder=folder)
    # Isolated, so that Python says what is installed, whatever the current folder has.
    assert run(environment.python, "-I", "-c", FIND, folder=folder).strip() == home
    return Place(root, environment.python, put_cases(root))


def differences(place: Place, reports: Mapping[Path, checkers.Report], checker: int) -> list[str]:
    """Return where reports differ from what the cases expect."""
    return [text for path, copy in place.cases.items() for text in compare(path, reports[copy], checker)]


def test_mypy_finds_the_types(place: Place, tmp_path: Path) -> None:
    """mypy --strict sees what the cases expect of models and messages, whichever way the package comes."""
    option = f"--python-executable={place.python}"
    try:
        reports = checkers.mypy(place.cases.values(), tmp_path / "cache", option, root=place.root)
    except checkers.CheckerMissing as missing:
        pytest.skip(str(missing))
    assert differences(place, reports, 0) == []


def test_pyright_finds_the_types(place: Place) -> None:
    """Strict pyright sees what the cases expect of models and messages, whichever way the package comes."""
    try:
        reports = checkers.pyright(place.cases.values(), root=place.root, python=place.python)
    except checkers.CheckerMissing as missing:
        pytest.skip(str(missing))
    assert differences(place, reports, 1) == []


def in_wheel(path: Path) -> dict[str, str]:
    """Return the text of each stub in a wheel."""
    with zipfile.ZipFile(path) as wheel:
        return {name: wheel.read(name).decode() for name in wheel.namelist() if name.endswith(".pyi")}


def in_sdist(path: Path) -> dict[str, str]:
    """Return the text of each stub in a source distribution, which must be a file there."""
    texts = {}
    with tarfile.open(path) as sdist:
        for member in sdist:
            if member.name.endswith(".pyi"):
                content: Any = sdist.extractfile(member) if member.isreg() else None
                assert content is not None, f"{member.name} is no file"
                texts[member.name.partition("/")[2]] = content.read().decode()
    return texts


CHANGES = pytest.mark.parametrize("change", [lambda root: root, without_links], ids=["links", "text"])


@CHANGES
def test_a_wheel_from_the_tree_has_the_stubs(change: Callable[[Path], Path], tmp_path: Path) -> None:
    """The wheel has the stubs word for word and no others, even where links are text, as in a zip that pip unpacked."""
    built = build(change(copy_of_the_project(tmp_path / "project")), "--wheel")
    assert in_wheel(built.wheel) == stub_texts() != {}


@CHANGES
def test_a_source_distribution_has_the_stubs(change: Callable[[Path], Path], tmp_path: Path) -> None:
    """It has the stubs as files, and so has the wheel that is built from it, even where links are text."""
    built = build(change(copy_of_the_project(tmp_path / "project")))
    assert built.sdist is not None
    assert in_sdist(built.sdist) == in_wheel(built.wheel) == stub_texts() != {}
