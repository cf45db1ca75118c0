"""Finding the function that a command line names."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from crossplane_lite.errors import InputError
from crossplane_lite.runtime.load import load_function, load_runner
from tests.runtime.serving import ROOT

FUNCTION = "from crossplane_lite import composition\n\n@composition.function\ndef compose(ctx):\n    pass\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty current directory, and modules and path as they were at the end."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if name.partition(".")[0] == "crossplane_lite":  # what others hold must stay the same
            continue
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


@pytest.mark.parametrize("name", ["", "main", "main:", ":compose", "a..b:compose", ".a:compose"])
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
    assert text == (
        f"module lacking can't be imported: there is no module 'no_such_library' in {here} or among the installed "
        f"packages ({here}/lacking.py, line 2)"
    )


def test_a_relative_import(here: Path) -> None:
    """A module of no package that imports with a dot is told what to write, and how a package is named."""
    (here / "dotted.py").write_text("from .helpers import tags\n")
    text = failure("dotted:compose")
    assert "without the dot" in text
    assert "PACKAGE.MODULE:FUNCTION" in text
    assert "line 1" in text


def test_models_that_were_not_made(here: Path) -> None:
    """Models that aren't there are told with the folder that was searched, the near name, and how they are made."""
    (here / "model.py").touch()
    (here / "using.py").write_text("import models.example\n")
    assert failure("using:compose") == (
        f"module using can't be imported: there is no module 'models' in {here} or among the installed packages; did "
        f"you mean 'model'? ({here}/using.py, line 1); models are made by: crossplane-lite generate DEFINITIONS -o "
        "models"
    )


@pytest.mark.parametrize("made", [False, True], ids=["nothing", "another kind's"])
def test_models_inside_of_a_package(here: Path, made: bool) -> None:
    """The folder that is named for models is the one that they are imported from."""
    (here / "package").mkdir()
    (here / "package" / "__init__.py").write_text("")
    (here / "package" / "function.py").write_text("from .model.com.example import v1\n")
    if made:
        (here / "package" / "model" / "com").mkdir(parents=True)
    text = failure("package.function:compose")
    assert f"there is no module 'package.model{'.com.example' if made else ''}' in {here}" in text
    assert text.endswith("; models are made by: crossplane-lite generate DEFINITIONS -o package/model")


@pytest.mark.parametrize("given", ["main.py:compose", "/srv/fn/main.py:compose", "../fn/main.py:compose"])
def test_a_file_instead_of_a_module(here: Path, given: str) -> None:
    """Who names a file is told how its module is named, and where."""
    problem = "names a file, not a module: run the command in the file's folder, with main:compose"
    assert failure(given) == f"{given} {problem}"


def test_a_module_that_is_nearly_there(here: Path) -> None:
    """A misspelt module is told with the near name."""
    (here / "network.py").write_text("")
    assert failure("netwrok:compose").endswith("; did you mean 'network'?")


def test_a_compose_without_a_context(here: Path) -> None:
    """A compose() that takes no argument is told with its line, and the signature to write."""
    (here / "bare.py").write_text(
        "from crossplane_lite import composition\n\n@composition.function\ndef compose(): pass\n"
    )
    text = failure("bare:compose")
    assert "write def compose(ctx: composition.Context) -> None" in text
    # The line of the decorator, or of what is below it: Pythons differ.
    assert text.endswith((f"({here}/bare.py, line 3)", f"({here}/bare.py, line 4)"))


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


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("raise BaseException('x')", "can't be imported: BaseException: x ("),
        ("raise GeneratorExit", "can't be imported: GeneratorExit"),
        ("import sys; sys.exit(0)", "can't be imported: SystemExit: 0 ("),
        ("class E(Exception):\n    def __str__(self): raise KeyError\nraise E", "can't be imported: E ("),
        ("raise ValueError('\\x1b[31m\\n' + 'z' * 100_000)", "can't be imported: ValueError: \\x1b[31m zzz"),
        ("def __getattr__(name): raise ValueError(name)", "can't be read: ValueError: "),
        (
            "import sys\nclass A:\n    def __getattr__(self, name): raise ValueError\nsys.modules[__name__] = A()",
            "can't be read: ValueError: ",
        ),
        ("import sys\nsys.modules[__name__] = 3", " has no 'compose' and no composition function at all"),
        (
            "class X:\n    @property\n    def __class__(self): raise ValueError\ncompose = X()",
            "is an X, not a composition",
        ),
        ("class X:\n    @property\n    def __class__(self): raise ValueError\nother = X()", " has no 'compose'"),
    ],
)
def test_strange_modules(here: Path, request: pytest.FixtureRequest, source: str, text: str) -> None:
    """Whatever a module does, or is, what comes of it is one line of a sane length."""
    name = f"strange_{abs(hash(request.node.name))}"
    (here / f"{name}.py").write_text(source)
    message = failure(f"{name}:compose")
    assert text in message
    assert len(message) < 1000
    assert message.isprintable()


def test_interrupted_import(here: Path) -> None:
    """Ctrl-C while a module is imported is no error of the module."""
    (here / "interrupted.py").write_text("raise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt):
        load_function("interrupted:compose")


def test_interrupted_attribute(here: Path) -> None:
    """Ctrl-C while a module makes up an attribute is no error of the module."""
    (here / "interrupting.py").write_text("def __getattr__(name): raise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt):
        load_function("interrupting:compose")


def test_a_missing_module_without_a_name(here: Path) -> None:
    """An error of import that names no module is told as it is."""
    (here / "nameless.py").write_text("raise ModuleNotFoundError('not on this system')")
    assert failure("nameless:compose") == (
        f"module nameless can't be imported: ModuleNotFoundError: not on this system ({here}/nameless.py, line 1)"
    )


def test_what_handles_raw_messages(here: Path) -> None:
    """An object with RunFunction is taken as it is, and one is made of a class; one that can't be made says why."""
    body = "    def RunFunction(self, request, context): pass\n"
    (here / "raw.py").write_text(
        f"class Runner:\n{body}\nrunner = Runner()\n"
        f"class Needy:\n    def __init__(self, more): pass\n{body}\n"
        "def compose(ctx): pass\n"
    )
    assert type(load_runner("raw:Runner")).__name__ == "Runner"
    assert type(load_runner("raw:runner")).__name__ == "Runner"
    with pytest.raises(
        InputError, match="^the class raw:Needy is called without arguments, and that failed: TypeError: .*'more'; if"
    ):
        load_runner("raw:Needy")
    with pytest.raises(InputError, match=r"an object with a method RunFunction\(request, context\) work too$"):
        load_runner("raw:compose")


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
        "undecorated:compose is a function, not a composition function; is the decorator @composition.function missing?"
        " compose(req, rsp) and an object with a method RunFunction(request, context) work too"
    )


def test_functions_of_the_other_kind(here: Path) -> None:
    """A composition function where a KRM function is wanted, and the reverse, is called what it is."""
    (here / "krm_one.py").write_text("from crossplane_lite import krm\n\n@krm.function\ndef transform(rl):\n    pass\n")
    with pytest.raises(InputError, match="is a KRM function, which `crossplane-lite krm run` runs$"):
        load_function("krm_one:transform")
    program = "from crossplane_lite.cli import main; main(['krm', 'run', 'examples.storage_bucket.function:compose'])"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=60, input=""
    )
    assert done.stderr == (
        "crossplane-lite krm: examples.storage_bucket.function:compose is a composition function; krm.from_composition "
        "makes a KRM function of it\n"
    )


@pytest.mark.parametrize(
    ("line", "end"),
    [
        (
            "from crossplane_lite.models.io.k8s.api.core import v1",
            "; crossplane-lite add kubernetes KIND makes the models of Kubernetes' own kinds, in models",
        ),
        (
            "from crossplane_lite.models.org.example import v1",
            "; models are made by: crossplane-lite generate DEFINITIONS -o models",
        ),
    ],
)
def test_models_that_are_not_made_yet(here: Path, line: str, end: str) -> None:
    """Models of Kubernetes' kinds come from the tools, and no command writes into the installed package."""
    (here / "kinds.py").write_text(f"{line}\n")
    assert failure("kinds:compose").endswith(end)
