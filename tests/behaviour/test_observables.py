"""Observables: paths, `apply`, and their use as plain values (design section 4)."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from typing import Any

import pytest

from crossplane_lite import Observable, Unstructured, apply, composition
from crossplane_lite.errors import UnresolvedError
from tests.behaviour import samples
from tests.behaviour.helpers import PATH, b64
from tests.behaviour.models import VPC, Bucket, BucketACL
from tests.support import call, run

Text = Callable[[Any], Any]


# --- the object --------------------------------------------------------------------------------------------------


def test_repr_and_source_path() -> None:
    """The repr shows the source path as the seed does."""
    value: Any = Observable(PATH)
    assert value.source_path == PATH
    assert repr(value) == "Observable('bucket.status.atProvider.id')"


def test_falsy_and_hashable() -> None:
    """An Observable is falsy and can be a key."""
    value: Any = Observable(PATH)
    assert not value
    assert (value or "default") == "default"
    assert hash(value) == hash(value)
    assert {value: 1}[value] == 1
    assert len({value, value}) == 1


def test_generic() -> None:
    """Observable takes the value's type as a parameter."""
    assert Observable[str] is not None


def test_attributes_and_items_extend_the_path() -> None:
    """Attribute and item access give an Observable with a longer path."""
    value: Any = Observable("vpc.status.atProvider")
    assert value.vpcId.source_path == "vpc.status.atProvider.vpcId"
    assert value.subnets[0].id.source_path == "vpc.status.atProvider.subnets[0].id"
    assert isinstance(value.tags["a.b/c"], Observable)
    assert "a.b/c" in value.tags["a.b/c"].source_path
    assert value.source_path == "vpc.status.atProvider"


@pytest.mark.parametrize(
    "name",
    ["keys", "items", "values", "get", "format", "upper", "value", "path", "name", "apply", "join", "count", "index"],
)
def test_no_field_name_is_hidden(name: str) -> None:
    """source_path is the only public attribute, so every other name is a field."""
    child = getattr(Observable("a.b"), name)
    assert isinstance(child, Observable)
    assert child.source_path == f"a.b.{name}"


def test_no_special_method_is_a_field() -> None:
    """Names that Python and its shells look up by themselves are no fields: an Observable would seem to have them."""
    for name in ("__fspath__", "_repr_html_", "_ipython_display_"):
        with pytest.raises(AttributeError, match=rf"^Observable\('a\.b'\) has no attribute '{name}'$"):
            getattr(Observable("a.b"), name)


def test_a_copy_is_the_observable_itself() -> None:
    """`copy.copy` gives the same Observable."""
    value: Any = Observable(PATH)
    assert copy.copy(value) is value


# --- apply -------------------------------------------------------------------------------------------------------


def test_apply_computes_at_once_when_everything_is_known() -> None:
    """`apply` calls the function when all values are known."""
    assert apply(lambda a, b: a + b, 1, 2) == 3
    assert apply(str.upper, "x") == "X"


def test_apply_waits_for_every_dependency() -> None:
    """`apply` with unresolved values gives an Observable that carries all of them and doesn't call the function."""
    called: list[Any] = []

    def compose(ctx: Any) -> None:
        provider = ctx.resource("bucket", Bucket()).observed.status.atProvider
        acl = ctx.resource("acl", BucketACL())
        value = apply(lambda *values: called.append(values) or "x", provider.id, "known", provider.url)
        assert isinstance(value, Observable)
        acl.spec.forProvider.bucket = value

    _, answer = call(compose)
    assert not called
    assert list(answer.resources) == ["bucket"]
    message = answer.conditions["DependenciesResolved"][2]
    assert "bucket.status.atProvider.id" in message
    assert "bucket.status.atProvider.url" in message

    _, answer = call(compose, observed={"bucket": samples.bucket(status={"id": "i"})})
    assert "acl" not in answer.resources
    assert not called


def test_apply_computes_when_the_values_arrive() -> None:
    """Once the values are observed, `apply` computes with them."""

    def compose(ctx: Any) -> None:
        provider = ctx.resource("bucket", Bucket()).observed.status.atProvider
        acl = ctx.resource("acl", BucketACL())
        acl.spec.forProvider.bucket = apply(lambda a, n: b64(a)[: n + 2], provider.id, provider.count)

    _, answer = call(compose, observed={"bucket": samples.bucket(status={"id": "hello", "count": 3})})
    assert answer.resources["acl"]["spec"]["forProvider"]["bucket"] == b64("hello")[:5]


@pytest.mark.parametrize(
    "make",
    [
        lambda o: apply(len, apply(str.upper, o)),
        lambda o: f"x{apply(str.upper, o)}",
        lambda o: apply(str.upper, o) + "x",
        lambda o: apply(str.upper, o)["a"].b,
    ],
)
def test_apply_results_are_observables_like_others(make: Text) -> None:
    """What `apply` gives can be used in text, in paths and in `apply` again."""

    def compose(ctx: Any) -> None:
        value = ctx.resource("bucket", Bucket()).observed.status.atProvider.id
        acl = ctx.resource("acl", BucketACL())
        acl.spec.forProvider.bucket = make(value)

    _, answer = call(compose)
    assert list(answer.resources) == ["bucket"]
    assert PATH in answer.conditions["DependenciesResolved"][2]


@pytest.mark.parametrize("make", [lambda o: f"arn:{o}", lambda o: [o], lambda o: {"a": f"{o}"}])
def test_apply_knows_unresolved_parts_of_its_values(make: Text) -> None:
    """A value that only contains something unresolved isn't known: the function waits."""

    def compose(ctx: Any) -> None:
        value = ctx.resource("bucket", Bucket()).observed.status.atProvider.id
        acl = ctx.resource("acl", BucketACL())
        acl.spec.forProvider.bucket = apply(lambda x: str(hash(str(x)))[:1], make(value))

    _, answer = call(compose)
    assert list(answer.resources) == ["bucket"]


# --- plain-value use ---------------------------------------------------------------------------------------------


def test_plain_use_behaves_as_empty_and_unequal() -> None:
    """bool, len, iteration, `in`, == and != behave as empty, unequal and False, and don't raise."""

    def compose(ctx: Any) -> None:
        provider = ctx.resource("bucket", Bucket()).observed.status.atProvider
        assert bool(provider.id) is False
        assert len(provider.id) == 0
        assert list(provider.endpoints) == []
        assert ("x" in provider.tags) is False
        assert (provider.id == "x") is False
        assert (provider.id != "x") is True
        assert (provider.id == provider.url) is False
        assert dict.fromkeys(provider.endpoints) == {}
        assert not any(e.url for e in provider.endpoints)

    _, answer = call(compose)
    assert not answer.fatal


@pytest.mark.parametrize(
    "use",
    [
        int,
        float,
        lambda o: o < 1,
        lambda o: o > 1,
        lambda o: o <= 1,
        lambda o: o >= 1,
        lambda o: o < o,  # noqa: PLR0124
        lambda o: o + 1,
        lambda o: 1 + o,
        lambda o: o - 1,
        lambda o: 1 - o,
        lambda o: o * 2,
        lambda o: 2 * o,
        lambda o: o / 2,
        lambda o: o // 2,
        lambda o: 2 / o,
        lambda o: o % 2,
        lambda o: o**2,
        lambda o: -o,
        abs,
        lambda o: divmod(o, 2),
        lambda o: sum([o, o]),
        lambda o: sorted([o, "a"]),
        lambda o: max(o, "a"),
    ],
)
def test_uses_that_need_the_value_raise(use: Callable[[Any], Any]) -> None:
    """int(), float(), ordering and arithmetic raise UnresolvedError, which names the path."""

    def compose(ctx: Any) -> None:
        value = ctx.resource("bucket", Bucket()).observed.status.atProvider.id
        with pytest.raises(UnresolvedError, match=re.escape(PATH)):
            use(value)

    call(compose)


def test_an_unresolved_error_that_nobody_catches_is_explained() -> None:
    """The result names the path and says that `apply()` is the way; what was registered before goes out."""

    @composition.function
    def compose(ctx: Any) -> None:
        ctx.resource("bucket", Bucket())
        ctx.resource("vpc", VPC(spec=int(ctx.resources["bucket"].observed.status.atProvider.count)))

    answer = run(compose)
    ((severity, text),) = answer.results
    assert severity == "warning"
    assert "bucket.status.atProvider.count" in text
    assert "apply(" in text
    assert list(answer.resources) == ["bucket"]


def test_unstructured_observables_make_text_too() -> None:
    """Observables of Unstructured resources behave the same in text."""

    def compose(ctx: Any) -> None:
        thing = ctx.resource("thing", Unstructured("v1", "Thing"))
        user = ctx.resource("user", Unstructured("v1", "User"))
        user.spec.ref = f"x-{thing.observed.status.id}"

    _, answer = call(compose)
    assert list(answer.resources) == ["thing"]
    assert "user waits for thing.status.id" in answer.conditions["DependenciesResolved"][2]


def test_nothing_can_be_set_in_an_observable() -> None:
    """Setting an attribute or an item of an unresolved value raises UnresolvedError, which names the path."""

    def compose(ctx: Any) -> None:
        vpc = ctx.resource("vpc", VPC())
        for value in (vpc.observed.status.atProvider.vpcId, Observable("vpc.status.atProvider.vpcId")):
            with pytest.raises(UnresolvedError, match=re.escape("vpc.status.atProvider.vpcId")):
                value.x = 1
            with pytest.raises(UnresolvedError, match=re.escape("vpc.status.atProvider.vpcId")):
                value["x"] = 1

    call(compose)


@pytest.mark.parametrize(
    ("use", "shown"),
    [
        (int, "int()"),
        (float, "float()"),
        (complex, "complex()"),
        (round, "round()"),
        (abs, "abs()"),
        (bytes, "bytes()"),
        (lambda o: o > 1, ">"),
        (lambda o: o >= 1, ">="),
        (lambda o: o < 1, "<"),
        (lambda o: o <= 1, "<="),
        (lambda o: o | 1, "|"),
        (lambda o: 1 | o, "|"),
        (lambda o: o & 1, "&"),
        (lambda o: o ^ 1, "^"),
        (lambda o: o << 1, "<<"),
        (lambda o: 1 >> o, ">>"),
        (lambda o: o @ 1, "@"),
        (lambda o: o - 1, "-"),
        (lambda o: 1 - o, "-"),
        (lambda o: o * 2, "*"),
        (lambda o: o**2, "**"),
        (lambda o: o / 2, "/"),
        (lambda o: o // 2, "//"),
        (lambda o: o % 2, "%"),
        (lambda o: -o, "-"),
        (lambda o: ~o, "~"),
        (lambda o: o + 1, "+"),
        (lambda o: 1 + o, "+"),
        (lambda o: [1, 2][o], "index"),
        (lambda o: "abc"[o:], "index"),
        (lambda o: o[1:], "slicing"),
        (lambda o: o[:], "slicing"),
        (lambda o: o.split(","), "split()"),
        (lambda o: o.upper(), "upper()"),
        (lambda o: o.strip(), "strip()"),
        (lambda o: list(reversed(o)), "reversed()"),
    ],
)
def test_the_error_names_the_operation_as_it_is_written(use: Callable[[Any], Any], shown: str) -> None:
    """The error of a use that needs the value names the path and the operation the way people write it."""

    def compose(ctx: Any) -> None:
        value = ctx.resource("bucket", Bucket()).observed.status.atProvider.id
        with pytest.raises(UnresolvedError, match=re.escape(PATH)) as caught:
            use(value)
        text = str(caught.value)
        assert f" {shown} " in text or f" {shown}" in text.partition(" needs ")[0]
        assert "__" not in text
        assert "apply(" in text or "write (id or 0), which counts" in text

    call(compose)


def test_a_missing_value_is_never_none() -> None:
    """`== None` is false and `!= None` true, and the author's line is told."""
    answers = []

    def compose(ctx: Any) -> None:
        value = ctx.resource("bucket", Bucket()).observed.status.atProvider.id
        for one in (value, Observable(PATH), Observable("xr.metadata.name")):
            for ask in (lambda: one == None, lambda: not one != None, lambda: one in (None,)):  # noqa: B023, E711
                with pytest.warns(UserWarning, match="if not value") as told:
                    answers.append(ask())
                assert [entry.filename for entry in told] == [__file__]

    call(compose, observed={"vpc": samples.vpc(ours="test")})
    assert len(answers) == 9
    assert set(answers) == {False}


@pytest.mark.parametrize(
    ("use", "what"),
    [(lambda o: o.split("/"), PATH), (lambda o: o["a.b"]("c"), f'{PATH}["a.b"]')],
)
def test_a_method_of_a_missing_value_names_the_value(use: Callable[[Any], Any], what: str) -> None:
    """Where a method is called, the error, the condition and who waits name the value, not the method."""

    @composition.function
    def compose(ctx: Any) -> None:
        value = ctx.resource("bucket", Bucket()).observed.status.atProvider.id
        try:
            ctx.resource("vpc", VPC(spec={"forProvider": {"region": use(value)}}))
        except UnresolvedError as error:
            assert str(error).startswith(what + " has no value")
            raise

    answer = run(compose)
    assert what in answer.conditions["DependenciesResolved"][2]
    assert f"{PATH}.split" not in answer.conditions["DependenciesResolved"][2]
