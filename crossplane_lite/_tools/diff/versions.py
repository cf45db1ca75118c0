"""Runs the other version of a function that `--against VERSION` names. VERSION is one of these:

- a folder: The function's source, with the same `module:function`; served by a new process;
- a folder with pyvenv.cfg: A virtual environment in which the function is installed; served by a
  new process;
- `host:port`, `unix:...`: The address of a running server;
- anything else: A git revision. It is checked out into a temporary worktree; served by a new
  process.
"""

from __future__ import annotations

import collections
import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

from ..._core.base.folder import PACKAGE
from ..._core.base.texts import short_text
from ...errors import InputError
from ..render.functions import Remote

if TYPE_CHECKING:
    from ..render.functions import Dial
    from ..render.pipeline import Runner

_ADDRESS: Final = re.compile(
    r"(unix|unix-abstract|dns|ipv4|ipv6):.+|(\[[0-9a-fA-F:]+\]|[^/\\:]+):[0-9]{1,5}"
)
# Python may find another installation of the module, or of a package around it, instead of the
# folder's. This version would then be compared with itself.
_FROM_FOLDER: Final = """
import importlib, os, sys
name = sys.argv[2].partition(":")[0]
file = os.path.realpath(importlib.import_module(name).__file__)
if not file.startswith(os.path.realpath(os.getcwd()) + os.sep):
    hint = "does this version have an __init__.py in each folder?"
    sys.exit(f"{name} is imported from {file}; {hint}")
from crossplane_lite.cli import main
sys.exit(main(sys.argv[1:]))
"""
_SECONDS_TO_STOP: Final = 10.0


@contextlib.contextmanager
def other_version(
    version: str, functions: Mapping[str, Runner], dial: Dial
) -> Iterator[dict[str, Runner]]:
    """Yield the runners of a pipeline's functions, with another version of each function that runs
    in this process.

    A runner calls a function. Servers that are started here are stopped at the end of the `with`
    block.

    Args:
        version: The value of `--against`.
        functions: The runner of each function's present version, by the function's name in the
            pipeline.
        dial: Makes the runner for the server at an address.

    Yields:
        The runner of each function, by its name in the pipeline.

    Raises:
        InputError: There is no such version, or it can't be run. For an address, the pipeline has
            several functions; for other versions, none of its functions runs in this process.
    """
    in_process = {
        name: source for name, one in functions.items() if (source := getattr(one, "source", ""))
    }
    with contextlib.ExitStack() as stack:
        folder = Path(version)
        if _ADDRESS.fullmatch(version) and not folder.exists():
            yield {**functions, **_at(version, functions, in_process, dial, stack)}
            return
        if not in_process:
            raise InputError(
                f"--against {version}: a folder, environment or revision can replace only functions"
                " that are given as module:function, and the pipeline has none: give the address"
                " of a server that runs the other version"
            )
        python, home = _program(version, folder, stack)
        others = {}
        for name, target in in_process.items():
            where = home if python != sys.executable else _home(version, home, target)
            others[name] = stack.enter_context(
                Remote(stack.enter_context(_served(python, where, target, version)))
            )
        yield {**functions, **others}


def _at(
    address: str,
    functions: Mapping[str, Runner],
    in_process: Mapping[str, str],
    dial: Dial,
    stack: contextlib.ExitStack,
) -> dict[str, Runner]:
    names = list(in_process) or list(functions)
    if len(names) != 1:
        raise InputError(
            f"--against {address}: an address replaces one function, and it could be any of "
            f"{', '.join(sorted(names))}: give only the one to compare as module:function"
        )
    return {names[0]: stack.enter_context(dial(address))}


def _program(version: str, folder: Path, stack: contextlib.ExitStack) -> tuple[str, Path]:
    """Return the Python interpreter that runs the other version, and the folder in which it is
    started.

    `version` is the value of `--against`. `stack` removes the temporary folders and worktrees when
    it is closed. Raises InputError if there is no such version, it is a file, or the environment
    has no interpreter.
    """
    if folder.is_dir():
        if (folder / "pyvenv.cfg").is_file():
            python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
            if not python.exists():
                raise InputError(
                    f"--against {version}: the virtual environment has no"
                    f" {python.relative_to(folder)}: create it again"
                )
            # In an empty folder: in the current one, Python would import the files there instead of
            # the installed ones.
            return str(python.absolute()), Path(stack.enter_context(tempfile.TemporaryDirectory()))
        return sys.executable, folder.absolute()
    if folder.exists():
        raise InputError(
            f"--against {version} is a file: give a folder, a virtual environment, a git revision"
            " or a server's address"
        )
    return sys.executable, stack.enter_context(_worktree(version))


def _home(version: str, folder: Path, target: str) -> Path:
    """Return the folder from which a function's module is imported: `folder`, or else `src` in it.

    Raises InputError if neither folder has it.
    """
    module = Path(*target.partition(":")[0].split("."))
    for home in (folder, folder / "src"):
        if any(
            (home / found).is_file()
            for found in (module.with_suffix(".py"), module / "__init__.py")
        ):
            return home
    file = module.with_suffix(".py")
    raise InputError(
        f"--against {version}: this version has neither {file} nor src/{file}, the module of"
        f" {target}"
    )


@contextlib.contextmanager
def _worktree(revision: str) -> Iterator[Path]:
    """Check out a git revision into a temporary worktree, and remove the worktree at the end of the
    `with` block.

    Yields:
        The folder in the worktree that corresponds to the current directory.

    Raises:
        InputError: git isn't installed or fails, there is no such revision, or it lacks the current
            directory.
    """
    prefix = _git("rev-parse", "--show-prefix", about=revision)
    commit = _git(
        "rev-parse",
        "--verify",
        "--quiet",
        "--end-of-options",
        f"{revision}^{{commit}}",
        about=revision,
    )
    with tempfile.TemporaryDirectory(prefix="crossplane-lite-") as folder:
        place = Path(folder) / "worktree"
        _git("worktree", "add", "--detach", "--quiet", str(place), commit, about=revision)
        try:
            home = place / prefix
            if not home.is_dir():
                raise InputError(
                    f"--against {revision}: the current directory, {prefix}, doesn't exist in this"
                    " revision: run the command in a folder that the revision has"
                )
            yield home
        finally:
            _git("worktree", "remove", "--force", str(place), about=revision)


def _git(*arguments: str, about: str) -> str:
    try:
        done = subprocess.run(
            ["git", *arguments],
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except FileNotFoundError:
        raise InputError(
            f"--against {about}: there is no such folder, and git, which is needed for a revision,"
            " isn't installed"
        ) from None
    except OSError as error:
        raise InputError(
            f"--against {about}: git can't be run: {error.strerror or error}"
        ) from None
    if done.returncode != 0:
        said = " ".join(done.stderr.split()) or "there is no such revision"
        raise InputError(
            f"--against {about}: not a folder, not an environment, and git can't use it as a"
            f" revision: {short_text(said)}"
        )
    return done.stdout.strip()


@contextlib.contextmanager
def _served(python: str, home: Path, target: str, version: str) -> Iterator[str]:
    """Serve a function in a new process until the `with` block ends.

    Args:
        python: The Python interpreter.
        home: The folder in which the process is started.
        target: The function's `module:function`.
        version: The value of `--against`, for messages.

    Yields:
        The address that the process listens at.

    Raises:
        InputError: The process can't be started, or ends before it listens.
    """
    about = f"--against {version}: the other version of {target}"
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    start = ["-m", "crossplane_lite"]
    if python == sys.executable:
        start = ["-c", _FROM_FOLDER]
        # If this package isn't installed, it is imported from here. The version's own folder comes
        # first.
        paths = str(Path(PACKAGE).parent), os.environ.get("PYTHONPATH", "")
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    try:
        process = subprocess.Popen(
            [python, *start, "serve", target, "--insecure", "--address", "127.0.0.1:0"],
            cwd=home,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
    except OSError as error:
        raise InputError(f"{about} can't be run: {error.strerror or error}") from None
    assert process.stderr is not None
    try:
        yield _address(process.stderr, about)
    finally:
        process.terminate()
        try:
            process.wait(_SECONDS_TO_STOP)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _address(log: IO[bytes], about: str) -> str:
    """Return the address in the log of a server. The rest of the log is read and thrown away by a
    thread.
    """
    last = "it ended and printed nothing"
    for line in log:
        try:
            said: Any = json.loads(line)
        except ValueError:
            said = None
        if isinstance(said, dict) and said.get("msg") == "serving":
            # If nobody reads its log, the process blocks as soon as the pipe is full.
            threading.Thread(target=collections.deque, args=(log, 0), daemon=True).start()
            return str(said["address"])
        last = line.decode(errors="replace").strip() or last
    raise InputError(f"{about} can't be served: {short_text(last)}")
