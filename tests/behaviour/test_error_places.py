"""The file and line that a Fatal result names (design section 5, "Exceptions")."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import crossplane_lite

PACKAGE = Path(crossplane_lite.__file__).parent

FUNCTION = """
from crossplane_lite import Unstructured, composition

@composition.function(name="step")
def compose(ctx):
    {line}
"""

PROGRAM = """
import sys
sys.path[:0] = [{folder!r}, {packages!r}]
import fn
import crossplane_lite
from crossplane_lite.proto.v1 import run_function_pb2 as fnv1
assert crossplane_lite.__file__.startswith({packages!r})
answer = fnv1.RunFunctionResponse.FromString(fn.compose.run(b""))
print([result.message for result in answer.results])
"""

LIBRARY = """
def fail():
    raise ValueError("boom")
"""


def fatal(folder: Path, packages: Path, line: str) -> str:
    """Return the Fatal result of a function in `folder`, with the SDK and a library installed in `packages`."""
    folder.mkdir(parents=True, exist_ok=True)
    packages.mkdir(parents=True, exist_ok=True)
    (folder / "fn.py").write_text(FUNCTION.format(line=line))
    (packages / "library.py").write_text(LIBRARY)
    (packages / "crossplane_lite").symlink_to(PACKAGE, target_is_directory=True)
    program = PROGRAM.format(folder=str(folder), packages=str(packages))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return done.stdout


@pytest.mark.sample(2)
@pytest.mark.parametrize("folder", ["app", "app/.venv/lib/python3.11/site-packages/function"])
@pytest.mark.parametrize("packages", ["app/.venv/lib/python3.11/site-packages", "app/vendor", "elsewhere"])
def test_the_authors_line_is_named(tmp_path: Path, folder: str, packages: str) -> None:
    """An error that the SDK raises is where the author's code is, wherever both are installed."""
    text = fatal(tmp_path / folder, tmp_path / packages, 'Unstructured("v1", "Thing", metadata={"nam": "x"})')
    assert "did you mean" in text
    assert "(fn.py:6)" in text


@pytest.mark.parametrize("folder", ["app", "app/.venv/lib/python3.11/site-packages/function"])
def test_a_librarys_line_is_not_named(tmp_path: Path, folder: str) -> None:
    """Nor is it the line of a library in a virtual environment below the author's file."""
    packages = tmp_path / "app/.venv/lib/python3.11/site-packages"
    text = fatal(tmp_path / folder, packages, "import library; library.fail()")
    assert "ValueError: boom (fn.py:6)" in text


def test_a_helper_beside_compose_is_named(tmp_path: Path) -> None:
    """The author's own module below the function's folder is nearer to the mistake than compose()."""
    (tmp_path / "app" / "parts").mkdir(parents=True)
    (tmp_path / "app" / "parts" / "helper.py").write_text(LIBRARY)
    text = fatal(tmp_path / "app", tmp_path / "elsewhere", "from parts import helper; helper.fail()")
    assert "ValueError: boom (helper.py:3)" in text


def test_a_part_of_python_without_a_file_is_not_named(tmp_path: Path) -> None:
    """Where one of Python's own frozen modules fails, the line is the author's that called it."""
    line = "import collections.abc as c; c.Mapping.__contains__(1, 'a')"
    assert "(fn.py:6)" in fatal(tmp_path / "app", tmp_path / "elsewhere", line)


def test_a_method_that_attrs_made_is_not_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a method that attrs made fails, the line is the author's, also in the current folder."""
    (tmp_path / "app").mkdir()
    monkeypatch.chdir(tmp_path / "app")
    line = "from crossplane_lite.requirements import ResourceSelector as R; R(api_version='', kind='A')"
    text = fatal(tmp_path / "app", tmp_path / "elsewhere", line)
    assert "must be a string that isn't empty (got '') (fn.py:6)" in text


@pytest.mark.parametrize("prefix", ["", "async "])
def test_a_wrong_return_is_where_compose_begins(tmp_path: Path, prefix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A value that compose() returns is refused with the function's own place, not with one of the SDK."""
    monkeypatch.setitem(globals(), "FUNCTION", FUNCTION.replace("def compose", f"{prefix}def compose"))
    text = fatal(tmp_path / "app", tmp_path / "elsewhere", "return 5")
    assert text.endswith("(got an integer); register resources with ctx.resource() (fn.py:4)']\n")
