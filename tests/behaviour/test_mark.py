"""The mark: the steps that compose a resource, and a digest of the content of each."""

from __future__ import annotations

import copy
import os
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossplane_lite import Unstructured, composition
from crossplane_lite._core import codec
from crossplane_lite._core.call.mark import (
    Made,
    digest_of,
    direct,
    joined_steps,
    made_in,
    steps_in,
    without_digests,
)
from tests.support import KNOWN, MARKER, run

DIGEST = "1abcdefgh"
LEAVES = st.booleans() | st.integers(-9, 9) | st.text(max_size=3)


def _contents(leaves: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    trees = st.recursive(
        leaves, lambda t: st.lists(t, max_size=3) | st.dictionaries(st.text(max_size=3), t, max_size=3)
    )
    return st.dictionaries(
        st.text(max_size=4).filter(lambda key: key not in ("metadata", "kind", "self")), trees, max_size=4
    )


CONTENTS = _contents(st.none() | LEAVES)


@pytest.mark.parametrize("guessed", [False, True])
def test_what_was_made_is_read_as_it_was_written(guessed: bool) -> None:
    """What a step has made is the same when it is read, beside other steps, which stay as they are."""
    made = Made(DIGEST, guessed)
    mark = joined_steps("one;1AAAAAAAA,two", "net", made.to_text())
    assert made_in(mark, "net") == made
    assert made_in(mark, "one") == Made("1AAAAAAAA")
    assert steps_in(mark) == ["one", "two", "net"]
    assert joined_steps(mark, "net", made.to_text()) == mark


@pytest.mark.parametrize("mark", [None, 7, "", "net", "net;", "net;1abc", "net;1abcdefgh.1234", "net;1abcdefgh#12345"])
def test_a_malformed_mark_says_nothing(mark: Any) -> None:
    """What isn't a digest is none."""
    assert made_in(mark, "net") == Made("")


@pytest.mark.parametrize(("keys", "guessed"), [(".12345?abcde", False), (".12345!abcde", True)])
def test_keys_of_an_earlier_version_are_passed_over(keys: str, guessed: bool) -> None:
    """A mark of an earlier version of the SDK has its digest, and still says that a guess was made."""
    assert made_in(f"net;{DIGEST}{keys}", "net") == Made(DIGEST, guessed)


def test_people_see_no_digests_and_notes() -> None:
    """A resource without its digests and notes is a copy; one without them is itself."""
    annotations = {MARKER: "one;1abcdefgh,two", KNOWN: "{}", "a": "b"}
    resource = {"kind": "A", "metadata": {"annotations": annotations, "name": "x"}}
    shown = {"kind": "A", "metadata": {"annotations": {MARKER: "one,two", "a": "b"}, "name": "x"}}
    assert without_digests(resource) == shown
    assert without_digests(shown) is shown


def _shuffled(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _shuffled(value[key]) for key in reversed(value)}
    return [_shuffled(item) for item in value] if isinstance(value, list) else value


@pytest.mark.slow
@settings(max_examples=200)
@given(CONTENTS, CONTENTS)
def test_digests(one: dict[str, Any], other: dict[str, Any]) -> None:
    """Contents have one digest if they are equal, whatever the order of their fields and the mark."""
    first = digest_of(codec.encode_struct(one))
    marked = {**_shuffled(one), "metadata": {"annotations": {MARKER: "net;1abcdefgh", KNOWN: "{}"}}}
    assert digest_of(codec.encode_struct(marked)) == first
    assert (digest_of(codec.encode_struct(other)) == first) == (repr(_sorted(one)) == repr(_sorted(other)))


@pytest.mark.slow
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
    assert digest_of(found[0]) == digest_of(plain) == made_in(mark, "net").digest


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
    assert digest_of(found[0]) == digest_of(codec.encode_struct(sent)) == made_in(mark, "net").digest


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return [(key, _sorted(value[key])) for key in sorted(value)]
    return ("list", [_sorted(item) for item in value]) if isinstance(value, list) else value


@pytest.mark.slow
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


def test_each_step_has_its_own_digest() -> None:
    """Two steps that register one resource each have a digest, and write nothing new when nothing changes."""

    def step(name: str, key: str) -> Any:
        @composition.function(name=name)
        def compose(ctx: Any) -> None:
            ctx.resource("one", Unstructured("v1", "ConfigMap", data={key: "x"}))

        return compose

    first = run(step("a", "k"))
    second = run(step("b", "l"), desired=first.emitted)
    mark = second.emitted["one"]["metadata"]["annotations"][MARKER]
    assert made_in(mark, "a").digest and made_in(mark, "b").digest
    assert run(step("b", "l"), desired=first.emitted, observed=second.emitted).emitted == second.emitted
