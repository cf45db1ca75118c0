"""Whether the entry point of an image exists."""

from __future__ import annotations

from pathlib import Path

import pytest

from crossplane_lite._tools.packaging.entry_point import function_of
from crossplane_lite._tools.packaging.installing import Package
from crossplane_lite.errors import InputError
from tests.packaging.support import FUNCTION

PACKAGE = Package("network", "0.1.0", "https://example.org/network.whl", True)


def installed(target: Path, text: str = FUNCTION, script: str = "network.function:compose.main") -> Path:
    """Make the folder of installed packages, with the module network.function of this text, and one script."""
    (target / "network").mkdir(parents=True)
    (target / "network" / "__init__.py").write_text("")
    (target / "network" / "function.py").write_text(text)
    info = target / "network-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: network\nVersion: 0.1.0\n")
    (info / "entry_points.txt").write_text(f"[console_scripts]\nfunction = {script}\n")
    return target


def found(target: Path, wanted: str | None = None) -> str:
    """Return the entry point."""
    return function_of(target, "network", [PACKAGE], wanted).entry_point


def test_a_name_that_the_module_lacks(tmp_path: Path) -> None:
    """A name that doesn't occur in the module's source is refused with its module, its source and a similar name."""
    target = installed(tmp_path / "a", script="network.function:composee.main")
    text = (
        "module network.function has no 'composee', which --function names (network.function:composee): give another "
        "one; did you mean 'compose'?"
    )
    with pytest.raises(InputError) as raised:
        found(target, "network.function:composee")
    assert str(raised.value) == text
    with pytest.raises(InputError, match=r"which the entry point of network names .*: correct \[project.scripts\]"):
        found(target)
    with pytest.raises(InputError, match="network and its dependencies have no module network.functions"):
        found(target, "network.functions:compose")
    assert found(target, "network.function:compose") == "network.function:compose"
    assert found(target, "network.function") == "network.function"
    assert found(installed(tmp_path / "b")) == "network.function:compose.main"


@pytest.mark.parametrize(
    "text",
    [
        "compose = 1",
        "a, (compose, *b) = 1, (2, 3)",
        "compose: int = 1",
        "class compose: pass",
        "async def compose(): pass",
        "import compose.a",
        "import a as compose",
        "from a import b as compose",
        "try:\n    from a import b\nexcept ImportError:\n    def compose(): pass",
        "if 1:\n    with a as compose: pass",
        "for compose in a: pass",
        "match a:\n    case {'a': [*b], **compose}: pass",
        "match a:\n    case [b, *compose] as c: pass",
        "match a:\n    case [b] as compose: pass",
        "print(compose := 1)",
        "def a():\n    global compose\n    compose = 1",
        "from a import *",
        "def __getattr__(name): return 1",
        "globals()['comp' + 'ose'] = 1",
        "import sys\nsetattr(sys.modules[__name__], 'compose', 1)",
        "this is the code of another Python, with compose",
    ],
)
def test_names_that_the_module_has_or_may_have(tmp_path: Path, text: str) -> None:
    """Each way to define a name counts, in any branch, and nothing is refused whose source doesn't show its names."""
    assert found(installed(tmp_path / "a", text)) == "network.function:compose.main"


@pytest.mark.parametrize("text", ["", "def compose_all(): pass", "recompose = 1"])
def test_names_that_only_look_alike(tmp_path: Path, text: str) -> None:
    """A name that has the wanted one as a part doesn't count."""
    with pytest.raises(InputError, match=r"module network.function has no 'compose', .*, or give --function"):
        found(installed(tmp_path / "a", text))


def test_what_has_no_source(tmp_path: Path) -> None:
    """The names of a compiled module aren't known, and a module of a package counts as one of its names."""
    target = installed(tmp_path / "a")
    (target / "network" / "fast.cpython-311-x86_64-linux-gnu.so").write_bytes(b"")
    assert found(target, "network.fast:compose") == "network.fast:compose"
    assert found(target, "network:fast.compose.main") == "network:fast.compose.main"
    assert found(target, "network:function.compose.main") == "network:function.compose.main"
    with pytest.raises(InputError, match="module network has no 'functio'"):
        found(target, "network:functio.compose.main")
