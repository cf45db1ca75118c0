"""Stubs: the same classes and fields as the modules, types whose names nothing hides, descriptions as they are."""

from __future__ import annotations

import ast
import builtins
import importlib
import json
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossplane_lite._tools.manifests.sources import read_sources
from tests.codegen.generated import (
    SCALARS,
    THING,
    Classes,
    annotated,
    component,
    crd,
    merged,
    obj,
    openapi,
    output,
    stub_classes,
    thing,
)
from tests.codegen.strategies import descriptions, object_schemas, wire_names

Json = dict[str, Any]
# Every name that a stub uses for itself.
USED = [
    *("Any", "Literal", "Observable", "DynamicModel", "ItemMap", "Items", "Leaf", "Map", "Model", "Nested", "Resource"),
    "Given",
    *(
        "Values",
        "DeepList",
        "DeepMap",
        "ItemMapOf",
        "ItemsOf",
        "ListOf",
        "MapOf",
        "str",
        "int",
        "float",
        "bool",
        "list",
    ),
    *("dict", "metav1"),
]


def stub(*contents: Json, **more: Any) -> str:
    """Return the stub of the kind `Thing`."""
    return output(*contents, **more).stubs[f"{THING}.pyi"]


class Scopes:
    """What the names in the annotations of a stub stand for, as a type checker finds it: class, module, builtins."""

    def __init__(self, text: str) -> None:
        tree = ast.parse(text)
        self.module: dict[str, str] = {}
        self.classes: dict[str, dict[str, str]] = {}
        for node in tree.body:
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    self.module[alias.asname or alias.name] = f"{'.' * node.level}{node.module or ''}:{alias.name}"
            elif isinstance(node, ast.ClassDef):
                self.module[node.name] = f"class {node.name}"
        for node in tree.body:
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name):
                (target,) = node.targets
                assert isinstance(target, ast.Name)
                assert target.id not in self.module
                self.module[target.id] = self.module[node.value.id]
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                own = set(annotated(node))
                self.classes[node.name] = {name: self._find(part, own) for name, part in self._parts(node)}
                assert all(self._find(ast.unparse(base), set()) for base in node.bases)

    def _parts(self, cls: ast.ClassDef) -> list[tuple[str, str]]:
        declared = (node for node in cls.body if isinstance(node, ast.AnnAssign))
        return [(ast.unparse(node.target), ast.unparse(node.annotation)) for node in declared]

    def _find(self, annotation: str, own: set[str]) -> str:
        """Return an annotation with each name replaced by what it stands for."""
        tree = ast.parse(annotation, mode="eval")
        literals = {
            id(below)
            for node in ast.walk(tree)
            if isinstance(node, ast.Subscript) and isinstance(node.slice, (ast.Constant, ast.Tuple))
            for below in ast.walk(node.slice)
            if isinstance(below, ast.Constant)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and id(node) not in literals:
                assert node.id not in own, f"{node.id} is a field of the class that uses it"
                found = self.module.get(node.id)
                if found is None:
                    assert hasattr(builtins, node.id), node.id
                    found = f"builtins:{node.id}"
                node.id = f"<{found}>"
        return ast.unparse(tree)


def everything(letter: Mapping[str, Any] = SCALARS["s"]) -> Json:
    """Return properties of every kind of type."""
    one = obj(x=letter)
    inner = {"type": "array", "items": one}
    return {
        "p1": letter,
        "p2": {"type": "string", "enum": ["a"]},
        "p3": {},
        "p4": one,
        "p5": inner,
        "p6": {"type": "object", "additionalProperties": one},
        "p7": {"type": "array", "items": letter},
        "p8": {"type": "object", "additionalProperties": letter},
        "p9": {"type": "array", "items": inner},
        "p10": {"type": "object", "additionalProperties": {"type": "object", "additionalProperties": letter}},
        "p11": {"type": "object", "additionalProperties": inner},
        "p12": {"type": "array", "items": {"type": "object", "additionalProperties": one}},
        "p13": {"x-kubernetes-int-or-string": True},
        "p14": {"type": "number"},
        "p15": {"type": "boolean"},
        "p16": {"type": "integer"},
        "p17": {**obj(y="s"), "x-kubernetes-preserve-unknown-fields": True},
        "p18": {**obj(y="i"), "x-kubernetes-embedded-resource": True},
    }


def declared(text: str, cls: str, prefix: str = "p") -> dict[str, str]:
    """Return what the annotations of the properties of `everything` stand for, classes by their ending."""
    return {name: found for name, found in Scopes(text).classes[cls].items() if name.startswith(prefix)}


# --- fields ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@settings(max_examples=60)
@given(object_schemas(), st.dictionaries(wire_names, st.sampled_from(sorted(SCALARS)), max_size=4))
def test_stubs_have_the_fields_of_the_classes(schema: Json, more: dict[str, str]) -> None:
    """`attrs.fields` of each class are the annotated names of the stub, in the same order, each with a default."""
    more.pop("metadata", None)
    made = output(crd(merged(schema, {**schema["properties"], **more, "nested": obj(**more)})))
    classes = Classes(made.modules[f"{THING}.py"])
    found = stub_classes(made.stubs[f"{THING}.pyi"])
    assert set(found) == set(classes.table)
    for name, node in found.items():
        assert [field.name for field in attrs.fields(classes[name])] == list(annotated(node))
        assert all(one.value is not None for one in node.body if isinstance(one, ast.AnnAssign))


def test_every_type_is_declared() -> None:
    """Each kind of type has its descriptor (`_core.models.fields`)."""
    text = stub(thing(value=obj(**everything())))
    assert annotated(stub_classes(text)["ThingValue"]) == {
        "p1": "Leaf[str]",
        "p2": "Leaf[Literal['a']]",
        "p3": "Any",
        "p4": "Nested[P4, _ObservedP4]",
        "p5": "Items[P5Item, _ObservedP5Item]",
        "p6": "ItemMap[P6, _ObservedP6]",
        "p7": "Values[str]",
        "p8": "Map[str]",
        "p9": "DeepList[list[P9ItemItem], ItemsOf[P9ItemItem]]",
        "p10": "DeepMap[dict[str, str | Observable[str]], MapOf[str]]",
        "p11": "DeepMap[list[P11Item], ItemsOf[P11Item]]",
        "p12": "DeepList[dict[str, P12Item], ItemMapOf[P12Item]]",
        "p13": "Leaf[int | str]",
        "p14": "Leaf[float]",
        "p15": "Leaf[bool]",
        "p16": "Leaf[int]",
        "p17": "Nested[P17, _ObservedP17]",
        "p18": "Nested[P18, _ObservedP18]",
    }


def test_each_class_has_one_for_observed_objects() -> None:
    """It is a subclass whose fields checkers let nobody set; a field of that name takes nothing away from it."""
    text = stub(thing(property="s", value=obj(ObservedModel="s", _ObservedThing="s", rule=obj(x="s"))))
    lines = [line for line in text.splitlines() if line.startswith("class _Observed")]
    names = ["Thing", "ThingValue", "Rule"]
    assert [line.partition("(")[0] for line in lines] == [f"class _Observed{name}" for name in names]
    assert all(line.endswith(f"(ObservedModel, {name}): ...") for line, name in zip(lines, names, strict=True))
    (head,) = [node for node in stub_classes(text)["Thing"].body if isinstance(node, ast.FunctionDef)]
    assert ast.unparse(head) == "@_property\ndef observed(self) -> _ObservedThing:\n    ..."


def test_api_version_and_kind_are_fixed() -> None:
    """A kind's apiVersion and kind are Literals with defaults, and come first."""
    (first, second, *_) = stub_classes(stub(crd(obj(spec="x"))))["Thing"].body
    assert ast.unparse(first) == "apiVersion: Literal['example.org/v1'] = 'example.org/v1'"
    assert ast.unparse(second) == "kind: Literal['Thing'] = 'Thing'"


def test_all_lists_the_classes() -> None:
    """`__all__` of the stub is that of the module, sorted."""
    made = output(thing(value=obj(zeta=obj(a="s"), alpha=obj(b="s"))))
    (exported,) = (
        ast.literal_eval(node.value)
        for node in ast.parse(made.stubs[f"{THING}.pyi"]).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
    )
    assert exported == sorted(Classes(made.modules[f"{THING}.py"]).table) == ["Alpha", "Thing", "ThingValue", "Zeta"]


# --- names that are hidden ---------------------------------------------------------------------------------------


def test_fields_may_have_the_names_that_types_use() -> None:
    """A field called `list`, `str` or `Leaf` changes no type, neither its own nor that of the fields beside it."""
    plain = declared(stub(thing(value=obj(**everything()))), "ThingValue")
    hiding = {**everything(), **dict.fromkeys([*USED, *(f"_{name}" for name in USED)], SCALARS["s"])}
    text = stub(thing(value=obj(**hiding)))
    assert declared(text, "ThingValue") == plain
    top = declared(stub(crd(obj(**hiding))), "Thing")
    other = declared(stub(crd(obj(**everything()))), "Thing")
    assert top == other


def test_classes_may_have_the_names_that_types_use() -> None:
    """Classes called `Any`, `Items` or `Model` change no type."""
    names = [name for name in USED if name[0].isupper()]
    plain = declared(stub(thing(value=obj(**everything()))), "ThingValue")
    classes = {name[0].lower() + name[1:]: obj(**{f"of{name}": "s"}) for name in names}
    text = stub(thing(value=obj(**everything(), **classes)))
    assert {*names} <= set(stub_classes(text))
    assert declared(text, "ThingValue") == plain
    assert [ast.unparse(base) for base in stub_classes(text)["Any"].bases] == ["_Model"]


def test_fields_may_have_the_names_of_classes() -> None:
    """A field with the name of a class of the module, or of the alias of another one, hides neither."""
    schema = obj(rule=obj(x="s"), Rule="s", ThingValue="i", _Rule="s", rules={"type": "array", "items": obj(y="s")})
    schema["properties"]["RulesItem"] = SCALARS["b"]
    text = stub(thing(value=schema, other=obj(metav1="s", m={**obj(z="s"), "x-kubernetes-embedded-resource": True})))
    found = Scopes(text).classes
    assert found["ThingValue"]["rule"].endswith("[<class Rule>, <class _ObservedRule>]")
    assert found["ThingValue"]["rules"].endswith("[<class RulesItem>, <class _ObservedRulesItem>]")


@pytest.mark.parametrize("kind", ["Any", "Leaf", "Literal", "Model", "Resource", "Nested", "Str", "None", "Dict"])
def test_kinds_may_have_the_names_that_types_use(kind: str) -> None:
    """A kind called like something that its stub needs is still a Resource with its own types."""
    (text,) = (text for text in output(crd(obj(**everything()), kind=kind)).stubs.values() if text)
    name = kind if kind != "None" else "None_"
    scopes = Scopes(text)
    assert scopes.classes[name]["p1"] == "<crossplane_lite.model:Leaf>[<builtins:str>]"
    assert scopes.classes[name]["apiVersion"] == "<typing:Literal>['example.org/v1']"
    (base,) = stub_classes(text)[name].bases
    assert scopes.module[ast.unparse(base)] == "crossplane_lite.model:Resource"


@pytest.mark.parametrize(
    "names",
    [
        ["a.b.v1.One", "c.b.v1.Two"],
        ["list.One", "str.Two", "dict.Three", "int.Four", "float.Five", "bool.Six"],
        ["table.One", "module.Two", "Any.Three", "metav1.Four"],
        ["im.port.One", "cl.ass.Two", "import.One"],
        ["Same"],
    ],
)
def test_imports_of_other_modules(names: list[str]) -> None:
    """Whatever other modules are called, each type that is used is the one that is meant."""
    refs = {f"r{number}": {"$ref": f"#/components/schemas/{name}"} for number, name in enumerate(names)}
    parts = {name: obj(x="s") for name in names}
    kind = component(obj(**refs, **everything()), "example.org", "v1", "Thing")
    text = output(openapi(**{"example.v1.Thing": kind}, **parts)).stubs["example/v1.pyi"]
    plain = output(openapi(**{"example.v1.Thing": component(obj(**everything()), "example.org", "v1", "Thing")}))
    assert declared(text, "Thing") == declared(plain.stubs["example/v1.pyi"], "Thing")
    found = declared(text, "Thing", "r")
    assert len({*found.values()}) == len(names)
    assert all(one.startswith("<crossplane_lite.model:Nested>[<.") for one in found.values())


@pytest.mark.slow
@settings(max_examples=60)
@given(st.lists(wire_names | st.sampled_from(USED), unique=True, max_size=8), st.data())
def test_no_name_of_any_schema_hides_a_type(wires: list[str], data: st.DataObject) -> None:
    """With fields and classes of any names, every name in an annotation is the one that is meant."""
    types = everything()
    properties: Json = {}
    for number, wire in enumerate(wires):
        properties[wire] = data.draw(st.sampled_from([*types.values(), obj(**{f"n{number}": "s"})]))
    properties.pop("metadata", None)
    text = stub(thing(value=obj(**properties, **types)))
    plain = declared(stub(thing(value=obj(**types))), "ThingValue")
    found = declared(text, "ThingValue")

    def outside(texts: dict[str, str]) -> dict[str, str]:  # the module's own classes may have other names
        return {name: re.sub("<class [^>]*>", "<class>", texts[name]) for name in types}

    assert outside(found) == outside(plain)


# --- descriptions ------------------------------------------------------------------------------------------------


def docstring(node: ast.AST) -> str:
    """Return the docstring of a class, or of the field whose docstring follows at once."""
    assert isinstance(node, ast.Expr)
    assert isinstance(node.value, ast.Constant)
    text = node.value.value
    assert isinstance(text, str)
    first, *rest = text.split("\n")
    assert all(not line or line.startswith("    ") for line in rest)
    return "\n".join([first, *(line[4:] for line in rest)])


@given(descriptions, descriptions)
def test_descriptions_are_docstrings(of_class: str, of_field: str) -> None:
    """Whatever a description holds, the stub parses, and the docstring is the text."""
    schema = {**obj(a={"type": "string", "description": of_field}), "description": of_class}
    node = stub_classes(stub(thing(value=schema)))["ThingValue"]
    found = [docstring(one) for one in node.body if isinstance(one, ast.Expr)]
    assert found == [text.strip() for text in (of_class, of_field) if text.strip()]


@pytest.mark.parametrize(
    "text",
    [
        *('a """ b', 'ends with """', '"""', 'a "quote"', '"', '""', '""""', '"' * 6, '"' * 7, "\\", "\\\\", 'a\\"'),
        *("a\\", "\\n", "\\u0041", "\\N{BULLET}", "\\x", "a\r\nb\r\n\r\nc", "a\rb", "a\x00b", "a\x1b[0mb", "\ud800"),
        *("\u00e9\u4e2d\U0001f600", "a\u2028b\u00a0c\ufeffd", "a\n\tb\n    c\n\n\nd", "  # not a comment", "on", "="),
        *("{a}", "%s", "a\x0cb\x0bc", "\\\n", 'a\n"""', "'''"),
    ],
)
def test_descriptions_of_odd_characters(text: str) -> None:
    """Quotes, backslashes, control characters, lone surrogates and any line ends come through, also as UTF-8."""
    source = stub(thing(value={"type": "string", "description": text}))
    source.encode()
    assert "\r" not in source
    (found,) = (docstring(one) for one in stub_classes(source)["Thing"].body if isinstance(one, ast.Expr))
    assert found == text.strip()


@pytest.mark.parametrize("text", [None, 3, True, ["a"], {"a": "b"}])
def test_a_description_that_is_no_text(text: Any) -> None:
    """What isn't a text is no description."""
    body = stub_classes(stub(thing(value={"description": text})))["Thing"].body
    assert not [one for one in body if isinstance(one, ast.Expr)]


def test_words_of_yaml_stay_what_they_are(tmp_path: Path) -> None:
    """A plain `on` or `=` in a file is a text, as a description, as a value of an enum and as a name."""
    text = json.dumps(thing(value={"type": "string", "description": "DESCRIPTION", "enum": ["ON", "EQUALS"]}, WORD="s"))
    file = tmp_path / "thing.yaml"
    plain = {"DESCRIPTION": "=", "ON": "on", "EQUALS": "=", "WORD": "on"}
    text = re.sub('"([a-zA-Z0-9/.]+)"', lambda found: plain.get(found[1], found[1]), text).replace(":", ": ")
    file.write_text(text)
    (document,) = read_sources([str(file)])
    node = stub_classes(stub(document.content))["Thing"]
    assert annotated(node)["value"] == "Leaf[Literal['on', '=']]"
    assert annotated(node)["on"] == "Leaf[str]"
    assert [docstring(one) for one in node.body if isinstance(one, ast.Expr)] == ["="]


def test_what_else_is_said_of_a_field() -> None:
    """Behind its description a field says that it is required, its default, and its name in Kubernetes."""
    schema = {**obj(**{"x-y": {"type": "integer", "description": "A number.", "default": 3}}), "required": ["x-y"]}
    node = stub_classes(stub(thing(value=schema)))["ThingValue"]
    (text,) = (docstring(one) for one in node.body if isinstance(one, ast.Expr))
    first, second = text.split("\n\n")
    assert first == "A number."
    assert all(part in second for part in ("Required", "3", "x-y"))


def test_what_each_composite_has() -> None:
    """Required fields, and those with defaults, are given in a composite's spec if all objects around them are."""
    either = {"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}
    properties = {
        "default": {"type": "integer", "default": 0},
        "items": {
            "type": "array",
            "items": {**either, "properties": {**either["properties"], "i": {"type": "string"}}},
        },
        "may": {**either, "properties": {**either["properties"], "m": {"type": "string"}}},
        "must": either,
    }
    schema = {
        "type": "object",
        "properties": {
            "spec": {"type": "object", "required": ["must"], "properties": properties},
            "status": {"type": "object", "required": ["x"], "properties": {"x": {"type": "string"}}},
        },
    }
    version = {"name": "v1", "served": True, "referenceable": True, "schema": {"openAPIV3Schema": schema}}
    names = {"kind": "Thing", "plural": "things"}
    definition = {
        "apiVersion": "apiextensions.crossplane.io/v2",
        "kind": "CompositeResourceDefinition",
        "spec": {"group": "example.org", "names": names, "versions": [version]},
    }
    classes = stub_classes(stub(definition))
    assert annotated(classes["ThingSpec"])["default"] == "Given[int]"
    assert annotated(classes["Must"]) == {"a": "Given[str]", "b": "Leaf[str]"}
    assert annotated(classes["ItemsItem"]) == {"a": "Given[str]", "b": "Leaf[str]", "i": "Leaf[str]"}
    assert annotated(classes["May"]) == {"a": "Leaf[str]", "b": "Leaf[str]", "m": "Leaf[str]"}
    assert annotated(classes["ThingStatus"])["x"] == "Seen[str]"


def test_shared_classes_say_what_holds_in_all_places() -> None:
    """Of a field that is required, or has a default, in one place of its class alone, neither is said."""
    rule = obj(a={"type": "string", "description": "A."}, b={"type": "integer", "default": 3})
    other = obj(a={"type": "string", "description": "A."}, b={"type": "integer", "default": 3})
    text = stub(thing(value=obj(x=obj(rule={**rule, "required": ["a"]}), y=obj(rule=other))))
    found = [docstring(one) for one in stub_classes(text)["Rule"].body if isinstance(one, ast.Expr)]
    assert found == ["A.", "Default: 3."]


@pytest.mark.slow
@settings(max_examples=50)
@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(),
        lambda below: st.lists(below) | st.dictionaries(st.text(), below),
        max_leaves=5,
    )
)
def test_defaults_of_any_value(default: Any) -> None:
    """Whatever the default is, the stub parses."""
    ast.parse(stub(thing(value={"default": default})))


# --- checkers ----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_mypy_takes_the_oddest_stub(tmp_path: Path) -> None:
    """mypy --strict finds nothing wrong with a stub whose fields and classes hide every name that it uses."""
    pytest.importorskip("mypy", reason="mypy is not installed")
    odd = dict.fromkeys(USED, SCALARS["s"]) | {"class": obj(a="s"), "x-y": SCALARS["i"], "self": SCALARS["s"]}
    classes = {name[0].lower() + name[1:]: obj(**{f"of{name}": "s"}) for name in USED if name[0].isupper()}
    made = output(thing(value=obj(**everything(), **odd, **classes), **everything(), **odd))
    for file, text in made.stubs.items():
        path = tmp_path / "models" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    root = Path(importlib.import_module("crossplane_lite").__path__[0]).parent
    config = tmp_path / "mypy.ini"
    config.write_text(f"[mypy]\nstrict = True\nmypy_path = {root}\nfollow_imports = silent\n")
    arguments = ["--config-file", str(config), "--cache-dir", str(tmp_path / "cache"), str(tmp_path / "models")]
    # A process of its own: mypy raises the recursion limit of the one that it is in.
    done = subprocess.run([sys.executable, "-m", "mypy", *arguments], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
