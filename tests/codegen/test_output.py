"""Which files of an output folder are the command's own, and what it refuses."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path

import pytest

from crossplane_lite.codegen import _transaction
from crossplane_lite.codegen.output import Summary, write, write_all
from crossplane_lite.errors import InputError
from tests.codegen.folders import JOURNAL, MANIFEST, put, snapshot, texts

FILES = {
    "__init__.py": "",
    "io/upbound/__init__.py": "",
    "io/upbound/bucket/v1beta1.py": "TABLE = 'ü'\n",
    "io/upbound/bucket/v1beta1.pyi": "class Bucket: ...\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An output folder that doesn't exist yet, with a blank and a letter beyond ASCII in its name."""
    return tmp_path / "my models" / "modèles"


def refused(folder: Path, files: dict[str, str]) -> str:
    """Return why files are refused; nothing at all may change by that."""
    before = snapshot(folder.parent)
    with pytest.raises(InputError) as caught:
        write(folder, files)
    assert snapshot(folder.parent) == before
    assert "\n" not in str(caught.value)
    return str(caught.value)


def manifest(folder: Path, *entries: object, **others: object) -> None:
    """Give a folder a manifest as somebody may have put it into a checkout."""
    put(folder, {MANIFEST: json.dumps({"format": 1, "files": entries, **others})})


# What is written.


def test_new_folder(folder: Path) -> None:
    """A folder that doesn't exist is made, with the files and the manifest."""
    assert write(folder, FILES) == Summary(4, 0, 0)
    assert texts(folder) == FILES


def test_manifest_text(folder: Path) -> None:
    """The manifest says what made the folder, and lists the files sorted, one in a line, as UTF-8."""
    write(folder, {"b/é.py": "", "a.pyi": "", "a.py": ""})
    assert (folder / MANIFEST).read_bytes().decode() == (
        "{\n"
        ' "about": "Made by `crossplane-lite generate`, which owns the files listed here: its next run overwrites '
        'them and removes those that it no longer makes. It touches no other file in this folder.",\n'
        ' "format": 1,\n'
        ' "files": [\n'
        '  "a.py",\n'
        '  "a.pyi",\n'
        '  "b/é.py"\n'
        " ]\n"
        "}\n"
    )


def test_deterministic(folder: Path) -> None:
    """The order in which files are given makes no difference to a byte."""
    write(folder, FILES)
    write(folder.with_name("other"), dict(reversed(FILES.items())))
    assert texts(folder) == texts(folder.with_name("other"))
    assert (folder / MANIFEST).read_bytes() == (folder.with_name("other") / MANIFEST).read_bytes()


def test_nothing_to_do(folder: Path) -> None:
    """A second run with the same files touches nothing, folders and the manifest included."""
    write(folder, FILES)
    before = snapshot(folder.parent)
    times = {place: place.stat().st_mtime_ns for place in folder.parent.rglob("*")}
    assert write(folder, FILES) == Summary(0, 4, 0)
    assert snapshot(folder.parent) == before
    assert times == {place: place.stat().st_mtime_ns for place in folder.parent.rglob("*")}


def test_only_what_changed(folder: Path) -> None:
    """A changed file is written, the others and the manifest stay the files that they are."""
    write(folder, FILES)
    before = snapshot(folder)
    changed = "io/upbound/bucket/v1beta1.py"
    assert write(folder, {**FILES, changed: "TABLE = 2\n"}) == Summary(1, 3, 0)
    after = snapshot(folder)
    assert {name for name in after if after[name] != before[name]} == {changed}
    assert (folder / changed).read_text() == "TABLE = 2\n"


def test_same_size(folder: Path) -> None:
    """A change that keeps a file's size and time is seen."""
    write(folder, {"a.py": "A = 1\n"})
    status = (folder / "a.py").stat()
    write(folder, {"a.py": "A = 2\n"})
    os.utime(folder / "a.py", ns=(status.st_atime_ns, status.st_mtime_ns))
    assert write(folder, {"a.py": "A = 1\n"}) == Summary(1, 0, 0)


def test_line_ends(folder: Path) -> None:
    """Texts are written as they are, without other line ends."""
    write(folder, {"a.py": "a\nb\r\n"})
    assert (folder / "a.py").read_bytes() == b"a\nb\r\n"


def test_gone(folder: Path) -> None:
    """What is no longer generated is removed, with the folders that are empty then, but for the output folder."""
    write(folder, FILES)
    assert write(folder, {"__init__.py": ""}) == Summary(0, 1, 3)
    assert sorted(os.listdir(folder)) == [MANIFEST, "__init__.py"]
    assert write(folder, {}) == Summary(0, 0, 1)
    assert os.listdir(folder) == [MANIFEST]


def test_removed_by_hand(folder: Path) -> None:
    """An owned file that somebody removed is written again, and isn't missed if it is no longer generated."""
    write(folder, FILES)
    (folder / "__init__.py").unlink()
    assert write(folder, FILES) == Summary(1, 3, 0)
    (folder / "io/upbound/bucket/v1beta1.py").unlink()
    (folder / "io/upbound/bucket/v1beta1.pyi").unlink()
    assert write(folder, {"__init__.py": ""}) == Summary(0, 1, 1)
    assert sorted(os.listdir(folder)) == [MANIFEST, "__init__.py"]


def test_edited_by_hand(folder: Path) -> None:
    """An owned file that was edited is overwritten."""
    write(folder, FILES)
    put(folder, {"__init__.py": "import os\n"})
    assert write(folder, FILES) == Summary(1, 3, 0)
    assert texts(folder) == FILES


def test_byte_code(folder: Path) -> None:
    """Only the byte code of a removed module goes with it, and the folder of byte code if nothing is left in it."""
    write(folder, {"a/v1.py": "", "a/v1.pyi": "", "b/v1.py": "", "b/v2.py": "", "c/v1.pyi": ""})
    ours = ["a/__pycache__/v1.cpython-310.pyc", "a/__pycache__/v1.cpython-314.opt-2.pyc", "b/__pycache__/v1.pypy39.pyc"]
    others = ["b/__pycache__/v2.cpython-310.pyc", "b/__pycache__/v1.x.cpython-310.pyc", "b/__pycache__/v1.txt"]
    others += ["c/__pycache__/v1.cpython-310.pyc"]
    put(folder, dict.fromkeys([*ours, *others], "code"))
    assert write(folder, {"b/v2.py": ""}) == Summary(0, 1, 4)
    assert sorted(texts(folder)) == sorted([*others, "b/v2.py"])
    assert not (folder / "a").exists()


def test_byte_code_behind_a_link(folder: Path, tmp_path: Path) -> None:
    """A `__pycache__` that is a symbolic link is not followed."""
    write(folder, {"a/v1.py": ""})
    put(tmp_path / "outside", {"v1.cpython-310.pyc": "code"})
    (folder / "a/__pycache__").symlink_to(tmp_path / "outside")
    write(folder, {})
    assert texts(tmp_path / "outside") == {"v1.cpython-310.pyc": "code"}
    assert (folder / "a/__pycache__").is_symlink()


def test_permissions(folder: Path) -> None:
    """New files have what the umask leaves, files with a new content keep their own permissions."""
    mask = os.umask(0o027)
    try:
        write(folder, {"a.py": "1", "b.py": "1"})
        assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o640}
        (folder / "a.py").chmod(0o755)
        (folder / MANIFEST).chmod(0o600)
        write(folder, {"a.py": "2", "c.py": "1"})
    finally:
        os.umask(mask)
    assert (folder / "a.py").read_text() == "2"
    modes = {path.name: path.stat().st_mode & 0o777 for path in folder.iterdir()}
    assert modes == {"a.py": 0o755, "c.py": 0o640, MANIFEST: 0o600}


def test_folder_is_a_link(folder: Path, tmp_path: Path) -> None:
    """The output folder itself may be a symbolic link."""
    folder.parent.mkdir()
    (tmp_path / "real").mkdir()
    folder.symlink_to(tmp_path / "real")
    assert write(folder, FILES) == Summary(4, 0, 0)
    assert texts(tmp_path / "real") == FILES
    assert folder.is_symlink()


def test_relative_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Relative folders are those of the working directory, which may be the folder itself."""
    monkeypatch.chdir(tmp_path)
    write(Path("a/b"), FILES)
    monkeypatch.chdir(tmp_path / "a/b")
    assert write(Path(), FILES) == Summary(0, 4, 0)


# Files of others.


@pytest.mark.parametrize(
    ("foreign", "named"),
    [
        ({"notes.txt": "x"}, "notes.txt"),
        ({"__init__.py": "import os\n"}, "__init__.py"),
        ({"b/notes.txt": "x", "a/b/c.py": "x", "z.txt": "x"}, "z.txt"),
        ({"b/notes.txt": "x", "a/b/c.py": "x"}, "a/b/c.py"),
        ({"a/x__pycache__/c.py": "x"}, "a/x__pycache__/c.py"),
        ({"__init__.py": "", "io/upbound/.gitkeep.py": ""}, "io/upbound/.gitkeep.py"),
    ],
)
def test_foreign_folder(folder: Path, foreign: dict[str, str], named: str) -> None:
    """A folder without a manifest is refused, naming the first file that isn't to be written as it is."""
    put(folder, foreign)
    assert refused(folder, FILES) == (
        f"{folder}/{named} is in the way, and no {MANIFEST} lists it as generated: remove it, or choose an empty folder"
    )


def test_a_folder_with_models_in_it(folder: Path) -> None:
    """A folder in which another one has generated models is refused, with the folder that may have been meant."""
    write(folder / "models", FILES)
    assert refused(folder, FILES) == (
        f"{folder} can't be the output folder, because {folder}/models has generated models already: "
        f"give {folder}/models, or choose an empty folder"
    )


def test_foreign_link(folder: Path, tmp_path: Path) -> None:
    """A symbolic link is a foreign file too, whatever it is called and leads to."""
    put(tmp_path, {"empty": ""})
    folder.mkdir(parents=True)
    for name in ("__init__.py", ".gitkeep", "folder"):
        (folder / name).symlink_to(tmp_path / "empty")
        assert f"{folder}/{name} is in the way" in refused(folder, FILES)
        (folder / name).unlink()


def test_harmless_content(folder: Path) -> None:
    """A folder without a manifest may hold what would be written, byte code, marks for git and empty folders."""
    others = {".gitignore": "*.pyc", "io/.gitkeep": "", "a/__pycache__/x.pyc": "x", "__pycache__/y.txt": "y"}
    put(folder, {**others, "__init__.py": "", "io/upbound/bucket/v1beta1.py": "TABLE = 'ü'\n"})
    (folder / "empty/too").mkdir(parents=True)
    before = snapshot(folder)
    assert write(folder, FILES) == Summary(2, 2, 0)
    assert texts(folder) == {**others, **FILES}
    assert before.items() <= snapshot(folder).items()
    write(folder, {})
    assert texts(folder) == others
    assert (folder / "empty/too").is_dir()


def test_foreign_beside_ours(folder: Path) -> None:
    """Beside a manifest files of others are left alone, and so are their folders."""
    write(folder, FILES)
    others = {"notes.txt": "x", "io/upbound/bucket/own.py": "x", "own/x.py": "x", "io/__pycache__/own.c.pyc": ""}
    put(folder, others)
    (folder / "io/upbound/empty").mkdir()
    before = snapshot(folder)
    assert write(folder, {}) == Summary(0, 0, 4)
    assert texts(folder) == others
    after = snapshot(folder)
    assert {name for name in before if name not in after} == set(FILES)
    assert {name for name in after if after[name] != before[name]} == {MANIFEST}


def test_foreign_in_the_way(folder: Path) -> None:
    """Beside a manifest a foreign file with another content is refused, one with the same content is taken over."""
    write(folder, {"a.py": ""})
    put(folder, {"b.py": "mine"})
    assert f"{folder}/b.py is in the way" in refused(folder, {"a.py": "", "b.py": "generated", "c.py": ""})
    assert write(folder, {"b.py": "mine"}) == Summary(0, 1, 1)
    assert write(folder, {"b.py": "generated"}) == Summary(1, 0, 0)


@pytest.mark.parametrize("is_owned", [True, False])
def test_file_for_a_folder(folder: Path, is_owned: bool) -> None:
    """A file where a folder is needed is refused, even one that is owned."""
    write(folder, {"a.py": "", "v1.py": "1"} if is_owned else {"a.py": ""})
    put(folder, {"v1.py": "1"})
    expected = f"{folder}/v1.py is a file, but a folder is needed there for 'v1.py/b.py': remove it"
    assert refused(folder, {"a.py": "", "v1.py/b.py": ""}) == expected


@pytest.mark.parametrize("is_owned", [True, False])
def test_folder_for_a_file(folder: Path, is_owned: bool) -> None:
    """A folder where a file is to be written is refused, even where a file was owned."""
    write(folder, {"v1.py": "1"} if is_owned else {})
    (folder / "v1.py").unlink(missing_ok=True)
    put(folder, {"v1.py/own.txt": "x"})
    assert (
        refused(folder, {"v1.py": "2"})
        == f"{folder}/v1.py is a folder, but the command must write a file there: remove or rename it"
    )
    assert write(folder, {}) == Summary(0, 0, 0)
    assert texts(folder) == {"v1.py/own.txt": "x"}


def test_other_things_for_files(folder: Path) -> None:
    """What is neither file nor folder is neither read nor written, and a run doesn't hang on it."""
    write(folder, {"pipe.py": "", "socket.py": ""})
    (folder / "pipe.py").unlink()
    os.mkfifo(folder / "pipe.py")
    assert "pipe.py is a device, a pipe or a socket, but the command must write a file there" in refused(
        folder, {"pipe.py": ""}
    )
    (folder / "socket.py").unlink()
    with socket.socket(socket.AF_UNIX) as unix, pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        unix.bind("socket.py")
        assert write(folder, {}) == Summary(0, 0, 0)
    assert sorted(os.listdir(folder)) == [MANIFEST, "pipe.py", "socket.py"]


def test_output_is_no_folder(folder: Path) -> None:
    """A file in place of the output folder, or of one above it, is refused."""
    put(folder.parent, {folder.name: "x"})
    assert (
        refused(folder, FILES)
        == f"{folder} is not a folder, but a folder is needed there: choose another folder, or remove {folder.name}"
    )
    assert (
        refused(folder / "b", FILES)
        == f"{folder} is not a folder, but a folder is needed there: choose another folder, or remove {folder.name}"
    )
    folder.unlink()
    folder.symlink_to("nowhere")
    assert (
        refused(folder, FILES)
        == f"{folder} is not a folder, but a folder is needed there: choose another folder, or remove {folder.name}"
    )


# Links that lead elsewhere.


def test_link_on_the_way(folder: Path, tmp_path: Path) -> None:
    """Nothing is written through a symbolic link below the output folder."""
    (tmp_path / "outside").mkdir()
    write(folder, {"a.py": ""})
    (folder / "io").symlink_to(tmp_path / "outside")
    assert (
        refused(folder, FILES) == f"{folder}/io is a symbolic link, and models aren't written through links: remove it"
    )
    assert os.listdir(tmp_path / "outside") == []


def test_link_at_the_end(folder: Path, tmp_path: Path) -> None:
    """Nothing is written to a symbolic link, nor compared with what it leads to."""
    put(tmp_path, {"outside.py": ""})
    write(folder, {"a.py": ""})
    (folder / "b.py").symlink_to(tmp_path / "outside.py")
    assert "b.py is a symbolic link" in refused(folder, {"a.py": "", "b.py": ""})


@pytest.mark.parametrize("target", ["../../outside", "inside", "nowhere"])
@pytest.mark.parametrize("entry", ["link/x.py", "link/y/x.py"])
def test_manifest_through_a_link(folder: Path, tmp_path: Path, target: str, entry: str) -> None:
    """An entry of the manifest behind a symbolic link is refused, and nothing behind it is removed."""
    for place in (tmp_path / "outside", folder / "inside"):
        put(place, {"x.py": "precious", "y/x.py": "precious"})
    manifest(folder, "a.py", entry)
    (folder / "link").symlink_to(target)
    for files in ({}, {entry: ""}):
        assert refused(folder, files) == (
            f"{folder}/{MANIFEST} lists {entry!r}, but {folder}/link is a symbolic link: remove the link, and run the "
            "command again"
        )
    assert texts(tmp_path / "outside") == {"x.py": "precious", "y/x.py": "precious"}


def test_manifest_lists_a_link(folder: Path, tmp_path: Path) -> None:
    """An entry of the manifest that is a symbolic link itself is refused."""
    put(tmp_path, {"outside.py": "precious"})
    manifest(folder, "x.py")
    (folder / "x.py").symlink_to(tmp_path / "outside.py")
    assert f"{MANIFEST} lists 'x.py', but {folder}/x.py is a symbolic link" in refused(folder, {"x.py": "1"})
    assert (tmp_path / "outside.py").read_text() == "precious"


@pytest.mark.parametrize("name", [MANIFEST, JOURNAL])
def test_manifest_is_a_link(folder: Path, tmp_path: Path, name: str) -> None:
    """A manifest or journal that is a symbolic link, a pipe or a folder is refused without being opened."""
    put(tmp_path, {"list": json.dumps({"format": 1, "files": []})})
    folder.mkdir(parents=True)
    (folder / name).symlink_to(tmp_path / "list")
    problem = (
        f"{folder}/{name} must be a regular file, not a link or a folder: restore {name} from version control, or "
        f"remove the folder {folder} (keep your own files) and generate it again"
    )
    assert refused(folder, FILES) == problem
    (folder / name).unlink()
    os.mkfifo(folder / name)
    assert refused(folder, FILES) == problem


# Manifests of others.

BAD_PATHS = {
    "/etc/x.py": "is absolute",
    "//x.py": "is absolute",
    "../x.py": "has '..' in it",
    "a/../../x.py": "has '..' in it",
    "a/..": "has '..' in it",
    "a//x.py": "has an empty part or '.' in it",
    "./x.py": "has an empty part or '.' in it",
    "a\\x.py": "has a backslash, a colon or a NUL in it",
    "C:x.py": "has a backslash, a colon or a NUL in it",
    "a\0.py": "has a backslash, a colon or a NUL in it",
    "\ud800.py": "has characters that can't be UTF-8",
    "a.txt": "doesn't end in .py or .pyi",
    "a.pyc": "doesn't end in .py or .pyi",
    MANIFEST: "doesn't end in .py or .pyi",
}


@pytest.mark.parametrize("name", [MANIFEST, JOURNAL])
@pytest.mark.parametrize(("path", "problem"), [*BAD_PATHS.items(), ("", "has an empty part or '.' in it")])
def test_manifest_entries(folder: Path, path: str, problem: str, name: str) -> None:
    """A list whose entries can't be generated files is refused, naming the list and the entry."""
    manifest(folder, "a.py", path)
    (folder / MANIFEST).rename(folder / name)
    expected = (
        f"{folder}/{name} lists {path!r}, which can't be a file of this folder, because it {problem}: restore "
        f"{name} from version control, or remove the folder {folder} (keep your own files) and generate it again"
    )
    assert refused(folder, {"a.py": ""}) == expected


@pytest.mark.parametrize(("path", "problem"), BAD_PATHS.items())
def test_generated_paths(folder: Path, path: str, problem: str) -> None:
    """The same paths are refused when they are to be written."""
    folder.mkdir(parents=True)
    assert refused(folder, {path: ""}) == f"can't write {path!r} to {folder}: the path {problem}"


@pytest.mark.parametrize("text", ["", "{", "<<<<<<< HEAD\n{}", "\x80", "[" * 100_000])
def test_manifest_is_not_json(folder: Path, text: str) -> None:
    """A manifest that isn't JSON is refused, a merge conflict and endless nesting included."""
    put(folder, {"a.py": "old"})
    (folder / MANIFEST).write_bytes(text.encode("latin-1" if text == "\x80" else "utf-8"))
    expected = (
        f"{folder}/{MANIFEST} is not JSON: restore {MANIFEST} from version control, or remove the folder "
        f"{folder} (keep your own files) and generate it again"
    )
    assert refused(folder, {"a.py": "new"}) == expected


@pytest.mark.parametrize(
    "document", [[], None, 1, {}, {"format": 2}, {"format": True}, {"format": "1"}, {"format": 1.0}]
)
def test_manifest_format(folder: Path, document: object) -> None:
    """A manifest of another format is refused."""
    put(folder, {MANIFEST: json.dumps(document)})
    given = isinstance(document, dict) and "format" in document
    found = f"the 'format' {document['format']!r}" if given else "no 'format'"
    expected = (
        f"{folder}/{MANIFEST} has {found}, and this version of crossplane-lite reads only 1: use the version that "
        f"wrote the file, or remove the folder {folder} (keep your own files) and generate it again"
    )
    assert refused(folder, FILES) == expected


@pytest.mark.parametrize("files", [None, "a.py", {"a.py": 1}, [1], ["a.py", None], [["a.py"]]])
def test_manifest_files(folder: Path, files: object) -> None:
    """A manifest without a list of paths is refused."""
    manifest(folder, files=files)
    assert ": 'files' must be a list of paths: restore " in refused(folder, FILES)


def test_manifest_lists_below_a_file(folder: Path) -> None:
    """An entry of the manifest below what is a file has nothing to remove, least of all the file."""
    manifest(folder, "a.py/x.py", "notes/y.py")
    put(folder, {"a.py": "mine", "notes": "mine"})
    assert write(folder, {}) == Summary(0, 0, 0)
    assert texts(folder) == {"a.py": "mine", "notes": "mine"}


def test_manifest_of_others(folder: Path) -> None:
    """More keys, another order and repetitions in a manifest make no difference, and are gone afterwards."""
    put(
        folder,
        {"a.py": "", "b.py": "old", "c.py": "", MANIFEST: '{"x": 1, "files": ["b.py", "a.py", "a.py"], "format": 1}'},
    )
    assert write(folder, {"b.py": ""}) == Summary(1, 0, 1)
    write(folder.with_name("other"), {"b.py": ""})
    assert (folder / MANIFEST).read_bytes() == (folder.with_name("other") / MANIFEST).read_bytes()
    assert texts(folder) == {"b.py": "", "c.py": ""}


# Paths and texts that can't be written.


@pytest.mark.parametrize(
    ("one", "other", "named"),
    [
        ("A.py", "a.py", ("A.py", "a.py")),
        ("a/Bucket/v1.py", "a/bucket/v2.py", ("a/Bucket", "a/bucket")),
        ("straße.py", "strasse.py", ("strasse.py", "straße.py")),
        ("e\u0301.py", "\u00e9.py", ("e\u0301.py", "\u00e9.py")),
    ],
)
def test_differ_in_case(folder: Path, one: str, other: str, named: tuple[str, str]) -> None:
    """Paths that are one file or folder on some file systems are refused, whichever comes first."""
    folder.mkdir(parents=True)
    expected = (
        f"can't write both {named[0]!r} and {named[1]!r} to {folder}: they differ only in case, "
        "which not every file system tells apart; generate them into folders of their own"
    )
    assert refused(folder, {one: "", other: ""}) == refused(folder, {other: "", one: ""}) == expected


def test_renamed_in_case(folder: Path) -> None:
    """Where a file is the same under both of two names that differ in case, it isn't removed under the old one."""
    write(folder, {"Bucket.py": ""})
    if not (folder / "bucket.py").exists():
        os.link(folder / "Bucket.py", folder / "bucket.py")  # as a file system that ignores case shows it
    for text in ("", "new"):
        assert refused(folder, {"bucket.py": text}) == (
            f"{folder}/Bucket.py is now called bucket.py, but this file system treats both as one file: "
            "remove this file, and run the command again"
        )
    (folder / "Bucket.py").unlink()
    (folder / "bucket.py").unlink(missing_ok=True)
    assert write(folder, {"bucket.py": ""}) == Summary(1, 0, 0)
    assert texts(folder) == {"bucket.py": ""}


def test_file_and_folder(folder: Path) -> None:
    """A path can't be a file and a folder at once."""
    folder.mkdir(parents=True)
    expected = (
        f"can't write both 'a.py' and 'a.py/b.py' to {folder}: 'a.py' can't be a file and a folder; "
        "generate them into folders of their own"
    )
    assert refused(folder, {"a.py/b.py": "", "a.py": ""}) == expected


def test_text_is_not_utf8(folder: Path) -> None:
    """A text with half a surrogate pair is refused."""
    folder.mkdir(parents=True)
    assert "can't write 'a.py'" in refused(folder, {"a.py": "\ud800"})


def test_names_too_long(folder: Path) -> None:
    """A name that the file system doesn't take is an error that names the file, the longest one is none."""
    write(folder, {"é" * 126 + ".py": "1"})
    assert write(folder, {"é" * 126 + ".py": "2"}) == Summary(1, 0, 0)
    assert refused(folder, {"a" * 300 + ".py": ""}) == f"can't read {folder}/{'a' * 300}.py: File name too long"


# Several folders.


def test_two_folders(tmp_path: Path) -> None:
    """Folders are written together, each with its own manifest, and the summaries have their order."""
    models, stubs = tmp_path / "models", tmp_path / "stubs"
    assert write_all([(stubs, {"a.pyi": "", "b.pyi": ""}), (models, {"a.py": ""})]) == [
        Summary(2, 0, 0),
        Summary(1, 0, 0),
    ]
    assert texts(models) == {"a.py": ""}
    assert texts(stubs) == {"a.pyi": "", "b.pyi": ""}


def test_two_folders_one_refused(tmp_path: Path) -> None:
    """If one folder is refused, the other isn't touched, nor made."""
    models, stubs = tmp_path / "models", tmp_path / "stubs"
    put(stubs, {"notes.txt": ""})
    for outputs in ([(models, FILES), (stubs, FILES)], [(stubs, FILES), (models, FILES)]):
        with pytest.raises(InputError, match=r"notes\.txt is in the way"):
            write_all(outputs)
        assert os.listdir(tmp_path) == ["stubs"]
        assert os.listdir(stubs) == ["notes.txt"]


def test_nested_folders(tmp_path: Path) -> None:
    """Folders of which one lies in the other are refused, however they are spelt."""
    (tmp_path / "link").symlink_to("models")
    nothing: dict[str, str] = {}
    for inner in (tmp_path / "models/stubs", tmp_path / "link/stubs"):
        for outputs in (
            [(tmp_path / "models", nothing), (inner, nothing)],
            [(inner, nothing), (tmp_path / "models", nothing)],
        ):
            with pytest.raises(InputError) as caught:
                write_all(outputs)
            assert str(caught.value) == (
                f"the folder {inner} is inside {tmp_path}/models, and each would treat the other's files as foreign: "
                "give two separate folders (--output, --stubs-dir)"
            )
    assert os.listdir(tmp_path) == ["link"]


def test_same_folder_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One folder under two names is refused at once, and not made."""
    monkeypatch.setattr(_transaction, "_PATIENCE", 1e9)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as caught:
        write_all([(Path("models"), {}), (tmp_path / "models", {})])
    assert str(caught.value) == f"models and {tmp_path}/models are the same folder: give two folders"
    assert os.listdir(tmp_path) == []


def test_no_folders() -> None:
    """Nothing is done for no folders."""
    assert write_all([]) == []
