"""`crossplane-lite validate`: what is wrong in files of composites, Compositions, definitions and other objects."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from crossplane_lite.cli import main
from tests.manifests.packages import Oci, docker, layer, tar, write_oci
from tests.manifests.registry import Registry, packaged, registry
from tests.render.gate import needs_cel

__all__ = ["registry"]

ROOT = Path(__file__).resolve().parents[2]

XRD = """\
apiVersion: apiextensions.crossplane.io/v2
kind: CompositeResourceDefinition
metadata: {name: networks.example.org}
spec:
  group: example.org
  scope: Namespaced
  names: {kind: Network, plural: networks}
  versions:
  - name: v1
    served: true
    referenceable: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [region]
            properties:
              region: {type: string}
              size: {type: integer, default: 1}
              kept: {type: string}
            x-kubernetes-validations:
            - {rule: "self.size < 10", message: too many}
"""
XR = """\
apiVersion: example.org/v1
kind: Network
metadata: {name: a}
spec:
  region: eu
"""
COMPOSITION = """\
apiVersion: apiextensions.crossplane.io/v1
kind: Composition
metadata: {name: networks}
spec:
  compositeTypeRef:
    apiVersion: example.org/v1
    kind: Network
  mode: Pipeline
  pipeline:
  - step: make
    functionRef:
      name: function-network
    input:
      apiVersion: fn.example.org/v1
      kind: Input
      level: high
"""
FUNCTIONS = """\
apiVersion: pkg.crossplane.io/v1
kind: Function
metadata: {name: function-network}
spec: {package: xpkg.example.org/team/function-network:v1}
"""
INPUT = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: inputs.fn.example.org}
spec:
  group: fn.example.org
  scope: Namespaced
  names: {kind: Input, plural: inputs}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          apiVersion: {type: string}
          kind: {type: string}
          metadata: {type: object}
          level: {type: string, enum: [low, high]}
"""
FILES = {
    "xrd.yaml": XRD,
    "xr.yaml": XR,
    "composition.yaml": COMPOSITION,
    "functions.yaml": FUNCTIONS,
    "input.yaml": INPUT,
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with files that are right in `all`."""
    monkeypatch.chdir(tmp_path)
    Path("all").mkdir()
    for name, text in FILES.items():
        Path("all", name).write_text(text)
    return tmp_path


def change(name: str, *pairs: str) -> None:
    """Replace texts in a file of `all`, each by the next."""
    path = Path("all", name)
    text = path.read_text()
    for old, new in zip(pairs[::2], pairs[1::2], strict=True):
        assert old in text
        text = text.replace(old, new)
    path.write_text(text)


def told(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 1) -> list[str]:
    """Run the command, and return its lines on stdout, without the summary, when it ends with this status."""
    assert main(["validate", *(arguments or ("all",))]) == status
    return capsys.readouterr().out.splitlines()[:-1]


@needs_cel
def test_what_is_right(capsys: pytest.CaptureFixture[str]) -> None:
    """Files that fit together are counted, and nothing else is said."""
    assert main(["validate", "all"]) == 0
    captured = capsys.readouterr()
    assert captured.out == "5 objects: 5 valid, 0 invalid, 0 without a schema\n"
    assert captured.err == ""


@needs_cel
def test_a_composite(capsys: pytest.CaptureFixture[str]) -> None:
    """Each mistake of a composite has the file, the line of the field and its path; rules in CEL count."""
    change("xr.yaml", "  region: eu\n", "  kept: 1\n  regoin: eu\n")
    lines = told(capsys)
    where = "(schema of example.org/v1 Network in all/xrd.yaml:1)"
    assert lines == [
        f"all/xr.yaml:5: spec.kept: must be a string (got 1 that is an integer) {where}",
        f"all/xr.yaml:4: spec.region: is required {where}",
        f"all/xr.yaml:6: spec.regoin: isn't a field of the schema; did you mean 'region'? {where}",
    ]
    Path("all/xr.yaml").write_text(f"{XR}  size: 12\n")
    assert told(capsys) == [f"all/xr.yaml:4: spec: too many {where}"]


def test_kinds_that_are_misnamed(capsys: pytest.CaptureFixture[str]) -> None:
    """A version that the XRD doesn't have, and a kind that is nearly one, are mistakes at their fields."""
    Path("all/more.yaml").write_text(f"{XR.replace('org/v1', 'org/v2')}---\n{XR.replace('Network', 'Netwrok')}")
    first, second = told(capsys)
    assert first.startswith("all/more.yaml:1: apiVersion: v2 isn't a version of the kind (all/xrd.yaml:1 has v1 of")
    assert second == "all/more.yaml:8: kind: Netwrok isn't a kind of example.org/v1; did you mean 'Network'?"


def test_other_objects(capsys: pytest.CaptureFixture[str]) -> None:
    """Kubernetes' own kinds are checked, by their code as well, and manifests in an Object are."""
    Path("all/list.yaml").write_text(
        """\
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: a}
  data: {a: 1}
- apiVersion: v1
  kind: Service
  metadata: {name: b}
  spec:
    ports: [{port: 70000}]
- apiVersion: kubernetes.crossplane.io/v1alpha2
  kind: Object
  metadata: {name: c}
  spec:
    forProvider:
      manifest:
        apiVersion: v1
        kind: ConfigMap
        dota: {}
"""
    )
    lines = told(capsys)
    assert [line.partition(": must")[0].partition(": isn't")[0] for line in lines] == [
        "all/list.yaml:7: data.a",
        "all/list.yaml:12: spec.ports[0].port",
        "all/list.yaml:21: spec.forProvider.manifest.dota",
    ]


def test_names(capsys: pytest.CaptureFixture[str]) -> None:
    """An object has a name, or a prefix of one."""
    change("xr.yaml", "{name: a}", "{generateName: a-}")
    change("composition.yaml", "{name: networks}", "{}")
    change("functions.yaml", "metadata: {name: function-network}\n", "")
    Path("all/a.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {}\n")
    found = [line for line in told(capsys) if "there is no Function" not in line]
    names = [("a.yaml", 3), ("composition.yaml", 3), ("functions.yaml", 1)]
    assert found == [f"all/{name}:{line}: metadata.name: is missing" for name, line in names]


@needs_cel
def test_what_has_no_schema(capsys: pytest.CaptureFixture[str]) -> None:
    """A kind without a schema is no mistake, and is said once, and so is what is no object."""
    vpc = "apiVersion: ec2.example.org/v1\nkind: VPC\nmetadata: {name: a}\n"
    Path("all/vpc.yaml").write_text(f"{vpc}---\n{vpc}---\n{vpc}")
    Path("all/values.yaml").write_text("replicas: 1\n")
    Path("all/list.yaml").write_text("- a\n")
    Path("all/input.yaml").unlink()
    assert main(["validate", "all"]) == 0
    assert "values.yaml, document 1 (line 1) has neither apiVersion nor kind" in capsys.readouterr().err
    Path("all/chart/templates").mkdir(parents=True)
    Path("all/chart/Chart.yaml").write_text("name: a\n")
    Path("all/chart/templates/a.yaml").write_text("kind: {{ .Values.kind }}\n")
    assert main(["validate", "all"]) == 0
    captured = capsys.readouterr()
    assert captured.out == "7 objects: 4 valid, 0 invalid, 3 without a schema\n"
    first, second, third = captured.err.splitlines()
    assert first.startswith("not checked: all/vpc.yaml:1 and 2 more: no schema of ec2.example.org/v1 VPC; a file for")
    hint = "its package may have one: --crds xpkg://xpkg.example.org/team/function-network:v1"
    assert second == f"not checked: all/composition.yaml:1: no definition of fn.example.org/v1 Input; {hint}"
    assert third.startswith("passed over: all/chart/Chart.yaml, document 1 (line 1) has neither apiVersion nor kind; ")
    assert "a.yaml is a template; `helm template` fills it in; all/list.yaml, document 1 (line 1) is not a" in third


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("Pipeline", "Resources", "8: spec.mode: is Resources; only mode: Pipeline can be rendered"),
        ("  mode:", "  mod: 1\n  mode:", "8: spec.mod: isn't a field of a Composition; did you mean 'mode'?"),
        (
            "function-network",
            "function-netwrk",
            "12: spec.pipeline[0].functionRef.name: there is no Function funct",
        ),
        ("    functionRef:\n      name: function-network\n", "", "10: spec.pipeline[0].functionRef.name: is missing"),
        (
            "example.org/v1\n    kind: N",
            "example.org/v2\n    kind: N",
            "6: spec.compositeTypeRef.apiVersion: must be ",
        ),
        (
            "kind: Network",
            "kind: Netwrok",
            "7: spec.compositeTypeRef.kind: Netwrok isn't a kind of example.org/v1",
        ),
        ("kind: Network", "kind: 3", "7: spec.compositeTypeRef.kind: must be a string that isn't empty"),
        ("level: high", "level: hihg", "16: spec.pipeline[0].input.level: must be one of 'low', 'high'"),
        ("level: high", "levle: high", "16: spec.pipeline[0].input.levle: isn't a field of the schema; did you mean"),
        ("kind: Input", "kind: Inptu", "15: spec.pipeline[0].input.kind: Inptu isn't a kind of fn.example.org/v1; did"),
        ("fn.example.org/v1", "a/b/c", "1: "),
    ],
)
def test_a_composition(capsys: pytest.CaptureFixture[str], old: str, new: str, line: str) -> None:
    """A Composition's mode, fields, functions, inputs and kind must fit to what is there, each told at its line."""
    change("composition.yaml", old, new)
    (found,) = told(capsys)
    assert found.startswith(f"all/composition.yaml:{line}")


def test_several_mistakes_of_a_composition(capsys: pytest.CaptureFixture[str]) -> None:
    """All steps are checked, and a step's name must be there once."""
    steps = (
        "  - step: b\n    functionRef: {nam: x}\n  - step: c\n    input: 3\n  - step: b\n    functionRef: {name: x}\n"
    )
    Path("all/composition.yaml").write_text(COMPOSITION + steps)
    found = [line.removeprefix("all/composition.yaml:") for line in told(capsys)]
    assert found == [
        "18: spec.pipeline[1].functionRef.name: is missing",
        "19: spec.pipeline[2].functionRef.name: is missing",
        "21: spec.pipeline[3]: has the same step as an element before it: 'b'",
        "18: spec.pipeline[1].functionRef.nam: isn't a field of a Composition; did you mean 'name'?",
        "22: spec.pipeline[3].functionRef.name: there is no Function x",
    ]


def test_a_composition_of_a_claim(capsys: pytest.CaptureFixture[str]) -> None:
    """A Composition for the kind of a claim is told the composite's."""
    legacy = XRD.replace("io/v2", "io/v1").replace("  scope: Namespaced\n", "  claimNames: {kind: Net, plural: nets}\n")
    Path("all/xrd.yaml").write_text(legacy)
    change("composition.yaml", "kind: Network", "kind: Net")
    (found,) = told(capsys)
    assert (
        found == "all/composition.yaml:7: spec.compositeTypeRef.kind: is the kind of a claim; its composite is Network"
    )


def test_functions_that_are_not_given(capsys: pytest.CaptureFixture[str]) -> None:
    """Where no Function is given, nothing is known about their names; one without a package is a mistake."""
    Path("all/functions.yaml").unlink()
    assert told(capsys, status=0) == []
    Path("all/functions.yaml").write_text(FUNCTIONS.replace("package:", "pakage:"))
    assert told(capsys) == ["all/functions.yaml:4: spec.package: must be the name of a package"]


TOP = "spec.versions[0].schema.openAPIV3Schema.properties"
PLACE = f"{TOP}.spec"


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        (
            "networks.example.org",
            "network.example.org",
            "3: metadata.name: must be networks.example.org, the plura",
        ),
        ("referenceable: true", "referenceable: false", "8: spec.versions: must have one version with referenceable: "),
        ("group: example.org", "group: 3", "1: spec.group must be a string"),
        ("{type: string}", "{}", f"22: {PLACE}.properties.kept: has no type; give one of array, object, string, "),
        ("{type: string}", "{type: text}", f"20: {PLACE}.properties.region.type: must be one of array, object, string"),
        ("required: [region]", "requried: [region]", f"18: {PLACE}.requried: isn't a keyword of schemas; did you mean"),
        ("kept: {type: string}", "kept: {type: array}", f"22: {PLACE}.properties.kept: has no items, the schema of"),
        ("default: 1", "default: b", f"21: {PLACE}.properties.size.default: must be an integer (got 'b' that is a"),
        pytest.param(
            "self.size < 10", "self.size <", f"24: {PLACE}.x-kubernetes-validations[0].rule: the rule ", marks=needs_cel
        ),
        ("{type: string}", "{type: string, $ref: a}", f'20: {PLACE}.properties.region["$ref"]: can\'t be used in the'),
        (
            "kept: {type: string}",
            "kept: {type: array, items: {type: object}, x-kubernetes-list-type: map}",
            f"22: {PLACE}.properties.kept: has x-kubernetes-list-type: map without x-kubernetes-list-map-keys",
        ),
        (
            "kept: {type: string}",
            "kept: {type: array, items: {type: object, properties: {a: {type: string}}}, "
            "x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a, b]}",
            f"22: {PLACE}.properties.kept.x-kubernetes-list-map-keys[0]: is a, which must be required or ",
        ),
        (
            "kept: {type: string}",
            "kept: {type: object, properties: {a: {type: string}}, additionalProperties: {type: string}}",
            f"22: {PLACE}.properties.kept.additionalProperties: can't stand beside properties; give one of the two",
        ),
        (
            "kept: {type: string}",
            "kept: {type: string, anyOf: [{type: string}, 3]}",
            f"22: {PLACE}.properties.kept.anyOf[0].type: can only stand outside of allOf, anyOf, oneOf and not",
        ),
        (
            "kept: {type: string}",
            "kept: {x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: false, not: []}",
            f"22: {PLACE}.properties.kept.x-kubernetes-preserve-unknown-fields: must be true, or be left out",
        ),
        ("kept: {type: string}", "kept: {type: array, items: {type: string}, uniqueItems: true}", f"22: {PLACE}."),
        (
            "          spec:\n",
            "          region: {type: string}\n          spec:\n",
            f"16: {TOP}.region: isn't taken: the",
        ),
        ("{type: string}", "{type: string, pattern: '('}", f"20: {PLACE}.properties.region.pattern: can't be read as"),
        ("{type: string}", "{type: string, x-kubernetes-map-type: a}", f"20: {PLACE}.properties.region.x-kubernetes-m"),
        ("message: too many", 'message: "a\\nb"', f"24: {PLACE}"),
        ("kept: {type: string}", "kept: 3", f"22: {PLACE}.properties.kept: must be a schema (got an integer)"),
        (
            "kept: {type: string}",
            "kept: {type: string, oneOf: 3}",
            f"22: {PLACE}.properties.kept.oneOf: must be a l",
        ),
    ],
)
def test_an_xrd(capsys: pytest.CaptureFixture[str], old: str, new: str, line: str) -> None:
    """An XRD must be one that Crossplane takes, with structural schemas that the API server takes."""
    change("xrd.yaml", old, new)
    lines = [one for one in told(capsys) if one.startswith("all/xrd.yaml:")]
    assert any(one.startswith(f"all/xrd.yaml:{line}") for one in lines), lines


@pytest.mark.parametrize(
    "kept",
    [
        "{x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}]}",
        "{x-kubernetes-int-or-string: true, allOf: [{anyOf: [{type: integer}, {type: string}]}, {minLength: 1}]}",
        "{x-kubernetes-preserve-unknown-fields: true}",
        "{type: object, additionalProperties: {type: string}, not: {minProperties: 3}}",
        "{type: object, properties: {a: {type: string}}, additionalProperties: true}",
        "{type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}",
        "{type: array, items: {type: object, required: [a], properties: {a: {type: string}}}, "
        "x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a]}",
        "{type: object, properties: {a: {type: string}, b: {type: string}}, "
        "anyOf: [{required: [a]}, {properties: {b: {enum: [x]}}}], default: {a: b}}",
    ],
)
def test_schemas_that_are_right(capsys: pytest.CaptureFixture[str], kept: str) -> None:
    """What an API server takes is no mistake."""
    change("xrd.yaml", "kept: {type: string}", f"kept: {kept}")
    assert told(capsys, status=0) == []


def test_a_crd(capsys: pytest.CaptureFixture[str]) -> None:
    """Other fields of a CustomResourceDefinition are checked as those of any object; patches are passed over."""
    change("input.yaml", "  scope: Namespaced\n", "  scope: Namespaced\n  scopes: []\n")
    patch = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: a.b.c}\n"
    Path("all/patch.yaml").write_text(patch)
    lines = told(capsys)
    assert [line.split(": ")[:2] for line in lines] == [["all/input.yaml:7", "spec.scopes"]]
    change(
        "input.yaml",
        "  - name: v1\n",
        "  - name: v1\n    served: false\n    storage: false\n    schema:\n"
        "      openAPIV3Schema: {type: array, items: {type: string}}\n  - name: v1\n",
    )
    assert "spec.versions[1].name: is v1 as that of a version before it" in "\n".join(told(capsys))


def test_objects_that_are_none(capsys: pytest.CaptureFixture[str]) -> None:
    """Objects without a kind, files that are no YAML, and lists of something else are mistakes, with their places."""
    Path("all/a.yaml").write_text("apiVersion: v1\nmetadata: {}\n---\napiVersion: 1\nkind: A\n")
    Path("all/b.yaml").write_text("apiVersion: v1\nkind: [\n")
    Path("all/c.yaml").write_text("apiVersion: v1\nkind: List\nitems: [3]\n")
    Path("all/d.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: 3}\n")
    lines = told(capsys)
    assert lines[0].startswith("all/b.yaml, line 3")
    assert lines[1] == "all/c.yaml, document 1 (line 1), items[0] must be a mapping (got an integer)"
    assert lines[2:] == [
        "all/a.yaml:1: has no kind",
        "all/a.yaml:4: apiVersion: must be a non-empty string (got 1 that is an integer)",
        "all/d.yaml:3: metadata.name: must be a string (got an integer)",
    ]
    Path("values.yaml").write_text("a: b\n")
    assert told(capsys, "values.yaml") == ["values.yaml:1: has no apiVersion"]


def test_a_project(capsys: pytest.CaptureFixture[str]) -> None:
    """Without PATH the files that the project file names are checked; where it names none, PATH is missing."""
    change("xr.yaml", "eu", "3")
    project = Path("crossplane-lite.toml")
    project.write_text('[preview]\nxr = "all/xr.yaml"\nxrd = "all/xrd.yaml"\n')
    assert main(["validate"]) == 1
    line, summary = capsys.readouterr().out.splitlines()
    assert line.startswith("all/xr.yaml:5: spec.region: must be a string (got 3 that is an integer)")
    assert summary.startswith("2 objects: ")
    project.write_text("[preview]\n")
    with pytest.raises(SystemExit, match="2"):
        main(["validate"])
    assert "give PATH: the current folder has no crossplane-lite.toml with [preview]" in capsys.readouterr().err


def test_definitions_from_elsewhere(capsys: pytest.CaptureFixture[str], registry: Registry) -> None:
    """--crds gives definitions that aren't checked themselves: files, archives and packages in registries."""
    Path("crds").mkdir()
    for name in ("xrd.yaml", "input.yaml"):
        Path("all", name).rename(Path("crds", name))
    change("xr.yaml", "eu", "3")
    assert told(capsys, status=0) == []
    (line,) = told(capsys, "all", "--crds", "crds")
    assert line.startswith("all/xr.yaml:5: spec.region: must be a string (got 3 that is an integer) (schema of")
    Path("crossplane-lite.toml").write_text('[preview]\ncrds = ["crds"]\n')
    assert told(capsys) == [line]
    Path("crossplane-lite.toml").unlink()
    Path("provider.xpkg").write_bytes(tar(docker(layer(XRD.encode()))))
    (line,) = told(capsys, "all", "--crds", "provider.xpkg")
    assert "in provider.xpkg:package.yaml, document 1 (line 1)" in line
    registry.add("v1", *packaged(content=XRD.encode()))
    name = f"xpkg://{registry.address}/team/a:v1"
    for arguments in (["all", "--crds", name], ["all", name], ["all", "provider.xpkg"]):
        assert told(capsys, *arguments)[0].startswith("all/xr.yaml:5: spec.region: must be a string")


def test_archives_without_definitions(capsys: pytest.CaptureFixture[str]) -> None:
    """An image without a package in a folder is passed over, and one that is named can't be used."""
    Path("all/image.tar").write_bytes(tar(docker(layer(b"x", "bin/run"))))
    write_oci(Path("all/layout"), (image := Oci()).saved(image.image((layer(b"x", "bin/run"), {}))))
    Path("all/empty.yaml").touch()
    change("xr.yaml", "example.org", "other.org")
    assert main(["validate", "all"]) == 0
    assert "all/image.tar has no package.yaml" in capsys.readouterr().err
    assert main(["validate", "all/xr.yaml", "all/image.tar"]) == 2
    assert "all/image.tar has no package.yaml" in capsys.readouterr().err


def test_standard_input(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """`-` stands for standard input, such as the output of another command."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(XR.replace("eu", "3").encode())))
    (line,) = told(capsys, "all/xrd.yaml", "-")
    assert line.startswith("<stdin>:5: spec.region: must be a string")


def test_paths_that_can_not_be_read(capsys: pytest.CaptureFixture[str]) -> None:
    """A path that isn't there, and a folder without files, end with 2."""
    Path("empty").mkdir()
    for path in ("gone.yaml", "empty", "gone/*.yaml"):
        assert main(["validate", path]) == 2
        assert capsys.readouterr().err.startswith("crossplane-lite validate: ")


@pytest.mark.parametrize("name", ["application", "database", "network", "storage_bucket", "two_steps", "vpc"])
def test_examples(capsys: pytest.CaptureFixture[str], name: str) -> None:
    """The composites, Compositions and definitions of the examples are right."""
    names = ("xr", "xrd", "composition", "functions")
    assert told(capsys, *(str(ROOT / f"examples/{name}/{one}.yaml") for one in names), status=0) == []
