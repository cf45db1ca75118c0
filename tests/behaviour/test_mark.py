"""The mark and what it remembers: the digest of the content, and the values that were missing."""

from __future__ import annotations

import copy
import os
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossplane_lite import Observable, Unstructured, composition
from crossplane_lite._core import codec
from crossplane_lite._core.call.mark import (
    MOST,
    NOTHING,
    Memory,
    digest_of,
    direct,
    joined_steps,
    key_of,
    memory_in,
    steps_in,
    without_memory,
)
from tests.support import MARKER, run

DIGEST = "1abcdefgh"
KEYS = st.frozensets(st.text("abcXYZ019-_", min_size=5, max_size=5), max_size=MOST)
LEAVES = st.booleans() | st.integers(-9, 9) | st.text(max_size=3)


def _contents(leaves: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    trees = st.recursive(
        leaves, lambda t: st.lists(t, max_size=3) | st.dictionaries(st.text(max_size=3), t, max_size=3)
    )
    return st.dictionaries(st.text(max_size=4).filter(lambda key: key not in ("metadata", "kind")), trees, max_size=4)


CONTENTS = _contents(st.none() | LEAVES)


def asked(path: str) -> Any:
    return Observable(path)


@given(KEYS, st.data())
def test_a_memory_is_read_as_it_was_written(keys: frozenset[str], data: st.DataObject) -> None:
    """A memory in a mark is the same when it is read, beside other steps, which stay as they are."""
    deciding = frozenset(data.draw(st.sets(st.sampled_from(sorted(keys))))) if keys else frozenset()
    own = frozenset(data.draw(st.sets(st.sampled_from(sorted(keys))))) if keys else frozenset()
    memory = Memory(DIGEST, keys, deciding, own)
    mark = joined_steps("one;1AAAAAAAA.12345,two", "net", memory.to_text())
    assert memory_in(mark, "net") == memory
    assert memory_in(mark, "one") == Memory("1AAAAAAAA", frozenset({"12345"}))
    assert steps_in(mark) == ["one", "two", "net"]
    assert joined_steps(mark, "net", memory.to_text()) == mark


@pytest.mark.parametrize("mark", [None, 7, "", "net", "net;", "net;1abc", "net;1abcdefgh.1234", "net;1abcdefgh#12345"])
def test_a_malformed_memory_is_none(mark: Any) -> None:
    """What isn't a memory remembers nothing: then everything missing counts as lost."""
    assert memory_in(mark, "net") == Memory("")
    assert not Memory("").is_of(DIGEST)


def test_the_form_of_another_version_counts_as_unchanged() -> None:
    """An upgrade of the SDK teaches nothing: the content counts as unchanged."""
    assert Memory("9abcdefgh").is_of(DIGEST)
    assert not Memory("1abcdefgi").is_of(DIGEST)


def test_what_was_missing_with_its_object() -> None:
    """Where an object was missing, each value in it was; not the other way round, nor in an object of similar name."""
    memory = Memory(DIGEST, frozenset({key_of("vpc.status")}))
    assert memory.has(asked("vpc.status.id")) and memory.has(asked("vpc.status[0]")) and memory.has(asked("vpc.status"))
    assert not memory.has(asked("vpc")) and not memory.has(asked("vpc.statuses.id"))


def test_many_missing_values() -> None:
    """Of more values than a mark may hold those that decided something are kept, and the rest protects."""
    keys = [key_of(f"vpc.status.n{number}") for number in range(MOST + 20)]
    memory = Memory(DIGEST, frozenset(keys), frozenset(keys[:5]))
    read = memory_in(f"net;{memory.to_text()}", "net")
    assert len(read.missing) == MOST and set(keys[:5]) == read.deciding <= read.missing <= set(keys)


def test_a_first_resource_remembers_that_nothing_was_there() -> None:
    """What is made while nothing exists remembers this, and of all values only its own that were guessed."""

    @composition.function(name="net")
    def compose(ctx: Any) -> None:
        vpc = ctx.resource("vpc", Unstructured("example.org/v1", "VPC"))
        ctx.resource("other", Unstructured("example.org/v1", "VPC"))
        for number in range(MOST - 1):
            if vpc.observed.status[f"n{number}"]:
                ctx.resource(f"s{number}", Unstructured("example.org/v1", "Thing"))

    marks = {name: one["metadata"]["annotations"][MARKER] for name, one in run(compose).emitted.items()}
    assert memory_in(marks["other"], "net").missing == {NOTHING}
    assert len(marks["other"]) < 30
    memory = memory_in(marks["vpc"], "net")
    assert NOTHING in memory.missing and len(memory.missing) == MOST
    assert memory.own == memory.missing - {NOTHING}


def test_people_see_no_memory() -> None:
    """A resource without its memories is a copy; one without memories is itself."""
    resource = {"kind": "A", "metadata": {"annotations": {MARKER: "one;1abcdefgh,two", "a": "b"}, "name": "x"}}
    shown = {"kind": "A", "metadata": {"annotations": {MARKER: "one,two", "a": "b"}, "name": "x"}}
    assert without_memory(resource) == shown
    assert without_memory(shown) is shown


def _shuffled(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _shuffled(value[key]) for key in reversed(value)}
    return [_shuffled(item) for item in value] if isinstance(value, list) else value


@settings(max_examples=200)
@given(CONTENTS, CONTENTS)
def test_digests(one: dict[str, Any], other: dict[str, Any]) -> None:
    """Contents have one digest if they are equal, whatever the order of their fields and the mark."""
    first = digest_of(codec.encode_struct(one))
    marked = {**_shuffled(one), "metadata": {"annotations": {MARKER: "net;1abcdefgh"}}}
    assert digest_of(codec.encode_struct(marked)) == first
    assert (digest_of(codec.encode_struct(other)) == first) == (repr(_sorted(one)) == repr(_sorted(other)))


@settings(max_examples=200)
@given(CONTENTS, st.randoms(use_true_random=False))
def test_what_differs_in_one_place_has_another_digest(content: dict[str, Any], random: Any) -> None:
    """A content that differs in one leaf, one key or one element has another digest, also inside metadata."""
    content = {
        **content,
        "metadata": {"name": "n", "annotations": {MARKER: "a;1abcdefgh", "k": "v"}, "labels": {"l": ""}},
    }
    first = digest_of(codec.encode_struct(content))
    holder: Any = copy.deepcopy(content)
    changed = holder
    while True:
        keys = [key for key in holder if key != MARKER] if isinstance(holder, dict) else list(range(len(holder)))
        key = random.choice(keys) if keys else None
        if key is None or not isinstance(holder[key], (dict, list)) or not holder[key]:
            break
        holder = holder[key]
    if key is None or random.random() < 0.3:
        holder.append("more") if isinstance(holder, list) else holder.update({"more, and new": "more"})
    else:
        holder[key] = [holder[key]]
    assert digest_of(codec.encode_struct(changed)) != first


@given(
    _contents(LEAVES), st.sampled_from([None, {}, {"name": "n"}, {"labels": {"l": "x"}}, {"annotations": {"k": "v"}}])
)
def test_both_ways_of_encoding_give_one_digest(content: dict[str, Any], metadata: dict[str, Any] | None) -> None:
    """A resource that is encoded in the fast way has the digest of its plain data, which the slow way encodes."""
    fields = content if metadata is None else {**content, "metadata": metadata}
    found = []

    @composition.function(name="net")
    def compose(ctx: Any) -> None:
        found.append(direct(ctx.resource("one", Unstructured("example.org/v1", "Thing", **fields))))

    mark = run(compose).emitted["one"]["metadata"]["annotations"][MARKER]
    assert isinstance(found[0], tuple)
    plain = codec.encode_struct({"apiVersion": "example.org/v1", "kind": "Thing", **fields})
    assert digest_of(found[0]) == digest_of(plain) == memory_in(mark, "net").digest


@given(_contents(LEAVES), CONTENTS)
def test_both_ways_of_encoding_over_another_step_give_one_digest(over: dict[str, Any], under: dict[str, Any]) -> None:
    """A resource over a previous step's is encoded in the fast way too, and has the digest of the sent resource."""
    found = []

    @composition.function(name="net")
    def compose(ctx: Any) -> None:
        found.append(direct(ctx.resource("one", Unstructured("example.org/v1", "Thing", **over))))

    sent = run(compose, desired={"one": {"apiVersion": "example.org/v1", "kind": "Thing", **under}}).emitted["one"]
    mark = sent["metadata"]["annotations"][MARKER]
    assert isinstance(found[0], bytes)
    assert digest_of(found[0]) == digest_of(codec.encode_struct(sent)) == memory_in(mark, "net").digest


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return [(key, _sorted(value[key])) for key in sorted(value)]
    return ("list", [_sorted(item) for item in value]) if isinstance(value, list) else value


def test_the_digest_of_another_process() -> None:
    """Processes with other hashes of texts, and code that fills maps in another order, write the same mark."""
    program = """if True:
        from crossplane_lite import Unstructured, composition, testing

        @composition.function(name="net")
        def compose(ctx):
            one = ctx.resource("one", Unstructured("v1", "ConfigMap"))
            one.data = {key: "x" for key in {"a", "b", "c", "d", "e", "f"}}

        xr = {"apiVersion": "example.org/v1", "kind": "X", "metadata": {"name": "x"}}
        print(testing.run(compose, testing.request(xr)).emitted["one"]["metadata"]["annotations"])
    """
    seen = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(seen) == 1 and "net;1" in seen.pop()


def test_steps_remember_by_themselves() -> None:
    """Two steps that register one resource each keep a memory, and write nothing new when nothing changes."""

    def step(name: str, key: str) -> Any:
        @composition.function(name=name)
        def compose(ctx: Any) -> None:
            ctx.resource("one", Unstructured("v1", "ConfigMap", data={key: "x"}))

        return compose

    first = run(step("a", "k"))
    second = run(step("b", "l"), desired=first.emitted)
    mark = second.emitted["one"]["metadata"]["annotations"][MARKER]
    assert memory_in(mark, "a").digest and memory_in(mark, "b").digest
    assert run(step("b", "l"), desired=first.emitted, observed=second.emitted).emitted == second.emitted
