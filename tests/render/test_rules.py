"""Rules in CEL of the schemas of kinds, as an API server evaluates them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from crossplane_lite import Observable
from crossplane_lite._core.base import extras
from crossplane_lite._core.schemas import rules
from crossplane_lite._core.schemas.rules import verdicts
from crossplane_lite.cli import main
from crossplane_lite.errors import MissingExtraError
from tests.codegen.generated import obj
from tests.render import gate

SCHEMA = gate.INSTANCE["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
Json = dict[str, Any]


def broken(rule: str, value: Any, schema: Json, old: Any = None, **more: Any) -> list[tuple[str, str]]:
    """Return the broken rules of an object with one field `x`."""
    properties = {"x": {**schema, "x-kubernetes-validations": [{"rule": rule, **more}]}}
    found = verdicts({"x": value}, {"type": "object", "properties": properties}, None if old is None else {"x": old})
    assert found.unknown == []
    return found.broken


@gate.needs_cel
@pytest.mark.parametrize(
    ("rule", "schema", "right", "wrong"),
    [
        ("self > 3", {"type": "integer"}, 4, 3),
        ("self < 1.5", {"type": "number"}, 1, 2),
        ("self.matches('^a+$')", {"type": "string"}, "aa", "ab"),
        ("self.lowerAscii() == 'a'", {"type": "string"}, "A", "B"),
        ("self.all(one, one.startsWith('a'))", {"type": "array", "items": {"type": "string"}}, ["a"], ["b"]),
        ("size(self) <= 2", {"type": "array", "items": {}}, [1, 2], [1, 2, 3]),
        ("has(self.a) != has(self.b)", obj(a="s", b="s"), {"a": "x"}, {"a": "x", "b": "y"}),
        ("self.a == 'x'", obj(a="s"), {"a": "x"}, {}),
        ("self.__namespace__ == 'x'", obj(namespace="s"), {"namespace": "x"}, {"namespace": "y"}),
        (
            "self.a__dash__b == 1",
            {"type": "object", "properties": {"a-b": {"type": "integer"}}},
            {"a-b": 1},
            {"a-b": 2},
        ),
        ("self['a-b'] == 1", {"type": "object", "additionalProperties": {}}, {"a-b": 1}, {"a-b": 2}),
    ],
)
def test_verdicts(rule: str, schema: Json, right: Any, wrong: Any) -> None:
    """What keeps a rule has no message, and what breaks it has the rule; so has a missing key, as in an API server."""
    assert broken(rule, right, schema) == []
    assert broken(rule, wrong, schema) == [("x", f"failed rule: {rule}")]
    assert broken(rule, wrong, schema, message="no") == [("x", "no")]


@gate.needs_cel
def test_old_objects() -> None:
    """A rule on the old object counts where there is one, and an element is known by its key."""
    assert broken("self == oldSelf", 1, {"type": "integer"}) == []
    assert broken("self == oldSelf", 1, {"type": "integer"}, 2, message="immutable") == [("x", "immutable")]
    assert broken("self == oldSelf", 1, {"type": "integer"}, 1) == []
    item = {**obj(name="s", a="i"), "x-kubernetes-validations": [{"rule": "self.a == oldSelf.a", "message": "no"}]}
    schema = obj(x={"type": "array", "items": item})
    values, old = {"x": [{"name": "b", "a": 1}]}, {"x": [{"name": "c", "a": 3}, {"name": "b", "a": 2}]}
    assert verdicts(values, schema, old).broken == []
    schema["properties"]["x"].update({"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]})
    assert verdicts(values, schema, old).broken == [("x[0]", "no")]


@gate.needs_cel
def test_unresolved_values() -> None:
    """A rule that names a field without a value yet counts as kept; a field is there though it has none."""
    waits = Observable("a.status.x")
    assert broken("self.a == 'x'", {"a": waits}, obj(a="s")) == []
    assert broken("has(self.a)", {"a": waits}, obj(a="s")) == []
    assert broken("self.a == 'x' || self.b == 1", {"a": "y", "b": waits}, obj(a="s", b="i")) == []
    assert broken("self.a == 'x'", {"a": "y", "b": waits}, obj(a="s", b="i")) == [("x", "failed rule: self.a == 'x'")]
    assert broken("self == 'x'", waits, {"type": "string"}) == []


@gate.needs_cel
def test_what_can_not_be_evaluated_is_an_error() -> None:
    """A function that nobody knows makes a rule that is told with its text, and isn't taken for kept."""
    schema = {**obj(a="s"), "x-kubernetes-validations": [{"rule": "isNothing(self.a)"}, {"rule": "self.a != ''"}]}
    found = verdicts({"a": "x"}, schema)
    ((path, message),) = found.broken
    assert path == ""
    assert "isNothing(self.a) can't be checked" in message
    assert found.unknown == []
    assert found.applied == 2


@gate.needs_cel
@pytest.mark.parametrize(
    ("rule", "right", "wrong"),
    [
        ("self.find('[0-9]+') == '12'", "a12b", "a"),
        ("self.findAll('[0-9]').size() == 2", "1a2", "1"),
        ("isIP(self) && ip(self).family() == 6", "::1", "10.0.0.1"),
        ("ip(self).isLoopback()", "127.0.0.1", "x"),
        ("cidr(self).containsIP('10.1.2.3')", "10.0.0.0/8", "10.0.0.0/16"),
        ("cidr('10.0.0.0/8').containsCIDR(self)", "10.1.0.0/16", "11.0.0.0/8"),
        ("url(self).getHostname() == 'a.b'", "https://u@a.b:80/c", "/a"),
        ("url(self).getQuery()['k'] == ['v']", "https://a/?k=v", "https://a/"),
        ("quantity(self).isLessThan(quantity('1Gi'))", "1G", "1e12"),
        ("quantity(self) == quantity('1k')", "1000", "1Ki"),
        ("semver(self).isGreaterThan(semver('1.2.3-rc.1'))", "1.2.3", "1.2.2"),
        ("!format.dns1123Label().validate(self).hasValue()", "a-b", "a.b"),
        ("sets.contains(['a', 'b'], [self])", "a", "c"),
        ("[self, 'b'].isSorted()", "a", "c"),
        ("[3, 4].all(i, v, v > i && self == 'a')", "a", "b"),
        ("{'a': 1}.exists(k, v, k == self && v == 1)", "a", "b"),
    ],
)
def test_functions_of_kubernetes(rule: str, right: str, wrong: str) -> None:
    """What Kubernetes adds to CEL is known, and an error in a function breaks the rule."""
    assert broken(rule, right, {"type": "string"}) == []
    assert broken(rule, wrong, {"type": "string"}) == [("x", f"failed rule: {rule}")]


@gate.needs_cel
def test_an_old_value_that_is_optional() -> None:
    """A rule with optionalOldSelf counts for a new object, too, where it has no old value."""
    rule = "self == 1 || oldSelf.hasValue()"
    assert broken(rule, 2, {"type": "integer"}, optionalOldSelf=True) == [("x", f"failed rule: {rule}")]
    assert broken(rule, 2, {"type": "integer"}, old=1, optionalOldSelf=True) == []


@gate.needs_cel
def test_the_order_of_a_set_does_not_count() -> None:
    """A set that must not change may have its elements in another order."""
    schema = {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"}
    assert broken("self == oldSelf", ["a", "b"], schema, old=["b", "a"]) == []
    assert broken("self == oldSelf", ["a", "c"], schema, old=["b", "a"]) != []


@pytest.mark.parametrize(
    ("spec", "wrong"),
    [
        ({"forProvider": {}}, True),
        ({}, True),
        ({"forProvider": {}, "managementPolicies": ["Update"]}, True),
        ({"forProvider": {"instanceClass": "a"}}, False),
        ({"forProvider": {"instanceClass": Observable("a.status.x")}}, False),
        ({"forProvider": Observable("a.status.x")}, False),
        ({"forProvider": {}, "initProvider": {"instanceClass": "a"}}, False),
        ({"forProvider": {}, "managementPolicies": ["Observe"]}, False),
    ],
)
@pytest.mark.parametrize("installed", [True, False])
def test_required_parameters(spec: Json, wrong: bool, installed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rule for the required parameters of providers is understood with the library and without it."""
    if not installed:
        monkeypatch.setattr(extras, "load", missing)
        rules._compiled.cache_clear()
        rules._environment.cache_clear()
    found = verdicts({"spec": spec}, SCHEMA)
    expected = [("spec", "spec.forProvider.instanceClass is a required parameter")] if wrong else []
    assert [one for one in found.broken if one[0] == "spec"] == expected


def missing(module: str, extra: str) -> Any:
    """Say that an extra isn't installed."""
    raise MissingExtraError(extras.not_installed(module, extra))


def test_without_the_library(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rules that need the library are counted, and the line says how to install it; they aren't errors."""
    real = extras.load

    def load(module: str, extra: str) -> Any:
        return (missing if module.startswith("cel_expr_python") else real)(module, extra)

    monkeypatch.setattr(extras, "load", load)
    rules._compiled.cache_clear()
    rules._environment.cache_clear()
    arguments = gate.files(tmp_path)
    assert main(["render", *arguments, "--function", "tests.render.gate:low_port"]) == 0
    err = capsys.readouterr().err
    assert "not evaluated: 1 of 2 rules in CEL (" in err
    assert "crossplane-lite[cli]" in err


@gate.needs_cel
def test_the_rules_of_an_xrd(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A composite that breaks a rule of its XRD is refused; of the status, the functions' values are."""
    spec = {**obj(region="s"), "x-kubernetes-validations": [{"rule": "self.region != 'eu'", "message": "not here"}]}
    status = {**obj(id="s"), "x-kubernetes-validations": [{"rule": "self.id != 'x'", "message": "no x"}]}
    xrd = {
        "apiVersion": "apiextensions.crossplane.io/v2",
        "kind": "CompositeResourceDefinition",
        "metadata": {"name": "networks.example.org"},
        "spec": {
            "group": "example.org",
            "names": {"kind": "Network", "plural": "networks"},
            "scope": "Namespaced",
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "referenceable": True,
                    "schema": {"openAPIV3Schema": obj(spec=spec, status=status)},
                }
            ],
        },
    }
    arguments = [gate.files(tmp_path)[0], "--xrd", str(tmp_path / "xrd.yaml"), "--function"]
    (tmp_path / "xrd.yaml").write_text(json.dumps(xrd), encoding="utf-8")
    assert main(["render", *arguments, "tests.render.gate:says"]) == 2
    assert "spec: not here" in capsys.readouterr().err
    del spec["x-kubernetes-validations"]
    (tmp_path / "xrd.yaml").write_text(json.dumps(xrd), encoding="utf-8")
    assert main(["render", *arguments, "tests.render.gate:says"]) == 1
    assert "invalid: xr.status: no x (schema of example.org/v1 Network in the XRD)" in capsys.readouterr().err
