"""Rules that take out of installed packages what a served function never loads."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from crossplane_lite._tools.packaging.pruning import RULES, prune
from crossplane_lite.cli import main
from crossplane_lite.errors import InputError
from tests.wheels import ROOT

# Files, each with the rule that takes it out; None for those that stay.
FILES = {
    "a/__init__.py": None,
    "a/data.json": None,
    "a/instance/tests.py": None,
    "a/tests/test_a.py": "tests",
    "a/b/test/x.py": "tests",
    "a/__init__.pyi": "stubs",
    "a/py.typed": "stubs",
    "a-stubs/__init__.pyi": "stubs",
    "a/fast.pyx": "sources",
    "a/fast.cpython-311-x86_64-linux-gnu.so": None,
    "pip/__main__.py": "installer",
    "setuptools-65.5.0.dist-info/METADATA": "installer",
    "bin/function": "installer",
    "distutils-precedence.pth": "installer",
    "crossplane_lite/_tools/diff/compare.py": "development",
    "crossplane_lite/_tools/render/steps.py": "development",
    "crossplane_lite/krm/runner.py": "development",
    "crossplane_lite/_tools/manifests/yaml.py": "development",
    "crossplane_lite/composition.py": None,
    "crossplane_lite/scripts/__init__.py": None,
    "grpc/beta/implementations.py": "grpc",
    "grpc/_cython/_credentials/roots.pem": "grpc",
    "grpc/_server.py": None,
    "google/protobuf/compiler/plugin_pb2.py": "protobuf",
    "google/protobuf/descriptor_pb2.py": "protobuf",
    "google/protobuf/struct_pb2.py": None,
    "a-1.0.dist-info/RECORD": "records",
    "a-1.0.dist-info/direct_url.json": "records",
    "a-1.0.dist-info/licenses/LICENSE": None,
    "a-1.0.dist-info/entry_points.txt": None,
}
METADATA = "Metadata-Version: 2.1\nName: a\nDescription-Content-Type: text/x-rst\nVersion: 1.0\n\n"


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A folder with the files, and with metadata that has a long description."""
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x = 1\n")
    (tmp_path / "a-1.0.dist-info" / "METADATA").write_text(METADATA + "long\n" * 100)
    return tmp_path


def left(root: Path) -> set[str]:
    """Return the files that are left."""
    return {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}


def test_all_rules(installed: Path) -> None:
    """Each file goes by its rule, what no rule names stays, and no empty folder is left."""
    pruned = prune(installed)
    assert left(installed) - {"a-1.0.dist-info/METADATA"} == {name for name, rule in FILES.items() if rule is None}
    for rule in RULES:
        assert pruned.saved[rule.name][0] == list(FILES.values()).count(rule.name) or rule.name == "descriptions"
    assert not [path for path in installed.rglob("*") if path.is_dir() and not list(path.iterdir())]
    assert sum(path.stat().st_size for path in installed.rglob("*") if path.is_file()) == pruned.after
    assert pruned.before - pruned.after == sum(size for _, size in pruned.saved.values())


def test_descriptions(installed: Path) -> None:
    """Of a package's metadata only the long description goes, so that its version can still be asked for."""
    assert prune(installed).saved["descriptions"][0] == 1
    text = (installed / "a-1.0.dist-info" / "METADATA").read_text()
    assert text == "Metadata-Version: 2.1\nName: a\nVersion: 1.0\n"


@pytest.mark.parametrize("rule", [rule.name for rule in RULES])
def test_each_rule_can_be_switched_off(installed: Path, rule: str) -> None:
    """With one rule off its files stay and all others go; with all others off only its files go."""
    before = left(installed)
    own = {name for name in before if FILES.get(name) == rule}
    others = [one.name for one in RULES if one.name != rule]
    assert prune(installed, [rule], dry_run=True).saved.keys() == set(others)
    assert left(installed) == before
    prune(installed, others)
    assert before - left(installed) == own
    assert own or rule == "descriptions"


def test_rooms_of_development(tmp_path: Path) -> None:
    """Every room but those that a served function may load, and the table of commands, is taken out."""
    shutil.copytree(
        ROOT / "crossplane_lite", tmp_path / "crossplane_lite", ignore=shutil.ignore_patterns("__pycache__")
    )
    (tmp_path / "crossplane_lite-1.dist-info").mkdir()
    prune(tmp_path)
    text = (ROOT / "docs" / "ARCHITECTURE.rst").read_text(encoding="utf-8")
    rooms = re.findall(r"^   \* - ``([\w/]+)``$", text, re.MULTILINE)
    here = [room for room in rooms if (tmp_path / "crossplane_lite" / room).is_dir()]
    serving = {room for room in rooms[: rooms.index("scripts") + 1] if (ROOT / "crossplane_lite" / room).is_dir()}
    assert set(here) == serving | {"_tools/commands"}


def test_krm(installed: Path) -> None:
    """A KRM function keeps the rooms that it loads, and no others of development."""
    prune(installed, for_krm=True)
    assert {"crossplane_lite/krm/runner.py", "crossplane_lite/_tools/manifests/yaml.py"} <= left(installed)
    assert "crossplane_lite/_tools/render/steps.py" not in left(installed)


def test_a_descriptor_that_somebody_names(installed: Path) -> None:
    """descriptor_pb2 stays where a package besides protobuf speaks of it."""
    (installed / "a" / "options_pb2.py").write_text("from google.protobuf import descriptor_pb2\n")
    prune(installed)
    assert "google/protobuf/descriptor_pb2.py" in left(installed)


def test_byte_code_of_what_goes(installed: Path) -> None:
    """The byte code of a module goes with it, and that of its neighbours stays."""
    cache = installed / "crossplane_lite" / "_tools" / "render" / "__pycache__"
    cache.mkdir()
    (cache / "steps.cpython-311.pyc").write_bytes(b"")
    other = installed / "a" / "__pycache__" / "__init__.cpython-311.pyc"
    other.parent.mkdir()
    other.write_bytes(b"")
    prune(installed)
    assert not cache.exists()
    assert other.exists()


def test_twice(installed: Path) -> None:
    """Pruning what is pruned changes nothing."""
    prune(installed)
    again = prune(installed)
    assert again.before == again.after


def test_what_can_not_be_pruned(tmp_path: Path) -> None:
    """A rule that isn't there, and a folder without installed packages, are refused before anything goes."""
    with pytest.raises(InputError, match="there is no rule 'tset'; the rules are tests, stubs"):
        prune(tmp_path, ["tset"])
    (tmp_path / "a.pyi").write_text("")
    with pytest.raises(InputError, match="has no installed packages"):
        prune(tmp_path)
    assert (tmp_path / "a.pyi").exists()
    with pytest.raises(InputError, match="can't prune .*none"):
        prune(tmp_path / "none")


def test_command(installed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command prints what each rule saves; --dry-run changes nothing and says the same."""
    before = left(installed)
    assert main(["prune", str(installed), "--dry-run", "--keep", "stubs"]) == 0
    would = capsys.readouterr().out
    assert left(installed) == before
    assert "would be removed" in would
    assert main(["prune", str(installed), "--keep", "stubs"]) == 0
    done = capsys.readouterr().out
    assert done.replace(" were removed", "") == would.replace(" would be removed", "")
    assert "stubs" in done and "switched off" in done
    assert "a/py.typed" in left(installed)
