"""Which files of an output folder are the command's own, and what it refuses."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path

import pytest

from crossplane_lite._tools.codegen.output import Summary
from crossplane_lite.errors import InputError
from tests.codegen.folders import MANIFEST, put, snapshot, texts, write

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
    others = ["b/__pycache__/v2.cpython-310.pyc", "b/__pycache__/v1x.cpython-310.pyc", "b/__pycache__/v1.txt"]
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
    assert f"{folder}/v1.py must be a folder" in refused(folder, {"a.py": "", "v1.py/b.py": ""})


@pytest.mark.parametrize("is_owned", [True, False])
def test_folder_for_a_file(folder: Path, is_owned: bool) -> None:
    """A folder where a file is to be written is refused, even where a file was owned."""
    write(folder, {"v1.py": "1"} if is_owned else {})
    (folder / "v1.py").unlink(missing_ok=True)
    put(folder, {"v1.py/own.txt": "x"})
    assert f"{folder}/v1.py must be a regular file" in refused(folder, {"v1.py": "2"})
    assert write(folder, {}) == Summary(0, 0, 0)
    assert texts(folder) == {"v1.py/own.txt": "x"}


def test_other_things_for_files(folder: Path) -> None:
    """What is neither file nor folder is neither read nor written, and a run doesn't hang on it."""
    write(folder, {"pipe.py": "", "socket.py": ""})
    (folder / "pipe.py").unlink()
    os.mkfifo(folder / "pipe.py")
    assert f"{folder}/pipe.py must be a regular file" in refused(folder, {"pipe.py": ""})
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
    assert f"{folder}/io must be a folder" in refused(folder, FILES)
    assert os.listdir(tmp_path / "outside") == []


def test_link_at_the_end(folder: Path, tmp_path: Path) -> None:
    """Nothing is written to a symbolic link, nor compared with what it leads to."""
    put(tmp_path, {"outside.py": ""})
    write(folder, {"a.py": ""})
    (folder / "b.py").symlink_to(tmp_path / "outside.py")
    assert f"{folder}/b.py must be a regular file" in refused(folder, {"a.py": "", "b.py": ""})


@pytest.mark.parametrize("target", ["../../outside", "inside", "nowhere"])
@pytest.mark.parametrize("entry", ["link/x.py", "link/y/x.py"])
def test_manifest_through_a_link(folder: Path, tmp_path: Path, target: str, entry: str) -> None:
    """Nothing behind a symbolic link is written or removed, also if the manifest lists it."""
    for place in (tmp_path / "outside", folder / "inside"):
        put(place, {"x.py": "precious", "y/x.py": "precious"})
    manifest(folder, "a.py", entry)
    (folder / "link").symlink_to(target)
    assert f"{folder}/link must be a folder" in refused(folder, {entry: ""})
    assert write(folder, {}) == Summary(0, 0, 0)
    assert (folder / "link").is_symlink()
    assert texts(tmp_path / "outside") == {"x.py": "precious", "y/x.py": "precious"}


def test_manifest_lists_a_link(folder: Path, tmp_path: Path) -> None:
    """A symbolic link that the manifest lists is neither overwritten nor removed."""
    put(tmp_path, {"outside.py": "precious"})
    manifest(folder, "x.py")
    (folder / "x.py").symlink_to(tmp_path / "outside.py")
    assert f"{folder}/x.py must be a regular file" in refused(folder, {"x.py": "1"})
    write(folder, {})
    assert (tmp_path / "outside.py").read_text() == "precious"


def test_manifest_is_a_link(folder: Path, tmp_path: Path) -> None:
    """A manifest that is a symbolic link, a pipe or a folder is refused without being opened."""
    put(tmp_path, {"list": json.dumps({"format": 1, "files": []})})
    folder.mkdir(parents=True)
    (folder / MANIFEST).symlink_to(tmp_path / "list")
    problem = (
        f"{folder}/{MANIFEST} must be a regular file, not a link or a folder: restore {MANIFEST} from version control, "
        f"or remove the folder {folder} (keep your own files) and generate it again"
    )
    assert refused(folder, FILES) == problem
    (folder / MANIFEST).unlink()
    os.mkfifo(folder / MANIFEST)
    assert refused(folder, FILES) == problem


# Manifests of others.

BAD_PATHS = (
    *("/etc/x.py", "//x.py", "../x.py", "a/../../x.py", "a/..", "a//x.py", "./x.py", ""),
    *("a\\x.py", "C:x.py", "a\0.py", "\ud800.py", "a.txt", "a.pyc", MANIFEST),
)


@pytest.mark.parametrize("path", [*BAD_PATHS, 1, None, ["a.py"]])
def test_manifest_entries(folder: Path, path: object) -> None:
    """A manifest whose entries can't be generated files of the folder is refused, naming the manifest and the entry."""
    manifest(folder, "a.py", path)
    assert refused(folder, {"a.py": ""}).startswith(f"{folder}/{MANIFEST} lists {path!r}, ")


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


@pytest.mark.parametrize("files", [None, "a.py", {"a.py": 1}])
def test_manifest_files(folder: Path, files: object) -> None:
    """A manifest without a list of paths is refused."""
    manifest(folder, files=files)
    assert " must have a list of paths in 'files': restore " in refused(folder, FILES)


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


# Names that are too long.


def test_names_too_long(folder: Path) -> None:
    """A name that the file system doesn't take is an error that names the file, the longest one is none."""
    write(folder, {"é" * 126 + ".py": "1"})
    assert write(folder, {"é" * 126 + ".py": "2"}) == Summary(1, 0, 0)
    assert refused(folder, {"a" * 300 + ".py": ""}) == f"can't read {folder}/{'a' * 300}.py: File name too long"
