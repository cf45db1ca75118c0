"""Every document in files, folders, standard input and packages is found, with its place."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossplane_lite._tools.manifests import yaml
from crossplane_lite._tools.manifests.sources import expanded, read_sources
from crossplane_lite.errors import InputError
from tests.manifests.packages import PACKAGE, Oci, docker, layer, tar, write_oci
from tests.models.tables import DATA, ROOT


def read(*sources: str | Path, stdin: bytes | None = None) -> list[Any]:
    """Return the contents of the documents in sources."""
    return [content for _, content in found(*sources, stdin=stdin)]


def found(*sources: str | Path, stdin: bytes | None = None) -> list[tuple[str, Any]]:
    """Return places and contents of the documents in sources."""
    documents = read_sources([str(one) for one in sources], io.BytesIO(stdin or b""))
    return [(where, content) for where, content in documents]


def failure(*sources: str | Path, stdin: bytes | None = None) -> str:
    """Return the one line that says what is wrong."""
    with pytest.raises(InputError) as caught:
        read(*sources, stdin=stdin)
    line = str(caught.value)
    assert "\n" not in line
    return line


def test_documents(tmp_path: Path) -> None:
    """Documents of several files come in the order of the arguments, each with file, number and line."""
    one, two = tmp_path / "one.yaml", tmp_path / "two"
    one.write_text("# first\n---\na: 1\n---\n---\nb: 2\n")
    two.write_text("c: 3\n")
    assert found(two, one) == [
        (f"{two}, document 1 (line 1)", {"c": 3}),
        (f"{one}, document 1 (line 3)", {"a": 1}),
        (f"{one}, document 3 (line 6)", {"b": 2}),
    ]


def test_place_is_as_the_user_wrote_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A place begins with the argument, not with what it can be simplified to."""
    (tmp_path / "crds").mkdir()
    (tmp_path / "crds" / "a.yaml").write_text("a: 1\n")
    monkeypatch.chdir(tmp_path)
    for argument in ("./crds", "crds/", "./crds/a.yaml", "crds//a.yaml"):
        ((where, _),) = found(argument)
        assert where.startswith(argument)


def test_words_are_as_written() -> None:
    """Plain words of YAML 1.1 and keys are text, as the author of a schema meant them."""
    text = b"description: on\nenum: [y, No, OFF, =, true, 0644, ~]\nproperties: {on: {}, 80: {}, 1.5: {}, True: {}}\n"
    assert read("-", stdin=text) == [
        {
            "description": "on",
            "enum": ["y", "No", "OFF", "=", True, 420, None],
            "properties": {"on": {}, "80": {}, "1.5": {}, "True": {}},
        }
    ]


def test_json(tmp_path: Path) -> None:
    """JSON is told by what the file holds; one file may have several objects."""
    path = tmp_path / "definitions.txt"
    path.write_text(' {"a": [1, 2.5, null]}\n\n{"b": "\\ud83d\\ude00"}')
    assert found(path) == [
        (f"{path}, document 1 (line 1)", {"a": [1, 2.5, None]}),
        (f"{path}, document 2 (line 3)", {"b": "\U0001f600"}),
    ]


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        ("{a: on}\n---\nb: 1\n", [{"a": "on"}, {"b": 1}]),
        ('{"a": 1}\n---\n{"b": 2}\n', [{"a": 1}, {"b": 2}]),
        ('{"a": 1} # a comment\n', [{"a": 1}]),
        ("", []),
        ("---\n# nothing\n", []),
        ("\ufeff{}", [{}]),
    ],
)
def test_what_only_begins_like_json(text: str, contents: list[Any]) -> None:
    """A stream that begins with a brace and is not JSON is YAML."""
    assert read("-", stdin=text.encode()) == contents


FAILURES = [
    ('{"a": 1,\n "b": {"c": 1,\n "c": 2}}', "line 3: the key 'c' occurs twice"),
    ('{"a": ["b", {"a": "a"}, "a"],\n "\\u0061": 1}', "line 2: the key 'a' occurs twice"),
    ('{"x": "NaN",\n "a": [NaN]}', "line 2: NaN can't be used, because JSON has no such number"),
    ('{"x": 1}\n{"a": -Infinity}', "line 2: -Infinity can't be used, because JSON has no such number"),
    ('{"a":\n1e999}', "line 2: this number is beyond the range of a double"),
    (f'{{"a":\n-{"9" * 5000}}}', "line 2: this number is beyond the range of a double"),
    ('{"a": "\\ud83d\\ude00",\n"b": "\\ud83d"}', "line 2: this string has half of a surrogate pair"),
    ('{"\\udc00": 1}', "line 1: this string has half of a surrogate pair"),
    ('{"a": 1\n', "line 2: while parsing a flow mapping"),
    ('{"a": 1} 5', "line 1: did not find expected <document start>"),
    ("a: 1\na: 2\n", "line 2: the key 'a' occurs twice"),
    ("a: .inf\n", "line 1: .inf can't be used, because JSON has no such number; quote it"),
    ("- a\n", "document 1 (line 1) is not a mapping"),
    ("[]", "document 1 (line 1) is not a mapping"),
    ("just text", "document 1 (line 1) is not a mapping"),
    ("a: [\n", "line 2: while parsing a flow node"),
    ("a: !!python/object:os.system {}\n", "line 1: the tag"),
    ("a: \x00\n", "unacceptable character"),
]


@pytest.mark.parametrize(("text", "problem"), FAILURES, ids=[problem for _, problem in FAILURES])
def test_failure(text: str, problem: str) -> None:
    """What isn't a stream of mappings is one line with the place."""
    line = failure("-", stdin=text.encode())
    assert line.startswith("<stdin>")
    assert problem in line


def test_file_that_must_be_json(tmp_path: Path) -> None:
    """In a file that is called .json, what isn't JSON isn't taken for YAML."""
    path = tmp_path / "a.json"
    path.write_text('{"a": 1,\n "b": tru}')
    assert failure(path) == f"{path}, line 2: this is not JSON: Expecting value"
    path.write_text("a: on\n")
    assert read(path) == [{"a": "on"}]


def test_not_utf8(tmp_path: Path) -> None:
    """A file of another encoding is named."""
    path = tmp_path / "a.yaml"
    path.write_bytes(b"a: \xff\n")
    assert failure(path) == f"{path} is not UTF-8 text (byte 3): save it in UTF-8"


def nested(opening: str, closing: str, levels: int, middle: str = "") -> bytes:
    """Return a document of so many levels, itself being one."""
    return ('{"a":' + opening * (levels - 1) + middle + closing * (levels - 1) + "}").encode()


DEEP = {
    "sequences": nested("[", "]", 100_000),
    "sequences that never end": nested("[", "", 100_000),
    "objects": nested('{"a":', "}", 100_000, "1"),
    "objects that never end": nested('{"a":', "", 100_000),
    "sequences of YAML": b"a:\n  " + b"- " * 100_000,
    "flow mappings of YAML": b"a: " + b"{a: " * 100_000,
    "flow sequences of YAML": b"a: " + b"[" * 100_000 + b"]" * 100_000,
    "aliases": "\n".join(["a0: &a0 [1]"] + [f"a{n}: &a{n} [*a{n - 1}]" for n in range(1, 1000)]).encode(),
}


@pytest.mark.parametrize("name", DEEP)
def test_too_deep(name: str) -> None:
    """A hundred thousand levels are an error, neither a crash nor minutes of work."""
    assert "nested more than 200 levels deep" in failure("-", stdin=DEEP[name])


@pytest.mark.parametrize("prefix", [b"", b"---\n"], ids=["JSON", "YAML"])
def test_deepest(prefix: bytes) -> None:
    """JSON and YAML have the same limit."""
    (content,) = read("-", stdin=prefix + nested("[", "]", 200))
    assert str(content).count("[") == 199
    assert "nested more than 200 levels deep" in failure("-", stdin=prefix + nested("[", "]", 201))


LIST = """
apiVersion: v1
kind: List
items:
- {kind: A}
- kind: List
  items: [{kind: B}]
- {kind: CList, apiVersion: x/v1, items: [{a: 1}, {a: 2, kind: D, apiVersion: y/v1}]}
---
kind: E
"""


def test_lists() -> None:
    """Lists are taken apart, lists in lists too; items of a list with a type have it unless they say another."""
    place = "<stdin>, document 1 (line 2), items"
    assert found("-", stdin=LIST.encode()) == [
        (f"{place}[0]", {"kind": "A"}),
        (f"{place}[1], items[0]", {"kind": "B"}),
        (f"{place}[2], items[0]", {"apiVersion": "x/v1", "kind": "C", "a": 1}),
        (f"{place}[2], items[1]", {"apiVersion": "y/v1", "kind": "D", "a": 2}),
        ("<stdin>, document 2 (line 10)", {"kind": "E"}),
    ]


def test_objects_have_their_name_in_their_place(tmp_path: Path) -> None:
    """Behind file, document and number in a list stands the object's name, for those who have no lines to count."""
    path = tmp_path / "two.yaml"
    path.write_text("kind: A\nmetadata: {name: a.example.org}\n---\nmetadata: {name: 5}\n")
    assert [where for where, _ in found(path)] == [
        f"{path}, document 1 (line 1), a.example.org",
        f"{path}, document 2 (line 4)",
    ]
    items = [{"metadata": {"name": name}} for name in ("buckets.s3.aws.upbound.io", "", None, "a\nb", "x" * 300, "{0}")]
    items += [{"metadata": []}, {"kind": "List", "items": items[:1]}]
    place = "<stdin>, document 1 (line 1), items"
    assert [where for where, _ in found("-", stdin=json.dumps({"kind": "List", "items": items}).encode())] == [
        f"{place}[0] (buckets.s3.aws.upbound.io)",
        f"{place}[1]",
        f"{place}[2]",
        f"{place}[3] (a?b)",
        f"{place}[4] ({'x' * 253})",
        f"{place}[5] ({{0}})",
        f"{place}[6]",
        f"{place}[7], items[0] (buckets.s3.aws.upbound.io)",
    ]


@pytest.mark.parametrize("items", ["[]", "null"])
def test_empty_list(items: str) -> None:
    """A list of nothing has nothing."""
    assert read("-", stdin=f"kind: List\nitems: {items}\n".encode()) == []


@pytest.mark.parametrize(
    "content",
    [{"kind": "AllowList", "items": ["a"]}, {"kind": "AllowList"}, {"kind": "List"}, {"kind": 5, "items": [{}]}],
)
def test_what_is_only_called_a_list(content: dict[str, Any]) -> None:
    """An object whose kind ends in List and that isn't a list is itself."""
    assert read("-", stdin=json.dumps(content).encode()) == [content]


def test_item_that_is_no_object() -> None:
    """An item of a list that isn't a mapping is named."""
    line = failure("-", stdin=b"---\nkind: List\nitems: [{}, 5]\n")
    assert line == "<stdin>, document 1 (line 2), items[1] must be a mapping (got an integer)"


def test_folder(tmp_path: Path) -> None:
    """A folder is read with those in it, by name and suffix, without what is hidden."""
    for name in ("b.yaml", "a/z.yml", "a/y.JSON", "c.json", "readme.md", ".hidden.yaml", ".git/x.yaml", "a/no.txt"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps({"name": name}))
    (tmp_path / "d.xpkg").write_bytes(tar(docker(layer(b"name: d.xpkg\n"))))
    (tmp_path / "a.tgz.tar").write_bytes(tar(docker(layer(b"name: a.tgz.tar\n"))))
    (tmp_path / "e.yaml").mkdir()
    oci = Oci()
    write_oci(tmp_path / "layout", oci.saved(oci.image((layer(b"name: layout\n"), {}))))
    names = ["a/y.JSON", "a/z.yml", "a.tgz.tar", "b.yaml", "c.json", "d.xpkg", "layout"]
    assert read(tmp_path) == [{"name": name} for name in names]
    assert [where.split(",")[0] for where, _ in found(tmp_path)][-2:] == [
        f"{tmp_path}/d.xpkg:package.yaml",
        f"{tmp_path}/layout:package.yaml",
    ]


def test_hidden_folder_that_is_named(tmp_path: Path) -> None:
    """A hidden file or folder is read when it is an argument itself."""
    folder = tmp_path / ".crds"
    folder.mkdir()
    (folder / "a.yaml").write_text("a: 1\n")
    (folder / ".b").write_text("b: 1\n")
    assert read(folder, folder / ".b") == [{"a": 1}, {"b": 1}]


def test_links(tmp_path: Path) -> None:
    """Links are followed, in circles too, and each file is read once."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "a.yaml").write_text("a: 1\n")
    (tmp_path / "a" / "up").symlink_to("..")
    (tmp_path / "b").symlink_to("a")
    (tmp_path / "c.yaml").symlink_to("a/a.yaml")
    (tmp_path / "d").symlink_to("d")
    elsewhere = tmp_path.with_name(f"{tmp_path.name}-elsewhere")
    elsewhere.mkdir()
    (elsewhere / "e.yaml").write_text("e: 1\n")
    (tmp_path / "e").symlink_to(elsewhere)
    assert found(tmp_path) == [
        (f"{tmp_path}/a/a.yaml, document 1 (line 1)", {"a": 1}),
        (f"{tmp_path}/e/e.yaml, document 1 (line 1)", {"e": 1}),
    ]


def test_link_that_leads_nowhere(tmp_path: Path) -> None:
    """A file of a folder that can't be opened is named."""
    (tmp_path / "a.yaml").symlink_to("gone")
    assert failure(tmp_path) == f"can't read {tmp_path}/a.yaml: No such file or directory"
    (tmp_path / "a.yaml").unlink()
    (tmp_path / "a.yaml").symlink_to("a.yaml")
    assert failure(tmp_path).startswith(f"can't read {tmp_path}/a.yaml: Too many levels of symbolic links")


def test_pipe_in_a_folder(tmp_path: Path) -> None:
    """A named pipe in a folder is left alone; nobody writes to it."""
    os.mkfifo(tmp_path / "a.yaml")
    (tmp_path / "b.yaml").write_text("b: 1\n")
    assert read(tmp_path) == [{"b": 1}]


def test_folder_without_definitions(tmp_path: Path) -> None:
    """A folder with nothing to read is named, with what would be read."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "a.txt").write_text("a: 1\n")
    assert failure(tmp_path) == (f"there is no .yaml, .yml, .json, .xpkg, .tar, .gz or .tgz file in {tmp_path}")


def test_missing_file(tmp_path: Path) -> None:
    """A file that isn't there is named."""
    assert failure(tmp_path / "gone.yaml") == f"can't read {tmp_path}/gone.yaml: No such file or directory"


def test_pipe_as_a_file(tmp_path: Path) -> None:
    """A pipe, as a shell's `<(...)` gives one, is read like a file; an archive too."""
    for data, contents in ((b"a: 1\n", [{"a": 1}]), (tar(docker(layer(b"b: 1\n"))), [{"b": 1}])):
        path = tmp_path / f"pipe{len(data)}"
        os.mkfifo(path)
        writer = threading.Thread(target=path.write_bytes, args=(data,))
        writer.start()
        assert read(path) == contents
        writer.join()


@pytest.mark.parametrize("name", ["a.xpkg", "a.tar", "package", "a.yaml"])
def test_archive(tmp_path: Path, name: str) -> None:
    """An archive is told by what it holds, and its documents have places in its package.yaml."""
    path = tmp_path / name
    path.write_bytes(tar(docker(layer())))
    places = [(where, content["kind"]) for where, content in found(path)]
    assert places == [
        (f"{path}:package.yaml, document 1 (line 2), provider-example", "Provider"),
        (f"{path}:package.yaml, document 2 (line 7), buckets.example.org", "CustomResourceDefinition"),
    ]


@pytest.mark.parametrize("name", ["a.xpkg", "a.tar", "a.gz", "a.tar.gz", "a.tgz"])
def test_file_that_must_be_an_archive(tmp_path: Path, name: str) -> None:
    """A file that is called like an archive and isn't one is an error."""
    path = tmp_path / name
    path.write_bytes(PACKAGE)
    assert failure(path).startswith(f"{path} can't be read as a tar file: ")


def test_patterns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A quoted pattern is the files that it matches, sorted; what is there is itself, whatever its name looks like."""
    monkeypatch.chdir(tmp_path)
    for name in ("crds/b.yaml", "crds/a.yaml", "crds/deep/er/c.yaml", "odd[1].yaml", "crds/d.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("a: 1\n")
    assert expanded("crds/*.yaml") == ["crds/a.yaml", "crds/b.yaml"]
    assert expanded("crds/**/*.yaml") == ["crds/a.yaml", "crds/b.yaml", "crds/deep/er/c.yaml"]
    assert expanded("crds/*") == ["crds/a.yaml", "crds/b.yaml", "crds/d.json"]  # a folder is no file
    assert [expanded(one) for one in ("odd[1].yaml", "-", "crds", "none.yaml")] == [
        *(["odd[1].yaml"], ["-"], ["crds"], ["none.yaml"])
    ]
    with pytest.raises(InputError, match=r"^no file matches crds/\*\.yml$"):
        expanded("crds/*.yml")


@pytest.mark.parametrize(
    "reference", ["xpkg.crossplane.io/crossplane-contrib/provider-helm", "upbound/provider-gcp:v2"]
)
def test_references_without_a_part(reference: str) -> None:
    """The reference of a package without a registry or a tag is no file, and the message has the whole form."""
    with pytest.raises(InputError) as caught:
        expanded(reference)
    assert str(caught.value) == (
        f"there is no file {reference}; if it is a package, give it as xpkg://HOST/REPOSITORY:TAG"
    )


@pytest.mark.parametrize(
    "reference", ["xpkg.upbound.io/upbound/provider-aws-s3:v1.2.3", f"localhost:5000/a/b@sha256:{'0' * 64}"]
)
def test_references_of_packages(reference: str) -> None:
    """The whole reference of a package is a source."""
    assert expanded(reference) == [reference]


@pytest.mark.parametrize("name", ["crds", "crds/none", "./a.b/c", "../x:y", "a.b/c.yaml", "crds/v1.tgz", "/a:b/c"])
def test_what_is_no_reference(name: str) -> None:
    """A file that isn't there is said not to be there, and not taken for a package."""
    assert expanded(name) == [name]


PROGRAM = """
import json, sys
from crossplane_lite._tools.manifests.sources import read_sources
from crossplane_lite.errors import CrossplaneLiteError
try:
    print(json.dumps([list(one) for one in read_sources(sys.argv[1:])]))
except CrossplaneLiteError as e:
    sys.exit(str(e))
"""


def run(arguments: Sequence[str], program: str = PROGRAM, **options: Any) -> subprocess.CompletedProcess[Any]:
    """Read sources in a process of their own."""
    return subprocess.run(
        [sys.executable, "-c", program, *arguments], cwd=ROOT, capture_output=True, timeout=60, **options
    )


@pytest.mark.slow
def test_standard_input_of_a_process(tmp_path: Path) -> None:
    """Standard input is read from a pipe and from a file, YAML and archives alike."""
    expected = [["<stdin>, document 1 (line 1)", {"a": "on"}]]
    assert json.loads(run(["-"], input=b"a: on\n").stdout) == expected
    data = tar(docker(layer(b"a: on\n")))
    path = tmp_path / "archive"
    path.write_bytes(data)
    expected = [["<stdin>:package.yaml, document 1 (line 1)", {"a": "on"}]]
    assert json.loads(run(["-"], input=data).stdout) == expected
    with path.open("rb") as file:
        assert json.loads(run(["-"], stdin=file).stdout) == expected


def test_without_pyyaml(tmp_path: Path) -> None:
    """Without PyYAML, the extra of this command is named; JSON needs none."""
    program = f"import sys; sys.modules['yaml'] = None\n{PROGRAM}"
    assert json.loads(run(["-"], program, input=b'{"a": 1}').stdout) == [["<stdin>, document 1 (line 1)", {"a": 1}]]
    assert run(["-"], program, input=b"a: 1\n").stderr.decode().strip() == (
        "yaml is not installed; it comes with an extra: pip install 'crossplane-lite[cli]'"
    )


@pytest.mark.slow
def test_real_definitions() -> None:
    """Definitions of providers and of Kubernetes are read as other readers read them."""
    if not DATA.is_dir():
        pytest.skip("the definitions of providers and of Kubernetes are not there")
    pyyaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    folders = [DATA / "crds", DATA / "openapi"]
    files = [file for folder in folders for file in sorted(folder.iterdir())]
    assert len(files) > 15
    expected = [
        json.loads(file.read_text())
        if file.suffix == ".json"
        else pyyaml.load(file.read_text(), getattr(pyyaml, "CSafeLoader", pyyaml.SafeLoader))
        for file in files
    ]
    assert read(*folders) == expected


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda children: st.lists(children, max_size=4) | st.dictionaries(st.text(), children, max_size=4),
    max_leaves=20,
)
objects = st.lists(
    st.dictionaries(st.text(), json_values, max_size=4).filter(lambda one: "kind" not in one), max_size=3
)


@pytest.mark.slow
@given(objects, st.booleans(), st.sampled_from([None, 2]))
def test_any_json(contents: list[Any], ascii_only: bool, indent: int | None) -> None:
    """Whatever objects Python's json writes are read back the same."""
    text = "\n".join(json.dumps(one, ensure_ascii=ascii_only, indent=indent) for one in contents)
    assert read("-", stdin=text.encode()) == contents


@pytest.mark.slow
@given(objects)
def test_any_yaml(contents: list[Any]) -> None:
    """Whatever is written as YAML is read back the same, words of YAML 1.1 among it."""
    assert read("-", stdin=yaml.dump(contents).encode()) == contents
