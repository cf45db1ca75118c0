"""Objects without a schema are used as plain data is, or the error says what to write."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from crossplane_lite import Observable, Unstructured, composition
from crossplane_lite.errors import CrossplaneLiteError, ReadOnlyError, UsageError
from crossplane_lite.model import to_dict
from tests.behaviour.models import Bucket
from tests.support import call, run

SPEC: dict[str, Any] = {"a": {"b": 1, "c": "d"}, "containers": [{"name": "one"}], "args": ["x"], "n": 3}
THING = {"apiVersion": "v1", "kind": "Thing", "spec": SPEC}


def emitted(body: Callable[[Any], Any], **kwargs: Any) -> Any:
    """Return the spec that a resource has after `body(spec)`."""

    @composition.function
    def compose(ctx: Any) -> None:
        body(ctx.resource("thing", Unstructured("v1", "Thing")))

    answer = run(compose, **kwargs)
    assert not answer.fatal
    return answer.resources["thing"].get("spec")


def _twice(thing: Any) -> None:
    args = thing.spec.args
    args.append("a")
    args.append("b")
    thing.spec.args.append("c")
    assert list(args) == ["a", "b", "c"]
    assert (len(args), bool(args), args[0], args[-1], args[1:]) == (3, True, "a", "c", ["b", "c"])
    assert "b" in args
    assert args == ["a", "b", "c"]
    assert str(args) == repr(args) == "['a', 'b', 'c']"
    args[0] = "z"
    del args[1]
    assert to_dict(thing)["spec"]["args"] == ["z", "c"]


def _copied(thing: Any) -> None:
    args = thing.spec.args
    args.append("a")
    thing.spec.other = args
    thing.spec.deep = {"in": [args]}
    thing.spec.args.append("b")


def _set_before_registering(thing: Any) -> None:
    other = Unstructured("v1", "Other")
    other.spec.list.append({"name": "a"})
    other.spec.list[0].name = "b"
    thing.spec.list = other.spec.list


LISTS: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "append": (lambda t: t.spec.args.append("a"), {"args": ["a"]}),
    "append to a deep one": (lambda t: t.spec.a.b.c.append(1), {"a": {"b": {"c": [1]}}}),
    "append by item": (lambda t: t["spec"]["a-b"].append(1), {"a-b": [1]}),
    "extend": (lambda t: t.spec.args.extend(["a", "b"]), {"args": ["a", "b"]}),
    "insert": (lambda t: t.spec.args.insert(0, "a"), {"args": ["a"]}),
    "+=": (lambda t: exec("t.spec.args += ['a']", {"t": t}), {"args": ["a"]}),  # noqa: S102
    "append an object": (lambda t: t.spec.cs.append({"name": "a", "env": []}), {"cs": [{"name": "a", "env": []}]}),
    "kept": (_twice, {"args": ["z", "c"]}),
    "copied": (_copied, {"args": ["a", "b"], "other": ["a"], "deep": {"in": [["a"]]}}),
    "of another": (_set_before_registering, {"list": [{"name": "b"}]}),
}


@pytest.mark.parametrize("case", LISTS)
def test_a_field_that_is_not_set_becomes_a_list(case: str) -> None:
    """Methods of lists make a list of a field that isn't set, and whoever holds the field has the list."""
    body, expected = LISTS[case]
    assert emitted(body) == expected


def test_adding_to_a_field_that_is_not_set() -> None:
    """It counts as an empty list beside lists; beside other values the error names it."""

    def compose(ctx: Any) -> None:
        spec = ctx.resource("thing", Unstructured("v1", "Thing")).spec
        assert spec.args + ["a"] == ["a"]
        assert ["a"] + spec.args == ["a"]
        for value in ("text", 1):
            with pytest.raises(UsageError, match=r"spec\.args isn't set"):
                spec.args + value
            with pytest.raises(UsageError, match=r"spec\.args isn't set"):
                value + spec.args
        with pytest.raises(TypeError):
            spec + 1
        assert list(spec) == []

    call(compose)


def test_elements_are_objects() -> None:
    """Elements that are given as mappings are objects, whenever they come in."""

    def body(thing: Any) -> None:
        thing.spec.containers = [{"name": "a"}]
        thing.spec.containers[0].image = "i"
        thing.spec.containers.append({"name": "b", "ports": [{"n": 1}]})
        thing.spec.containers[1].name = "c"
        thing.spec.containers[1].ports[0].n = 2
        thing.spec.containers[1].ports.append({"n": 3})
        thing.spec.containers[-1].ports[-1].n += 1
        thing.spec.containers += [{"name": "d"}]
        thing.spec.containers[2]["name"] = "e"
        for container in thing.spec.containers:
            container.seen = True

    assert emitted(body)["containers"] == [
        {"name": "a", "image": "i", "seen": True},
        {"name": "c", "ports": [{"n": 2}, {"n": 4}], "seen": True},
        {"name": "e", "seen": True},
    ]

    def over(thing: Any) -> None:
        thing.spec.containers[0].name = "changed"
        thing.spec.containers.append({"name": "new"})
        thing.spec.containers[1].name += "er"

    inherited = emitted(over, desired={"thing": THING})
    assert inherited == {**SPEC, "containers": [{"name": "changed"}, {"name": "newer"}]}


# --- mappings ----------------------------------------------------------------------------------------------------


def _views(ctx: Any) -> dict[str, Any]:
    made = Unstructured("v1", "Made", spec=SPEC)
    return {
        "set": ctx.resource("made", made).spec,
        "inherited": ctx.resource("earlier", Unstructured("v1", "Thing")).spec,
        "observed": ctx.resource("thing", Unstructured("v1", "Thing")).observed.spec,
        "composite": ctx.composite(Unstructured).observed.spec,
        "desired": ctx.desired["earlier"].spec,
        "required": ctx.required_resources["things"][0].spec,
    }


WHERE = ["set", "inherited", "observed", "composite", "desired", "required"]
EVERYWHERE: dict[str, Any] = {
    "observed": {"thing": THING},
    "desired": {"earlier": THING},
    "xr": THING,
    "required": {"things": [THING]},
}


@pytest.mark.parametrize("where", WHERE)
def test_objects_are_mappings(where: str) -> None:
    """dict(), **, items(), keys(), values(), get(), in, len() and == work on what is there, wherever it comes from."""

    def compose(ctx: Any) -> None:
        spec = _views(ctx)[where]
        assert set(dict(spec)) == set(SPEC)
        assert dict(spec.a) == {"b": 1, "c": "d"}
        assert {**spec.a, "e": 2} == {"b": 1, "c": "d", "e": 2}
        assert sorted(spec.a.items()) == [("b", 1), ("c", "d")]
        assert sorted(spec.a.keys()) == ["b", "c"]
        assert set(spec.a.values()) == {1, "d"}
        assert [value.b for name, value in spec.items() if name == "a"] == [1]
        assert dict(spec["a"].copy()) == {"b": 1, "c": "d"}
        assert (spec.a.get("b"), spec.a.get("b", 5), spec.get("a").b) == (1, 1, 1)
        assert "b" in spec.a
        assert spec.a == {"b": 1, "c": "d"}
        assert spec.a != {"b": 1}
        assert spec == SPEC
        assert json.loads(json.dumps(to_dict(spec))) == SPEC

        def named(b: int, c: str) -> tuple[int, str]:
            return b, c

        assert named(**spec.a) == (1, "d")

    call(compose, **EVERYWHERE)


@pytest.mark.parametrize("where", WHERE)
def test_get_of_what_is_not_there(where: str) -> None:
    """get() gives None or the default; of what may still come an Observable, and the default is a guess."""

    def compose(ctx: Any) -> None:
        a = _views(ctx)[where].a
        assert a.get("x", 5) == 5
        if where in ("observed", "required"):
            assert isinstance(a.get("x"), Observable)
            assert a.get("x").source_path.endswith("spec.a.x")
        else:
            assert a.get("x") is None

    call(compose, **EVERYWHERE)


def test_mappings_that_are_not_there() -> None:
    """In desired state they are empty; in observed state items are Observables, and a loop over them is a guess."""

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        thing = ctx.resource("thing", Unstructured("v1", "Thing"))
        assert (dict(thing.spec.a), list(thing.spec.a.items()), thing.spec.a.get("b")) == ({}, [], None)
        assert isinstance(thing.observed.spec.a.get("x"), Observable)
        user = ctx.resource("user", Unstructured("v1", "Thing"))
        user.spec.value = thing.observed.spec.a.get("b")
        user.spec.copy = dict(thing.spec.a)
        for name in thing.observed.spec.a.keys():
            ctx.resource(f"of-{name}", Bucket())

    assert set(run(compose).resources) == {"thing"}
    of_b = run(compose, observed={"thing": THING}).emitted["of-b"]
    lost = run(compose, observed={"of-b": of_b})
    assert lost.fatal or "of-b" in lost.resources  # a guess: what exists isn't lost without a word


def test_changing_mappings() -> None:
    """update(), setdefault(), pop() and clear() change desired state, over what previous functions left too."""

    def body(thing: Any) -> None:
        spec = thing.spec
        spec.a.update({"b": 2}, e="f")
        spec.a.update([("g", 1)])
        assert spec.a.setdefault("e", "other") == "f"
        assert spec.a.pop("c", None) in (None, "d")
        assert spec.a.pop("zz", 7) == 7
        with pytest.raises(KeyError):
            spec.a.pop("zz")
        spec.setdefault("list", []).append(1)
        spec.setdefault("map", {}).x = 1
        spec.labels.update(team="t")
        spec.gone.x = 1
        spec.gone.clear()

    made = {"a": {"b": 2, "e": "f", "g": 1}, "list": [1], "map": {"x": 1}, "labels": {"team": "t"}, "gone": {}}
    assert emitted(body) == made
    assert emitted(body, desired={"thing": THING}) == {**SPEC, **made}


@pytest.mark.parametrize("where", ["observed", "composite", "desired", "required"])
def test_what_is_only_to_read(where: str) -> None:
    """Methods that change are refused where state is only to read."""

    def compose(ctx: Any) -> None:
        spec = _views(ctx)[where]
        for change in (
            lambda: spec.a.update(x=1),
            lambda: spec.a.pop("b"),
            lambda: spec.a.clear(),
            lambda: spec.args.append(1),
        ):
            with pytest.raises(ReadOnlyError):
                change()
        with pytest.raises(CrossplaneLiteError):
            spec.nothing.append(1)

    call(compose, **EVERYWHERE)


# --- fields with the names of methods ----------------------------------------------------------------------------


def test_fields_with_the_names_of_methods() -> None:
    """`items`, `values`, `keys`, `get` and their like are fields where something is set in them; dict() still works."""
    odd = {"items": [{"key": "k"}], "values": {"replicas": 1}, "get": "x", "pop": 1, "append": ["a"]}

    def body(thing: Any) -> None:
        thing.spec.items = odd["items"]
        thing.spec["values"] = odd["values"]
        thing.spec.get = "x"
        thing.spec.pop = 1
        thing.spec.append.append("a")
        assert thing.spec.items[0].key == "k"
        thing.spec.values.replicas = 1
        assert set(dict(thing.spec)) == set(odd)
        assert {**thing.spec}["get"] == "x"
        for called in (lambda: thing.spec.items(), lambda: thing.spec.values()):
            with pytest.raises(UsageError, match=r"can't be called; .*dict\(\.\.\.\)"):
                called()

    assert emitted(body) == odd

    def compose(ctx: Any) -> None:
        thing = ctx.resource("thing", Unstructured("v1", "Thing"))
        assert thing.observed.spec.items[0].key == "k"
        assert thing.observed.spec["values"].replicas == 1
        assert set(dict(thing.observed.spec)) == set(odd)
        with pytest.raises(UsageError, match="can't be called"):
            thing.observed.spec.items()
        user = ctx.resource("user", Unstructured("v1", "Thing"))
        user.spec.copied = thing.observed.spec.values
        user.spec.waits = ctx.resource("new", Unstructured("v1", "Thing")).observed.spec.values

    _, answer = call(compose, observed={"thing": {**THING, "spec": odd}})
    assert "user waits for new.spec.values" in answer.conditions["DependenciesResolved"][2]


def test_a_field_with_the_name_of_a_method_that_is_missing() -> None:
    """A field like `values` that an observed object lacks so far is a dependency as every other one."""

    @composition.function
    def compose(ctx: Any) -> None:
        thing = ctx.resource("thing", Unstructured("v1", "Thing"))
        user = ctx.resource("user", Unstructured("v1", "Thing"))
        user.spec.copied = thing.observed.spec["values"]
        user.spec.text = f"{thing.observed.spec.items}"

    answer = run(compose, observed={"thing": THING})
    assert "user" not in answer.resources
    message = answer.conditions["DependenciesResolved"][2]
    assert "user waits for thing.spec.values" in message
    assert "user waits for thing.spec.items" in message


def test_a_field_of_a_list() -> None:
    """A field that is read from a list is refused with the list's place and the way to an element."""

    def compose(ctx: Any) -> None:
        thing = ctx.resource("thing", Unstructured("v1", "Thing"))
        thing.spec.rules = [{"a": 1}]
        with pytest.raises(AttributeError, match=r"^this is a list, so it has no field 'a'; .* as in \[0\]\.a$"):
            _ = thing.spec.rules.a
        assert not hasattr(thing.spec.rules, "keys")
        with pytest.raises(AttributeError, match=r"^thing\.spec\.rules is a list, so it has no field 'a'; "):
            _ = thing.observed.spec.rules.a

    call(compose, observed={"thing": {**THING, "spec": {"rules": [{"a": 1}]}}})


# --- mistakes ----------------------------------------------------------------------------------------------------

MISTAKES: dict[str, tuple[Callable[[Any], Any], str]] = {
    "element of what isn't set": (lambda t: t.spec.cs[0], r"spec\.cs isn't set.*, so it has no element 0; spec\.cs\."),
    "setting such an element": (lambda t: t.spec.cs.__setitem__(0, 1), r"spec\.cs isn't set.*, so it has no element 0"),
    "deleting such an element": (lambda t: t.spec.cs.__delitem__(0), r"spec\.cs isn't set"),
    "slice of what isn't set": (lambda t: t.spec.cs[:2], r"spec\.cs isn't set"),
    "field of such an element": (lambda t: setattr(t.spec.cs[0], "name", "x"), r"spec\.cs isn't set"),
    "element of an object": (lambda t: t.spec.a[0], r"a is an object, not a list: its keys are strings \(got 0\)"),
    "method of text": (
        lambda t: t.spec.text.upper(),
        r"spec\.text isn't set in desired state.*, so upper\(\) can't be called; .*items",
    ),
    "method of an object": (lambda t: t.spec.a.nothing(), r"has no field or method 'nothing', so nothing\(\) can't"),
    "call of an object": (lambda t: t.spec.a(), r"can't be called"),
    "pop of an empty list": (lambda t: t.spec.cs.pop(0), "pop from empty list"),
    "remove from an empty list": (lambda t: t.spec.cs.remove(1), "not in list"),
    "field of what is a list": (lambda t: _field_of_a_list(t), r"no field can be set in spec\.cs, which append"),
    "list in another's place": (lambda t: _stale(t), "another value was set in its place"),
}


def _field_of_a_list(thing: Any) -> None:
    held = thing.spec.cs
    held.append(1)
    held.x = 1


def _stale(thing: Any) -> None:
    held = thing.spec.cs
    thing.spec.cs = "text"
    held.append(1)


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes(mistake: str) -> None:
    """What can't work says where, and what to write."""
    body, text = MISTAKES[mistake]

    def compose(ctx: Any) -> None:
        thing = ctx.resource("thing", Unstructured("v1", "Thing"))
        thing.spec.a.b = 1
        with pytest.raises((UsageError, IndexError, ValueError), match=text):
            body(thing)

    call(compose)


def test_elements_of_the_composites_spec() -> None:
    """An element of what the composite's author has left out is an error that names it."""

    def compose(ctx: Any) -> None:
        with pytest.raises(UsageError, match=r"xr\.spec\.cs isn't set, so it has no element 0; ask `if xr"):
            ctx.composite(Unstructured).observed.spec.cs[0]

    call(compose, xr=THING)
