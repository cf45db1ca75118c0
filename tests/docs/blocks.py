"""Finds the code blocks of a page in reStructuredText, and the marks that say what is done with them.

A mark is a comment right before a block, which readers don't see::

    .. run: needs a registry

It begins with one of the words of `MARKS`. Without a mark a block's language and caption say what is done.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

__all__ = ["MARKS", "ROOT", "Block", "blocks", "guess", "is_slow", "pages"]

ROOT = Path(__file__).resolve().parents[2]

MARKS = {
    "after": "the page that is named is run before this one, in the same folder",
    "append": "the block is written to the end of the file that is named",
    "compared": "the block is output that the test that is named compares with the page",
    "compose": "the block is run inside of compose(), with the names that setup's prepare(ctx) returns",
    "example": "the block shows the form of something; it is no program and no file",
    "fails": "the commands of the block end with another status than 0",
    "file": "the block is the file that is named",
    "from": "the block is run by this version of Python and later ones",
    "needs": "the block needs what the mark says, so it is parsed only",
    "output": "the block is the output of the last command or Python, or a part of it",
    "program": "the block is run where the program is installed, and parsed elsewhere",
    "setup": "Python that is run and not shown",
    "slow": "the whole page is run among the slow tests",
}

_DIRECTIVE = re.compile(r"(?P<indent> *)\.\. (?:code-block|code|sourcecode)::(?: +(?P<language>[\w+-]+))?\s*$")
_MARK = re.compile(r"(?P<indent> *)\.\. run: (?P<mark>\S+) ?(?P<more>.*)$")
_OPTION = re.compile(r" +:(?P<name>[\w-]+): *(?P<value>.*)$")
_SKIPPED = re.compile(r" *\.\. (?!code-block|code::|sourcecode|run: |note|tip|warning|important|admonition|_)\S")


class Block(NamedTuple):
    """A code block.

    Attributes:
        page: The page's path in the project.
        line: The line at which its text begins.
        language: What `code-block` says; empty for a block behind `::`.
        caption: The file's name that readers see; empty without one.
        mark: The mark's first word; empty without a mark.
        more: The rest of the mark.
        text: The text, without its indentation.
    """

    page: str
    line: int
    language: str
    caption: str
    mark: str
    more: str
    text: str

    @property
    def place(self) -> str:
        """Where it is, for messages."""
        return f"{self.page}:{self.line}"


def pages() -> list[Path]:
    """Return the README and all pages of docs."""
    found = (path for path in (ROOT / "docs").rglob("*.rst") if "_build" not in path.parts)
    return [ROOT / "README.rst", *sorted(found)]


def is_slow(page: Path) -> bool:
    """Tell whether a page says that running it takes long."""
    return "\n.. run: slow\n" in page.read_text(encoding="utf-8")


def blocks(page: Path) -> list[Block]:
    """Return the blocks of a page in their order."""
    lines = page.read_text(encoding="utf-8").splitlines()
    name = page.relative_to(ROOT).as_posix() if page.is_relative_to(ROOT) else page.name
    return list(_blocks(name, lines))


def _blocks(name: str, lines: list[str]) -> Iterator[Block]:
    mark = more = ""
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if not line.strip():
            continue
        indent = len(line) - len(line.lstrip())
        found = _MARK.match(line)
        if found:
            mark, more = found["mark"], found["more"].strip()
            if mark not in MARKS:
                raise ValueError(f"{name}:{at}: there is no mark {mark!r}; the marks are {', '.join(MARKS)}")
            if mark == "setup":
                start, at, text = _body(lines, at, indent)
                yield Block(name, start, "python", "", mark, more, text)
            if mark == "after":
                yield Block(name, at, "", "", mark, more, "")
            if mark in ("after", "setup", "slow"):
                mark = more = ""
            continue
        directive = _DIRECTIVE.match(line)
        if directive:
            caption = ""
            while at < len(lines) and (option := _OPTION.match(lines[at])):
                caption = option["value"].strip() if option["name"] == "caption" else caption
                at += 1
            start, at, text = _body(lines, at, indent)
            yield Block(name, start, directive["language"] or "", caption, mark, more, text)
        elif line.rstrip().endswith("::") and not line.lstrip().startswith(".. "):
            start, at, text = _body(lines, at, indent)
            if not text:
                continue
            yield Block(name, start, "", "", mark, more, text)
        elif _SKIPPED.match(line):
            if line.lstrip().startswith((".. container", ".. list-table", ".. only", ".. tab")):
                continue  # whose content is text
            _, at, _ = _body(lines, at, indent)
            continue
        mark = more = ""


def _body(lines: list[str], at: int, indent: int) -> tuple[int, int, str]:
    """Return the number of the first line, the place behind the last one, and the text of an indented block."""
    while at < len(lines) and not lines[at].strip():
        at += 1
    start = at
    while at < len(lines) and (not lines[at].strip() or len(lines[at]) - len(lines[at].lstrip()) > indent):
        at += 1
    text = textwrap.dedent("\n".join(lines[start:at])).strip("\n")
    return start + 1, at, f"{text}\n" if text else ""


_COMMANDS = (
    *("crossplane-lite", "crossplane", "pip", "python", "python3", "kubectl", "eval", "skopeo", "kpt", "kustomize"),
    *("debootstrap", "docker", "git", "ln", "cd", "pytest", "kind", "helm", "secret=", "mkdir", "done", "export"),
)


def guess(block: Block) -> str:
    """Return what a block behind `::` is most likely: `console`, `python`, `yaml`, or `text`."""
    first = block.text.removeprefix("$ ").split()[0].removeprefix("$").removeprefix(".venv/bin/")
    if block.language:
        return block.language
    if first in _COMMANDS or first.startswith(("secret=", "$", "CROSSPLANE")):
        return "console"
    try:
        tree = ast.parse(block.text)
    except SyntaxError:
        return "yaml" if re.match(r"\w+:(\n| [^\n]*\n\w+:)", block.text) else "text"
    plain = all(isinstance(one, ast.Expr) and not isinstance(one.value, ast.Call) for one in tree.body)
    return "text" if plain else "python"
