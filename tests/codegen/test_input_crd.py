"""`crossplane-lite generate-input`: the CustomResourceDefinition of a function's input."""

from __future__ import annotations

import enum
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Optional, Union

import attrs
import jsonschema
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from crossplane_lite._core import codec
from crossplane_lite._core.schemas.structure import structure
from crossplane_lite._tools.codegen.input_crd import input_crd
from crossplane_lite.cli import main
from crossplane_lite.errors import InputError, UsageError
from tests.behaviour.models import Rule
from tests.runtime.serving import ROOT

Json = dict[str, Any]

NAMES = {"api_version": "naming.fn.crossplane.io/v1beta1"}
HERE = __name__
INT_OR_STRING: Json = {"anyOf": [{"type": "integer"}, {"type": "string"}], "x-kubernetes-int-or-string": True}


class Tier(enum.Enum):
    """A choice."""

    SMALL = "small"
    LARGE = "large"


@attrs.define
class Zone:
    """A zone of the network.

    Attributes:
        name: What it is called,
            over two lines.
    """

    name: str
    weight: int = 1


@attrs.define
class Tree:
    """A part that holds others like it."""

    value: int
    children: list[Tree] = attrs.Factory(list)


@attrs.define
class Base:
    """A base class.

    Attributes:
        region: Where everything is.
    """

    region: str


@attrs.define
class Input(Base):
    """What the function is told.

    It has more
    than one paragraph.

    Attributes:
        zones (list[Zone]): The zones: all of them.
        either: This or that.
        missing: No field is called like this.

    Raises:
        ValueError: Not an attribute.
    """

    zones: list[Zone]
    tier: Tier = Tier.SMALL
    mode: Literal["auto", "manual"] | None = None
    either: bool | str | None = None
    port: int | str = 80
    ratio: float = 0.5
    public: bool = True
    labels: dict[str, str] = attrs.Factory(dict)
    extra: dict[str, Any] = attrs.Factory(dict)
    default_zone: Zone = attrs.field(factory=lambda: Zone("a"), alias="defaultZone")
    maybe: Zone | None = None
    from_: str | None = None
    tree: Tree | None = None
    rule: Rule | None = None


@attrs.define
class Named:
    """An input that says itself what it is."""

    apiVersion: str = "own.fn.crossplane.io/v1alpha1"
    kind: str = "Resources"
    metadata: dict[str, Any] = attrs.Factory(dict)
    size: int = 0


def schema_of(cls: Any) -> Json:
    """Return the schema that the CustomResourceDefinition of a class has."""
    schema: Json = input_crd(cls, **NAMES)["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    return schema


def property_of(type_: Any, default: Any = attrs.NOTHING) -> Json:
    """Return the schema of a field of this type."""
    cls = attrs.make_class("Made", {"x": attrs.field(type=type_, default=default)})
    made: Json = schema_of(cls)["properties"]["x"]
    return made


# --- the manifest ----------------------------------------------------------------------------------------------------


def test_the_whole_manifest() -> None:
    """The manifest is the one that a function package carries: no spec, no status, fields beside apiVersion."""
    crd = input_crd(Input, **NAMES)
    schema = crd["spec"]["versions"][0].pop("schema")["openAPIV3Schema"]
    assert crd == {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "inputs.naming.fn.crossplane.io"},
        "spec": {
            "group": "naming.fn.crossplane.io",
            "names": {
                "categories": ["crossplane"],
                "kind": "Input",
                "listKind": "InputList",
                "plural": "inputs",
                "singular": "input",
            },
            "scope": "Namespaced",
            "versions": [{"name": "v1beta1", "served": True, "storage": True}],
        },
    }
    properties = schema.pop("properties")
    assert schema == {
        "description": "What the function is told.\n\nIt has more than one paragraph.",
        "type": "object",
        "required": ["region", "zones"],
    }
    zone = {
        "description": "A zone of the network.",
        "type": "object",
        "properties": {
            "name": {"description": "What it is called, over two lines.", "type": "string"},
            "weight": {"type": "integer", "default": 1},
        },
        "required": ["name"],
    }
    assert properties == {
        "apiVersion": {"description": "The group and version of this input.", "type": "string"},
        "kind": {"description": "The kind of this input.", "type": "string"},
        "metadata": {"type": "object"},
        "region": {"description": "Where everything is.", "type": "string"},
        "zones": {"description": "The zones: all of them.", "type": "array", "items": zone},
        "tier": {"type": "string", "default": "small", "enum": ["small", "large"]},
        "mode": {"type": "string", "nullable": True, "enum": ["auto", "manual", None]},
        "either": {
            "description": "This or that. A boolean, a string or null.",
            "nullable": True,
            "x-kubernetes-preserve-unknown-fields": True,
        },
        "port": {
            "anyOf": [{"type": "integer"}, {"type": "string"}],
            "x-kubernetes-int-or-string": True,
            "default": 80,
        },
        "ratio": {"type": "number", "default": 0.5},
        "public": {"type": "boolean", "default": True},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}, "default": {}},
        "extra": {"type": "object", "x-kubernetes-preserve-unknown-fields": True, "default": {}},
        "defaultZone": {**zone, "default": {"name": "a", "weight": 1}},
        "maybe": {**zone, "nullable": True},
        "from": {"type": "string", "nullable": True},
        "tree": {
            "description": "A part that holds others like it.",
            "type": "object",
            "nullable": True,
            "properties": {
                "value": {"type": "integer"},
                "children": {
                    "type": "array",
                    "default": [],
                    # A structural schema can't refer to itself.
                    "items": {
                        "description": "A part that holds others like it.",
                        "type": "object",
                        "x-kubernetes-preserve-unknown-fields": True,
                    },
                },
            },
            "required": ["value"],
        },
        "rule": {"type": "object", "nullable": True, "x-kubernetes-preserve-unknown-fields": True},
    }


@pytest.mark.parametrize(
    ("type_", "schema"),
    [
        (Any, {"x-kubernetes-preserve-unknown-fields": True}),
        (list, {"type": "array", "items": {"x-kubernetes-preserve-unknown-fields": True}}),
        (dict, {"type": "object", "x-kubernetes-preserve-unknown-fields": True}),
        (Sequence[str], {"type": "array", "items": {"type": "string"}}),
        (set[int], {"type": "array", "items": {"type": "integer"}}),
        (tuple[str, ...], {"type": "array", "items": {"type": "string"}}),
        (tuple[int, int], {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2}),
        (
            tuple[int, str],
            {
                "type": "array",
                "items": {"x-kubernetes-preserve-unknown-fields": True},
                "minItems": 2,
                "maxItems": 2,
            },
        ),
        (
            Mapping[str, list[int]],
            {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "integer"}}},
        ),
        (dict[Tier, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
        (Optional[int], {"type": "integer", "nullable": True}),  # noqa: UP045
        (Union[str, None], {"type": "string", "nullable": True}),  # noqa: UP007
        (list[int | None], {"type": "array", "items": {"type": "integer", "nullable": True}}),
        (int | float, {"type": "number"}),
        (int | str, INT_OR_STRING),
        (str | int | None, {"nullable": True, **INT_OR_STRING}),
        (Literal[1, 2], {"type": "integer", "enum": [1, 2]}),
        (Literal[True], {"type": "boolean", "enum": [True]}),
        (Literal["a", None], {"type": "string", "nullable": True, "enum": ["a", None]}),
        (Literal["a"] | Literal["b"], {"type": "string", "enum": ["a", "b"]}),
        (Literal["x"] | Tier | None, {"type": "string", "nullable": True, "enum": ["x", "small", "large", None]}),
        (Literal["a", 1], {"enum": ["a", 1], **INT_OR_STRING}),
        (Literal["a", True], {"enum": ["a", True], "x-kubernetes-preserve-unknown-fields": True}),
        (Zone | Tree, {"description": "A mapping.", "type": "object", "x-kubernetes-preserve-unknown-fields": True}),
    ],
    ids=str,
)
def test_the_schema_of_a_type(type_: Any, schema: Json) -> None:
    """Each type has its schema."""
    assert property_of(type_) == schema


@pytest.mark.parametrize(
    ("type_", "default", "plain"),
    [
        (Tier, Tier.LARGE, "large"),
        pytest.param(list[Tier], attrs.Factory(lambda: [Tier.LARGE]), ["large"], id="list of an enum"),
        (Zone, Zone("x", 3), {"name": "x", "weight": 3}),
        pytest.param(
            dict[str, Zone],
            attrs.Factory(lambda: {"a": Zone("x")}),
            {"a": {"name": "x", "weight": 1}},
            id="dict of objects",
        ),
        (tuple[int, ...], (1, 2), [1, 2]),
        pytest.param(set[str], attrs.Factory(lambda: {"b", "a"}), ["a", "b"], id="set"),
        (bool, False, False),
        (str, "", ""),
    ],
    ids=str,
)
def test_defaults(type_: Any, default: Any, plain: Any) -> None:
    """Defaults are in the schema as the input would have them, and such a field isn't required."""
    cls = attrs.make_class("Made", {"x": attrs.field(type=type_, default=default)})
    schema = schema_of(cls)
    assert schema["properties"]["x"]["default"] == plain
    assert type(schema["properties"]["x"]["default"]) is type(plain)
    assert "required" not in schema
    assert structure({"x": plain}, cls) == cls()


def test_defaults_that_the_schema_can_not_have() -> None:
    """None and what depends on the instance aren't in the schema; the field isn't required all the same."""
    takes_self = attrs.Factory(lambda self: self.a, takes_self=True)
    cls = attrs.make_class(
        "Made",
        {
            "a": attrs.field(type=str, default=None),
            "b": attrs.field(type=str, default=takes_self),
            "c": attrs.field(type=int, init=False, default=3),
        },
    )
    schema = schema_of(cls)
    assert sorted(schema["properties"]) == ["a", "apiVersion", "b", "kind", "metadata"]
    assert "required" not in schema
    assert not [name for name, part in schema["properties"].items() if "default" in part]


@pytest.mark.parametrize(
    ("type_", "default", "problem"),
    [
        (int, "80", 'Made.x must be an integer (got "80")'),
        pytest.param(
            list[int],
            attrs.Factory(lambda: [1, "2"]),
            'Made.x[1] must be an integer (got "2")',
            id="list",
        ),
        (str, b"bytes", "Made.x must be a string (got bytes)"),
        pytest.param(dict[str, str], attrs.Factory(lambda: 1 / 0), "Made.x: division by zero", id="factory that fails"),
    ],
    ids=str,
)
def test_a_default_of_another_type_is_refused(type_: Any, default: Any, problem: str) -> None:
    """A default that the input couldn't have is an error with its path, because no cluster takes such a schema."""
    with pytest.raises(UsageError, match=f"the default of Made.x .*{re.escape(problem)}"):
        property_of(type_, default)


class Plain:
    """No attrs class."""


@attrs.define
class Inner:
    """Holds what no input has."""

    items: list[dict[str, Plain]]


@pytest.mark.parametrize(
    ("type_", "problem"),
    [
        (bytes, "Made.x has the type bytes"),
        (dict[int, str], "Made.x has the type dict[int, str]"),
        (list[complex], "Made.x[] has the type complex"),
        (tuple[int, Path], "Made.x[1] has the type pathlib"),
        (Inner | None, f"Made.x.items[][] has the type {HERE}.Plain"),
    ],
    ids=str,
)
def test_types_that_no_input_has_are_named(type_: Any, problem: str) -> None:
    """A field of a type that JSON has no values of is an error with its path."""
    with pytest.raises(UsageError) as caught:
        property_of(type_)
    assert problem in str(caught.value)


# --- names -----------------------------------------------------------------------------------------------------------


def test_names_from_options() -> None:
    """Group, version, kind and plural can be given."""
    crd = input_crd(Input, api_version="x.example.org/v2alpha1", kind="Policy", plural="policies")
    assert crd["metadata"]["name"] == "policies.x.example.org"
    assert crd["spec"]["versions"][0]["name"] == "v2alpha1"
    assert crd["spec"]["names"]["kind"] == "Policy"
    assert crd["spec"]["names"]["listKind"] == "PolicyList"


def test_names_from_the_class() -> None:
    """The defaults of the class's own apiVersion and kind count, unless options say otherwise."""
    crd = input_crd(Named)
    assert crd["metadata"]["name"] == "resources.own.fn.crossplane.io"
    assert crd["spec"]["versions"][0]["name"] == "v1alpha1"
    properties = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]
    assert properties["metadata"] == {"type": "object"}
    assert properties["size"] == {"type": "integer", "default": 0}
    assert input_crd(Named, kind="Other", **NAMES)["metadata"]["name"] == "others.naming.fn.crossplane.io"


@pytest.mark.parametrize(
    ("module", "group"),
    [
        ("function_naming.input", "naming.fn.crossplane.io"),
        ("naming", "naming.fn.crossplane.io"),
        ("my_net.function.input", "my-net.fn.crossplane.io"),
    ],
)
def test_the_group_from_the_package(module: str, group: str) -> None:
    """Without anything said, the group has the name of the package, which functions share with nobody."""
    cls = attrs.make_class("Input", ["x"])
    cls.__module__ = module
    assert input_crd(cls)["spec"]["group"] == group


@pytest.mark.parametrize("module", ["function.input", "main", "__main__", "function-.x"])
def test_a_package_without_a_name_of_its_own(module: str) -> None:
    """Two functions must not define the same kind, so a package that every function may have needs an API version."""
    cls = attrs.make_class("Input", ["x"])
    cls.__module__ = module
    with pytest.raises(UsageError, match="give --api-version, such as"):
        input_crd(cls)


@pytest.mark.parametrize(
    ("kind", "plural"),
    [
        ("Input", "inputs"),
        ("Policy", "policies"),
        ("Gateway", "gateways"),
        ("Resources", "resources"),
        ("Box", "boxes"),
    ],
)
def test_plurals(kind: str, plural: str) -> None:
    """The plural is English's, and can be given where it isn't regular."""
    assert input_crd(Input, kind=kind, **NAMES)["spec"]["names"]["plural"] == plural


@pytest.mark.parametrize(
    "names",
    [
        {"api_version": "v1beta1"},
        {"api_version": "nodot/v1"},
        {"api_version": "a.b/1"},
        {"api_version": "A.b/v1"},
        {"kind": "input"},
        {"kind": "My-Input"},
        {"plural": "Inputs"},
        {"kind": "K" * 64},
    ],
    ids=str,
)
def test_names_that_a_cluster_refuses(names: Mapping[str, str]) -> None:
    """Illegal names are errors here, and not when the package is installed."""
    with pytest.raises(UsageError, match="must be"):
        input_crd(Input, **{**NAMES, **names})


# --- the command -----------------------------------------------------------------------------------------------------


def test_the_command_prints_yaml(capsys: pytest.CaptureFixture[str]) -> None:
    """The command prints one YAML document."""
    argv = [
        "generate-input",
        f"{HERE}:Input",
        "--api-version",
        NAMES["api_version"],
        "--kind",
        "Args",
        "--plural",
        "argses",
    ]
    assert main(argv) == 0
    out = capsys.readouterr().out
    assert out.startswith("---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n")
    assert yaml.safe_load(out) == input_crd(Input, kind="Args", plural="argses", **NAMES)


def test_the_command_writes_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With -o the document goes into a file."""
    file = tmp_path / "input.yaml"
    assert main(["generate-input", f"{HERE}:Named", "-o", str(file)]) == 0
    assert capsys.readouterr().out == ""
    assert yaml.safe_load(file.read_text()) == input_crd(Named)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nonsense"], ["give the input's class as module:Class", "(got 'nonsense')"]),
        (["no_such_module:Input"], ["there is no module 'no_such_module'"]),
        ([f"{HERE}:Inputt"], [f"module {HERE} has no class 'Inputt'"]),
        ([f"{HERE}:NAMES"], ["must be a class (got a dict)"]),
        ([f"{HERE}:Plain"], ["must be an attrs class"]),
        ([f"{HERE}:Inner", "--api-version", "a.b/v1"], ["Inner.items[][] has the type", "Plain"]),
        ([f"{HERE}:Input"], ["give --api-version, such as"]),
        ([f"{HERE}:Named", "-o", "/no/such/folder/x.yaml"], ["can't write /no/such/folder/x.yaml: No such file"]),
    ],
    ids=lambda value: str(value)[:60],
)
def test_mistakes_are_one_line(arguments: list[str], words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """What goes wrong is one line on stderr, and status 2."""
    assert main(["generate-input", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("crossplane-lite generate-input: ")
    assert captured.err.count("\n") == 1
    for word in words:
        assert word in captured.err


@pytest.mark.slow  # a process
def test_the_command_as_a_process(tmp_path: Path) -> None:
    """A module in the current directory is found, as for the other commands."""
    (tmp_path / "function_hello.py").write_text(
        "import attrs\n@attrs.define\nclass Hello:\n    '''Says hello.'''\n    name: str = 'x'\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "crossplane_lite", "generate-input", "function_hello:Hello"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), "PATH": ""},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert yaml.safe_load(done.stdout)["metadata"]["name"] == "hellos.hello.fn.crossplane.io"


def test_without_its_extra() -> None:
    """Without PyYAML the command names the extra to install."""
    program = (
        "import sys; sys.modules['yaml'] = None\n"
        "from crossplane_lite.cli import main\n"
        "sys.exit(main(['generate-input', 'a:B']))"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert "pip install 'crossplane-lite[cli]'" in done.stderr


# --- a schema that a cluster takes -----------------------------------------------------------------------------------


def nodes(schema: Json) -> Iterator[Json]:
    """Yield a schema and every schema in it that describes a value of its own."""
    yield schema
    for child in schema.get("properties", {}).values():
        yield from nodes(child)
    for name in ("items", "additionalProperties"):
        if name in schema:
            yield from nodes(schema[name])


def check_structural(schema: Json) -> None:
    """Check the rules of structural schemas that a generated one could break."""
    anything, int_or_string = "x-kubernetes-preserve-unknown-fields", "x-kubernetes-int-or-string"
    for node in nodes(schema):
        assert "type" in node or node.get(anything) or node.get(int_or_string), node
        assert not (node.get(int_or_string) and ("type" in node or node.get(anything))), node
        assert not ("properties" in node and "additionalProperties" in node), node
        assert node.get("additionalProperties") not in (True, False), node
        assert ("items" in node) is (node.get("type") == "array"), node
        assert not {"$ref", "oneOf", "not", "uniqueItems", "allOf"} & node.keys(), node
        for branch in node.get("anyOf", ()):
            assert node.get(int_or_string) and branch in ({"type": "integer"}, {"type": "string"}), node
        if "default" in node:
            assert node["default"] is not None
            strictly(node).validate(node["default"])
    for name in ("apiVersion", "kind", "metadata"):
        assert schema["properties"][name].keys() <= {"type", "description"}


def strictly(schema: Json) -> jsonschema.protocols.Validator:
    """Return a validator of what a cluster takes under strict field validation: unknown keys are errors there."""
    return jsonschema.Draft202012Validator(_translated(schema))


def _translated(schema: Json) -> Json:
    """Return a structural schema in the language of JSON Schema."""
    made = {name: schema[name] for name in ("type", "required", "minItems", "maxItems", "anyOf") if name in schema}
    if "enum" in schema:
        made["enum"] = schema["enum"]
    if "properties" in schema:
        made["properties"] = {name: _translated(child) for name, child in schema["properties"].items()}
        made["additionalProperties"] = False
    for name in ("items", "additionalProperties"):
        if name in schema:
            made[name] = _translated(schema[name])
    return {"anyOf": [{"type": "null"}, made]} if schema.get("nullable") else made


@pytest.mark.parametrize("cls", [Input, Named, Tree, Zone])
def test_the_schema_is_structural(cls: Any) -> None:
    """A cluster takes the schema."""
    check_structural(schema_of(cls))


# --- what input_as takes and what the schema takes -------------------------------------------------------------------


class _Typed:
    """A type with values for it.

    Attributes:
        type: The type.
        values: Values of it as JSON, nearly all of which fit.
        exact: Whether the schema can say exactly what fits.
    """

    def __init__(self, type_: Any, values: st.SearchStrategy[Any], exact: bool = True) -> None:
        self.type = type_
        self.values = values
        self.exact = exact

    def __repr__(self) -> str:
        return f"{self.type}"


_TEXT = st.sampled_from(["", "a", "b", "1", "true", "null", "small"])
_SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-3, 3), st.sampled_from([0.5, 2.5]), _TEXT)
_JSON = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(_TEXT, inner, max_size=2)),
    max_leaves=5,
)
_LEAVES = [
    _Typed(str, _TEXT),
    _Typed(int, st.integers(-3, 3)),
    _Typed(float, st.one_of(st.integers(-3, 3), st.just(0.5))),
    _Typed(bool, st.booleans()),
    _Typed(Any, _JSON),
    _Typed(Tier, st.sampled_from(["small", "large"])),
    _Typed(Literal["a", "b"], st.sampled_from(["a", "b"])),
    _Typed(Literal[1, 2], st.sampled_from([1, 2])),
    _Typed(Literal["a", 1], st.sampled_from(["a", 1])),
    _Typed(Literal["a", None], st.sampled_from(["a", None])),
    _Typed(int | str, st.one_of(st.integers(-3, 3), _TEXT)),
    _Typed(int | float, st.sampled_from([1, 0.5])),
    _Typed(bool | str, st.one_of(st.booleans(), _TEXT), exact=False),
]


def _optional(inner: _Typed) -> _Typed:
    return inner if inner.type is Any else _Typed(inner.type | None, st.one_of(st.none(), inner.values), inner.exact)


def _class_of(fields: list[tuple[_Typed, bool]]) -> _Typed:
    """Return a class with these types, those with True in a field that may be left out."""
    made = {
        f"f{at}": attrs.field(type=inner.type, kw_only=True, default=None if may_lack else attrs.NOTHING)
        for at, (inner, may_lack) in enumerate(fields)
    }
    required = {f"f{at}": inner.values for at, (inner, may_lack) in enumerate(fields) if not may_lack}
    optional = {f"f{at}": inner.values for at, (inner, may_lack) in enumerate(fields) if may_lack}
    exact = all(inner.exact for inner, _ in fields)
    return _Typed(attrs.make_class("Made", made), st.fixed_dictionaries(required, optional=optional), exact)


def _containers(inner: st.SearchStrategy[_Typed]) -> st.SearchStrategy[_Typed]:
    return st.one_of(
        inner.map(_optional),
        inner.map(lambda t: _Typed(list[t.type], st.lists(t.values, max_size=3), t.exact)),
        inner.map(lambda t: _Typed(tuple[t.type, ...], st.lists(t.values, max_size=3), t.exact)),
        inner.map(lambda t: _Typed(tuple[t.type, t.type], st.lists(t.values, min_size=2, max_size=2), t.exact)),
        inner.map(lambda t: _Typed(dict[str, t.type], st.dictionaries(_TEXT, t.values, max_size=3), t.exact)),
        st.lists(st.tuples(inner, st.booleans()), max_size=3).map(_class_of),
    )


_CLASSES = st.lists(
    st.tuples(st.recursive(st.sampled_from(_LEAVES), _containers, max_leaves=4), st.booleans()), min_size=1, max_size=3
).map(_class_of)


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Return (holder, key) of everything in plain data."""
    found: list[tuple[Any, Any]] = []
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in items:
        found += [(value, key), *_places(child)]
    return found


def _spoiled(data: st.DataObject, value: Any) -> Any:
    """Change one thing in plain data, so that it is near to what fits."""
    places = _places(value)
    what = data.draw(st.sampled_from(["nothing", "replace", "replace", "replace", "drop", "add"]))
    if what == "nothing" or not places:
        return value
    holder, key = data.draw(st.sampled_from(places))
    if what == "replace":
        holder[key] = data.draw(st.one_of(_SCALARS, _JSON))
    elif what == "drop":
        del holder[key]
    elif isinstance(holder, dict):
        holder["extra"] = data.draw(_JSON)
    else:
        holder.append(data.draw(_JSON))
    return value


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(made=_CLASSES, data=st.data())
def test_the_schema_takes_what_input_as_takes(made: _Typed, data: st.DataObject) -> None:
    """What input_as takes, the schema takes; the other way too where a structural schema can say it."""
    value = _spoiled(data, data.draw(made.values))
    value = codec.decode_struct(codec.encode_struct(value))  # as Crossplane hands it over
    try:
        structure(value, made.type)
        taken = True
    except InputError:
        taken = False
    schema = schema_of(made.type)
    check_structural(schema)
    validates = strictly(schema).is_valid(value)
    assert validates or not taken
    if made.exact:
        assert validates is taken
