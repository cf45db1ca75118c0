"""Random documents in random styles, random edits: the text says what the edits say, and nothing else changes."""

from __future__ import annotations

import copy
import json
from random import Random
from typing import Any

import pytest
import yaml as pyyaml  # type: ignore[import-untyped]
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crossplane_lite._tools.manifests.yaml import parse_documents
from crossplane_lite.krm import _text

from . import editing, styles


def equal(one: Any, other: Any) -> bool:
    """Say whether two values are equal, true and 1 being different."""
    return repr(_sorted(one)) == repr(_sorted(other))


def _sorted(one: Any) -> Any:
    if isinstance(one, dict):
        return [(key, _sorted(one[key])) for key in sorted(one)]
    return [_sorted(child) for child in one] if isinstance(one, list) else one


class _Loader(getattr(pyyaml, "CSafeLoader", pyyaml.SafeLoader)):  # type: ignore[misc]
    """PyYAML, whose keys are what their author wrote."""


def _mapping(loader: Any, node: Any) -> Any:
    loader.flatten_mapping(node)
    for key, _ in node.value:
        key.tag = "tag:yaml.org,2002:str"
    return {key.value: loader.construct_object(child, deep=True) for key, child in node.value}


_Loader.add_constructor("tag:yaml.org,2002:map", _mapping)


def read(text: str) -> Any:
    """Read a document with PyYAML."""
    return pyyaml.load(text, Loader=_Loader)


def read_again(text: str) -> Any:
    """Read a document with the reader of manifests, which knows anchors that occur twice, as PyYAML doesn't."""
    (document,) = parse_documents(text, "text", extra="krm", as_written=True)
    return document.content


def paths(one: Any, kinds: tuple[type, ...], at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths of all values of some kinds, longest first."""
    found = [at] if isinstance(one, kinds) else []
    children = one.items() if isinstance(one, dict) else enumerate(one) if isinstance(one, list) else ()
    for key, child in children:
        found += paths(child, kinds, (*at, key))
    return found


def at(one: Any, path: tuple[Any, ...]) -> Any:
    """Return the value at a path."""
    for step in path:
        one = one[step]
    return one


def edit(r: Random, text: _text.Text, model: Any, touched: set[int]) -> None:
    """Make one random edit in the text and the same one in the model; note which items it touched."""
    root = text.root
    path = r.choice(paths(model, (dict, list)))
    holder = at(model, path)
    if len(path) > 1 and path[0] == "items":
        touched.add(id(model["items"][path[1]]))
    if isinstance(holder, dict):
        key = r.choice([*holder, *styles.KEYS])
        if key in ("items", "kind") and not path:
            return
        if path == ("items",):
            return
        if r.random() < 0.3 and key in holder:
            editing.delete(root, [*path, key])
            del holder[key]
            return
        new = styles.value(r, 2)
        editing.put(root, [*path, key], new)
        holder[key] = copy.deepcopy(new)
        return
    what = r.randrange(5)
    if what == 0 or not holder:
        index = r.randint(0, len(holder))
        new = {"kind": "N", "x": styles.value(r, 2)} if path == ("items",) else styles.value(r, 2)
        editing.insert(root, path, index, new)
        holder.insert(index, copy.deepcopy(new))
        touched.add(id(holder[index]))
    elif what == 1:
        index = r.randrange(len(holder))
        editing.delete(root, [*path, index])
        del holder[index]
    elif what == 2:
        index, to = r.randrange(len(holder)), r.randrange(len(holder))
        editing.move(root, path, index, to)
        holder.insert(to, holder.pop(index))
    elif what == 3 and path != ("items",):
        index = r.randrange(len(holder))
        new = styles.value(r, 2)
        editing.put(root, [*path, index], new)
        holder[index] = copy.deepcopy(new)
    else:
        order = list(range(len(holder)))
        r.shuffle(order)
        order = order[: r.randint(1, len(order))]
        editing.arrange(root, path, lambda elements: [elements[index] for index in order])
        holder[:] = [holder[index] for index in order]


@pytest.mark.slow
@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 2**32), st.sampled_from(["\n", "\r\n"]), st.booleans(), st.booleans())
def test_edits(seed: int, newline: str, final: bool, mark: bool) -> None:
    """The edited text reads as the edited value, and items that weren't edited are in it byte for byte."""
    check(seed, newline, final, mark)


@pytest.mark.slow
@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 2**32))
def test_aliases(seed: int) -> None:
    """An edit changes the place that is edited, and nothing that shares an anchor or a merge key with it."""
    check_aliases(seed)


def check_aliases(seed: int) -> None:
    r = Random(seed)
    source, model = styles.with_aliases(r)
    assert equal(read_again(source), model)
    text = _text.parse(source.encode())
    assert equal(text.root.value(), model)
    for _ in range(r.randint(1, 5)):
        edit(r, text, model, set())
        assert equal(editing.value_of(text.root), model)
    result = text.dump()
    assert equal(read_again(result.decode()), model)
    again = _text.parse(result)
    if "<<" not in source:  # the fields of a merge key come first in the value, and last where they are written out
        again.root.assign(model)
    assert again.dump() == result


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 2**32))
def test_json(seed: int) -> None:
    """JSON stays JSON, in the same indentation."""
    check_json(seed)


def check_json(seed: int) -> None:
    r = Random(seed)
    _, model, _ = styles.resource_list(r)
    indent = r.choice([None, 2, 4, "\t"])
    separators = r.choice([(",", ":"), None]) if indent is None else None
    source = json.dumps(model, indent=indent, separators=separators, ensure_ascii=r.random() < 0.5)
    source = source.replace("\x7f", "\\u007f") + "\n" * r.randrange(2)
    text = _text.parse(source.encode())
    assert equal(text.root.value(), model)
    for _ in range(r.randint(1, 5)):
        edit(r, text, model, set())
    result = text.dump().decode()
    assert equal(json.loads(result), model)
    if indent is None:
        assert "\n" not in result.rstrip("\n")
    again = _text.parse(result.encode())
    again.root.assign(model)
    assert again.dump().decode() == result


def check(seed: int, newline: str, final: bool, mark: bool) -> None:
    r = Random(seed)
    source, model, texts = styles.resource_list(r)
    if not final and not source.rstrip("\n").endswith((" ", "\t")) and read(source[:-1]) == read(source):
        source = source[:-1]
    assert equal(read(source), model)
    data = b"\xef\xbb\xbf" * mark + source.replace("\n", newline).encode()
    text = _text.parse(data)
    assert text.dump() == data
    assert equal(text.root.value(), model)
    originals = list(model["items"])
    touched: set[int] = set()
    for _ in range(r.randint(1, 5)):
        edit(r, text, model, touched)
        assert equal(editing.value_of(text.root), model)
        if r.random() < 0.2:
            text.dump()
    result = text.dump()
    assert text.dump() == result
    assert result.startswith(b"\xef\xbb\xbf") == mark
    plain = result.decode("utf-8-sig")
    assert equal(read(plain), model)
    assert newline == "\n" or "\n" not in plain.replace("\r\n", "")
    left = {id(item) for item in model["items"]}
    for item, own in zip(originals, texts, strict=True):
        if id(item) in left and id(item) not in touched:
            assert own.rstrip("\n").replace("\n", newline) in plain
    again = _text.parse(result)
    again.root.assign(model)
    assert again.dump() == result
