"""What the package manager would refuse, with file and line."""

from __future__ import annotations

import pytest

from crossplane_lite._tools.packaging.lint import lint, read_stream
from crossplane_lite.errors import InputError
from tests.packaging.support import CRD, META


def problems(text: str) -> list[str]:
    """Return what is wrong with a stream."""
    return lint(read_stream(text, "p.yaml"), "package")[0]


def test_right() -> None:
    """A Function and a definition of its input are right, and so is a Function alone, of either version."""
    assert lint(read_stream(f"{META}---\n{CRD}", "p.yaml"), "package") == ([], [])
    assert problems(META.replace("io/v1\n", "io/v1beta1\n", 1)) == []
    assert problems("apiVersion: meta.pkg.crossplane.io/v1\nkind: Function\nmetadata: {name: function-a}\n") == []


WRONG = {
    "no meta": (CRD, "package has no meta.pkg.crossplane.io Function"),
    "two metas": (
        f"{META}---\n{META.replace('function-a', 'function-b')}",
        "p.yaml, line 10: a package must have one object of meta.pkg.crossplane.io, and p.yaml, line 1 has one already",
    ),
    "a Provider": (META.replace("kind: Function", "kind: Provider"), "line 2: the package must be a Function"),
    "a version of Function": (META.replace("io/v1\n", "io/v3\n", 1), "p.yaml, line 1: apiVersion must be"),
    "a foreign kind": (
        f"{META}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a}}\n",
        "p.yaml, line 11: a function's package can only have CustomResourceDefinitions, of the function's input "
        "(this is a 'ConfigMap' of 'v1')",
    ),
    "bad semver": (
        META.replace(">=v2.0.0", "newest"),
        "p.yaml, line 7: spec.crossplane.version: must be a version constraint, for example",
    ),
    "a version that is a number": (
        META.replace('">=v2.0.0"', "2.0"),
        "p.yaml, line 7: spec.crossplane.version must be",
    ),
    "a prefix": (META.replace("function-a", "a"), "line 4: metadata.name: must begin with function- (got 'a')"),
    "a name": (META.replace("function-a", "function_A"), "line 4: metadata.name: must be at most 253 lower"),
    "no name": (
        META.replace("  name: function-a", "  labels: {}"),
        "p.yaml, line 3: metadata.name is required",
    ),
    "a capability": (
        META.replace("[composition]", "[composition, compositions]"),
        'p.yaml, line 8: spec.capabilities[1] must be "composition" or "operation" (got "compositions")',
    ),
    "capabilities": (META.replace("[composition]", "composition"), "line 8: spec.capabilities must be a list"),
    "a dependency": (
        f"{META}  dependsOn: [{{version: v1.0.0}}]\n",
        "p.yaml, line 9: spec.dependsOn[0]: must name a package in one of the fields function",
    ),
    "a dependency's version": (
        f"{META}  dependsOn:\n  - function: example.org/a\n    version: newest\n",
        "p.yaml, line 11: spec.dependsOn[0].version: must be a version constraint",
    ),
    "spec": (META.split("spec:")[0] + "spec: []\n", "p.yaml, line 5: spec must be a mapping"),
    "no kind": (f"{META}---\na: b\n", "p.yaml, line 10: an object of a package must have apiVersion and kind"),
    "a broken definition": (
        f"{META}---\n{CRD.replace('served: true', 'served: 1')}",
        "p.yaml, line 10: spec.versions[0]: served must be",
    ),
    "a definition twice": (f"{META}---\n{CRD}---\n{CRD}", "defines inputs.a.fn.crossplane.io as well"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong(name: str) -> None:
    """Each broken variant has one message, with file and line."""
    text, message = WRONG[name]
    found = problems(text)
    assert len(found) == 1, found
    assert message in found[0]


def test_everything_at_once() -> None:
    """All that is wrong is said, not only the first."""
    text = META.replace("function-a", "a").replace(">=v2.0.0", "x.y.z.").replace("[composition]", "[a]")
    assert len(problems(text)) == 3


def test_an_unknown_field() -> None:
    """A field that Crossplane ignores is a warning that suggests the near one."""
    wrong, warnings = lint(read_stream(META.replace("capabilities:", "capabilites:"), "p.yaml"), "package")
    assert wrong == []
    assert warnings == [
        "p.yaml, line 8: Crossplane ignores this: spec.capabilites is not a field; did you mean 'capabilities'?"
    ]


def test_deep_input() -> None:
    """A stream that is nested too deeply is refused before anything recursive reads it."""
    with pytest.raises(InputError, match="nested more than 200 levels"):
        read_stream("a: " + "[" * 5000 + "]" * 5000, "p.yaml")
