"""Prunes a folder of installed packages: removes files that a served function never loads, by rules."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from ...errors import InputError

__all__ = ["RULES", "Pruned", "Rule", "prune"]

# The tools that stay: the table of commands, in which `serve` stands, and what KRM functions need.
_TOOLS_OF_SERVING: Final = frozenset({"__init__.py", "commands"})
_TOOLS_OF_KRM: Final = frozenset({*_TOOLS_OF_SERVING, "codegen", "manifests"})
_INSTALLERS: Final = frozenset({"_distutils_hack", "pip", "pkg_resources", "setuptools", "wheel"})
_SOURCES: Final = (".c", ".cc", ".cpp", ".h", ".hpp", ".pxd", ".pxi", ".pyx", ".proto")
_RECORDS: Final = frozenset({"INSTALLER", "RECORD", "REQUESTED", "WHEEL", "direct_url.json", "top_level.txt"})


class _Tree(NamedTuple):
    """The facts about a folder of packages by which rules decide."""

    root: Path
    for_krm: bool
    uses_descriptor: bool  # whether a package other than protobuf names descriptor_pb2


Matches = Callable[[_Tree, "tuple[str, ...]"], bool]


class Rule(NamedTuple):
    """A rule that says which files are removed.

    Attributes:
        name: The rule's name. `--keep NAME` switches the rule off.
        about: The text for `--help`: which files the rule removes, and which functions need them in spite of the rule.
        matches: Gets the facts about the folder and the parts of a file's path, and returns whether the file is
            removed.
    """

    name: str
    about: str
    matches: Matches


def _is_test(tree: _Tree, parts: tuple[str, ...]) -> bool:
    return any(part in ("test", "tests") for part in parts[1:-1])


def _is_stub(tree: _Tree, parts: tuple[str, ...]) -> bool:
    return parts[-1].endswith(".pyi") or parts[-1] == "py.typed" or parts[0].endswith("-stubs")


def _is_source(tree: _Tree, parts: tuple[str, ...]) -> bool:
    return parts[-1].endswith(_SOURCES)


def _is_installer(tree: _Tree, parts: tuple[str, ...]) -> bool:
    name = re.split(r"-\d", parts[0])[0] if parts[0].endswith(".dist-info") else parts[0]
    return name in _INSTALLERS or parts == ("distutils-precedence.pth",) or (parts[0] == "bin" and len(parts) == 2)


def _is_development(tree: _Tree, parts: tuple[str, ...]) -> bool:
    if parts[0] != "crossplane_lite" or len(parts) < 3:
        return False
    if parts[1] == "_tools":
        return parts[2] not in (_TOOLS_OF_KRM if tree.for_krm else _TOOLS_OF_SERVING)
    return parts[1] == "testing" or (parts[1] == "krm" and not tree.for_krm)


def _is_grpc(tree: _Tree, parts: tuple[str, ...]) -> bool:
    return (
        parts[:2] == ("grpc", "beta")
        or parts[:3] == ("grpc", "framework", "interfaces")
        or parts[-2:] == ("_credentials", "roots.pem")
    )


def _is_protobuf(tree: _Tree, parts: tuple[str, ...]) -> bool:
    if parts[:2] != ("google", "protobuf") or len(parts) < 3:
        return False
    if parts[2] in ("compiler", "testdata", "testing", "util"):
        return True
    return parts[2:] == ("descriptor_pb2.py",) and not tree.uses_descriptor


def _is_record(tree: _Tree, parts: tuple[str, ...]) -> bool:
    return parts[0].endswith(".dist-info") and len(parts) == 2 and parts[1] in _RECORDS


def _has_description(tree: _Tree, parts: tuple[str, ...]) -> bool:
    return False  # the file stays, and `_cut` removes the description in it


RULES: Final = (
    Rule("tests", "folders tests and test inside of packages", _is_test),
    Rule("stubs", "types for checkers: .pyi, py.typed, packages ending in -stubs", _is_stub),
    Rule("sources", "sources in C, Cython and protobuf's language", _is_source),
    Rule(
        "installer",
        "pip, setuptools, wheel, and programs in bin, which name the Python that installed them",
        _is_installer,
    ),
    Rule(
        "development",
        "parts of crossplane-lite that only development needs; with --krm the KRM part stays",
        _is_development,
    ),
    Rule(
        "grpc",
        "gRPC's beta interfaces, and its list of public certificate authorities; a function that calls public gRPC "
        "services itself needs the list",
        _is_grpc,
    ),
    Rule(
        "protobuf",
        "protobuf's interfaces for compilers, and descriptor_pb2 where no package but protobuf names it",
        _is_protobuf,
    ),
    Rule("records", "pip's notes about an installation; licences and versions stay", _is_record),
    Rule("descriptions", "the long descriptions in the metadata of packages", _has_description),
)


class Pruned(NamedTuple):
    """The result of pruning.

    Attributes:
        before: The bytes of all files before the pruning.
        after: The bytes of all files after the pruning. With `dry_run`, the bytes that would be left.
        saved: How many files each rule removed or shortened, and how many bytes that saved, by the rule's name. Rules
            that are switched off are left out.
    """

    before: int
    after: int
    saved: dict[str, tuple[int, int]]


def prune(root: Path, keep: Sequence[str] = (), *, for_krm: bool = False, dry_run: bool = False) -> Pruned:
    """Remove the files that a served function never loads from a folder of packages, and return how much this saves.

    `RULES` says which files these are. The byte code of removed modules, and folders that become empty, are removed,
    too. The rule `descriptions` shortens files instead of removing them.

    Args:
        root: The folder that `pip install --target` has filled, or a `site-packages`.
        keep: The names of the rules to switch off.
        for_krm: Whether the function is a KRM function, which needs more files.
        dry_run: Whether to change nothing, and only count the files.

    Raises:
        InputError: A rule in `keep` doesn't exist, the folder has no installed packages, or a file can't be read or
            removed.
    """
    unknown = sorted(set(keep) - {rule.name for rule in RULES})
    if unknown:
        raise InputError(f"there is no rule {unknown[0]!r}; the rules are {', '.join(rule.name for rule in RULES)}")
    rules = [rule for rule in RULES if rule.name not in keep]
    try:
        if not any(name.endswith(".dist-info") for name in os.listdir(root)):
            raise InputError(
                f"{root} has no installed packages (no *.dist-info): give the folder that pip installed to"
            )
        files = sorted(_files(root))
        tree = _Tree(root, for_krm, "protobuf" not in keep and _uses_descriptor(root, files))
        saved: dict[str, tuple[int, int]] = {rule.name: (0, 0) for rule in rules}
        before = after = 0
        for parts, size in files:
            before += size
            rule = next((one for one in rules if one.matches(tree, parts)), None)
            if rule is not None:
                _note(saved, rule.name, size)
                if not dry_run:
                    _remove(root, parts)
                continue
            if "descriptions" in saved and parts[0].endswith(".dist-info") and parts[1:] == ("METADATA",):
                cut = _cut(root.joinpath(*parts), dry_run)
                if cut:
                    _note(saved, "descriptions", cut)
                    size -= cut
            after += size
        if not dry_run:
            _remove_empty(root)
        return Pruned(before, after, saved)
    except OSError as e:
        raise InputError(f"can't prune {e.filename or root}: {e.strerror or e}") from e


def _note(saved: dict[str, tuple[int, int]], name: str, size: int) -> None:
    files, total = saved[name]
    saved[name] = (files + 1, total + size)


def _files(root: Path) -> Iterator[tuple[tuple[str, ...], int]]:
    """Yield the path of each file in a folder, in parts, and the file's size. Symbolic links aren't followed."""
    work: list[tuple[str, ...]] = [()]
    while work:
        above = work.pop()
        with os.scandir(root.joinpath(*above)) as found:
            for one in found:
                parts = (*above, one.name)
                if one.is_dir(follow_symlinks=False):
                    work.append(parts)
                else:
                    yield parts, one.stat(follow_symlinks=False).st_size


def _uses_descriptor(root: Path, files: list[tuple[tuple[str, ...], int]]) -> bool:
    """Return whether a Python file has `descriptor_pb2` in it. Files of protobuf and crossplane-lite don't count."""
    for parts, _ in files:
        if parts[-1].endswith(".py") and parts[0] != "crossplane_lite" and parts[:2] != ("google", "protobuf"):
            path = root.joinpath(*parts)
            if stat.S_ISREG(path.lstat().st_mode) and b"descriptor_pb2" in path.read_bytes():
                return True
    return False


def _remove(root: Path, parts: tuple[str, ...]) -> None:
    path = root.joinpath(*parts)
    path.unlink()
    if path.suffix == ".py":  # its byte code has no use without it
        for compiled in path.parent.glob(f"__pycache__/{path.stem}.*.pyc"):
            if compiled.name.split(".")[0] == path.stem:
                compiled.unlink()


def _cut(path: Path, dry_run: bool) -> int:
    """Remove the long description from a METADATA file, and return how many bytes this saves; 0 if it has none.

    With `dry_run`, the file isn't changed.
    """
    data = path.read_bytes()
    head, separator, _ = data.partition(b"\n\n")
    if not separator:
        return 0
    lines = [line for line in head.split(b"\n") if not line.startswith(b"Description-Content-Type:")]
    kept = b"\n".join(lines) + b"\n"
    if not dry_run:
        path.write_bytes(kept)
    return len(data) - len(kept)


def _remove_empty(root: Path) -> None:
    for folder, _, _ in os.walk(root, topdown=False):
        if folder != str(root) and not os.listdir(folder):
            os.rmdir(folder)
