"""What authors do wrong is said clearly, and never crashes or passes unnoticed (design sections 5 to 7)."""

from __future__ import annotations

import json
import re
import traceback
from collections.abc import Callable
from typing import Any

import pytest

from crossplane_lite import NULL, UNSET, Unstructured, composition
from crossplane_lite.errors import ReadOnlyError, UsageError
from crossplane_lite.table import load
from tests.behaviour import samples
from tests.behaviour.models import VPC, Bucket, BucketSpec, ForProvider, Rule, Tree, VersioningItem, XStorageBucket
from tests.support import Response, call, fatal, request, run

# --- the context -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("auto_ready", True),
        ("ttll", 1),
        ("results", []),
        ("conditions", []),
        ("resources", {}),
        ("requirements", {}),
        ("context", {}),
        ("output", {}),
        ("input", {}),
        ("composite", None),
        ("reslts", None),
    ],
)
def test_what_can_not_be_assigned_to_the_context_is_an_error(name: str, value: Any) -> None:
    """Assigning to a method, to what is only read or to a misspelt name of the context is a fatal result."""
    text = fatal(lambda ctx: setattr(ctx, name, value))
    assert "AttributeError" in text
    assert name in text


def test_a_caught_mistake_with_the_context_does_no_harm() -> None:
    """After such an error is caught the call goes on as if nothing had happened."""

    def compose(ctx: Any) -> None:
        for name in ("auto_ready", "results", "resources", "composite"):
            with pytest.raises(AttributeError):
                setattr(ctx, name, None)
        ctx.auto_ready()
        ctx.results.normal("fine")
        ctx.resource("bucket", Bucket())
        ctx.composite(XStorageBucket).status.x = "1"

    _, answer = call(compose, observed={"bucket": samples.bucket(ready=True)})
    assert ("normal", "fine") in answer.results
    assert answer.ready == {"bucket": True}
    assert answer.composite["status"] == {"x": "1"}


def nested(depth: int) -> dict[str, Any]:
    """Return a resource with objects nested that deep."""
    value: Any = "leaf"
    for _ in range(depth):
        value = {"a": value}
    return {"apiVersion": "v1", "kind": "Deep", "spec": value}


def test_the_message_of_a_request_that_is_too_deep() -> None:
    """The raw message of a request that protobuf can't parse is a clear error, and the call goes on."""
    deep = {"deep": nested(20)}
    data = _request_with_depth(60)

    @composition.function
    def compose(ctx: Any) -> None:
        with pytest.raises(UsageError, match="request"):
            _ = ctx.request
        ctx.resource("bucket", Bucket())
        ctx.results.normal("went on")

    answer = _answer(compose, data)
    assert ("normal", "went on") in answer.results
    assert "bucket" in answer.resources

    @composition.function
    def careless(ctx: Any) -> None:
        _ = ctx.request

    (text,) = _answer(careless, data).fatal
    assert "UsageError" in text
    # Not so deep, it is there.
    call(lambda ctx: ctx.request.observed.resources["deep"], observed=deep)


def _request_with_depth(levels: int) -> bytes:
    """Return a request with an observed resource nested deeper than protobuf's own parsers go."""

    def nest(content: bytes, tag: int) -> bytes:
        size, length = len(content), bytearray()
        while size >= 0x80:
            length.append(size & 0x7F | 0x80)
            size >>= 7
        return bytes([tag, *length, size]) + content

    value, struct = b"\x1a\x04leaf", b""
    for _ in range(levels):
        struct = nest(nest(b"a", 0x0A) + nest(value, 0x12), 0x0A)
        value = nest(struct, 0x2A)
    entry = nest(b"deep", 0x0A) + nest(nest(struct, 0x0A), 0x12)
    return request() + nest(nest(entry, 0x12), 0x12)


def _answer(fn: Any, data: bytes) -> Response:
    return Response(fn.run(data))


# --- where it happened -------------------------------------------------------------------------------------------


def _json(ctx: Any) -> None:
    json.dumps(ctx.composite(XStorageBucket).observed.status.x)


def _json_inside(ctx: Any) -> None:
    json.dumps({"deep": [ctx.resource("vpc", VPC()).observed.status.atProvider]}, indent=1)


def _regex(ctx: Any) -> None:
    re.match("x", ctx.resource("vpc", VPC()).observed.status.atProvider.vpcId)


def _package(ctx: Any) -> None:
    ctx.resource("bucket", Bucket(spec=BucketSpec(forProvider=5)))


def _package_deeper(ctx: Any) -> None:
    int(ctx.composite(XStorageBucket).observed.status.x)


def _own(ctx: Any) -> None:
    raise ValueError("no")


@pytest.mark.parametrize("body", [_json, _json_inside, _regex, _package, _package_deeper, _own])
def test_the_place_is_in_the_authors_file(body: Callable[[Any], None]) -> None:
    """File and line in the fatal result are the author's, also where a library raises the error."""

    def wanted(ctx: Any) -> None:
        try:
            body(ctx)
        except Exception as error:
            frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == __file__]
            lines.append(frames[-1].lineno)
            raise

    lines: list[Any] = []
    text = fatal(wanted)
    assert f"(test_mistakes.py:{lines[0]})" in text


# --- registering -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("itself", [["bucket"], ("vpc", "bucket"), {"bucket"}])
def test_a_resource_does_not_depend_on_itself(itself: Any) -> None:
    """depends_on that names the resource itself is refused."""

    def compose(ctx: Any) -> None:
        ctx.resource("vpc", VPC())
        ctx.resource("bucket", Bucket(), depends_on=itself)

    text = fatal(compose)
    assert "UsageError" in text
    assert "bucket" in text
    assert "itself" in text


@pytest.mark.parametrize("name", [5, 0, None, b"vpc", ["vpc"], VPC(), ""], ids=repr)
def test_a_name_is_a_string(name: Any) -> None:
    """A resource can't be registered under what isn't a string, or is an empty one."""

    def compose(ctx: Any) -> None:
        with pytest.raises(UsageError, match="a composed resource's name must"):
            ctx.resource(name, Bucket())

    assert not call(compose)[1].resources


@pytest.mark.parametrize("value", ["vpc", b"vpc", 5, VPC()])
def test_depends_on_takes_a_list(value: Any) -> None:
    """depends_on that isn't a list is refused with a text that says so, a name on its own too."""

    def compose(ctx: Any) -> None:
        ctx.resource("vpc", VPC())
        with pytest.raises(UsageError, match=r"bucket.*depends_on takes a list"):
            ctx.resource("bucket", Bucket(), depends_on=value)

    call(compose)


@pytest.mark.parametrize("value", [[5], [Bucket()], [None], [ForProvider()]])
def test_depends_on_takes_resources_and_names(value: Any) -> None:
    """What is in depends_on must be registered resources or names."""

    def compose(ctx: Any) -> None:
        with pytest.raises(UsageError, match="depends_on takes registered resources or their names"):
            ctx.resource("bucket", Bucket(), depends_on=value)

    call(compose)


@pytest.mark.parametrize(
    "use",
    [
        lambda ctx: ctx.composite("x"),
        lambda ctx: ctx.composite(None),
        lambda ctx: ctx.composite(ForProvider),
        lambda ctx: ctx.composite(dict),
        lambda ctx: ctx.composite(XStorageBucket()),
        lambda ctx: ctx.required_resources.get("x", "VPC"),
        lambda ctx: ctx.required_resources.get("x", ForProvider),
        lambda ctx: ctx.required_resources.get("x", VPC()),
    ],
)
def test_what_is_no_resource_class_is_refused(use: Callable[[Any], Any]) -> None:
    """Where a resource class belongs anything else is a UsageError."""

    def compose(ctx: Any) -> None:
        with pytest.raises(UsageError, match="class"):
            use(ctx)

    call(compose)


def test_the_composites_name() -> None:
    """`.name` of the composite is its metadata.name."""

    def compose(ctx: Any) -> None:
        xr = ctx.composite(XStorageBucket)
        assert xr.name == "my-xr"
        assert xr.observed.name == "my-xr"
        assert xr.observed.metadata.name == "my-xr"

    call(compose)
    assert call(lambda ctx: ctx.composite(Unstructured).name)[0] == "my-xr"


# --- the function ------------------------------------------------------------------------------------------------


def test_a_generator_is_refused() -> None:
    """A compose() with a `yield` in it would never run, so decorating it is an error."""

    def generator(ctx: Any) -> Any:
        yield

    async def async_generator(ctx: Any) -> Any:
        yield

    for compose in (generator, async_generator):
        with pytest.raises(UsageError, match="generator"):
            composition.function(compose)
        with pytest.raises(UsageError, match="generator"):
            composition.function(name="step")(compose)


@pytest.mark.parametrize("value", [{}, [], 0, False, "", Bucket(), {"bucket": Bucket()}, (1,)], ids=repr)
def test_a_returned_value_is_fatal(value: Any) -> None:
    """What compose() returns would be lost, so it is a fatal result that says what to do instead."""

    @composition.function
    def compose(ctx: Any) -> Any:
        ctx.resource("vpc", VPC())
        return value

    answer = run(compose)
    assert len(answer.fatal) == 1
    assert "return" in answer.fatal[0]
    assert "ctx.resource" in answer.fatal[0]
    assert not answer.resources


def test_a_value_returned_by_an_async_function_is_fatal() -> None:
    """The same for an `async def` function."""

    @composition.function
    async def compose(ctx: Any) -> Any:
        return {"bucket": Bucket()}

    (text,) = run(compose).fatal
    assert "return" in text


# --- values that don't fit ---------------------------------------------------------------------------------------


def unfit(make: Callable[[], Any]) -> str:
    """Return what is said of a value."""
    with pytest.raises(UsageError) as caught:
        make()
    return str(caught.value)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: Bucket(spec=5), "Bucket.spec: must be a BucketSpec or a mapping (got 5 that is an integer)"),
        (
            lambda: Bucket(metadata="x"),
            "Bucket.metadata: must be an ObjectMeta or a mapping (got 'x' that is a string)",
        ),
        (lambda: Bucket(metadata=[]), "Bucket.metadata: must be an ObjectMeta or a mapping (got [] that is a list)"),
        (
            lambda: ForProvider(rules=[{"name": "a"}, 5]),
            "ForProvider.rules[1]: must be a Rule or a mapping (got 5 that is an integer)",
        ),
        (
            lambda: Bucket(spec={"forProvider": {"versioning": ["x"]}}),
            "Bucket.spec.forProvider.versioning[0]: must be a VersioningItem or a mapping (got 'x' that is a string)",
        ),
        (
            lambda: ForProvider(versioning=[VersioningItem(), Rule()]),
            "ForProvider.versioning[1]: must be a VersioningItem or a mapping (got Rule() that is a Rule)",
        ),
        (lambda: ForProvider(matrix=[[1], 5]), "ForProvider.matrix[1]: must be a list (got 5 that is an integer)"),
        (lambda: ForProvider(byName={"a": 5}), "ForProvider.byName.a: must be a Rule or a mapping (got 5 that is"),
        (lambda: Tree(spec={"children": [{"children": [{}, 5]}]}), "Tree.spec.children[0].children[1]: must be a "),
    ],
)
def test_a_value_that_does_not_fit(make: Callable[[], Any], text: str) -> None:
    """The text has the field, with the index of a list's item, what it takes, and what it was given."""
    assert unfit(make).startswith(text)


def test_items_of_lists_in_lists() -> None:
    """Each list adds its index."""
    lists, _ = load("lists_in_lists", {"Holder": "items_:[[[Item", "Item": "a:s"})
    said = "must be an Item or a mapping (got 5 that is an integer)"
    assert unfit(lambda: lists("Holder")(items_=[[], [[{}], [{}, {}, 5]]])) == f"Holder.items_[1][1][2]: {said}"


def test_a_list_that_contains_itself_has_a_short_name() -> None:
    """Of a list that contains itself only the field is named, not thousands of indexes."""
    value: list[Any] = []
    value.append(value)
    for field in ("matrix", "extra", "versioning"):
        assert len(unfit(lambda field=field: ForProvider(**{field: value}))) < 200  # type: ignore[misc]


def test_classes_of_one_name_are_told_apart() -> None:
    """Where the class of another version or module has the same name, both modules are named."""
    table = {"BucketSpec": "forProvider:ForProvider items_:[Item", "ForProvider": "a:s", "Item": "b:s"}
    (old, _), (new, _) = (load(f"models.bucket.{version}", table) for version in ("v1beta2", "v1beta3"))
    assert unfit(lambda: new("BucketSpec")(forProvider=old("ForProvider")(a="b"))) == (
        "BucketSpec.forProvider: must be a ForProvider of models.bucket.v1beta3 or a mapping "
        "(got ForProvider(a='b') that is a ForProvider of models.bucket.v1beta2)"
    )
    assert unfit(lambda: new("BucketSpec")(items_=[new("Item")(), old("Item")(b="x" * 60)])) == (
        "BucketSpec.items_[1]: must be an Item of models.bucket.v1beta3 or a mapping "
        "(got an Item of models.bucket.v1beta2)"
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [("Rule", "a Rule"), ("ObjectMeta", "an ObjectMeta"), ("User", "a User"), ("Upgrade", "an Upgrade")],
)
def test_articles(name: str, text: str) -> None:
    """The article is that of the sound."""
    make, _ = load("articles", {"Holder": f"field:{name}", name: "a:s"})
    assert unfit(lambda: make("Holder")(field=5)).startswith(f"Holder.field: must be {text} or a mapping ")


# --- markers -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("marker", [NULL, UNSET], ids=repr)
@pytest.mark.parametrize("name", ["x", "name", "value", "location"])
def test_nothing_can_be_set_on_a_marker(marker: Any, name: str) -> None:
    """NULL and UNSET are shared by everybody, so nothing can be set on them."""
    with pytest.raises(AttributeError):
        setattr(marker, name, 1)
    assert repr(marker) in ("NULL", "UNSET")
    assert not marker


def test_a_field_that_is_null_can_not_be_written_below() -> None:
    """Writing below a field that was set to NULL is an error and doesn't pass unnoticed."""

    def compose(ctx: Any) -> None:
        thing = ctx.resource("thing", Unstructured("v1", "Thing"))
        thing.spec = NULL
        thing.spec.a = 1

    assert "AttributeError" in fatal(compose)


def test_observed_state_still_says_where_to_write() -> None:
    """Writing to observed state of a composed resource says that the resource itself is to be set."""

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket())
        with pytest.raises(ReadOnlyError, match=r"without \.observed"):
            bucket.observed.spec.forProvider.location = "x"

    call(compose)


def _of_nothing() -> None:
    """Takes no context."""


@pytest.mark.parametrize(
    ("compose", "problem"),
    [
        (_of_nothing, r"and _of_nothing can't be; write def _of_nothing\(ctx: composition\.Context\) -> None$"),
        (lambda one, other: None, r"and compose can't be; write def compose\(ctx: composition\.Context\) -> None$"),
        (5, r"must decorate a function \(got 5\)$"),
    ],
    ids=["without a context", "lambda", "number"],
)
def test_what_is_decorated(compose: Any, problem: str) -> None:
    """A function that can't be called with a context is refused where it is decorated, with the right line."""
    with pytest.raises(UsageError, match=problem):
        composition.function(compose)
