"""The code blocks of the README and of all pages: each is run, or says why it can't be."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest

from tests.docs.blocks import ROOT, Block, blocks, is_slow, pages
from tests.docs.running import Page, difference

PAGES = pages()


def _parameters(slow: bool) -> list[Path]:
    return [page for page in PAGES if is_slow(page) == slow]


def _name(page: Path) -> str:
    return page.relative_to(ROOT).with_suffix("").as_posix()


def _run(page: Path, folder: Path) -> None:
    # What a page shows may depend on the name of the folder, as in a path; "page" is the same everywhere.
    folder = folder / "page"
    folder.mkdir()
    if page == ROOT / "README.rst":  # its readers are in a clone
        shutil.copytree(ROOT / "examples", folder / "examples", ignore=shutil.ignore_patterns("__pycache__"))
    running = Page(folder)
    found = blocks(page)
    for block in found:
        running.run(block)
    print(f"{_name(page)}: {dict(running.counts)}")
    assert sum(running.counts.values()) >= sum(block.mark not in ("after", "setup") for block in found)


@pytest.mark.parametrize("page", _parameters(False), ids=_name)
def test_blocks_of_a_page(page: Path, tmp_path: Path) -> None:
    """Files are written, Python is executed, commands print what the page shows."""
    _run(page, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("page", _parameters(True), ids=_name)
def test_blocks_of_a_slow_page(page: Path, tmp_path: Path) -> None:
    """The same for pages whose commands take long."""
    _run(page, tmp_path)


def test_the_count(capsys: pytest.CaptureFixture[str]) -> None:
    """The count of blocks, by what is done with them; most are run."""
    counts: Counter[str] = Counter()
    for page in PAGES:
        for block in blocks(page):
            if block.mark not in ("after", "setup"):
                counts[_way(block)] += 1
    with capsys.disabled():
        print("\ncode blocks: " + ", ".join(f"{count} {way}" for way, count in sorted(counts.items())))
    assert counts["run"] > sum(counts.values()) // 2


def _way(block: Block) -> str:
    if block.mark == "needs":
        return f"parsed, need {block.more.partition(';')[0]}"
    if block.mark == "example":
        return "parsed, examples of a form"
    if block.mark == "compared":
        return "compared by tests of their own"
    return "run"


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("a\n", "a\n", True),
        ("a\n", "a\nb\n", False),
        ("...\nb\n", "a\nb\n", True),
        ("a\n...\n", "b\n", False),
        ("took ... ms\n", "took 3 ms\n", True),
        ("took ... ms\n", "took 3 s\n", False),
    ],
)
def test_comparison(shown: str, printed: str, same: bool) -> None:
    """Output is the same, or differs where the page has an ellipsis."""
    assert (difference(shown, printed) == "") == same


def test_a_part() -> None:
    """A part of the output may have more around it, and must be there."""
    assert difference("b\n", "a\nb\nc\n", part=True) == ""
    assert difference("d\n", "a\nb\nc\n", part=True)


def test_blocks_are_found(tmp_path: Path) -> None:
    """Blocks of all forms are found with their marks and captions; comments and tables are none."""
    page = tmp_path / "page.rst"
    page.write_text(
        "Title\n=====\n\n.. run: setup\n\n   a = 1\n\nText::\n\n    $ b\n\n- item ::\n\n      x: 1\n\n"
        ".. a comment\n   c::\n\n.. run: needs Docker\n.. code-block:: python\n   :caption: f.py\n\n   d = 2\n",
        encoding="utf-8",
    )
    found = [(one.mark, one.more, one.language, one.caption, one.text) for one in blocks(page)]
    assert found == [
        ("setup", "", "python", "", "a = 1\n"),
        ("", "", "", "", "$ b\n"),
        ("", "", "", "", "x: 1\n"),
        ("needs", "Docker", "python", "f.py", "d = 2\n"),
    ]
    page.write_text(".. run: never\n", encoding="utf-8")
    with pytest.raises(ValueError, match="there is no mark 'never'"):
        blocks(page)
