"""Class names: the seed's names, who takes the short one, and that nothing is renamed by what comes later."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossplane_lite._tools.codegen.generate import Output
from crossplane_lite._tools.codegen.tables import earlier_table
from crossplane_lite.model import to_dict
from tests.codegen.generated import (
    SCALARS,
    THING,
    Classes,
    component,
    crd,
    fields,
    items,
    merged,
    obj,
    openapi,
    output,
    table,
    thing,
)
from tests.codegen.strategies import grown, object_schemas, places
from tests.models.tables import ROOT

Json = dict[str, Any]
Path_ = tuple[str, ...]


def names(made: Output, file: str = THING, root: str = "Thing") -> dict[Path_, str]:
    """Return the class name at every path of a module's class."""
    classes = table(made.modules[f"{file}.py"])
    found: dict[Path_, str] = {}
    work: list[tuple[Path_, str]] = [((), root)]
    while work:
        path, name = work.pop()
        found[path] = name
        for wire, (_, type_) in fields(classes[name]).items():
            inner = type_.lstrip("[{").partition("#")[0]
            if inner in classes:
                work.append(((*path, wire), inner))
    return found


def of(*schemas: Json, previous: Output | None = None) -> dict[Path_, str]:
    """Return the class names of the first version of a kind."""
    return names(output(crd(*schemas), previous=previous))


# --- who is called what ------------------------------------------------------------------------------------------


def test_the_names_of_the_seed() -> None:
    """`Bucket`, `BucketSpec` and `BucketStatus`, and below them the field's name, with Item for a list's items."""
    schema = obj(
        spec=obj(forProvider=obj(location="s", versioning=items(enabled="b")), deletionPolicy="s"),
        status=obj(atProvider=obj(id="s"), conditions=items(type="s")),
    )
    made = output(crd(schema, group="storage.gcp.upbound.io", kind="Bucket", versions=["v1beta1"]))
    assert list(table(made.modules["io/upbound/gcp/storage/bucket/v1beta1.py"])) == [
        "Bucket",
        "BucketSpec",
        "BucketStatus",
        "ForProvider",
        "AtProvider",
        "ConditionsItem",
        "VersioningItem",
    ]


def test_items_of_lists_in_lists() -> None:
    """Every level of lists adds an Item; the values of a map have the field's own name."""
    inner = {"type": "array", "items": items(a="s")}
    of_map = {"type": "object", "additionalProperties": obj(b="s")}
    found = of(obj(spec=obj(rules=inner, labels=of_map)))
    assert found[("spec", "rules")] == "RulesItemItem"
    assert found[("spec", "labels")] == "Labels"


def test_equal_objects_of_one_name_share_a_class() -> None:
    """The same name with the same fields is one class, at any level, whatever the descriptions say."""
    rule = {"description": "A rule.", **obj(port="i")}
    found = of(obj(spec=obj(rule=obj(port="i"), other=obj(rule=rule)), status=obj(rule=obj(port="i"))))
    assert {found[path] for path in found if path[-1:] == ("rule",)} == {"Rule"}


def test_equal_objects_of_two_names_are_two_classes() -> None:
    """Fields with different names have classes of their own, even where these look the same."""
    found = of(obj(spec=obj(one=obj(a="s"), two=obj(a="s"))))
    assert (found[("spec", "one")], found[("spec", "two")]) == ("One", "Two")


def test_the_first_taker_keeps_the_short_name() -> None:
    """Breadth first: what lies higher is named first, and later shapes get their parent's name in front."""
    found = of(obj(spec=obj(a=obj(b=obj(rule=obj(deep="s"))), z=obj(rule=obj(high="s")))))
    assert found[("spec", "z", "rule")] == "Rule"
    assert found[("spec", "a", "b", "rule")] == "BRule"


def test_shapes_differ_by_any_type_within() -> None:
    """A difference several levels below makes two shapes."""
    one, two = (obj(rule=obj(match=obj(value=letter))) for letter in "si")
    found = of(obj(spec=obj(a=one, b=two)))
    assert [found[("spec", x, "rule", "match")] for x in "ab"] == ["Match", "BRuleMatch"]
    assert [found[("spec", x, "rule")] for x in "ab"] == ["Rule", "BRule"]


def test_a_name_with_the_parents_in_front_may_be_taken_as_well() -> None:
    """Where the longer name is another's, the class gets a number."""
    third, fourth = (obj(b=obj(rule=obj(**{name: "s"}))) for name in "cd")
    found = of(obj(spec=obj(rule=obj(a="s"), bRule=obj(b="s"), x=third, y=fourth)))
    assert len({found[path] for path in found if path[-1:] in (("rule",), ("bRule",))}) == 4
    assert found[("spec", "rule")] == "Rule"
    assert found[("spec", "bRule")] == "BRule"


def test_nested_objects_never_take_the_kinds_own_name() -> None:
    """A field called like its kind, or like its kind's spec, has a class of another name."""
    found = of(obj(thing=obj(a="s"), spec=obj(thing=obj(b="s"), thingSpec=obj(c="s"))))
    assert found[()] == "Thing"
    assert len({*found.values()}) == len(found)
    assert found[("spec",)] == "ThingSpec"


@pytest.mark.parametrize("kind", ["None", "True", "Import", "bucket", "Model", "Resource", "Any", "Leaf"])
def test_kinds_of_any_name(kind: str) -> None:
    """A kind that is a keyword, lower-case or a name of the SDK has a class that keeps its kind."""
    made = output(crd(obj(spec=obj(a="s")), kind=kind))
    (source,) = filter(None, made.modules.values())
    classes = Classes(source)
    (cls,) = (cls for cls in classes if hasattr(cls, "kind"))
    assert to_dict(cls(spec={"a": "b"})) == {"apiVersion": "example.org/v1", "kind": kind, "spec": {"a": "b"}}
    assert cls.__name__.rstrip("_")[1:] == kind[1:]


@settings(max_examples=50)
@given(object_schemas())
def test_every_place_has_a_class_of_its_fields(schema: Json) -> None:
    """The class at each path has the fields of the schema there, and classes of one name are one class."""
    made = output(crd(schema))
    found = names(made)
    classes = table(made.modules[f"{THING}.py"])
    for path, place in places(schema):
        if path:
            assert set(fields(classes[found[path]])) == set(place["properties"])
    assert set(found.values()) == set(classes)


# --- nothing is renamed ------------------------------------------------------------------------------------------


def rank(path: Path_) -> int:
    """Return how far back in the order of names a place stands: what is written, what is so at first, what is read."""
    return 2 if path[:1] == ("status",) else 1 if path[:2] == ("spec", "initProvider") else 0


def check_kept(before: Json, after: Json, old: dict[Path_, str], new: dict[Path_, str]) -> None:
    """Check that every name of a class stays with most of those places that have it and stand first in the order."""
    shapes = dict(places(after))
    by_name: dict[str, list[Path_]] = {}
    for path, _ in places(before):
        by_name.setdefault(old[path], []).append(path)
    for name, paths in by_name.items():
        first = [path for path in paths if rank(path) == min(map(rank, paths))]
        groups = Counter(json.dumps(shapes[path], sort_keys=True) for path in first)
        kept = Counter(json.dumps(shapes[path], sort_keys=True) for path in first if new[path] == name)
        assert len(kept) == 1, name  # one shape, all of its places, and no shape has more
        ((shape, count),) = kept.items()
        assert count == groups[shape] == max(groups.values()), name


@pytest.mark.slow
@settings(max_examples=150)
@given(st.data())
def test_names_stay_with_most_of_what_is_written(data: st.DataObject) -> None:
    """Properties are added anywhere: each class keeps its name where most places in spec have it now."""
    before = data.draw(object_schemas(), label="before")
    after = data.draw(grown(before), label="after")
    first = output(crd(before))
    check_kept(before, after, names(first), of(after, previous=first))


@pytest.mark.slow
@settings(max_examples=50)
@given(st.data())
def test_changed_classes_keep_their_names_too(data: st.DataObject) -> None:
    """A class that was alone at its place keeps its name also when fields are added to it, or below it."""
    before = data.draw(object_schemas(), label="before")
    after = data.draw(grown(before), label="after")
    first = output(crd(before))
    old, new = names(first), of(after, previous=first)
    alone = Counter(old.values())
    for path, name in old.items():
        if alone[name] == 1:
            assert new[path] == name, path


@pytest.mark.slow
@settings(max_examples=60)
@given(st.data())
def test_names_stay_over_many_changes(data: st.DataObject) -> None:
    """Each of several changes, one upon the other, keeps names; the manifest alone gives the same ones each time."""
    schema = data.draw(object_schemas(2))
    made = output(crd(schema))
    for _ in range(3):
        changed = data.draw(grown(schema))
        later = output(crd(changed), previous=made)
        check_kept(schema, changed, names(made), names(later))
        assert output(crd(changed), recorded=later.names) == later
        assert output(crd(changed), previous=later) == later
        schema, made = changed, later


def test_what_is_written_keeps_the_name_of_a_class_that_splits() -> None:
    """Where a class splits, spec keeps its name, and in spec forProvider before initProvider; a new folder agrees."""
    config = {"logFormat": SCALARS["s"], "logGroup": SCALARS["s"]}
    more = {**config, "systemLogLevel": SCALARS["s"]}

    def schema(for_provider: Json, init_provider: Json, at_provider: Json) -> Json:
        def part(below: Json) -> Json:
            return obj(loggingConfig=items(**below), x="s")

        parts = {"forProvider": part(for_provider), "initProvider": part(init_provider)}
        return obj(spec=obj(**parts), status=obj(atProvider=part(at_provider)))

    places_of = {
        part: (*part.split("."), "loggingConfig")
        for part in ("spec.forProvider", "spec.initProvider", "status.atProvider")
    }
    for changed, kept in (
        ("spec.forProvider spec.initProvider", ["spec.forProvider", "spec.initProvider"]),
        ("spec.forProvider", ["spec.forProvider"]),
        ("spec.initProvider", ["spec.forProvider", "status.atProvider"]),
        ("status.atProvider", ["spec.forProvider", "spec.initProvider"]),
    ):
        first = output(crd(schema(config, config, config)))
        assert {names(first)[path] for path in places_of.values()} == {"LoggingConfigItem"}
        after = schema(*(more if part in changed.split() else config for part in places_of))
        later = output(crd(after), previous=first)
        found = names(later)
        assert [part for part, path in places_of.items() if found[path] == "LoggingConfigItem"] == kept
        assert later == output(crd(after))
        assert later.names == {}


def test_names_that_history_decides_are_recorded() -> None:
    """A class that has its name because it was there first is recorded by its place, and gets it without its table."""
    before = obj(spec=obj(a=obj(b=obj(**{"rule.x": obj(deep="s")}))))
    after = obj(spec=obj(a=obj(b=obj(**{"rule.x": obj(deep="s")})), **{"rule.x": obj(high="s")}))
    first = output(crd(before))
    later = output(crd(after), previous=first)
    (name, other) = (of(before)[("spec", "a", "b", "rule.x")], of(after)[("spec", "a", "b", "rule.x")])
    assert (name, other) == ("RuleX", "BRuleX")
    assert later.names == {
        THING: {'Thing.spec["rule.x"]': "ThingSpecRuleX", 'Thing.spec.a.b["rule.x"]': "RuleX"},
    }
    assert output(crd(after), recorded=later.names) == later
    assert output(crd(after)).names == {}
    # What is recorded of a place that has gone, or can't be a class's name, does no harm.
    odd = {THING: {"Thing.spec.gone": "RuleX", "Thing.spec.a": "class", "Thing": "Other", "": "a b"}}
    assert output(crd(after), recorded=odd) == output(crd(after))


@pytest.mark.slow
@settings(max_examples=60)
@given(object_schemas(), st.data())
def test_a_new_unique_name_renames_nothing(schema: Json, data: st.DataObject) -> None:
    """Without an earlier output: a property of a new name, in a place that shares its class with none, renames none."""
    old = of(schema)
    count = Counter(old.values())
    lonely = [path for path in old if all(count[old[path[:length]]] == 1 for length in range(len(path) + 1))]
    path = data.draw(st.sampled_from(sorted(lonely)))
    added = copy.deepcopy(schema)
    dict(places(added))[path]["properties"][data.draw(st.sampled_from(["Aaa", "mmm", "zzz"]))] = data.draw(
        st.sampled_from([{"type": "string"}, obj(new1="s"), items(new1="s", new2=obj(new3="i"))])
    )
    new = of(added)
    assert {one: new[one] for one in old} == old


@pytest.mark.slow
@settings(max_examples=30)
@given(object_schemas(), object_schemas())
def test_new_versions_rename_nothing(first: Json, second: Json) -> None:
    """Versions are modules of their own: what one holds doesn't depend on the others."""
    alone = output(crd(first))
    both = output(crd(first, second))
    assert {file: both.modules[file] for file in alone.modules} == alone.modules
    assert {file: both.stubs[file] for file in alone.stubs} == alone.stubs
    assert (
        output(crd(second, versions=["v2"])).modules["org/example/thing/v2.py"]
        == both.modules["org/example/thing/v2.py"]
    )


@pytest.mark.slow
@settings(max_examples=40)
@given(object_schemas())
def test_the_same_again_is_the_same(schema: Json) -> None:
    """Generating again, with or without the earlier output, gives the same files."""
    made = output(crd(schema))
    assert output(crd(schema)) == made
    assert output(crd(schema), previous=made) == made


def test_most_of_several_that_shared_a_class_keep_it() -> None:
    """Where places of one rank differ now, the shape that most have keeps the class, and of equal ones the first."""
    before = obj(spec=obj(**{name: obj(rule=obj(x="s")) for name in "abc"}))
    made = output(crd(before))
    for changed, kept in (("a", "bc"), ("c", "ab"), ("ab", "ab"), ("bc", "bc"), ("abc", "abc")):
        after = copy.deepcopy(before)
        for name in changed:
            after["properties"]["spec"]["properties"][name]["properties"]["rule"] = obj(x="s", y="i")
        found = of(after, previous=made)
        assert "".join(name for name in "abc" if found[("spec", name, "rule")] == "Rule") == kept
    two = obj(spec=obj(a=obj(rule=obj(x="s")), b=obj(rule=obj(x="s"))))
    after = obj(spec=obj(a=obj(rule=obj(x="s", y="i")), b=obj(rule=obj(x="s"))))
    assert of(after, previous=output(crd(two)))[("spec", "a", "rule")] == "Rule"


def test_what_is_written_comes_first() -> None:
    """Without an earlier folder, a class of spec has the short name before one of status that lies higher."""
    schema = obj(spec=obj(a=obj(b=obj(rule=obj(deep="s")))), status=obj(rule=obj(high="s")))
    assert of(schema)[("spec", "a", "b", "rule")] == "Rule"
    assert of(schema)[("status", "rule")] == "ThingStatusRule"
    schema = obj(spec=obj(initProvider=obj(rule=obj(y="s")), z=obj(rule=obj(x="s"))), status=obj(rule=obj(z="s")))
    assert [of(schema)[path] for path in (("spec", "z", "rule"), ("spec", "initProvider", "rule"))] == [
        *("Rule", "InitProviderRule")
    ]


def test_names_stay_in_modules_of_many_components() -> None:
    """A module of several kinds is one: a new field of the first doesn't take the name of a class of the last."""

    def document(**of_first: Any) -> Json:
        schemas = {"Aaa": obj(spec=obj(x="s", **of_first)), "Bbb": obj(spec=obj(template=obj(b="s")))}
        return openapi(**{f"parts.v1.{name}": component(one, "parts", "v1beta", name) for name, one in schemas.items()})

    first = output(document())
    assert names(first, "parts/v1", "Bbb")[("spec", "template")] == "Template"
    later = output(document(template=obj(other="s")), previous=first)
    assert names(later, "parts/v1", "Bbb") == names(first, "parts/v1", "Bbb")
    assert names(later, "parts/v1", "Aaa")[("spec", "template")] not in ("Template", "")


def test_renamed_wire_names_keep_their_classes() -> None:
    """Fields whose attribute isn't the wire name are found again in the earlier table."""
    wires = ["x y", "a:b", "c=d", "%41", "class", "$ref", "\u4e2d b"]
    before = obj(spec=obj(**{wire: obj(rule=obj(**{f"f{i}": "s"})) for i, wire in enumerate(wires)}))
    after = copy.deepcopy(before)
    after["properties"]["spec"]["properties"]["0"] = obj(rule=obj(new="s"))
    after["properties"]["aaa"] = obj(rule=obj(newer="s"))
    first = output(crd(before))
    old, new = (Classes(made.modules[f"{THING}.py"]) for made in (first, output(crd(after), previous=first)))
    for wire in wires:
        rules = [
            cls["ThingSpec"]._by_wire(wire).type.cls._by_wire("rule").type.cls.__name__  # the classes at one place
            for cls in (old, new)
        ]
        assert rules[0] == rules[1], wire


def test_a_field_that_becomes_a_list_keeps_its_class() -> None:
    """The class of a place is kept also where there are now many of it."""
    first = output(crd(obj(spec=obj(rule=obj(a="s")))))
    assert of(obj(spec=obj(rule=items(a="s"))), previous=first)[("spec", "rule")] == "Rule"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x = {",
        "load(",
        "load({1: 2})",
        "load({'Thing': 3})",
        "load({**a})",
        "load([])",
        'load({"Thing": "value:Wrong spec", "Wrong": ":::= @ [[[", "class": "%:s"})',
        'load({"Thing": "value:class", "class": "a:s"})',
        'load({"Thing": "value:Thing"})',
        'load({"Thing": "value:a b", "a b": "a:s"})',
        'load({"Thing": "value=%zz:A value=%ff:B", "A": "a:s", "B": "b:s"})',
        "load(" + "(" * 500,
        "load({'Thing': " + "[" * 5000,
        "load(\x00)",
    ],
)
def test_an_earlier_file_that_is_not_ours(text: str) -> None:
    """Whatever the earlier file holds, the module that is made now works."""
    made = output(thing(value=obj(a="s", b=obj(c="s"))), previous={f"{THING}.py": text})
    classes = Classes(made.modules[f"{THING}.py"])
    assert to_dict(classes["Thing"](value={"a": "x", "b": {"c": "y"}}))["value"] == {"a": "x", "b": {"c": "y"}}


def test_the_table_of_an_earlier_module() -> None:
    """The earlier table is what the module's source holds, and nothing where there is no such module."""
    made = output(thing(value=obj(a="s")))
    assert earlier_table(made.modules[f"{THING}.py"]) == table(made.modules[f"{THING}.py"])
    assert earlier_table(None) == {}
    assert earlier_table("x = {'a': 'b'}") == {}


# --- determinism -------------------------------------------------------------------------------------------------

SCRIPT = """
import json, sys
from crossplane_lite._tools.codegen.definitions import definitions
from crossplane_lite._tools.codegen.generate import generate
from crossplane_lite._tools.manifests.yaml import Document
documents = [Document(*one) for one in json.load(sys.stdin)]
sys.stdout.write(json.dumps(generate(definitions(documents).kinds)))
"""


@pytest.mark.slow  # processes
def test_hash_seeds_change_nothing(tmp_path: Path) -> None:
    """Processes whose hashes differ write the same bytes, clashing names, choices and many imports among them."""
    clashing = dict.fromkeys(("x-y", "x.y", "x y", "name_", "name", "list", "Any", "str", "dict", "metav1"), "s")
    choice = {"anyOf": [{"type": "string"}, {"type": "boolean"}, {"type": "integer"}, {"type": "number"}]}
    schema = obj(spec=obj(**clashing, choice=choice, many={"additionalProperties": {"type": "array", "items": {}}}))
    refs = {f"r{n}": {"$ref": f"#/components/schemas/a{n}.b.v1.C"} for n in range(5)}
    parts = {f"a{n}.b.v1.C": obj(x="s", next=refs[f"r{(n + 1) % 5}"]) for n in range(5)}
    documents = [
        ("one", crd(schema)),
        ("two", openapi(**{"z.y.v1.W": component(merged({}, {**refs, "v": SCALARS["q"]}), "z", "v1", "W"), **parts})),
    ]
    texts = set()
    for seed in ("1", "2", "3"):
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT],
            input=json.dumps(documents),
            cwd=tmp_path,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
        )
        texts.add(done.stdout)
    assert len(texts) == 1
    assert "choice" in texts.pop()
