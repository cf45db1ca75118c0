"""The page on testing: its code runs as it stands there."""

from __future__ import annotations

import shutil

import pytest

from tests.docs.blocks import blocks
from tests.testing.inner import ROOT, Project

PAGE = ROOT / "docs" / "how-to" / "test.rst"
UPDATE = "--crossplane-update-snapshots"


@pytest.mark.slow
def test_the_code_of_the_page(project: Project) -> None:
    """Its tests pass beside a copy of the example, its fixture works, and a difference looks as it is shown."""
    found = [block.text for block in blocks(PAGE)]
    code = [block for block in found if "def " in block]
    tests = [block for block in code if "def test_" in block]
    fixtures = [block for block in code if "@pytest.fixture" in block]
    assert len(tests) == 4 and len(fixtures) == 1
    shutil.copytree(
        ROOT / "examples" / "storage_bucket", project.folder / "bucket", ignore=shutil.ignore_patterns("*.py")
    )
    project.write("bucket/test_function.py", "\n".join(tests))
    project.write("bucket/conftest.py", fixtures[0])
    project.write("bucket/test_short.py", "def test_short(snapshot):\n    snapshot.check({'a': 1})\n")
    folder = project.folder / "bucket"
    for arguments in ((UPDATE,), ()):
        done = project.pytest(*arguments, cwd=folder)
        assert "5 passed" in done.text, done.text
    snapshot = folder / "expected" / "second.yaml"
    snapshot.write_text(snapshot.read_text().replace("location: EU", "location: US"))
    done = project.pytest(cwd=folder)
    difference = [line[2:].strip() for line in done.lines("E  ")]
    shown = next(block for block in found if "- snapshot, + now" in block)
    assert [line.partition("SnapshotError: ")[2] or line for line in difference] == [
        line.strip() for line in shown.splitlines() if line.strip()
    ]
