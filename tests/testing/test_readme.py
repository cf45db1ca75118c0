"""The README's section on testing: its code runs as it stands there."""

from __future__ import annotations

import re
import shutil
import textwrap

import pytest

from tests.testing.inner import ROOT, Project

README = ROOT / "README.rst"
TITLE = "Testing compositions"
UPDATE = "--crossplane-update-snapshots"


def section() -> str:
    """Return the section's text, empty where the README has none."""
    text = README.read_text(encoding="utf-8")
    _, _, rest = text.partition(f"\n{TITLE}\n{'-' * len(TITLE)}\n")
    return re.split(r"\n\n[^\n]+\n-{4,}\n", rest)[0]


def blocks(text: str) -> list[str]:
    """Return the literal blocks of a text in RST."""
    found = re.findall(r"::\n\n((?: {4}[^\n]*\n|\n)+)", text + "\n")
    return [textwrap.dedent(block) for block in found]


@pytest.mark.slow
def test_the_code_of_the_readme(project: Project) -> None:
    """Its tests pass beside a copy of the example, its fixture works, and a difference looks as it is shown."""
    text = section()
    if not text:
        pytest.skip(f"{README} has no section {TITLE!r}")
    code = [block for block in blocks(text) if "def " in block]
    tests = [block for block in code if "def test_" in block]
    fixtures = [block for block in code if "@pytest.fixture" in block]
    assert len(tests) == 3 and len(fixtures) == 1
    shutil.copytree(
        ROOT / "examples" / "storage_bucket", project.folder / "bucket", ignore=shutil.ignore_patterns("*.py")
    )
    project.write("bucket/test_function.py", "\n".join(tests))
    project.write("bucket/conftest.py", "import pytest\n" + fixtures[0])
    project.write("bucket/test_short.py", "def test_short(snapshot):\n    snapshot.check({'a': 1})\n")
    folder = project.folder / "bucket"
    for arguments in ((UPDATE,), ()):
        done = project.pytest(*arguments, cwd=folder)
        assert "4 passed" in done.text, done.text
    snapshot = folder / "expected" / "second.yaml"
    snapshot.write_text(snapshot.read_text().replace("location: EU", "location: US"))
    done = project.pytest(cwd=folder)
    difference = [line[2:].strip() for line in done.lines("E  ")]
    shown = next(block for block in blocks(text) if "- snapshot, + now" in block)
    assert [line.partition("SnapshotError: ")[2] or line for line in difference] == [
        line.strip() for line in shown.splitlines() if line.strip()
    ]
