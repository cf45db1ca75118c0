"""Runs the blocks of a page in a folder of its own: files are written, Python is executed, output is compared."""

from __future__ import annotations

import ast
import contextlib
import importlib
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml as pyyaml  # type: ignore[import-untyped]

from crossplane_lite import composition, testing
from crossplane_lite._tools.commands.hints import _flags, parser_of
from crossplane_lite._tools.commands.table import COMMANDS
from crossplane_lite.cli import main
from tests.docs.blocks import ROOT, Block, blocks, guess

__all__ = ["Page", "difference"]

XR = {
    "apiVersion": "example.org/v1",
    "kind": "XApp",
    "metadata": {"name": "shop", "namespace": "default"},
    "spec": {"region": "eu-central-1", "zones": ["a", "b"]},
}
_SHELL = re.compile(r"[|<>;&$*`(]|^\w+=")
_FILES = {"yaml", "python", "toml", "ini", "json", "dockerfile", "text", "none", "diff", "bash", "xml"}


class Page:
    """What has been run of a page.

    Attributes:
        folder: Where its files are, and its commands run.
        names: The names of its Python.
        printed: The output of the last command, or of the last Python that printed anything.
        counts: How many blocks were run, only parsed, or need what isn't there.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.names: dict[str, Any] = {"__name__": "page", "ROOT": ROOT, "XR": XR}
        self.printed = ""
        self.counts: Counter[str] = Counter()
        self._at = folder

    def run(self, block: Block) -> None:
        """Run a block, or parse it where its mark says that it can't be run.

        Raises:
            AssertionError: The block doesn't do what the page says.
        """
        kind = block.language or (guess(block) if block.text else "")
        if block.mark == "after":
            for other in blocks(ROOT / "docs" / f"{block.more}.rst"):
                self.run(other)
            self.counts.clear()
        elif block.mark == "setup":
            self._execute(block)
        elif _lacks(block):
            parse(block, kind)
            self.counts[f"{block.mark} {block.more}"] += 1
        elif block.mark == "output":
            problem = difference(block.text, self.printed, part=block.more == "part")
            assert not problem, f"{block.place}: {problem}"
            self.counts["run"] += 1
        elif block.mark == "example":
            parse(block, kind)
            self.counts["example"] += 1
        elif block.mark == "compared":
            test, page = ROOT / block.more, block.page.rpartition("/")[2]
            assert page in test.read_text(encoding="utf-8"), f"{block.place}: {block.more} doesn't read {page}"
            self.counts["compared"] += 1
        elif block.mark == "compose":
            self._compose(block)
            self.counts["run"] += 1
        elif block.caption or block.mark in ("file", "append"):
            self._write(block, kind)
            self.counts["run"] += 1
        elif kind in ("console", "bash", "shell", "sh"):
            self._commands(block)
        elif kind in ("python", "python3"):
            self._execute(block)
            self.counts["run"] += 1
        elif kind in ("yaml", "json", "toml", "ini"):
            parse(block, kind)
            self.counts["run"] += 1
        else:
            raise AssertionError(f"{block.place}: say what the block is: a language, a caption, or a mark")

    def _write(self, block: Block, kind: str) -> None:
        name = block.more if block.mark in ("file", "append") else block.caption
        path = self._at / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a" if block.mark == "append" else "w", encoding="utf-8") as file:
            file.write(block.text)
        if kind in ("python", "yaml", "json"):
            parse(block._replace(text=path.read_text(encoding="utf-8")), kind)

    def _execute(self, block: Block) -> None:
        # The lines of errors are those of the page.
        tree = ast.increment_lineno(ast.parse(block.text), block.line - 1)
        stream = io.StringIO()
        with self._inside(), contextlib.redirect_stdout(stream):
            exec(compile(tree, str(ROOT / block.page), "exec"), self.names)
        self.printed = stream.getvalue() or self.printed

    def _compose(self, block: Block) -> None:
        tree = ast.increment_lineno(ast.parse(block.text), block.line - 1)
        code = compile(tree, str(ROOT / block.page), "exec")
        prepare = self.names.get("prepare", lambda ctx: {})

        @composition.function(name="page")
        def compose(ctx: composition.Context) -> None:
            exec(code, {**self.names, "ctx": ctx, **prepare(ctx)})

        with self._inside():
            request = self.names.get("REQUEST") or testing.request(self.names["XR"])
            self.names["response"] = response = testing.run(compose, request)
        assert not response.fatal, f"{block.place}: {response.fatal}"

    def _commands(self, block: Block) -> None:
        commands = list(_split(block.text))
        assert commands, f"{block.place}: no line begins with `$ `"
        self.printed = ""
        for command, shown in commands:
            place = f"{block.place}: {command}"
            if re.match(r"pip install |eval |python3 -m venv |\.venv/bin/pip |\. \.venv/", command):
                parse(block._replace(text=command), "bash")
                self.counts["installs"] += 1
                continue
            program = block.more.split()[0] if block.mark == "program" else ""
            if program and command.startswith(f"{program} "):
                status, printed = self._command(f"{shlex.quote(_program(program) or '')}{command[len(program) :]}")
            else:
                status, printed = self._command(command)
            self.printed += printed
            last = command == commands[-1][0]
            fails = block.mark == "fails" or block.more.endswith(" fails")
            assert (status != 0) == (fails and last), f"{place}\nexit status {status}\n{printed}"
            problem = difference(shown, printed) if shown else ""
            assert not problem, f"{place}\n{problem}"
        self.counts["run"] += 1

    def _command(self, command: str) -> tuple[int, str]:
        """Return the exit status of a command, and what it has written."""
        words = shlex.split(command)
        if words[0] == "cd" and len(words) == 2:
            self._at = (self._at / words[1]).resolve()
            assert self._at.is_relative_to(self.folder)
            return 0, ""
        if words[0] == "cat" and not _SHELL.search(command):
            return 0, "".join((self._at / name).read_text(encoding="utf-8") for name in words[1:])
        own = words[0] in ("crossplane-lite", ".venv/bin/crossplane-lite")
        if own and not _SHELL.search(command) and words[1] not in ("serve", "dev", "krm", "image"):
            return self._own(words[1:])
        bin_ = str(Path(sys.executable).parent)
        # Without the project's own root, whose `tests` would hide those of the page.
        environment = {**os.environ, "PATH": f"{bin_}{os.pathsep}{os.environ['PATH']}"}
        environment.pop("PYTHONPATH", None)
        environment |= {"PYTEST_ADDOPTS": "-p no:cacheprovider", "COLUMNS": "80", "NO_COLOR": "1"}
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", command.replace(".venv/bin/", "")],
            cwd=self._at,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
            check=False,
        )
        return done.returncode, done.stdout

    def _own(self, arguments: list[str]) -> tuple[int, str]:
        if arguments[0] == "init":  # pages are for readers whose package is from the index
            arguments = [*arguments, "--sdk-from", "0.1.0"]
        stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
        with self._inside(), contextlib.redirect_stdout(stream), contextlib.redirect_stderr(stream):
            try:
                status = main(arguments)
            except SystemExit as e:
                status = e.code if isinstance(e.code, int) else 1
        stream.flush()
        return status, stream.buffer.getvalue().decode()  # type: ignore[attr-defined]

    @contextlib.contextmanager
    def _inside(self) -> Iterator[None]:
        """Be in the page's folder, from which modules are imported anew each time."""
        before, path = os.getcwd(), list(sys.path)
        importlib.invalidate_caches()
        sys.path[:0] = [str(self._at)]
        os.chdir(self._at)
        # Another test may have left a module of the same name, of a folder of its own.
        names = {file.stem for file in self._at.iterdir()}
        kept = (str(ROOT), sys.prefix, sys.base_prefix)
        for name, module in list(sys.modules.items()):
            if name.partition(".")[0] in names and not _file_of(module).startswith(kept):
                del sys.modules[name]
        try:
            yield
        finally:
            os.chdir(before)
            sys.path[:] = path
            ours = f"{self.folder}{os.sep}"
            for name, module in list(sys.modules.items()):
                if _file_of(module).startswith(ours):
                    del sys.modules[name]
            for cache in self.folder.rglob("__pycache__"):
                shutil.rmtree(cache, ignore_errors=True)


def _lacks(block: Block) -> bool:
    """Tell whether a block needs what isn't here."""
    if block.mark == "from":
        return sys.version_info[:2] < tuple(map(int, block.more.split()[0].split(".")))
    return block.mark == "needs" or (block.mark == "program" and _program(block.more.split()[0]) is None)


def _program(name: str) -> str | None:
    """Return the path of a program: a variable of its name says it, as for the tests of KRM functions."""
    return os.environ.get(name.upper()) or shutil.which(name)


def _split(text: str) -> Iterator[tuple[str, str]]:
    """Yield each command behind `$ `, and what is shown below it."""
    command, shown = "", ""
    going_on = False
    for line in text.splitlines():
        if going_on:
            command += line
        elif line.startswith("$ "):
            if command:
                yield command, shown
            command, shown = line[2:], ""
        else:
            assert command, f"output without a command: {line}"
            shown += f"{line}\n"
        if line.startswith("$ ") or going_on:
            going_on = command.endswith("\\")
            command = command.removesuffix("\\")
    if command:
        yield command, shown


def difference(shown: str, printed: str, *, part: bool = False) -> str:
    """Return what differs between shown output and what was printed; nothing where it is the same.

    `...` as a line stands for any lines, and inside of a line for any text.

    Args:
        shown: The page's text.
        printed: What the command has written.
        part: Whether there may be more above and below.
    """
    pattern = ""
    for line in shown.strip("\n").splitlines():
        if line.strip() == "...":
            pattern += r"(?:[^\n]*\n)*?"
        else:
            pattern += re.escape(line.rstrip()).replace(r"\.\.\.", "[^\n]*?") + r"[ \t]*\n"
    plain = "".join(f"{line.rstrip()}\n" for line in printed.strip("\n").splitlines())
    found = re.search(f"(?m)^{pattern}", plain) if part else re.fullmatch(pattern, plain)
    return "" if found else f"the page shows\n{shown}\nbut it prints\n{printed}"


def parse(block: Block, kind: str) -> None:
    """Parse a block; commands of this package must exist, with their flags.

    Raises:
        AssertionError: It can't be parsed.
    """
    try:
        if kind == "yaml":
            list(pyyaml.safe_load_all(block.text))
        elif kind == "json":
            json.loads(block.text)
        elif kind == "python":
            ast.parse(block.text)
        elif kind in ("console", "bash", "shell", "sh"):
            _parse_commands(block.text)
    except (SyntaxError, ValueError, AssertionError, pyyaml.YAMLError) as e:
        raise AssertionError(f"{block.place}: {e}") from e


def _parse_commands(text: str) -> None:
    prompted = [line for line in text.splitlines() if line.startswith("$ ")]
    script = "\n".join(command for command, _ in _split(text)) if prompted else text
    done = subprocess.run(["bash", "-n"], input=script, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    whole = re.sub(r"\\\n *", " ", script)
    for line in re.findall(r"(?m)(?:^|[/(\"]|[|;&] )crossplane-lite ([a-z][^\n|;)]*)", whole):
        line = line.partition(" #")[0].partition("<(")[0]
        words = line.replace('"', " ").replace("'", " ").split()
        assert words[0] in COMMANDS, f"there is no command {words[0]!r}"
        parser = parser_of(words[0])
        if parser is not None:
            unknown = {word.partition("=")[0] for word in words if re.match(r"--[a-z]", word)} - _flags(parser).keys()
            assert not unknown, f"{words[0]} has no {', '.join(sorted(unknown))}"


def _file_of(module: Any) -> str:
    """Return the file of a module, or the folder of a package without one; empty for neither."""
    file: str | None = getattr(module, "__file__", None)
    return file or "".join(list(getattr(module, "__path__", None) or [])[:1])
