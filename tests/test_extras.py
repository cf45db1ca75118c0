"""Packages that only an extra installs."""

from __future__ import annotations

import configparser
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from crossplane_lite._core.base.extras import load
from crossplane_lite.errors import CrossplaneLiteError, MissingExtraError

ROOT = Path(__file__).resolve().parents[1]


def test_documented() -> None:
    """The reference's table has each extra, and no other."""
    settings = configparser.ConfigParser()
    settings.read(ROOT / "setup.cfg", encoding="utf-8")
    page = (ROOT / "docs" / "reference" / "extras.rst").read_text(encoding="utf-8")
    assert sorted(re.findall(r"^``(\w+)`` ", page, re.MULTILINE)) == sorted(settings["options.extras_require"])


def test_installed() -> None:
    """A module that is installed is imported."""
    assert load("json", "cli") is json


@pytest.mark.parametrize("module", ["no_such_library", "no_such_library.part"])
def test_not_installed(module: str) -> None:
    """A missing module names itself and the extra to install, and is an ImportError."""
    with pytest.raises(MissingExtraError) as caught:
        load(module, "cli")
    assert str(caught.value) == (
        f"{module} is not installed; it comes with an extra: pip install 'crossplane-lite[cli]'"
    )
    assert isinstance(caught.value, ImportError)
    assert isinstance(caught.value, CrossplaneLiteError)


def test_krm_without_its_extra() -> None:
    """KRM functions, which import PyYAML themselves to start fast, name the extra as well."""
    program = "import sys; sys.modules['yaml'] = None\nfrom crossplane_lite.krm import ResourceList"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.stderr.splitlines()[-1] == (
        "crossplane_lite.errors.MissingExtraError: yaml is not installed; it comes with an extra: "
        "pip install 'crossplane-lite[krm]'"
    )


def test_commands_without_extras() -> None:
    """Each command's module is imported, and has its parser, where nothing but the required packages is installed."""
    program = """
import importlib.abc, json, sys

REQUIRED = {"attr", "attrs", "cattr", "cattrs", "exceptiongroup", "google", "grpc", "typing_extensions"}
KNOWN = {"crossplane_lite", *REQUIRED, *sys.stdlib_module_names}

class NotInstalled(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] not in KNOWN:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, NotInstalled())
from crossplane_lite._tools.commands.hints import parser_of
from crossplane_lite._tools.commands.table import COMMANDS

print(json.dumps([name for name in COMMANDS if parser_of(name) is None]))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == ["guard", "help", "krm", "serve"]


def test_installed_but_broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A module that is installed and lacks what it needs itself isn't called missing."""
    (tmp_path / "needs_another.py").write_text("import no_such_library\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError) as caught:
        load("needs_another", "cli")
    assert caught.value.name == "no_such_library"
    assert "needs_another" not in sys.modules
