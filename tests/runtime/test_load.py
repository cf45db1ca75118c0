"""Finding the function that a command line names."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from crossplane_lite.errors import InputError
from crossplane_lite.runtime.load import load_function

FUNCTION = "from crossplane_lite import composition\n\n@composition.function\ndef compose(ctx):\n    pass\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty current directory, and modules and path as they were at the end."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        del sys.modules[name]


def failure(name: str) -> str:
    """Return the text with which loading fails, which is one line."""
    with pytest.raises(InputError) as caught:
        load_function(name)
    text = str(caught.value)
    assert "\n" not in text
    return text


def test_from_the_current_directory(here: Path) -> None:
    """A module in the current directory is found, also inside of a package."""
    (here / "first_function.py").write_text(FUNCTION)
    (here / "some_package").mkdir()
    (here / "some_package" / "second_function.py").write_text(FUNCTION)
    assert load_function("first_function:compose").name == "first_function.compose"
    assert load_function("some_package.second_function:compose").name == "some_package.second_function.compose"


@pytest.mark.parametrize("name", ["", "main", "main:", ":compose", "a/b.py:compose", "a..b:compose", ".a:compose"])
def test_not_a_name(name: str) -> None:
    """What isn't module:function is told so, with an example."""
    assert "is not module:function, for example" in failure(name)


@pytest.mark.parametrize("name", ["not_there:compose", "not_there.at_all:compose"])
def test_no_such_module(here: Path, name: str) -> None:
    """A module that doesn't exist is named, with the place that was looked in."""
    assert f"there is no module 'not_there' in {here}" in failure(name)


def test_module_that_needs_what_is_missing(here: Path) -> None:
    """A module that exists and imports one that doesn't is not called missing itself; the line is told."""
    (here / "lacking.py").write_text("import json\nimport no_such_library\n")
    text = failure("lacking:compose")
    assert text.startswith("module lacking can't be imported: ModuleNotFoundError: No module named 'no_such_library'")
    assert text.endswith(f"({here}/lacking.py, line 2)")


def test_module_that_raises(here: Path) -> None:
    """An exception of any kind while the module is imported names type, text and line."""
    (here / "raising.py").write_text("def f():\n    raise RuntimeError('two\\nlines')\nf()\n")
    assert failure("raising:compose") == (
        f"module raising can't be imported: RuntimeError: two lines ({here}/raising.py, line 2)"
    )


def test_module_with_a_syntax_error(here: Path) -> None:
    """A syntax error names its file and line."""
    (here / "broken.py").write_text("def f(:\n")
    text = failure("broken:compose")
    assert "SyntaxError" in text
    assert "broken.py, line 1" in text


def test_no_such_attribute(here: Path) -> None:
    """A missing attribute is met with the near name, or with what there is."""
    (here / "near.py").write_text(FUNCTION)
    assert failure("near:compos") == "module near has no 'compos'; did you mean 'compose'?"
    assert failure("near:render") == "module near has no 'render'; its composition functions: compose"
    (here / "empty.py").write_text("")
    assert failure("empty:compose") == "module empty has no 'compose' and no composition function at all"


def test_not_a_composition_function(here: Path) -> None:
    """A plain function is told the decorator that it lacks."""
    (here / "undecorated.py").write_text("def compose(ctx):\n    pass\n")
    assert failure("undecorated:compose") == (
        "undecorated:compose is a function, not a composition function; "
        "is the decorator @composition.function missing?"
    )
