"""functionConfig as an attrs class."""

from __future__ import annotations

import enum
import json
from typing import Any, Literal

import attrs
import pytest

from crossplane_lite.errors import InputError, UsageError
from crossplane_lite.krm.config import ConfigError
from crossplane_lite.krm.resource_list import ResourceList
from tests.krm.lists import read


class Size(enum.Enum):
    """A size by name."""

    SMALL = "small"
    LARGE = "large"


@attrs.define
class Rule:
    name: str
    port: int = 80


@attrs.define
class All:
    """A field of each type."""

    text: str = ""
    number: int = 0
    ratio: float = 0.0
    flag: bool = False
    size: Size = Size.SMALL
    level: Literal["low", "high", 3] = "low"
    maybe: int | None = None
    either: int | str = 0
    names: list[str] = attrs.field(factory=list)
    labels: dict[str, str] = attrs.field(factory=dict)
    rules: list[Rule] = attrs.field(factory=list)
    rule: Rule | None = None
    anything: Any = None
    from_: str = ""


@attrs.define
class Needs:
    labels: dict[str, str]


@attrs.define
class WithSpec:
    """A class with `spec` describes the whole object."""

    spec: Rule
    metadata: dict[str, Any] = attrs.field(factory=dict)


@attrs.define
class WithData:
    """A class with `data` describes the ConfigMap itself."""

    data: dict[str, str]


def config_map(**data: str) -> str:
    """Return a ConfigMap."""
    lines = "".join(f"  {key}: {json.dumps(value)}\n" for key, value in data.items())
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: setup\n  namespace: ns\ndata:\n{lines}"


@pytest.mark.parametrize(
    ("field", "text", "value"),
    [
        ("text", "plain", "plain"),
        ("text", "3", "3"),
        ("text", "true", "true"),
        ("text", "", ""),
        ("number", "3", 3),
        ("number", " -3 ", -3),
        ("number", "0644", 420),
        ("number", "0x10", 16),
        ("number", "1e3", 1000),
        ("ratio", "1.5", 1.5),
        ("ratio", "2", 2.0),
        ("flag", "true", True),
        ("flag", "False", False),
        ("size", "large", Size.LARGE),
        ("level", "high", "high"),
        ("level", "3", 3),
        ("maybe", "5", 5),
        ("maybe", "", None),
        ("maybe", "null", None),
        ("either", "5", "5"),
        ("names", "[a, b]", ["a", "b"]),
        ("names", "- a\n- b # c\n", ["a", "b"]),
        ("names", '["a", "b"]', ["a", "b"]),
        ("names", "[]", []),
        ("labels", "a: b\nc: 'd'\n", {"a": "b", "c": "d"}),
        ("labels", "{a: b}", {"a": "b"}),
        ("labels", '{"a": "b"}', {"a": "b"}),
        ("rules", "- name: a\n  port: 8080\n- {name: b}\n", [Rule("a", 8080), Rule("b")]),
        ("rule", "name: a\n", Rule("a")),
        ("anything", "5", "5"),
        ("from", "there", "there"),
    ],
)
def test_the_strings_of_a_config_map(field: str, text: str, value: object) -> None:
    """A ConfigMap has only text; it is read as what the class asks for, with YAML's words as Kubernetes has them."""
    rl = read(config=config_map(**{field: text}), config_class=All)
    made = getattr(rl.config, "from_" if field == "from" else field)
    assert made == value and type(made) is type(value)
    assert not rl.has_errors


@pytest.mark.parametrize(
    ("field", "text", "problem"),
    [
        ("number", "abc", 'functionConfig.data.number must be an integer (got "abc")'),
        ("number", "1.5", 'functionConfig.data.number must be an integer (got "1.5")'),
        ("number", "true", 'functionConfig.data.number must be an integer (got "true")'),
        ("flag", "yes", 'functionConfig.data.flag must be a boolean (got "yes"); write true or false'),
        ("flag", "1", 'functionConfig.data.flag must be a boolean (got "1"); write true or false'),
        ("size", "huge", 'functionConfig.data.size must be "small" or "large" (got "huge")'),
        ("names", "a,b", 'functionConfig.data.names must be a list (got "a,b")'),
        ("names", "[1]", "functionConfig.data.names[0] must be a string (got 1)"),
        ("names", "[a", 'functionConfig.data.names must be a list (got "[a")'),
        ("rules", "[{name: a, prot: 1}]", "functionConfig.data.rules[0].prot is not a field; did you mean 'port'?"),
        ("rules", "[{}]", "functionConfig.data.rules[0].name is required"),
        ("labls", "a: b", "functionConfig.data.labls is not a field; did you mean 'labels'?"),
    ],
)
def test_what_is_wrong_is_a_result(field: str, text: str, problem: str) -> None:
    """Each mistake is an error that names the field in its message, and as the result's field."""
    rl = read(config=config_map(**{field: text}), config_class=All)
    (result,) = rl.results
    assert rl.has_errors and result.severity == "error" and result.message == problem
    assert result.resource_ref == {"apiVersion": "v1", "kind": "ConfigMap", "name": "setup", "namespace": "ns"}
    assert result.field is not None and result.field["path"].startswith(f"data.{field}")
    with pytest.raises(ConfigError, match="functionConfig.data"):
        _ = rl.config
    assert "currentValue" not in result.field or result.field["currentValue"] == text
    assert ResourceList.read(rl.write()).results == [result]


def test_everything_that_is_wrong_is_said() -> None:
    """There is a result for each mistake, in the order of their paths."""
    rl = read(config=config_map(number="a", flag="b", unknown="c"), config_class=All)
    assert [result.field["path"] for result in rl.results if result.field] == [
        "data.flag",
        "data.number",
        "data.unknown",
    ]
    with pytest.raises(InputError) as caught:
        _ = rl.config
    assert isinstance(caught.value, ConfigError) and len(caught.value.problems) == 3


def test_a_typed_object() -> None:
    """The class describes the object's fields beside apiVersion, kind and metadata; values have their own types."""
    config = "apiVersion: example.org/v1\nkind: SetLabels\nmetadata: {name: x}\nlabels: {a: b}\n"
    assert read(config=config, config_class=Needs).config == Needs({"a": "b"})
    rl = read(config=config.replace("b}", "3}"), config_class=Needs)
    assert [result.message for result in rl.results] == ["functionConfig.labels['a'] must be a string (got 3)"]
    assert rl.results[0].field == {"path": "labels['a']", "currentValue": 3}


def test_a_class_with_spec() -> None:
    """Where the class has a field `spec`, or `metadata`, it is that field of the object."""
    config = "apiVersion: example.org/v1\nkind: X\nmetadata: {name: x}\nspec: {name: a, port: 1}\n"
    made = read(config=config, config_class=WithSpec).config
    assert made.spec == Rule("a", 1) and made.metadata == {"name": "x"}
    wrong = read(config=config.replace("port: 1", "port: '1'"), config_class=WithSpec)
    assert wrong.results[0].field == {"path": "spec.port", "currentValue": "1"}


def test_a_class_with_data() -> None:
    """A class that has `data` itself gets the ConfigMap, not what is in it."""
    assert read(config=config_map(a="1"), config_class=WithData).config == WithData({"a": "1"})


def test_fields_below_spec() -> None:
    """Fields that stand below `spec`, as in other objects, are named with the place where they belong."""
    found = read(config="kind: X\nmetadata: {name: x}\nspec: {labels: {a: b}, other: 1}\n", config_class=Needs).results
    texts = [result.message for result in found]
    assert "functionConfig: write labels beside metadata, not below spec" in texts
    assert "functionConfig.spec is not a field" in texts


@pytest.mark.parametrize(
    ("config", "problem"),
    [
        ("apiVersion: v1\nkind: ConfigMap\ndata: text\n", "functionConfig.data must be a mapping (got a string)"),
        (
            "apiVersion: v1\nkind: ConfigMap\ndata: {}\nbinaryData: {a: YQ==}\n",
            "functionConfig.binaryData is not a field: only the data of a ConfigMap is read; move it below data",
        ),
        ("apiVersion: v1\nkind: ConfigMap\ndata: {number: [1]}\n", "functionConfig.data.number must be an integer"),
        ("kind: X\nspec: {}\n", "functionConfig.spec is not a field"),
    ],
)
def test_an_object_of_the_wrong_shape(config: str, problem: str) -> None:
    """Wrong types at every place give a result, not a traceback."""
    rl = read(config=config, config_class=All)
    assert problem in rl.results[0].message


def test_a_config_map_without_data() -> None:
    """It gives the defaults; what has none is required."""
    bare = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n"
    assert read(config=bare, config_class=All).config == All()
    assert read(config=bare + "immutable: true\n", config_class=All).config == All()
    assert read(config=bare, config_class=Needs).results[0].message == "functionConfig.data.labels is required"


def test_values_that_arent_text() -> None:
    """People leave the quotes out; what fits the type counts all the same, and what doesn't is said."""
    bare = "apiVersion: v1\nkind: ConfigMap\ndata:\n  number: 3\n  text: 1.10\n"
    rl = read(config=bare, config_class=All)
    assert [result.message for result in rl.results] == ["functionConfig.data.text must be a string (got 1.1)"]


@pytest.mark.parametrize("config", ["", "kind: function-input\n"])
def test_none(config: str) -> None:
    """Without functionConfig, or with kpt's placeholder, it is None, whatever the class needs."""
    for cls in (Needs, Needs | None):
        rl = read(config=config, config_class=cls)
        assert rl.config is None and not rl.has_errors


def test_an_optional_class() -> None:
    """`Config | None` is the class where there is a functionConfig."""
    assert read(config=config_map(labels="{a: b}"), config_class=Needs | None).config == Needs({"a": "b"})


@pytest.mark.parametrize("cls", [int, dict, "Needs", Needs | All])
def test_what_is_no_config_class(cls: Any) -> None:
    """A class that attrs doesn't know is the author's mistake, not the config's."""
    with pytest.raises(UsageError, match="the config class must be an attrs class"):
        read(config=config_map(), config_class=cls)


def test_deep_nesting_is_an_error() -> None:
    """YAML in a ConfigMap may be nested as deep as anybody likes."""
    rl = read(config=config_map(rules="[" * 5000 + "]" * 5000), config_class=All)
    assert rl.has_errors and rl.results[0].message.startswith("functionConfig.data.rules")
