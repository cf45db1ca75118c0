"""What the types of an input's class ask for, and what a composition's author reads when they don't get it."""

from __future__ import annotations

import dataclasses
import enum
import json
import re
import typing
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NewType

import attrs
import pytest

from crossplane_lite import composition
from crossplane_lite._core.schemas.structure import structure
from crossplane_lite.errors import InputError, UsageError
from crossplane_lite.model import Model
from tests.behaviour.models import Rule
from tests.support import call, run

Json = dict[str, Any]

ROOT = Path(__file__).resolve().parents[2]


class Tier(enum.Enum):
    """A choice of texts."""

    SMALL = "small"
    LARGE = "large"


class Level(enum.IntEnum):
    """A choice of numbers."""

    LOW = 1
    HIGH = 2


class Mixed(enum.Enum):
    """A choice of both."""

    ONE = 1
    TWO = "two"


class Name(str):
    """A text of a type of its own."""


Region = NewType("Region", str)


@attrs.define
class Zone:
    """A part of the input."""

    name: str
    weight: int = 1


@attrs.define
class Gateway:
    """Another part, that shares a key with `Zone`."""

    name: str
    address: str


@attrs.define
class Tree:
    """A part that holds others like it."""

    value: int
    children: list[Tree] = attrs.Factory(list)
    named: dict[str, Tree] = attrs.Factory(dict)


@dataclasses.dataclass
class Port:
    """A dataclass among attrs classes."""

    number: int
    protocol: str = "TCP"
    tags: list[str] = dataclasses.field(default_factory=list)


@attrs.frozen(kw_only=True)
class Input:
    """An input with a field of every type that `test_input` doesn't have."""

    mode: Literal["auto", "manual"] = "auto"
    retries: Literal[1, 2, "many"] = 1
    picked: Literal[Tier.SMALL] = Tier.SMALL
    tier: Tier = Tier.SMALL
    level: Level = Level.LOW
    mixed: Mixed = Mixed.ONE
    name: Name = Name("x")
    region: Region = Region("eu")
    noted: Annotated[int, "a note"] = 0
    size: float | str = 0.0
    flag: bool | int = False
    number: float | int = 0
    either: Zone | Gateway | None = None
    one_or_many: Zone | list[Zone] | str = ""
    nested: dict[str, list[dict[str, Zone | None]]] = attrs.Factory(dict)
    maybe_list: list[int] | None = None
    maybe_zone: Zone | None = None
    by_tier: dict[Tier, int] = attrs.Factory(dict)
    pair: tuple[int, str] = (0, "")
    numbers: tuple[int, ...] = ()
    unique: set[str] = attrs.Factory(set)
    words: Sequence[str] = ()
    counts: Mapping[str, int] = attrs.Factory(dict)
    bare_list: list = attrs.Factory(list)
    bare_dict: dict = attrs.Factory(dict)
    tree: Tree | None = None
    port: Port | None = None
    rule: Rule | None = None
    from_: str | None = None
    bucket_name: str | None = attrs.field(default=None, alias="bucketName")
    _hidden: int = 0
    derived: int = attrs.field(init=False, default=7)
    positive: int = attrs.field(default=1, validator=attrs.validators.ge(1))
    chosen: str = attrs.field(default="a", alias="chosenZone", validator=attrs.validators.in_(("a", "b")))
    upper: str = attrs.field(default="", converter=str.upper)


@attrs.define
class Needs:
    """An input with fields that have no default."""

    name: str
    size: int
    maybe: str | None
    zones: list[Zone]


@dataclasses.dataclass
class Counted:
    """A dataclass with something that isn't a field."""

    size: int
    made: typing.ClassVar[int] = 0


class Inherited(Counted):
    """A subclass that isn't decorated has the fields of its base."""


@dataclasses.dataclass
class Extended:
    """A dataclass with an argument that isn't kept."""

    more: dataclasses.InitVar[int] = 0


@attrs.define
class Both:
    """An input with fields of these classes."""

    counted: Counted | None = None
    inherited: Inherited | None = None


def structured(cls: Any = Input, /, **values: Any) -> Any:
    """Return the input as `cls`."""
    return call(lambda ctx: ctx.input_as(cls), input=values)[0]


def refused(cls: Any = Input, /, **values: Any) -> str:
    """Return the text of the one fatal result."""

    @composition.function
    def compose(ctx: Any) -> None:
        ctx.input_as(cls)

    answer = run(compose, input=values)
    (text,) = answer.fatal
    assert not answer.resources
    return text


@pytest.mark.parametrize(("name", "cls"), [("counted", Counted), ("inherited", Inherited)])
def test_other_attributes_of_a_dataclass(name: str, cls: Any) -> None:
    """A class variable isn't a field of the input, also where a subclass has it that isn't decorated."""
    made = getattr(structured(Both, **{name: {"size": 1}}), name)
    assert type(made) is cls
    assert made.size == 1
    assert f"input.{name}.made" in refused(Both, **{name: {"size": 1, "made": 2}})


def test_an_argument_that_is_not_kept() -> None:
    """An InitVar is refused."""
    cls = attrs.make_class("Odd", {"extended": attrs.field(type=Extended, default=None)})
    assert "Odd.extended.more has the type dataclasses.InitVar[int]" in refused(cls)


@pytest.mark.parametrize(
    ("values", "field", "expected"),
    [
        ({"mode": "manual"}, "mode", "manual"),
        ({"retries": 2}, "retries", 2),
        ({"retries": "many"}, "retries", "many"),
        ({"picked": "small"}, "picked", Tier.SMALL),
        ({"tier": "large"}, "tier", Tier.LARGE),
        ({"level": 2}, "level", Level.HIGH),
        ({"mixed": 1}, "mixed", Mixed.ONE),
        ({"mixed": "two"}, "mixed", Mixed.TWO),
        ({"name": "y"}, "name", Name("y")),
        ({"region": "us"}, "region", "us"),
        ({"noted": 5}, "noted", 5),
        ({"size": 1}, "size", 1.0),
        ({"size": "1"}, "size", "1"),
        ({"flag": 1}, "flag", 1),
        ({"flag": True}, "flag", True),
        ({"number": 1}, "number", 1),
        ({"number": 1.5}, "number", 1.5),
        ({"either": {"name": "a"}}, "either", Zone("a")),
        ({"either": {"name": "a", "weight": 2}}, "either", Zone("a", 2)),
        ({"either": {"name": "a", "address": "b"}}, "either", Gateway("a", "b")),
        ({"either": None}, "either", None),
        ({"one_or_many": {"name": "a"}}, "one_or_many", Zone("a")),
        ({"one_or_many": [{"name": "a"}]}, "one_or_many", [Zone("a")]),
        ({"one_or_many": "all"}, "one_or_many", "all"),
        ({"nested": {"a": [{"b": {"name": "c"}, "d": None}]}}, "nested", {"a": [{"b": Zone("c"), "d": None}]}),
        ({"maybe_list": None}, "maybe_list", None),
        ({"maybe_list": [1]}, "maybe_list", [1]),
        ({"by_tier": {"small": 1}}, "by_tier", {Tier.SMALL: 1}),
        ({"pair": [1, "a"]}, "pair", (1, "a")),
        ({"numbers": [1, 2]}, "numbers", (1, 2)),
        pytest.param({"unique": ["a", "b", "a"]}, "unique", {"a", "b"}, id="unique"),
        ({"bare_list": [1, "a", None]}, "bare_list", [1, "a", None]),
        ({"bare_dict": {"a": [1]}}, "bare_dict", {"a": [1]}),
        (
            {"tree": {"value": 1, "children": [{"value": 2, "named": {"x": {"value": 3}}}]}},
            "tree",
            Tree(1, [Tree(2, [], {"x": Tree(3)})]),
        ),
        ({"port": {"number": 80, "tags": ["a"]}}, "port", Port(80, "TCP", ["a"])),
        ({"rule": {"name": "a", "age": 3}}, "rule", Rule(name="a", age=3)),
        ({"from": "here"}, "from_", "here"),
        ({"bucketName": "photos"}, "bucket_name", "photos"),
        ({"hidden": 5}, "_hidden", 5),
        ({"upper": "abc"}, "upper", "ABC"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_fits_is_taken(values: Json, field: str, expected: Any) -> None:
    """Every type takes what JSON has for it, and gives a value of that very type."""
    value = getattr(structured(**values), field)
    assert value == expected
    assert type(value) is type(expected)


def test_defaults_stand_for_what_is_missing() -> None:
    """Fields with a default may be left out; those of nested classes too."""
    made = structured()
    assert made == Input()
    assert made.derived == 7
    assert structured(maybe_zone={"name": "a"}).maybe_zone.weight == 1
    assert structured().bare_dict is not structured().bare_dict


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        # Booleans aren't numbers, numbers aren't text, and text isn't a list.
        ({"mode": "Auto"}, 'input.mode must be "auto" or "manual" (got "Auto")'),
        ({"mode": None}, 'input.mode must be "auto" or "manual" (got null)'),
        ({"retries": True}, 'input.retries must be 1, 2 or "many" (got true)'),
        ({"retries": "1"}, 'input.retries must be 1, 2 or "many" (got "1")'),
        ({"retries": 1.5}, 'input.retries must be 1, 2 or "many" (got 1.5)'),
        ({"picked": "large"}, 'input.picked must be "small" (got "large")'),
        ({"tier": "SMALL"}, 'input.tier must be "small" or "large" (got "SMALL")'),
        ({"tier": ["small"]}, 'input.tier must be "small" or "large" (got ["small"])'),
        ({"level": True}, "input.level must be 1 or 2 (got true)"),
        ({"level": "1"}, 'input.level must be 1 or 2 (got "1")'),
        ({"mixed": True}, 'input.mixed must be 1 or "two" (got true)'),
        ({"name": 5}, "input.name must be a string (got 5)"),
        ({"region": None}, "input.region must be a string (got null)"),
        ({"noted": "5"}, 'input.noted must be an integer (got "5")'),
        ({"noted": 1.5}, "input.noted must be an integer (got 1.5)"),
        ({"size": True}, "input.size must be a number or a string (got true)"),
        ({"flag": "true"}, 'input.flag must be a boolean or an integer (got "true")'),
        ({"number": "1"}, 'input.number must be a number or an integer (got "1")'),
        ({"either": "a"}, 'input.either must be a mapping or null (got "a")'),
        ({"either": {"name": 5}}, "input.either.name must be a string (got 5)"),
        ({"either": {"name": "a", "address": 5}}, "input.either.address must be a string (got 5)"),
        ({"one_or_many": 5}, "input.one_or_many must be a mapping, a list or a string (got 5)"),
        ({"one_or_many": [{"name": 5}]}, "input.one_or_many[0].name must be a string (got 5)"),
        ({"nested": {"a": [{"b": {}}]}}, "input.nested['a'][0]['b'].name is required"),
        ({"nested": {"a": {}}}, "input.nested['a'] must be a list (got {})"),
        ({"maybe_list": "12"}, 'input.maybe_list must be a list or null (got "12")'),
        ({"maybe_list": [1, None]}, "input.maybe_list[1] must be an integer (got null)"),
        ({"maybe_zone": []}, "input.maybe_zone must be a mapping or null (got [])"),
        ({"by_tier": {"huge": 1}}, 'input.by_tier[\'huge\'] must be "small" or "large" (got "huge")'),
        ({"pair": [1]}, "input.pair must be a list of 2 (got [1])"),
        ({"pair": ["1", 2]}, 'input.pair[0] must be an integer (got "1"); input.pair[1] must be a string (got 2)'),
        ({"numbers": "12"}, 'input.numbers must be a list (got "12")'),
        ({"numbers": [1, "2"]}, 'input.numbers[1] must be an integer (got "2")'),
        ({"unique": {"a": 1}}, 'input.unique must be a list (got {"a": 1})'),
        ({"tree": {"value": 1, "children": [{"value": "2"}]}}, "input.tree.children[0].value must be an integer"),
        ({"port": {"number": "80"}}, 'input.port.number must be an integer (got "80")'),
        ({"port": {"numbr": 80}}, "input.port.numbr is not a field; did you mean 'number'?"),
        ({"rule": {"nam": "a"}}, "did you mean 'name'?"),
        ({"from_": "here"}, "input.from_ is not a field; did you mean 'from'?"),
        ({"bucket_name": "x"}, "input.bucket_name is not a field; did you mean 'bucketName'?"),
        ({"_hidden": 5}, "input._hidden is not a field; did you mean 'hidden'?"),
        ({"derived": 5}, "input.derived is not a field"),
        ({"positive": 0}, "input.positive: 'positive' must be >= 1: 0"),
        ({"chosenZone": "c"}, "input.chosenZone: 'chosen' must be in ('a', 'b') (got 'c') ("),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_does_not_fit_is_said_with_its_path(values: Json, problem: str) -> None:
    """The message says where, what belongs there, and what is there, in the words of YAML."""
    assert problem in refused(**values)


def test_every_problem_is_in_the_one_message() -> None:
    """Problems at every depth, missing fields and unknown keys are in one fatal result, sorted by path."""
    text = refused(
        Needs,
        nmae="x",
        size="5",
        zones=[{"name": 1}, {"name": "fine"}, {"weight": True, "colour": "red"}],
    )
    assert text.startswith(
        "InputError: the function's input is wrong: "
        "input.maybe is required; "
        "input.name is required; "
        "input.nmae is not a field; did you mean 'name'?; "
        'input.size must be an integer (got "5"); '
        "input.zones[0].name must be a string (got 1); "
        "input.zones[2].colour is not a field; "
        "input.zones[2].name is required; "
        "input.zones[2].weight must be an integer (got true)"
    )


def test_the_message_says_nothing_of_python() -> None:
    """A composition's author sees the message alone, so it has no classes, modules and tracebacks in it."""
    text = refused(Needs)
    for word in ("Needs", "cattrs", "class", "Traceback", "Optional", "NoneType", "dict"):
        assert word not in text


def test_a_step_without_input() -> None:
    """Without an input every field must have a default."""

    @composition.function
    def compose(ctx: Any) -> None:
        assert ctx.input is None
        ctx.input_as(Needs)

    assert "input.name is required" in run(compose).fatal[0]
    assert call(lambda ctx: ctx.input_as(Input))[0] == Input()


def test_secrets_in_an_input_are_masked() -> None:
    """What the message shows of a value is masked where it is a known secret."""

    @composition.function
    def compose(ctx: Any) -> None:
        ctx.input_as(Input)

    answer = run(compose, input={"noted": "hunter2-and-more"}, credentials={"c": {"p": b"hunter2-and-more"}})
    assert 'input.noted must be an integer (got "[secret]")' in answer.fatal[0]


@pytest.mark.parametrize("secret", ["x" * 60 + "-the-end-of-it", 'pass"wörd-' * 10])
def test_a_secret_that_is_cut_is_masked_before(secret: str) -> None:
    """Of a secret that would be cut nothing is shown."""

    @composition.function
    def compose(ctx: Any) -> None:
        ctx.input_as(Input)

    value = ["-" * 40, secret]
    answer = run(compose, input={"noted": value}, credentials={"c": {"p": secret.encode()}})
    assert 'got ["-----' in answer.fatal[0]
    assert "[secret]" in answer.fatal[0]
    assert secret[:8] not in answer.fatal[0]


def test_the_message_of_the_page() -> None:
    """The message on the page about typed input is what comes."""

    @attrs.define
    class Documented:
        region: str
        zones: list[str] = attrs.Factory(list)
        tier: Literal["small", "large"] = "small"

    text = refused(Documented, regoin="eu", tier="huge", zones=["a", 5])
    shown = re.sub(r"\(\w+\.py:\d+\)$", "(function.py:8)", text)
    assert shown in " ".join((ROOT / "docs" / "how-to" / "typed-input.rst").read_text().split())


def test_long_values_are_cut_and_many_problems_counted() -> None:
    """The message stays of a size that people can read."""
    text = refused(Needs, name=["x" * 10_000], zones=[{"name": at} for at in range(500)])
    assert len(text) < 10_000
    assert text.count("must be a string") >= 90
    assert "; and 403 more" in text


@pytest.mark.parametrize("depth", [15, 5_000])
def test_deep_input(depth: int) -> None:
    """A deep input is structured, or refused with a message; it ends neither the call nor the process."""
    tree: Json = {"value": 1}
    for _ in range(depth):
        tree = {"value": 1, "children": [tree]}
    if depth < 100:
        assert structure({"tree": tree}, Input).tree is not None
    else:
        with pytest.raises(InputError, match="input is wrong: input is nested too deep"):
            structure({"tree": tree}, Input)


def test_json_numbers_of_any_spelling() -> None:
    """Structs carry doubles: a whole one is an integer, and a float where the class says so."""
    made = structured(**json.loads('{"noted": 3, "number": 2, "size": 4}'))
    assert (made.noted, made.number, made.size) == (3, 2, 4.0)
    assert type(made.size) is float


# --- mistakes of the function's author -------------------------------------------------------------------------------


class Plain:
    """No attrs class."""


@attrs.define
class WithBytes:
    """Bytes, deep inside."""

    fine: int
    items: list[dict[str, bytes]]
    at: Plain | None = None


@attrs.define
class WithKeys:
    """A mapping with keys that JSON doesn't have."""

    ports: dict[int, str]


class Odd(enum.Enum):
    """A choice that JSON doesn't have."""

    PAIR = (1, 2)


@attrs.define
class WithOdd:
    """Such a choice."""

    odd: Odd


@pytest.mark.parametrize(
    ("cls", "words"),
    [
        (
            WithBytes,
            [
                "WithBytes.items[][] has the type bytes",
                "WithBytes.at has the type tests.behaviour.test_typed_input.Plain",
            ],
        ),
        (WithKeys, ["WithKeys.ports has the type dict[int, str]"]),
        (WithOdd, ["WithOdd.odd has the type tests.behaviour.test_typed_input.Odd", "aren't strings"]),
    ],
)
def test_types_that_no_input_has_are_named(cls: Any, words: list[str]) -> None:
    """A class with such a field is the function author's mistake, whatever the input is; the path of each is named."""

    def compose(ctx: Any) -> str:
        with pytest.raises(UsageError) as caught:
            ctx.input_as(cls)
        return str(caught.value)

    for values in ({}, {"fine": 1}):
        text, _ = call(compose, input=values)
        for word in words:
            assert word in text


@pytest.mark.parametrize("cls", [Plain, dict, int, Port, Any, None])
def test_only_attrs_classes(cls: Any) -> None:
    """What isn't an attrs class is refused by name."""

    def compose(ctx: Any) -> None:
        with pytest.raises(UsageError, match="attrs class"):
            ctx.input_as(cls)

    call(compose, input={})


def test_types_that_can_not_be_looked_up() -> None:
    """Annotations as texts have to name what is at the top of the module."""

    @attrs.define
    class Inner:
        name: str

    @attrs.define
    class Outer:
        inner: Inner

    def compose(ctx: Any) -> None:
        with pytest.raises(UsageError, match=r"types of Outer can't be looked up.*'Inner'.*top of the module"):
            ctx.input_as(Outer)

    call(compose, input={})


def test_models_in_an_input() -> None:
    """A field may be of a model's class; what the model says of a wrong key has the path in front."""
    assert isinstance(structured(rule={"name": "a"}).rule, Model)
    assert "input.rule" in refused(rule={"nam": "a"})
