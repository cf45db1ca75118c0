"""`validate` refuses definitions of kinds where the API server's own library does, and no others."""

from __future__ import annotations

import copy
import json
import os
import random
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml as pyyaml  # type: ignore[import-untyped]

from crossplane_lite.cli import main
from tests.runtime.go_programs import built_from

pytestmark = [pytest.mark.real, pytest.mark.slow]

COUNT = int(os.environ.get("DEFINITIONS", "400"))
X = "x-kubernetes"
BASE = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.org}
spec:
  group: example.org
  scope: Namespaced
  names: {kind: Thing, plural: things, singular: thing, listKind: ThingList}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          metadata: {type: object}
          spec:
            type: object
            required: [a]
            properties:
              a: {type: string, default: x, maxLength: 10}
              n: {type: integer, default: 3, minimum: 1, maximum: 9}
              free: {type: object, x-kubernetes-preserve-unknown-fields: true}
              labels: {type: object, additionalProperties: {type: string, maxLength: 9}, maxProperties: 5}
              items:
                type: array
                maxItems: 5
                items: {type: object, required: [name], properties: {name: {type: string}, v: {type: number}}}
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name]
              set: {type: array, items: {type: string}, x-kubernetes-list-type: set}
              either:
                type: object
                properties: {l: {type: string}, r: {type: string}}
                oneOf: [{required: [l]}, {required: [r]}]
                not: {properties: {l: {enum: [bad]}}}
              flag: {type: boolean, nullable: true}
              own: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}
"""
# Keywords with values, of which each schema may get one.
CHANGES = {
    "type": ["string", "integer", "object", "array", "text", "null"],
    "items": [{"type": "string"}, {}, [{"type": "string"}]],
    "properties": [{"z": {"type": "string"}}, {"z": {}}, {}],
    "additionalProperties": [True, False, {"type": "string"}, {}],
    "nullable": [True, False],
    "uniqueItems": [True, False],
    "$ref": ["#/a"],
    "definitions": [{"a": {"type": "string"}}],
    "dependencies": [{"a": ["b"]}],
    "patternProperties": [{"a": {"type": "string"}}],
    "id": ["a"],
    "oneOf": [[{"required": ["a"]}], [{"type": "string"}], [{"description": "x"}], [{"default": 1}], [{}]],
    "anyOf": [[{"minimum": 1}], [{"type": "integer"}, {"type": "string"}], [{f"{X}-validations": [{"rule": "true"}]}]],
    "allOf": [[{"anyOf": [{"type": "integer"}, {"type": "string"}]}], [{"maxLength": 3}], [{"title": "x"}]],
    "not": [{"required": ["a"]}, {"type": "string"}, {"properties": {"metadata": {"minLength": 1}}}],
    "required": [["a"], ["nope"]],
    "enum": [["a", "b"], [1]],
    "pattern": ["^a$", "(", "a{2,1}", r"^[[:alpha:]]\pL\z"],
    "format": ["date-time", "odd", "int32"],
    "minimum": [1, 1.5],
    f"{X}-preserve-unknown-fields": [True, False],
    f"{X}-int-or-string": [True],
    f"{X}-embedded-resource": [True],
    f"{X}-list-type": ["map", "set", "atomic", "odd"],
    f"{X}-list-map-keys": [["name"], ["nope"], [], ["name", "name"]],
    f"{X}-map-type": ["atomic", "granular", "odd"],
    f"{X}-validations": [[{"rule": "self == self"}], [{"rule": "self."}], [{"message": "a"}], [{"rule": "has("}]],
    "title": ["t"],
    "description": ["d"],
}
# What the API server finds by the types and the costs of rules, and what it has for the top alone.
BEYOND = re.compile(
    r"rule: Invalid value.*compilation failed|estimated rule cost|only \[Description|must be object if parent array"
    r"|: must be string$",
    re.DOTALL,
)


def schemas_in(schema: Any) -> Iterator[dict[str, Any]]:
    """Yield a schema, and all that are in it."""
    yield schema
    for below in schema.get("properties", {}).values():
        yield from schemas_in(below)
    for key in ("items", "additionalProperties", "not"):
        if isinstance(schema.get(key), dict):
            yield from schemas_in(schema[key])
    for member in schema.get("oneOf", ()):
        yield from schemas_in(member)


def changed(chance: random.Random) -> dict[str, Any]:
    """Return the definition with one to three changes."""
    made: dict[str, Any] = copy.deepcopy(pyyaml.safe_load(BASE))
    found = [*schemas_in(made["spec"]["versions"][0]["schema"]["openAPIV3Schema"])]
    for _ in range(chance.choice([1, 1, 2, 3])):
        schema = chance.choice(found)
        if schema and chance.random() < 0.2:
            del schema[chance.choice(sorted(schema))]
        else:
            key = chance.choice(sorted(CHANGES))
            schema[key] = copy.deepcopy(chance.choice(CHANGES[key]))
    return made


def test_definitions_agree_with_the_api_server(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of changed definitions, those are right that the API server takes, but for the types and costs of rules."""
    program = built_from(Path(__file__).with_name("definitions"), "definitions")
    chance = random.Random(7)
    cases = [pyyaml.safe_load(BASE), *(changed(chance) for _ in range(COUNT))]
    lines = "\n".join(map(json.dumps, cases))
    done = subprocess.run([program], input=lines, capture_output=True, text=True, timeout=600, check=True)
    wanted = [json.loads(line) for line in done.stdout.splitlines()]
    assert COUNT / 4 < sum(map(bool, wanted)) < COUNT * 3 / 4
    for number, case in enumerate(cases):
        (tmp_path / f"{number}.json").write_text(json.dumps(case))
        main(["validate", str(tmp_path / f"{number}.json")])
        told = capsys.readouterr().out.splitlines()[:-1]
        theirs = [one for one in wanted[number] if not BEYOND.search(one)]
        if told or theirs:
            assert told, (case, theirs)
            assert wanted[number], (case, told)
