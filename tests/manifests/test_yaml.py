"""YAML is read as Kubernetes reads it, and written so that every reader reads the same."""

from __future__ import annotations

import re
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import yaml as pyyaml  # type: ignore[import-untyped]
from hypothesis import given
from hypothesis import strategies as st

from crossplane_lite._tools.manifests import yaml
from crossplane_lite.errors import InputError, MissingExtraError


def read(directory: Path, text: str | bytes) -> list[Any]:
    """Return the contents of the documents in `text`."""
    path = directory / "file.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return [document.content for document in yaml.load_documents(path)]


def failure(directory: Path, text: str | bytes) -> str:
    """Return the one line that says what is wrong, without the directory."""
    with pytest.raises(InputError) as caught:
        read(directory, text)
    line = str(caught.value)
    assert "\n" not in line
    assert line.count(str(directory)) == 1
    return line.replace(f"{directory}/", "")


# Taken from the tables of sigs.k8s.io/yaml's scalar resolution.
SCALARS = [
    *((word, True) for word in "y Y yes Yes YES true True TRUE on On ON".split()),
    *((word, False) for word in "n N no No NO false False FALSE off Off OFF".split()),
    *((word, None) for word in ("", "~", "null", "Null", "NULL")),
    *((word, word) for word in "yEs tRUE oN nUll NIL = << 2024-01-01 2024-01-01T00:00:00Z 1:30 190:20:30.15".split()),
    *((word, word) for word in "0o8 0x 0b2 1.2.3 1e 1e999 --1 +- . .e1 1,000 12a v1 0x1p-2 ._1".split()),
    *((f'"{word}"', word) for word in ("yes", "1", "null", "")),
    ("0", 0),
    ("-0", 0),
    ("+12", 12),
    ("1_000", 1000),
    ("0x1F", 31),
    ("-0x_1f", -31),
    ("0b11", 3),
    ("-0b11", -3),
    ("0o17", 15),
    ("017", 15),
    ("08", 8.0),
    ("9007199254740993", 9007199254740993),
    ("1.5", 1.5),
    ("1.", 1.0),
    (".5", 0.5),
    ("-.5", -0.5),
    ("1e3", 1000.0),
    ("12e03", 12000.0),
    ("-2E-1", -0.2),
    ("1_0.5", 10.5),
    (".inf", float("inf")),
    ("-.INF", float("-inf")),
    ("!!str 5", "5"),
    ("!!float 5", 5.0),
    ("!!int 5", 5),
    ("!!bool yes", True),
    ("!!timestamp 2024-01-01", "2024-01-01"),
    ("! 5", "5"),
]


@pytest.mark.parametrize(("text", "value"), SCALARS)
def test_scalar(tmp_path: Path, text: str, value: Any) -> None:
    """A scalar is what Kubernetes takes it for."""
    (content,) = read(tmp_path, f"a: {text}\n")
    assert content == {"a": value}
    assert type(content["a"]) is type(value)


def test_not_a_number(tmp_path: Path) -> None:
    """`.nan` is a float, which a Struct refuses later with its path."""
    (content,) = read(tmp_path, "a: .nan\n")
    assert content["a"] != content["a"]


@pytest.mark.parametrize(("text", "key"), [("80", "80"), ("yes", "true"), ("n", "false"), ("0x10", "16"), ("a", "a")])
def test_key(tmp_path: Path, text: str, key: str) -> None:
    """Integer and boolean keys become strings."""
    assert read(tmp_path, f"{text}: 1\n") == [{key: 1}]


def test_aliases_that_stand_for_too_much(tmp_path: Path) -> None:
    """Aliases of aliases that add up to millions of values are refused where they begin to."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{at}: &a{at} [{', '.join([f'*a{at - 1}'] * 10)}]" for at in range(1, 10)]
    assert "file.yaml, line 7: with its aliases" in failure(tmp_path, "\n".join(lines))
    assert len(read(tmp_path, "\n".join(lines[:4]))) == 1


def test_aliases_and_merges(tmp_path: Path) -> None:
    """Aliases repeat a value; in merges the mapping's own keys win, then the first that is merged."""
    text = "a: &a {x: 1, y: 2}\nb: &b {y: 3, z: 4}\nc: *a\nd: {<<: *a, x: 5}\ne: {<<: [*a, *b]}\n'<<': plain\n"
    assert read(tmp_path, text) == [
        {
            "a": {"x": 1, "true": 2},
            "b": {"true": 3, "z": 4},
            "c": {"x": 1, "true": 2},
            "d": {"x": 5, "true": 2},
            "e": {"x": 1, "true": 2, "z": 4},
            "<<": "plain",
        }
    ]


def test_documents(tmp_path: Path) -> None:
    """A stream of several documents is read whole; empty ones are left out, and each says where it stands."""
    path = tmp_path / "file.yaml"
    path.write_text("# a comment\n---\na: 1\n---\n# nothing\n---\n\nb: 2\n...\n")
    documents = yaml.load_documents(path)
    assert documents == [(f"{path}, document 1 (line 3)", {"a": 1}), (f"{path}, document 3 (line 8)", {"b": 2})]
    assert read(tmp_path, "") == []


def test_json_and_byte_order_mark(tmp_path: Path) -> None:
    """JSON is YAML, and a byte order mark doesn't matter."""
    assert read(tmp_path, b'\xef\xbb\xbf{"a": ["b", 1, true, null]}') == [{"a": ["b", 1, True, None]}]


FAILURES = [
    ("a: 1\nb: 2\na: 3\n", "file.yaml, line 3: the key 'a' occurs twice"),
    ("yes: 1\ntrue: 2\n", "file.yaml, line 2: the key 'true' occurs twice"),
    ("- a\n", "file.yaml, document 1 (line 1) is not a mapping"),
    ("a: 1\n---\nb\n", "file.yaml, document 2 (line 3) is not a mapping"),
    ("a:\n  b: [\n", "file.yaml, line 3: while parsing a flow node"),
    (
        "a: *nope\n",
        "file.yaml, line 1: there is no anchor &nope before this alias; quote a text that begins with *",
    ),
    ("a: &a [*a]\n", "file.yaml, line 1: the YAML alias *a contains itself: it is inside of the value of &a"),
    ("a: 1\n<<: 2\n", "file.yaml, line 2: only mappings can be merged with <<"),
    ("1.5: x\n", "file.yaml, line 1: a key must be a string (got 1.5 that is a number); quote it"),
    ("~: x\n", "file.yaml, line 1: a key must be a string (got null); quote it"),
    (
        "? [a]\n: x\n",
        "file.yaml, line 1: a key must be a string, not a list or a mapping; quote a text that begins with",
    ),
    ("a: !mine {}\n", "file.yaml, line 1: the tag !mine has no meaning in a manifest: remove it"),
    ("a: !!int x\n", "file.yaml, line 1: 'x' is not a value of !!int: change the value, or remove the tag"),
    ("a: \x01\n", "file.yaml: unacceptable character #x0001: control characters are not allowed at position 3"),
    ("a: b: c\n", "file.yaml, line 1: mapping values are not allowed in this context; check the indentation, or quote"),
    (
        "a:\n\tb: c\n",
        "file.yaml, line 2: while scanning for the next token, found character that cannot start any token",
    ),
    (b"a: \xff\n", "file.yaml is not UTF-8 text (byte 3)"),
    ("a: " + "[" * 10_000, "file.yaml"),
    ("a: !!set {x}\n", "file.yaml, line 1: the tag !!set has no meaning in a manifest: remove it"),
]


@pytest.mark.parametrize(("text", "start"), FAILURES, ids=[start for _, start in FAILURES])
def test_failure(tmp_path: Path, text: str | bytes, start: str) -> None:
    """What isn't a stream of manifests is one line that names file and place."""
    assert failure(tmp_path, text).startswith(start)


def parse(text: str, **options: Any) -> list[Any]:
    """Return places and contents of the documents in a text."""
    return [tuple(one) for one in yaml.parse_documents(text, "<stdin>", **options)]


def test_text_with_a_label() -> None:
    """A text is read like a file, each document as soon as it is there; places and errors have the label."""
    documents = yaml.parse_documents("on: 1\n---\nb: 2\n---\n- c\n", "a.xpkg:package.yaml")
    assert next(documents) == ("a.xpkg:package.yaml, document 1 (line 1)", {"true": 1})
    assert next(documents) == ("a.xpkg:package.yaml, document 2 (line 3)", {"b": 2})
    with pytest.raises(
        InputError, match=r"^a\.xpkg:package\.yaml, document 3 \(line 5\) is not a mapping \(got \['c'\]\)$"
    ):
        next(documents)


AS_WRITTEN = [
    *((word, word) for word in "y Y yes Yes YES on On ON n N no No NO off Off OFF".split()),
    *((word, True) for word in "true True TRUE".split()),
    *((word, False) for word in "false False FALSE".split()),
    *((word, None) for word in ("", "~", "null", "Null", "NULL")),
    *((word, word) for word in "= << tRUE 1:30 2024-01-01".split()),
    ("!!bool yes", True),
    ("!!str true", "true"),
    ('"on"', "on"),
    ("0644", 420),
    ("0o644", 420),
    ("1e3", 1000.0),
    ("9" * 5000, "9" * 5000),
]


@pytest.mark.parametrize(("text", "value"), AS_WRITTEN, ids=[text[:10] for text, _ in AS_WRITTEN])
def test_scalar_as_written(text: str, value: Any) -> None:
    """As written, the words that only YAML 1.1 takes for booleans are text; all else is as it is otherwise."""
    ((_, content),) = parse(f"a: {text}\nb: [{text}]\n", as_written=True)
    assert content == {"a": value, "b": [] if text == "" else [value]}
    assert type(content["a"]) is type(value)


@pytest.mark.parametrize("text", "on y true True false 80 0x10 1.5 1e3 ~ null .inf = 2024-01-01".split())
def test_key_as_written(text: str) -> None:
    """As written, a plain key is its text."""
    assert parse(f"{text}: 1\n", as_written=True)[0][1] == {text: 1}
    assert parse(f"a: {{{text}: {{b: 1}}}}\n", as_written=True)[0][1] == {"a": {text: {"b": 1}}}


def test_keys_as_written() -> None:
    """Keys that only YAML 1.1 takes for the same one are two; merges and tags are as otherwise; no key is empty."""
    text = "yes: 1\ntrue: 2\n16: 3\n0x10: 4\n!!int 0x10: 5\n"
    with pytest.raises(InputError, match=r"^<stdin>, line 5: the key '16' occurs twice; remove one of the two$"):
        parse(text, as_written=True)
    merged = "a: &a {on: 1}\nb: {<<: *a, off: 2}\n"
    assert parse(merged, as_written=True)[0][1] == {"a": {"on": 1}, "b": {"on": 1, "off": 2}}
    with pytest.raises(InputError, match=r"^<stdin>, line 1: a key must be a string \(got null\); quote it$"):
        parse("? \n: 1\n", as_written=True)


@pytest.mark.parametrize("text", [".inf", "-.Inf", ".nan", "!!float .inf"])
def test_infinity_as_written(text: str) -> None:
    """As written, a number that JSON has no word for is refused with its line."""
    problem = f"{text.split()[-1]} can't be used, because JSON has no such number; quote it if a string is meant"
    with pytest.raises(InputError, match=rf"^<stdin>, line 2: {re.escape(problem)}$"):
        parse(f"\na: {text}\n", as_written=True)


@pytest.mark.parametrize("text", ["[", "- ", "{a: ", "[\n", "{a:\n"])
def test_deepest(text: str) -> None:
    """So many levels are read, and more are refused before the rest is looked at, with their line."""
    start = time.process_time()
    with pytest.raises(InputError, match=r"^<stdin>, line \d+: this is nested more than 200 levels deep$"):
        parse("a:\n  " + text * 100_000)
    assert time.process_time() - start < 5
    assert len(parse("a: " + "[" * 199 + "]" * 199)) == 1
    with pytest.raises(InputError, match="^x, line 1: this is nested more than 200 levels deep$"):
        yaml.parse_value("[" * 201, "x")


def test_depth_of_aliases() -> None:
    """Levels count where an alias stands for them too."""
    text = f"a: &a {'[' * 98}1{']' * 98}\nb: &b [*a]\nc: {'[' * 100}*b{']' * 100}\n"
    assert len(parse(text)) == 1
    with pytest.raises(InputError, match=r"^<stdin>, line 3: this is nested more than 200 levels deep$"):
        parse(text.replace("c: [", "c: [[").replace("*b]", "*b]]"))
    assert parse("a: &a 1\nb: [*a]\n")[0][1] == {"a": 1, "b": [1]}


def test_long_numbers() -> None:
    """A number that is too long to be written is text, in whatever base."""
    for text in ("1" * 5_000, "0x" + "f" * 5_000, "0b" + "1" * 50_000, "-0x" + "f" * 5_000):
        assert parse(f"a: {text}\n")[0][1] == {"a": text}
    assert parse("a: 0xffffffffffffffffffff\n")[0][1] == {"a": 16**20 - 1}


def test_long_names(tmp_path: Path) -> None:
    """What a message quotes is shortened."""
    name = "x" * 100_000
    for text in (f"{name}: 1\n{name}: 2\n", f"a: *{name}\n", f"a: !{name} 1\n", f"a: !!int {name}\n"):
        assert len(failure(tmp_path, text)) < 500


def test_missing_pyyaml(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without PyYAML the caller's own extra is named, before a file is looked at."""
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(MissingExtraError, match=r"crossplane-lite\[cli\]"):
        parse("a: 1\n")
    with pytest.raises(MissingExtraError, match=r"crossplane-lite\[cli\]"):
        yaml.load_documents(tmp_path / "gone.yaml")
    with pytest.raises(MissingExtraError, match=r"crossplane-lite\[cli\]"):
        yaml.dump([{}])


def test_missing_file(tmp_path: Path) -> None:
    """A file that isn't there is named."""
    with pytest.raises(InputError, match=r"can't read .*gone\.yaml: No such file") as caught:
        yaml.load_documents(tmp_path / "gone.yaml")
    # pytest shows what an error came from in full.
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


def test_dump() -> None:
    """Keys keep their order, several lines are a block, long lines stay whole, nothing is an alias."""
    shared = {"z": 1, "a": [True, None, 1.5]}
    text = yaml.dump([{"first": shared, "again": shared, "text": "one\ntwo\n", "empty": {}, "long": "x y " * 50}])
    block = "  z: 1\n  a:\n  - true\n  - null\n  - 1.5\n"
    assert text == (f"---\nfirst:\n{block}again:\n{block}text: |\n  one\n  two\nempty: {{}}\nlong: '{'x y ' * 50}'\n")


PLAIN = [text for text, _ in SCALARS if not text.startswith(("!", '"'))]


@pytest.mark.parametrize("text", [*PLAIN, "a: b", "- a", "#", "1e999"])
def test_dump_quotes_what_looks_like_another_type(tmp_path: Path, text: str) -> None:
    """A string is read back as this string, by us and by PyYAML's own rules of YAML 1.1."""
    dumped = yaml.dump([{"a": text}])
    assert read(tmp_path, dumped) == [{"a": text}]
    assert pyyaml.safe_load(dumped) == {"a": text}


numbers = st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
json_values = st.recursive(
    st.none() | st.booleans() | numbers | st.text(),
    lambda children: st.lists(children, max_size=4) | st.dictionaries(st.text(), children, max_size=4),
    max_leaves=20,
)


@pytest.mark.slow
@given(st.lists(st.dictionaries(st.text(), json_values, max_size=4), max_size=3))
def test_round_trip(tmp_path_factory: pytest.TempPathFactory, documents: list[dict[str, Any]]) -> None:
    """Whatever JSON is dumped is read back the same."""
    directory = tmp_path_factory.mktemp("yaml")
    assert read(directory, yaml.dump(documents)) == documents


def test_dump_too_deep() -> None:
    """What is nested too deeply for PyYAML is an error of ours."""
    deep: dict[str, Any] = {}
    for _ in range(5000):
        deep = {"a": deep}
    with pytest.raises(InputError, match="too deeply"):
        yaml.dump([deep])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("# nothing", None),
        ("a: 1", {"a": 1}),
        ("- a", ["a"]),
        ("yes", True),
        ("--- 3\n...", 3),
        ("'3'", "3"),
    ],
)
def test_one_value(text: str, value: Any) -> None:
    """A document of any type is its value, and none is null."""
    assert yaml.parse_value(text, "k") == value


def test_one_value_of_many() -> None:
    """Several documents aren't one value, also where one of them is empty."""
    for text in ("1\n---\n2\n", "a: 1\n---\n"):
        with pytest.raises(InputError) as caught:
            yaml.parse_value(text, "k")
        assert str(caught.value) == "k must hold one value (it holds 2 documents)"
