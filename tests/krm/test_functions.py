"""The decorator: names, roles, and the config class in the annotation."""

from __future__ import annotations

import functools
from typing import Any

import attrs
import pytest

from crossplane_lite import krm
from crossplane_lite.errors import UsageError
from tests.krm.processes import LIST, value

EMPTY = b"apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\n"


@attrs.define
class Config:
    """A config at the top of a module."""

    team: str


def test_bare_and_with_arguments() -> None:
    """The decorator works without and with arguments; the name is the function's, with dashes."""

    @krm.function
    def set_labels(rl: krm.ResourceList) -> None: ...

    @krm.function(role="validator", name="check")
    def validate(rl: krm.ResourceList) -> None: ...

    assert (set_labels.name, set_labels.role) == ("set-labels", "transformer")
    assert (validate.name, validate.role) == ("check", "validator")
    assert repr(validate) == "<KRM function check>"


def test_description() -> None:
    """The description is the docstring without its indentation; a function without one has none."""

    @krm.function
    def one(rl: krm.ResourceList) -> None:
        """First line.

        More.
        """

    @krm.function
    def other(rl: krm.ResourceList) -> None: ...

    assert one.description == "First line.\n\nMore."
    assert other.description == ""


def test_config_class_of_a_string() -> None:
    """An annotation that is a text, as with `from __future__ import annotations`, names the class."""

    @krm.function
    def transform(rl: krm.ResourceList[Config]) -> None: ...

    @krm.function
    def optional(rl: krm.ResourceList[Config | None]) -> None: ...

    assert transform.config_class is Config
    assert optional.config_class is Config


def test_config_class_of_an_object() -> None:
    """An annotation that is an object names the class as well."""

    def transform(rl: Any) -> None: ...

    transform.__annotations__["rl"] = krm.ResourceList[Config]
    assert krm.function(transform).config_class is Config


def test_config_class_beside_the_function() -> None:
    """A class that is local to the function around is found."""

    @attrs.define
    class Local:
        team: str

    @krm.function
    def bare(rl: krm.ResourceList[Local]) -> None: ...

    @krm.function(name="other")
    def named(rl: krm.ResourceList[Local]) -> None: ...

    assert bare.config_class is Local
    assert named.config_class is Local


def test_raw_config() -> None:
    """Without a class, without an annotation and with Any functionConfig stays as it is."""

    @krm.function
    def plain(rl: krm.ResourceList) -> None: ...

    @krm.function
    def untyped(rl) -> None: ...  # type: ignore[no-untyped-def]

    @krm.function
    def anything(rl: krm.ResourceList[Any]) -> None: ...

    @krm.function
    def resource(rl: krm.ResourceList[krm.Resource]) -> None: ...

    @attrs.define
    class Resource:
        """One of the author's own, whatever it is called."""

    @krm.function
    def own(rl: krm.ResourceList[Resource]) -> None: ...

    assert own.config_class is Resource
    assert [one.config_class for one in (plain, untyped, anything, resource)] == [None] * 4


def test_config_class_of_a_wrapped_function() -> None:
    """What other decorators have wrapped is looked through."""

    def logged(body: Any) -> Any:
        @functools.wraps(body)
        def inner(*args: Any) -> Any:
            return body(*args)

        return inner

    @krm.function
    @logged
    def transform(rl: krm.ResourceList[Config]) -> None: ...

    assert transform.config_class is Config


def test_config_class_of_an_object_with_call() -> None:
    """An instance with __call__ and a method are functions too."""

    class Transform:
        def __call__(self, rl: krm.ResourceList[Config]) -> None: ...

        def method(self, rl: krm.ResourceList[Config]) -> None: ...

    assert krm.function(Transform()).config_class is Config
    assert krm.function(Transform().method).config_class is Config


@pytest.mark.parametrize(
    ("annotation", "text"),
    [
        ("krm.ResourceList[NotThere]", "name 'NotThere' is not defined"),
        ("krm.NotThere[Config]", "has no attribute 'NotThere'"),
        ("dict[str, Config]", "must be krm.ResourceList or krm.ResourceList[Config]"),
        ("dict", "(got dict)"),
        ("krm.ResourceList['Config']", "write the config class Config in the type of the parameter without quotes"),
    ],
)
def test_annotations_that_say_nothing(annotation: str, text: str) -> None:
    """An annotation that can't be used is an error result when the function runs, not a crash of its import."""

    def transform(rl: Any) -> None: ...

    transform.__annotations__["rl"] = annotation
    function = krm.function(transform)
    with pytest.raises(UsageError, match="the parameter of|the config class") as caught:
        _ = function.config_class
    assert text in str(caught.value)
    output = function.run(EMPTY)
    assert output.status == 1
    assert text in value(output.stdout)["results"][0]["message"]


def test_called_directly() -> None:
    """A test may call the function with a ResourceList of its own."""

    @krm.function
    def transform(rl: krm.ResourceList) -> None:
        rl.items[0].labels["a"] = "b"

    rl = krm.ResourceList.read(LIST)
    transform(rl)
    assert rl.items[0].labels == {"a": "b"}


def test_async() -> None:
    """`async def` is waited for."""

    @krm.function
    async def transform(rl: krm.ResourceList) -> None:
        import asyncio

        await asyncio.sleep(0)
        rl.items[0].labels["a"] = "b"

    assert value(transform.run(LIST).stdout)["items"][0]["metadata"]["labels"] == {"a": "b"}


def test_async_in_a_loop() -> None:
    """`async def` also runs where an event loop runs already, as in an async test."""
    import asyncio

    @krm.function
    async def transform(rl: krm.ResourceList) -> None:
        await asyncio.sleep(0)
        rl.results.info("done")

    async def main() -> krm.Output:
        return transform.run(LIST)

    assert asyncio.run(main()).status == 0


def test_not_a_function() -> None:
    """What can't be called with one argument is refused where it is decorated."""

    def none() -> None: ...

    def two(rl: Any, other: Any) -> None: ...

    def named(rl: Any, *, other: Any) -> None: ...

    def with_default(rl: Any, other: Any = None) -> None: ...

    def generator(rl: Any) -> Any:
        yield

    for wrong in (none, two, named):
        with pytest.raises(UsageError, match="must take one argument"):
            krm.function(wrong)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="must not be a generator"):
        krm.function(generator)
    with pytest.raises(UsageError, match="takes a function"):
        krm.function("x")  # type: ignore[call-overload]
    assert krm.function(with_default).name == "with-default"


def test_wrong_arguments() -> None:
    """A role that there isn't and an empty name are refused."""
    with pytest.raises(UsageError, match=r"must be one of .*'validator' \(got 'mutator'\)"):
        krm.function(role="mutator")  # type: ignore[call-overload]
    with pytest.raises(UsageError, match="isn't empty"):
        krm.function(name="")


def test_the_decorator_outlives_its_module() -> None:
    """`krm.function` is the decorator, whatever of the package was imported first."""
    import crossplane_lite.krm.functions

    assert krm.function is crossplane_lite.krm.functions.function


def test_a_result_may_be_returned() -> None:
    """`return rl.results.error(...)` ends a function; any other value is a mistake."""

    def body(rl: krm.ResourceList) -> Any:
        return rl.results.error("no") if not len(rl.items) else 3

    function = krm.function(body)
    output = function.run(b"kind: ResourceList\nitems: []\n")
    assert (output.status, output.stderr) == (1, "error: no\n")
    output = function.run(b"kind: ResourceList\nitems:\n- kind: A\n")
    assert "must return nothing (got an integer)" in output.stderr


def test_a_chain() -> None:
    """Functions of a chain run one after the other, each with its own config, until one adds an error."""

    @attrs.define
    class One:
        a: str

    @attrs.define
    class Other:
        a: int

    @krm.function
    def first(rl: krm.ResourceList[One]) -> None:
        rl.items[0].labels["first"] = rl.config.a

    @krm.function
    def second(rl: krm.ResourceList) -> krm.Result:
        rl.items[0].labels["second"] = rl.items[0].labels["first"]
        return rl.results.info(rl.config["data"]["a"] if rl.config is not None else "none")

    @krm.function
    def third(rl: krm.ResourceList[Other]) -> None:
        rl.items.clear()

    chained = krm.chain(first, second, third)
    assert chained.name == "first+second+third"
    data = b"kind: ResourceList\nitems:\n- kind: A\nfunctionConfig: {kind: ConfigMap, data: {a: '1'}}\n"
    output = chained.run(data)
    assert (output.status, output.stdout.partition(b"functionConfig")[0]) == (0, b"kind: ResourceList\nitems: []\n")
    output = chained.run(data.replace(b"'1'", b"x"))
    assert output.status == 1 and b"second: x" in output.stdout
    assert "functionConfig.data.a must be an integer" in output.stderr
    with pytest.raises(UsageError, match="chain.. takes functions made by @krm.function"):
        krm.chain(first, len)  # type: ignore[arg-type]
