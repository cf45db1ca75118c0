"""Values are what kustomize, kpt and kubectl read."""

from __future__ import annotations

from typing import Any

import pytest
import yaml as pyyaml  # type: ignore[import-untyped]
from hypothesis import given
from hypothesis import strategies as st

from crossplane_lite._tools.manifests.yaml import parse_documents
from crossplane_lite.errors import InputError
from crossplane_lite.krm import _text

from . import editing

# What kyaml 0.19 gives for a plain scalar, as JSON, but for dates, which it completes to a time of day.
SCALARS = [
    *(
        (word, word)
        for word in "yes no on off y n Yes ON tRUE nUll = << 12:30:45 2024-01-01 2024-01-01T00:00:00Z".split()
    ),
    *((word, word) for word in "1e400 -1e400 0o8 0x 1e --1 . .. 1.2.3 _1 0b2 a:b a#b -x ?x :x 1,000".split()),
    *((word, True) for word in ("true", "True", "TRUE")),
    *((word, False) for word in ("false", "False", "FALSE")),
    *((word, None) for word in ("", "~", "null", "Null", "NULL")),
    ("0644", 420),
    ("0o644", 420),
    ("0O17", 15),
    ("-0644", -420),
    ("0b11", 3),
    ("0B1_1", 3),
    ("0x1F", 31),
    ("0X1f", 31),
    ("+0x1f", 31),
    ("0x1_f", 31),
    ("1e3", 1000),
    ("1E3", 1000),
    ("+1e+3", 1000),
    ("1e-3", 0.001),
    ("1.", 1),
    ("1.0", 1),
    ("0.", 0),
    (".5", 0.5),
    ("-.5", -0.5),
    ("08", 8),
    ("09.5", 9.5),
    ("1_000", 1000),
    ("1__0", 10),
    ("1_000.5", 1000.5),
    ("+12", 12),
    ("-0", 0),
    ("9007199254740993", 9007199254740993),
    ("1e300", 1e300),
    ("!!str 5", "5"),
    ('!!int "5"', 5),
    ("!!int 0x1f", 31),
    ('!!bool "true"', True),
    ('!!null ""', None),
    ("!!str", ""),
    ("'yes'", "yes"),
    ('"1"', "1"),
]


def read(text: str) -> Any:
    """Return the value of a document."""
    return _text.parse(text.encode()).root.value()


def failure(text: str | bytes) -> str:
    """Return what is said about a document that can't be read."""
    with pytest.raises(InputError) as caught:
        _text.parse(text.encode() if isinstance(text, str) else text, "in.yaml")
    message = str(caught.value)
    assert "\n" not in message
    return message


@pytest.mark.sample(40)
@pytest.mark.parametrize(("text", "expected"), SCALARS)
def test_scalars(text: str, expected: Any) -> None:
    """A scalar has the value and the type that Kubernetes gives it."""
    (value,) = read(f"a: {text}\n").values()
    assert value == expected
    assert type(value) is type(expected)


@pytest.mark.sample(25)
@pytest.mark.parametrize("text", [text for text, _ in SCALARS])
def test_scalars_as_manifests(text: str) -> None:
    """The reader of manifests reads the same."""
    (document,) = parse_documents(f"a: {text}\n", "text", extra="krm", as_written=True)
    assert document.content == read(f"a: {text}\n")


@given(st.text(alphabet="0123456789+-._eExXoObaf", max_size=6))
def test_random_numbers(text: str) -> None:
    """What looks like a number is one exactly where the reader of manifests says so."""
    source = f"a: {text}\n"
    try:
        expected: Any = [one.content for one in parse_documents(source, "text", extra="krm", as_written=True)]
    except InputError:
        failure(source)
        return
    assert [read(source)] == expected


def test_keys() -> None:
    """A key is what its author wrote."""
    assert list(read("yes: 1\n80: 2\n1.5: 3\nnull: 4\n'': 5\n0x1f: 6\n'<<': 7\n!!str 8: 9\n")) == [
        "yes", "80", "1.5", "null", "", "0x1f", "<<", "8",
    ]  # fmt: skip


def test_merge() -> None:
    """A mapping's own fields win over merged ones, and the first of several mappings over the next."""
    text = "a: &a {x: 1, y: 1}\nb: &b {x: 2, z: 2}\nc:\n  x: 3\n  <<: [*a, *b]\nd:\n  <<: {x: 4}\n"
    root = _text.parse(text.encode()).root
    assert root.get(["c"]) == {"x": 3, "y": 1, "z": 2}
    assert root.get(["d"]) == {"x": 4}
    assert [root.get(["c", key]) for key in "xyz"] == [3, 1, 2]
    assert root.child("c").child("z") is not None  # type: ignore[union-attr]
    assert root.get(["c", "w"], "none") == "none"
    assert root.value() == pyyaml.safe_load(text)


def test_get() -> None:
    """A path leads through mappings, lists and aliases; what isn't there is the default."""
    root = _text.parse(b"a: &a\n- b: 1\n- c\nd: *a\ne:\n").root
    assert root.get(["d", 0, "b"]) == 1
    assert root.get(["e"], 5) is None
    for path in (["x"], ["a", 2], ["a", -1], ["a", True], ["a", "0"], ["a", 0, "b", "c"], ["e", "f"]):
        assert root.get(path, 5) == 5
    assert root.get([]) == root.value()


def test_copies() -> None:
    """Two aliases of one thing are two values; changing one that was read changes nothing else."""
    root = _text.parse(b"a: &a [1]\nb: *a\n").root
    value = root.value()
    value["a"].append(2)
    assert value["b"] == [1]
    assert root.value() == {"a": [1], "b": [1]}


def test_json_characters() -> None:
    """JSON's two escapes for one character are that character, and stay as they are."""
    data = b'{"a": "\\ud83d\\ude00 \\u00e9", "b": ["x\\ud83d\\ude00"]}'
    text = _text.parse(data)
    assert text.root.value() == {"a": "😀 é", "b": ["x😀"]}
    editing.put(text.root, ["b", 0], "y")
    assert text.dump() == data.replace(b"x\\ud83d\\ude00", b"y")


def test_json_characters_in_keys() -> None:
    """Keys have these characters, too, and two keys that differ in them are two."""
    data = b'{"\\ud83d\\ude00": 1, "\\ud83d\\ude01": {"\\ud83d\\ude00x": 2}}'
    text = _text.parse(data)
    assert text.root.value() == {"😀": 1, "😁": {"😀x": 2}}
    editing.put(text.root, ["😁", "😀x"], 3)
    assert text.dump() == data.replace(b"2", b"3")


def test_a_replacement_character_beside_escapes() -> None:
    """The character U+FFFD outside of quotes is itself, also where another string has two escapes for one character."""
    root = _text.parse('{"a": "\\ud83d\\ude00", b: x\ufffd}'.encode()).root
    assert root.value() == {"a": "😀", "b": "x\ufffd"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: 1\nb: 2\na: 3\n", "in.yaml, line 3: the key 'a' occurs twice"),
        ('a: {b: 1, "b": 2}\n', "in.yaml, line 1: the key 'b' occurs twice"),
        ("<<: {a: 1}\n<<: {b: 1}\n", "in.yaml, line 2: the key '<<' occurs twice"),
        ("a:\n  <<: 5\n", "in.yaml, line 2: only mappings can be merged with << (got an integer)"),
        ("a:\n  <<: [{b: 1}, 5]\n", "in.yaml, line 2: only mappings can be merged with << (got an integer)"),
        (
            "? [a]\n: b\n",
            "in.yaml, line 1: a key must be a string, and can't be a list, a mapping or an alias; quote it",
        ),
        ("a: &a b\n*a : c\n", "in.yaml, line 2: a key must be a string, and can't be a list, a mapping or an alias"),
        ("{{ .Values.name }}: b\n", "in.yaml, line 1: this is a template, not YAML: render it first"),
        ("&a : b\n", "in.yaml, line 1: this key is empty: write a key before the colon"),
        (
            '{"a": "\\ud83d\\ude00\\x41"}',
            "in.yaml, line 1: this string has two escapes for one character, and isn't JSON",
        ),
        (
            "{'a': '\\ud83d\\ude00'}",
            "in.yaml, line 1: this string has two escapes for one character, and isn't JSON",
        ),
        ("a: *b\n", "in.yaml, line 1: there is no anchor &b before this alias"),
        ("a: &b [*b]\n", "in.yaml, line 1: the YAML alias *b contains itself: it is inside of the value of &b"),
        ("a: !foo b\n", "in.yaml, line 1: the tag !foo has no meaning in a manifest: remove it"),
        ("a: !!binary a\n", "in.yaml, line 1: 'a' is not a value of !!binary"),
        ("a:\n- !!set {b}\n", "in.yaml, line 2: the tag !!set has no meaning in a manifest: remove it"),
        ("a: !!int b\n", "in.yaml, line 1: 'b' is not a value of !!int"),
        ("a: .inf\n", "in.yaml, line 1: .inf can't be used, because JSON has no such number; quote it"),
        ("a: [b, -.Inf, .nan]\n", "in.yaml, line 1: -.Inf can't be used, because JSON has no such number; quote it"),
        ("a:\n\tb: c\n", "in.yaml, line 2: a tab stands where only spaces may indent"),
        ("a: b\n\x07: c\n", "in.yaml, line 2: the character U+0007 is not allowed in YAML; in double quotes"),
        ("a: b: c\n", "in.yaml, line 1: mapping values are not allowed in this context"),
        ("a: [b\n", "in.yaml, line 2: while parsing a flow sequence, did not find expected ',' or ']'"),
        ("a: 'b\n", "in.yaml, line 2: while scanning a quoted scalar, found unexpected end of stream"),
        ('a: "\\ud83d\\ude00"\n', "in.yaml, line 1: while parsing a quoted scalar"),
        ('{"a": "\\ud83d"}', "in.yaml, line 1: while parsing a quoted scalar"),
        ("- a\n", "in.yaml, line 1: a document must be a mapping (got a list)"),
        ("a: b\n--- c\n", "in.yaml, line 2: a document must be a mapping (got a string)"),
        (b"a: b\nc: \xff\n", "in.yaml, line 2: this is not UTF-8 text (byte 8); save it as UTF-8"),
        ("a: b\n".encode("utf-16"), "in.yaml is UTF-16 or UTF-32 text, or isn't text; save it as UTF-8"),
        ("a: b\n".encode("utf-16-le"), "in.yaml is UTF-16 or UTF-32 text, or isn't text; save it as UTF-8"),
        ("a: " + "[" * 300 + "]" * 300, "in.yaml, line 1: this is nested more than 200 levels deep"),
        ("a: " + "[" * 1_000_000, "in.yaml, line 1: this is nested more than 200 levels deep"),
        (
            "".join("  " * at + "a:\n" for at in range(300)),
            "in.yaml, line 201: this is nested more than 200 levels deep",
        ),
    ],
)
def test_refused(text: str | bytes, said: str) -> None:
    """What can't be read is refused in one line that names the place."""
    assert failure(text).startswith(said)


@pytest.mark.slow
def test_alias_bomb() -> None:
    """A few lines of aliases that stand for millions of values are refused, as is nesting by aliases."""
    lines = ["a0: &a0 [1, 2]"] + [f"a{at}: &a{at} [{', '.join([f'*a{at - 1}'] * 9)}]" for at in range(1, 12)]
    assert failure("\n".join(lines)) == "in.yaml: its aliases stand for more than 2,000,000 values; use fewer aliases"
    lines = ["a0: &a0 [1]"] + [f"a{at}: &a{at} [*a{at - 1}]" for at in range(1, 2000)]
    assert failure("\n".join(lines)) == "in.yaml: its aliases nest values more than 200 levels deep; use fewer aliases"


def test_documents() -> None:
    """There must be exactly one document that holds anything; several can be read one by one."""
    for data, many in ((b"", 0), (b"# x\n---\n...\n", 0), (b"a: 1\n---\nb: 2\n", 2), (b"null\n", 0)):
        text = _text.parse(data, "in.yaml")
        assert text.dump() == data
        with pytest.raises(InputError, match=rf"in.yaml must hold one document that isn't empty \(it holds {many}\)"):
            text.root  # noqa: B018
    text = _text.parse(b"a: 1\n---\n# c\n---\nb: 2 # d\n")
    assert [root.value() for root in text.documents] == [{"a": 1}, {"b": 2}]
    editing.put(text.documents[1], ["b"], 3)
    editing.put(text.documents[0], ["c"], 4)
    assert text.dump() == b"a: 1\nc: 4\n---\n# c\n---\nb: 3 # d\n"


def test_lines() -> None:
    """A node knows its line."""
    root = _text.parse(b"# c\na: 1\nb:\n- c\n- d\n").root
    nodes = root.child("b").children()  # type: ignore[union-attr]
    assert [root.child("a").line, *(node.line for node in nodes)] == [2, 4, 5]  # type: ignore[union-attr]
