# pyright: strict, reportPrivateUsage=false, reportUnusedExpression=false
# ruff: noqa: B018
"""Models with the names that stubs use themselves, lists and maps within others, and classes that take any field."""

from __future__ import annotations

from models.org.example.names.deep.v1 import ByNameItem, DeepSpec, RowsItemItem
from models.org.example.names.model import v1 as modelv1
from models.org.example.names.resource import v1 as resourcev1
from typing_extensions import reveal_type

from crossplane_lite import NULL, Observable


def kinds(model: modelv1.Model, resource: resourcev1.Resource) -> None:
    reveal_type(model.apiVersion)  # reveal: Literal['names.example.org/v1']
    reveal_type(model.kind)  # reveal: Literal['Model']
    reveal_type(resource.kind)  # reveal: Literal['Resource']
    reveal_type(model.observed.spec.str)  # reveal: str | Observable[str] | None
    reveal_type(model.name)  # reveal: str
    reveal_type(model.name_)  # reveal: str | Observable[str] | None
    reveal_type(model.ready_)  # reveal: bool | Observable[bool] | None
    reveal_type(model.observed_.seen)  # reveal: str | Observable[str] | None
    reveal_type(model.Literal)  # reveal: str | Observable[str] | None
    reveal_type(model.metadata.labels)  # reveal: ValuesDict[str]


def builtins(spec: modelv1.ModelSpec) -> None:
    reveal_type(spec.str)  # reveal: str | Observable[str] | None
    reveal_type(spec.int)  # reveal: int | Observable[int] | None
    reveal_type(spec.float)  # reveal: float | Observable[float] | None
    reveal_type(spec.bool)  # reveal: bool | Observable[bool] | None
    reveal_type(spec.list)  # reveal: ValuesList[str]
    reveal_type(spec.dict)  # reveal: ValuesDict[str]
    reveal_type(spec.property)  # reveal: str | Observable[str] | None
    modelv1.ModelSpec(str="a", int=1, float=1.5, bool=True, list=["a"], dict={"a": "b"}, type="c", object="d")
    modelv1.ModelSpec(str=1)  # error: arg-type reportArgumentType
    modelv1.ModelSpec(list=[1])  # error: list-item reportArgumentType
    modelv1.ModelSpec(dict={"a": 1})  # error: dict-item reportArgumentType


def names_of_stubs(spec: modelv1.ModelSpec) -> None:
    reveal_type(spec.Any)  # reveal: DynamicModel
    reveal_type(spec.Leaf)  # reveal: str | Observable[str] | None
    reveal_type(spec._Leaf)  # reveal: str | Observable[str] | None
    reveal_type(spec._Leaf_)  # reveal: str | Observable[str] | None
    reveal_type(spec.Literal or "")  # reveal: Literal['a', "it's", 'back\\slash', '"double"', 'two\nlines', '']
    reveal_type(spec.Items)  # reveal: ItemsList[ItemsItem]
    reveal_type(spec.Items[0].str)  # reveal: str | Observable[str] | None
    reveal_type(spec.Values)  # reveal: ValuesList[int]
    reveal_type(spec.Map)  # reveal: ValuesDict[str]
    reveal_type(spec.ItemMap)  # reveal: ItemsDict[ItemMap]
    reveal_type(spec.ItemMap["a"].ofItemMap)  # reveal: str | Observable[str] | None
    reveal_type(spec.Nested.ofNested)  # reveal: str | Observable[str] | None
    reveal_type(spec.Model.ofModel)  # reveal: str | Observable[str] | None
    reveal_type(spec.Resource.ofResource)  # reveal: str | Observable[str] | None
    reveal_type(spec.DynamicModel.ofDynamicModel)  # reveal: str | Observable[str] | None
    reveal_type(spec.ModelSpec.ofModelSpec)  # reveal: str | Observable[str] | None
    reveal_type(spec.typing)  # reveal: str | Observable[str] | None
    reveal_type(spec.embedded.metav1)  # reveal: str | Observable[str] | None
    reveal_type(spec.embedded.metadata.labels)  # reveal: ValuesDict[str]
    spec.Literal = "it's"
    spec.Literal = "c"  # error: assignment reportAttributeAccessIssue
    spec.Values = ["a"]  # error: list-item reportAttributeAccessIssue
    spec.Nested = spec.Model  # error: assignment reportAttributeAccessIssue
    spec.DynamicModel.other  # error: attr-defined reportAttributeAccessIssue


def classes(spec: modelv1.ModelSpec) -> None:
    reveal_type(spec.items)  # reveal: Items
    reveal_type(spec.items.ofItems)  # reveal: str | Observable[str] | None
    reveal_type(spec.values.ofValues)  # reveal: str | Observable[str] | None
    reveal_type(spec.resource.ofSmall)  # reveal: str | Observable[str] | None
    spec.items = modelv1.Items(ofItems="a")
    spec.values = {"ofValues": "a"}
    spec.resource = spec.Resource  # error: assignment reportAttributeAccessIssue
    modelv1.Nested(ofNested=1)  # error: arg-type reportArgumentType
    modelv1.Values(["a"])  # error: call-arg|misc reportCallIssue


def names_in_python(spec: modelv1.ModelSpec) -> None:
    reveal_type(spec._ref)  # reveal: str | Observable[str] | None
    reveal_type(spec._0digit)  # reveal: str | Observable[str] | None
    reveal_type(spec.None_)  # reveal: str | Observable[str] | None
    reveal_type(spec._node_)  # reveal: str | Observable[str] | None
    reveal_type(spec._class__)  # reveal: str | Observable[str] | None
    reveal_type(spec.class_)  # reveal: str | Observable[str] | None
    reveal_type(spec.from_.import_[0].lambda_)  # reveal: str | Observable[str] | None
    reveal_type(spec.größe)  # reveal: int | Observable[int] | None
    reveal_type(spec.self_)  # reveal: str | Observable[str] | None
    reveal_type(spec.with_dash)  # reveal: str | Observable[str] | None
    reveal_type(spec.with_dash_)  # reveal: str | Observable[str] | None
    modelv1.ModelSpec(_ref="#/a", self_="b", class_="c", größe=1, with_dash="d", with_dash_="e", None_="f")
    modelv1.ModelSpec(from_={"import": [{"lambda": "a"}]})
    modelv1.ModelSpec(self="b")  # error: call-arg|misc reportCallIssue


def enums(spec: modelv1.ModelSpec) -> None:
    reveal_type(spec.level or 0)  # reveal: Literal[1, 2, 0]
    reveal_type(spec.port)  # reveal: int | str | Observable[int | str] | None
    reveal_type(spec.ports)  # reveal: ValuesList[int | str]
    spec.level = 2
    spec.level = 3  # error: assignment reportAttributeAccessIssue
    spec.levels = ["low"]
    spec.levels = ["middle"]  # error: list-item reportAttributeAccessIssue
    spec.port = "http"
    spec.port = 1.5  # error: assignment reportAttributeAccessIssue


def containers_within(spec: DeepSpec, text: Observable[str], number: Observable[int]) -> None:
    reveal_type(spec.lists)  # reveal: list[list[str | Observable[str]] | Observable[list[str | Observable[str]]]]
    reveal_type(spec.lists[0][0])  # reveal: str | Observable[str] | Observable[Any]
    reveal_type(spec.counts["a"]["b"])  # reveal: int | Observable[int] | Observable[Any]
    reveal_type(spec.groups[0]["a"])  # reveal: str | Observable[str] | Observable[Any]
    reveal_type(spec.cube[0][0][0])  # reveal: str | Observable[str] | Observable[Any]
    reveal_type(spec.rows[0][0].b)  # reveal: str | Observable[str] | Observable[Any] | None
    reveal_type(spec.byName["a"])  # reveal: list[ByNameItem] | Observable[list[ByNameItem]]
    reveal_type(spec.byName["a"][0].a)  # reveal: str | Observable[str] | Observable[Any] | None
    lists: list[list[str]] = [["a"]]
    by_name: dict[str, list[ByNameItem]] = {}
    counts: dict[str, dict[str, int]] = {}
    DeepSpec(lists=lists, byName=by_name, counts=counts)
    DeepSpec(lists=[["a", text], text[0]], counts={"a": {"b": 1, "c": number, "d": None}, "e": NULL})
    DeepSpec(rows=[[{"b": "c"}, RowsItemItem(b=text)]], byName={"a": [{"a": "b"}, ByNameItem()], "b": None})
    DeepSpec(cube=[[["a", text]]], groups=[{"a": text}, {}], anything=[[1, "a", None, {}]])
    spec.rows.append([RowsItemItem()])
    spec.rows[0].append(RowsItemItem())
    spec.byName["a"] = [ByNameItem()]
    spec.lists[0][0] = text
    DeepSpec(lists=["a"])  # error: list-item reportArgumentType
    DeepSpec(lists=[["a", number]])  # error: list-item reportArgumentType
    DeepSpec(counts={"a": {"b": "c"}})  # error: dict-item reportArgumentType
    DeepSpec(rows=[[ByNameItem()]])  # error: list-item reportArgumentType
    spec.byName = {"a": ["b"]}  # error: list-item reportAttributeAccessIssue
    spec.cube = [["a"]]  # error: list-item reportAttributeAccessIssue


def open_classes(resource: resourcev1.Resource, text: Observable[str]) -> None:
    reveal_type(resource.anything)  # reveal: Any
    reveal_type(resource.anything.at_all[0])  # reveal: Any
    reveal_type(resource.spec.known)  # reveal: str | Observable[str] | None
    reveal_type(resource.spec.rules)  # reveal: ItemsList[RulesItem]
    reveal_type(resource.spec.rules[0].weight)  # reveal: int | Observable[int] | None
    reveal_type(resource.spec.unknown["a"].b)  # reveal: Any
    reveal_type(resource.spec["with-dash"])  # reveal: Any
    reveal_type(resource.observed)  # reveal: _ObservedResource
    reveal_type(resource.external_name)  # reveal: str | Observable[str] | None
    reveal_type(resource.spec.literal.value or "")  # reveal: Literal['a', '']
    reveal_type(resource.spec.resource.value)  # reveal: float | Observable[float] | None
    reveal_type(resource.spec.any.value)  # reveal: DynamicModel
    resource.anything = 1
    resource.spec.unknown = {"a": text}
    resource.spec["with-dash"] = [text]
    resource.spec.known = text
    del resource.spec.unknown
    resourcev1.ResourceSpec(known="a", rules=[{"str": "b"}])
    resource.spec = {"known": "a", "unknown": [1]}
    resource.kind = "Other"  # error: assignment reportAttributeAccessIssue
    resource.ready = "yes"  # error: assignment reportAttributeAccessIssue
    resource.spec.known = 1  # error: assignment reportAttributeAccessIssue
    resource.spec.rules = ["a"]  # error: list-item reportAttributeAccessIssue
    resource.spec.rules[0].wieght  # error: attr-defined reportAttributeAccessIssue
    resource.spec.nested.value = 1  # error: assignment reportAttributeAccessIssue
    resourcev1.ResourceSpec(known=1)  # error: arg-type reportArgumentType
