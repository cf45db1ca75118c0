"""Comparing with snapshots, without pytest."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from crossplane_lite import Unstructured, testing
from crossplane_lite.errors import InputError, UsageError
from crossplane_lite.testing.snapshots import Log
from tests.testing.test_waves import XR, compose


def written(folder: Path, value: Any) -> str:
    """Return the text of the snapshot that is written of a value."""
    testing.Snapshots(folder, update=True).check(value, "x/snapshot.yaml")
    testing.Snapshots(folder).check(value, "x/snapshot.yaml")
    return (folder / "x" / "snapshot.yaml").read_text()


def failure(folder: Path, value: Any, path: str = "x.yaml", **kwargs: Any) -> str:
    """Return the message with which a check fails."""
    with pytest.raises(AssertionError) as caught:
        testing.Snapshots(folder, **kwargs).check(value, path)
    assert isinstance(caught.value, testing.SnapshotError)
    return str(caught.value)


def test_what_is_rendered(tmp_path: Path) -> None:
    """A rendering is written as `crossplane-lite render` prints it: the composite, then resources by name."""
    text = written(tmp_path, testing.render(XR, compose))
    assert [line for line in text.splitlines() if line.startswith("kind: ")] == ["kind: XNet", "kind: VPC"]
    assert text.startswith("---\napiVersion: example.org/v1\nkind: XNet\nmetadata:\n  name: net\nspec:\n")


def test_answers(tmp_path: Path) -> None:
    """An answer is written with its composite and its resources by name, which they carry."""
    text = written(tmp_path, testing.run(compose, testing.request(XR)))
    assert "crossplane.io/composition-resource-name: vpc" in text
    assert "crossplane-lite/function" not in text


@pytest.mark.parametrize(
    "value",
    [
        {"b": 1, "a": [1.0, None]},
        "# text\nb: 1\na: [1, null]\n",
        [{"a": [1, None], "b": 1.0}],
    ],
)
def test_other_values(tmp_path: Path, value: Any) -> None:
    """One document, several, and YAML as text are written with sorted keys, whole numbers without a fraction."""
    assert written(tmp_path, value) == "---\na:\n- 1\n- null\nb: 1\n"


def test_models(tmp_path: Path) -> None:
    """A model is one document."""
    assert written(tmp_path, Unstructured("a/v1", "K")) == "---\napiVersion: a/v1\nkind: K\n"


def test_what_people_write(tmp_path: Path) -> None:
    """Comments, quotes and orders of keys and documents don't count, and an update leaves such a file alone."""
    file = tmp_path / "x.yaml"
    file.write_text("# by hand\nkind: B\n---\n'kind': \"A\"\n")
    for update in (False, True):
        testing.Snapshots(tmp_path / "y", update=update).check([{"kind": "A"}, {"kind": "B"}], file)
    assert file.read_text().startswith("# by hand")


@pytest.mark.parametrize(("value", "was"), [(1, True), ("1", 1), ("on", True), (None, ""), ([], {})])
def test_types_count(tmp_path: Path, value: Any, was: Any) -> None:
    """Values of different types are different, also where Python calls them equal."""
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "x.yaml").write_text(json.dumps({"a": was}))
    lines = failure(tmp_path, {"a": value}, "x/x.yaml").splitlines()
    assert lines[0].endswith("x/x.yaml has (- snapshot, + now):")
    assert [line[:4] for line in lines[-2:]] == ["- a:", "+ a:"]


def test_places(tmp_path: Path) -> None:
    """Plain names are in the test file's own folder below `__snapshots__`; paths are relative to the test's folder."""
    snapshots = testing.Snapshots(tmp_path / "t", module="test_net", test="test_x[a b]", update=True)
    snapshots.check(XR)
    for path in ("a.yaml", "./b.yml", Path("c/c.yaml"), "../d.yaml", tmp_path / "e.yaml"):
        snapshots.check(XR, path)
    found = sorted(str(file.relative_to(tmp_path)) for file in tmp_path.rglob("*.y*ml"))
    own = "t/__snapshots__/test_net"
    assert found == ["d.yaml", "e.yaml", f"{own}/a.yaml", f"{own}/test_x-a-b.yaml", "t/b.yml", "t/c/c.yaml"]


def test_shown_relative(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Messages show the path from the current directory, and the command that writes the snapshot if there is one."""
    monkeypatch.chdir(tmp_path)
    expected = f"there is no snapshot {os.path.join('__snapshots__', 'x.yaml')}"
    assert failure(tmp_path, XR) == expected
    assert failure(tmp_path, XR, command="do it") == f"{expected}\nwrite it with: do it"


def test_log(tmp_path: Path) -> None:
    """What was checked and what was written is noted."""
    log = Log()
    for update in (True, True, False):
        testing.Snapshots(tmp_path, update=update, log=log).check(XR, "x.yaml")
    file = str(tmp_path / "__snapshots__" / "x.yaml")
    assert log.checked == {file}
    assert list(log.written) == [file] and log.written[file][1] is True


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    """A snapshot that can't be written is an error that names it, and leaves no other file."""
    (tmp_path / "x.yaml").mkdir()
    with pytest.raises(InputError, match=r"can't write the snapshot .*x\.yaml: "):
        testing.Snapshots(tmp_path, update=True).check(XR, tmp_path / "x.yaml")
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"can't write the snapshot .*file/x\.yaml: "):
        testing.Snapshots(tmp_path, update=True).check(XR, "file/x.yaml")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["file", "x.yaml"]


def test_bad_values(tmp_path: Path) -> None:
    """What can't be in a snapshot is an error that says where it is."""
    snapshots = testing.Snapshots(tmp_path, update=True)
    with pytest.raises(InputError, match=r"^the document\.a: "):
        snapshots.check({"a": {1, 2}}, "x.yaml")
    with pytest.raises(UsageError, match="document 2 must be a mapping"):
        snapshots.check([XR, 5], "x.yaml")  # type: ignore[list-item]
    with pytest.raises(UsageError, match="the document must be a mapping"):
        snapshots.check(5, "x.yaml")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="the text, line 1"):
        snapshots.check("a: ]", "x.yaml")
    with pytest.raises(UsageError, match="a snapshot outside of pytest needs a path"):
        snapshots.check(XR)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_deep_values(tmp_path: Path) -> None:
    """What is nested too deeply for YAML is an error and no crash, on either side."""
    value: Any = {}
    for _ in range(20_000):
        value = {"a": value}
    with pytest.raises(InputError, match="nested too deeply"):
        testing.Snapshots(tmp_path, update=True).check(value, "x.yaml")
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "x.yaml").write_text("{a: " * 20_000 + "}" * 20_000)
    assert "can't be used: " in failure(tmp_path, XR, "x/x.yaml")


@pytest.mark.parametrize("path", ["a\0.yaml", "\ud800.yaml", 5, b"a.yaml", "a.txt", None, ["a.yaml"]])
@pytest.mark.parametrize("update", [False, True])
def test_what_is_no_path(tmp_path: Path, path: Any, update: bool) -> None:
    """What can't be the path of a snapshot is a wrong use, whatever it is."""
    with pytest.raises(UsageError, match=r"path must end in \.yaml or \.yml \(got |needs a path"):
        testing.Snapshots(tmp_path, update=update).check(XR, path)
    assert list(tmp_path.iterdir()) == []


def test_names_that_are_too_long(tmp_path: Path) -> None:
    """A name that no file can have is told as what it is, and no snapshot is missing."""
    path = f"x/{'a' * 300}.yaml"
    (tmp_path / "x").mkdir()
    assert failure(tmp_path, XR, path).startswith("the snapshot can't be used: can't read ")
    with pytest.raises(InputError, match="can't write the snapshot .*: File name too long"):
        testing.Snapshots(tmp_path, update=True).check(XR, path)
