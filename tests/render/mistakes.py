"""Mistakes that beginners make, and what previews say of each: the place, the remedy, the exit status, the grade.

A mistake is a change of a small project that is right: a line of compose(), another function, or another file. Lines
of code that are wrong end with `# here`.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tests.codegen.generated import crd, obj
from tests.render import gate

__all__ = ["MISTAKES", "Mistake", "write"]

V = "example.org/v1"
TAGS = {"type": "object", "additionalProperties": {"type": "string"}}
SPEC = {
    **obj(
        region={"type": "string", "enum": ["eu", "us"]}, team="s", zones={"type": "array", "items": {"type": "string"}}
    ),
    "required": ["region"],
}
XRD = {
    "apiVersion": "apiextensions.crossplane.io/v2",
    "kind": "CompositeResourceDefinition",
    "metadata": {"name": "networks.example.org"},
    "spec": {
        "group": "example.org",
        "scope": "Namespaced",
        "names": {"kind": "Network", "plural": "networks"},
        "versions": [
            {
                **{"name": "v1", "served": True, "referenceable": True},
                "schema": {"openAPIV3Schema": obj(spec=SPEC, status=obj(vpcId="s", address="s"))},
            }
        ],
    },
}
VPC = crd(
    obj(
        spec={**obj(region="s", size="i", tier={"type": "string", "enum": ["basic", "large"]}), "required": ["region"]},
        status=obj(
            id="s",
            size="i",
            engine="s",
            addresses={"type": "array", "items": {"type": "string"}},
            conditions={"type": "array", "items": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
        ),
    ),
    kind="VPC",
)
SUBNET = crd(obj(spec=obj(region="s", vpcId="s", public="b", tags=TAGS), status=obj(id="s")), kind="Subnet")
CLUSTER = crd(obj(spec=obj(region="s")), kind="Zone")
CLUSTER["spec"]["scope"] = "Cluster"
CRDS = [VPC, SUBNET, CLUSTER, gate.INSTANCE]
COMPOSITION: dict[str, Any] = {
    "apiVersion": "apiextensions.crossplane.io/v1",
    "kind": "Composition",
    "metadata": {"name": "networks"},
    "spec": {
        "compositeTypeRef": {"apiVersion": V, "kind": "Network"},
        "mode": "Pipeline",
        "pipeline": [
            {
                **{"step": "compose", "functionRef": {"name": "function-network"}},
                "input": {"apiVersion": V, "kind": "Input", "size": 3},
            }
        ],
    },
}
CREDENTIALS = [{"name": "cloud", "source": "Secret", "secretRef": {"namespace": "s", "name": "c"}}]
SECRET = {
    "apiVersion": "v1",
    "kind": "Secret",
    "metadata": {"namespace": "s", "name": "c"},
    "data": {"t": "aHVzaGh1c2g="},
}
PROJECT = """\
[preview]
xr = "xr.yaml"
composition = "composition.yaml"
functions = "functions.yaml"
xrd = "xrd.yaml"
crds = ["crds.yaml"]
"""
HEAD = """\
import asyncio
import hashlib
import json

from crossplane_lite import Unstructured, composition

V = "example.org/v1"
SIZES = {"eu": 1, "us": 2}
"""
COMPOSE = """\


@composition.function(auto_ready=True)
def compose(ctx: composition.Context) -> None:
    xr = ctx.composite(Unstructured)
    spec = xr.observed.spec
    vpc = ctx.resource("vpc", Unstructured(V, "VPC", spec={"region": spec.region}))
    at = vpc.observed.status
"""


class Mistake(NamedTuple):
    """A mistake, and what is said of it.

    Attributes:
        name: What is wrong.
        code: The lines that compose() has more; the whole function, if they define one.
        place: The place that must be named, a regular expression; `here` is the line of the code that is wrong.
        remedy: What must be said of the remedy, a regular expression.
        status: The exit status.
        command: The preview that tells it.
        files: Other contents of files, by name.
        grade: What is reached: 2 if place and remedy are told, 1 if one of them is, 0 if nothing is.
    """

    name: str
    code: str
    place: str
    remedy: str
    status: int = 1
    command: str = "render"
    files: Mapping[str, Any] = {}
    grade: int = 2


def write(folder: Path, mistake: Mistake, module: str) -> int:
    """Write the project with a mistake, and return the number of its wrong line; 0 if the code is right."""
    body = textwrap.dedent(mistake.code).strip("\n")
    whole = HEAD + (f"\n\n{body}\n" if "def compose" in body else f"{COMPOSE}{textwrap.indent(body, '    ')}\n")
    function = {
        "apiVersion": "pkg.crossplane.io/v1",
        "kind": "Function",
        "metadata": {
            "name": "function-network",
            "annotations": {
                "render.crossplane.io/runtime": "InProcess",
                "render.crossplane.io/runtime-in-process-target": f"{module}:compose",
            },
        },
    }
    contents: dict[str, Any] = {
        f"{module}.py": whole,
        "crossplane-lite.toml": PROJECT,
        "xr.yaml": {**gate.XR, "kind": "Network"},
        "xrd.yaml": XRD,
        "crds.yaml": CRDS,
        "composition.yaml": COMPOSITION,
        "functions.yaml": function,
        "secrets.yaml": SECRET,
        **mistake.files,
    }
    for name, content in contents.items():
        several = content if isinstance(content, list) else [content]
        text = content if isinstance(content, str) else "\n---\n".join(map(json.dumps, several))
        (folder / name).write_text(text, encoding="utf-8")
    return next((number for number, line in enumerate(whole.splitlines(), 1) if line.endswith("# here")), 0)


def _composition(**changes: Any) -> dict[str, Any]:
    """Return the Composition with other values in its step."""
    step = {**COMPOSITION["spec"]["pipeline"][0], **changes}
    return {**COMPOSITION, "spec": {**COMPOSITION["spec"], "pipeline": [step]}}


MISTAKES = [
    # Fields and kinds.
    Mistake(
        "a misspelt field",
        'ctx.resource("subnet", Unstructured(V, "Subnet", spec={"regoin": "eu"}))',
        r"subnet\.spec\.regoin",
        "did you mean 'region'",
    ),
    Mistake(
        "a misspelt field of a model",
        """
        from examples.application.model.io.k8s.api.apps import v1 as model

        made = ctx.resource("typed", model.Deployment())
        made.spec.replcas = 3  # here
        """,
        "here",
        "did you mean 'replicas'",
    ),
    Mistake(
        "a misspelt kind",
        'ctx.resource("subnet", Unstructured(V, "Sbunet", spec={"region": "eu"}))',
        "subnet",
        "did you mean 'Subnet'",
        status=0,
    ),
    Mistake(
        "a version that the kind doesn't have",
        'ctx.resource("subnet", Unstructured("example.org/v2", "Subnet", spec={"region": "eu"}))',
        r"subnet\.apiVersion",
        r"has v1 of Subnet",
    ),
    Mistake(
        "another group",
        'ctx.resource("subnet", Unstructured("exmaple.org/v1", "Subnet", spec={"region": "eu"}))',
        "subnet",
        r"did you mean 'example\.org/v1'",
        status=0,
    ),
    Mistake(
        "a value of another type",
        'ctx.resource("subnet", Unstructured(V, "Subnet", spec={"public": "yes"}))',
        r"subnet\.spec\.public",
        "must be true or false",
    ),
    Mistake(
        "a required field that is missing",
        'ctx.resource("other", Unstructured(V, "VPC", spec={"size": 1}))',
        r"other\.spec",
        "region",
    ),
    Mistake(
        "a value that isn't among the choices",
        'ctx.resource("other", Unstructured(V, "VPC", spec={"region": "eu", "tier": "lagre"}))',
        r"other\.spec\.tier",
        "large",
    ),
    Mistake(
        "a parameter that a rule requires",
        'ctx.resource("db", Unstructured(V, "Instance", spec={"forProvider": {"engine": "pg"}}))',
        r"db\.spec",
        "instanceClass is a required parameter",
    ),
    Mistake(
        "a change of a field that is immutable",
        """
        db = {"managementPolicies": ["*"], "forProvider": {"engine": "pg", "instanceClass": "large"}}
        ctx.resource("db", Unstructured(V, "Instance", spec=db))
        """,
        r"db\.spec\.forProvider",
        "engine is immutable",
        status=4,
        command="diff -o observed.yaml",
        files={
            "observed.yaml": {
                **{"apiVersion": V, "kind": "Instance"},
                "metadata": {
                    **{"name": "db", "namespace": "default"},
                    "annotations": {"crossplane.io/composition-resource-name": "db"},
                },
                "spec": {"managementPolicies": ["*"], "forProvider": {"engine": "my", "instanceClass": "large"}},
            }
        },
    ),
    Mistake(
        "a cluster-scoped resource of a namespaced composite",
        'ctx.resource("zone", Unstructured(V, "Zone", spec={"region": "eu"}))',
        "zone",
        "a namespaced composite can't compose cluster-scoped resources",
    ),
    Mistake(
        "a number among labels",
        'vpc.metadata.labels = {"tier": 5}  # here',
        "here",
        r"string",
    ),
    Mistake(
        "a field of the status that the XRD doesn't have",
        "xr.status.vpcID = at.id",
        r"xr\.status\.vpcID",
        "did you mean 'vpcId'",
    ),
    Mistake(
        "a misspelt field of the composite's spec",
        'ctx.resource("subnet", Unstructured(V, "Subnet", spec={"region": spec.regoin}))  # here',
        r"xr\.spec\.regoin",
        "did you mean 'region'",
        status=0,
    ),
    Mistake(
        "a misspelt field of the composite's file",
        "",
        r"spec\.regoin",
        "did you mean 'region'",
        status=2,
        files={"xr.yaml": {**gate.XR, "kind": "Network", "spec": {"regoin": "eu"}}},
    ),
    # Registering.
    Mistake(
        "a resource that isn't registered",
        'Unstructured(V, "Subnet", spec={"region": "eu"})  # here',
        "here",
        r"ctx\.resource\(name",
        status=0,
    ),
    Mistake(
        "two resources of one name",
        """
        for region in ("eu", "us"):
            ctx.resource("subnet", Unstructured(V, "Subnet", spec={"region": region}))  # here
        """,
        "here",
        "give each resource a name of its own",
    ),
    Mistake(
        "a write to observed state",
        'vpc.observed.spec.region = "us"  # here',
        "here",
        r"observed",
    ),
    Mistake(
        "a write to the composite's spec",
        'xr.spec.region = "us"  # here',
        r"spec",
        "status",
    ),
    Mistake(
        "desired status where observed status is meant",
        'ctx.resource("subnet", Unstructured(V, "Subnet", spec={"vpcId": vpc.status.id}))  # here',
        "here",
        r"\.observed",
    ),
    Mistake(
        "a misspelt name in depends_on",
        'ctx.resource("subnet", Unstructured(V, "Subnet", spec={"region": "eu"}), depends_on=["vcp"])  # here',
        "vcp",
        "did you mean 'vpc'",
    ),
    Mistake(
        "readiness that nobody sets",
        """
        @composition.function
        def compose(ctx: composition.Context) -> None:
            region = ctx.composite(Unstructured).observed.spec.region
            ctx.resource("vpc", Unstructured(V, "VPC", spec={"region": region}))
        """,
        "vpc",
        "auto_ready=True",
        status=0,
        command="simulate",
    ),
    # Missing values.
    Mistake(
        "an unset field in a text",
        'ctx.resource("subnet", Unstructured(V, "Subnet", spec={"region": f"{spec.team}-eu"}))',
        r"xr\.spec\.team",
        r"give a default, as in str\(\.\.\. or ''\)",
    ),
    Mistake(
        "a part of a missing text",
        'ctx.resource("subnet", Unstructured(V, "Subnet", spec={"vpcId": at.id.split("-")[1]}))  # here',
        "here",
        "apply",
        status=0,
    ),
    Mistake(
        "arithmetic with a missing number",
        'ctx.resource("other", Unstructured(V, "VPC", spec={"region": "eu", "size": at.size + 1}))  # here',
        "here",
        "apply",
        status=0,
    ),
    Mistake(
        "a comparison of a missing value with None",
        """
        if at.id == None:  # here
            ctx.resource("subnet", Unstructured(V, "Subnet", spec={"region": "eu"}))
        """,
        "here",
        "if not",
        status=0,
        grade=0,
    ),
    Mistake(
        "a misspelt field that is waited for",
        'ctx.resource("subnet", Unstructured(V, "Subnet", spec={"vpcId": at.idd}))',
        r"subnet waits for vpc\.status\.idd",
        "did you mean 'id'",
    ),
    Mistake(
        "a choice by a missing value",
        """
        tier = "large" if at.engine == "postgres" else "basic"
        ctx.resource("other", Unstructured(V, "VPC", spec={"region": "eu", "tier": tier}))
        """,
        r"other: spec\.tier: \"basic\" -> \"large\"",
        r"once vpc\.status\.engine came",
        status=0,
        command="simulate --fixtures fixtures.yaml",
        files={"fixtures.yaml": "vpc: {status: {engine: postgres}}"},
    ),
    Mistake(
        "a loop over a list that isn't there yet",
        """
        for address in at.addresses:
            ctx.resource(f"subnet-{address}", Unstructured(V, "Subnet", spec={"region": "eu"}))
        """,
        "subnet-",
        r"vpc\.status\.addresses",
        status=0,
        command="simulate",
    ),
    Mistake(
        "JSON of a missing value",
        """
        text = json.dumps({"id": at.id})  # here
        ctx.resource("subnet", Unstructured(V, "Subnet", spec={"vpcId": text}))
        """,
        "here",
        "json_dumps",
    ),
    Mistake(
        "a hash of a missing value",
        """
        digest = hashlib.sha256(at.id.encode()).hexdigest()  # here
        ctx.resource("subnet", Unstructured(V, "Subnet", spec={"vpcId": digest}))
        """,
        "here",
        "apply",
    ),
    # Python and files.
    Mistake(
        "a misspelt key of the input",
        'ctx.resource("other", Unstructured(V, "VPC", spec={"region": "eu", "size": ctx.input["sise"]}))  # here',
        "here",
        r"the step's input has no sise",
    ),
    Mistake(
        "a requirement of a misspelt kind",
        """
        ctx.requirements.resources["cloud"] = composition.ResourceSelector(
            api_version="v1", kind="Secrte", match_name="c", namespace="s"
        )
        """,
        "step compose requires cloud",
        "Secrte",
        status=0,
        command="render -e secrets.yaml",
    ),
    Mistake(
        "a coroutine that isn't awaited",
        """
        async def size() -> int:
            return 1

        ctx.resource("other", Unstructured(V, "VPC", spec={"region": "eu", "size": size()}))
        """,
        r"other\.spec\.size",
        "await",
        grade=1,
    ),
    Mistake(
        "a forgotten decorator",
        """
        def compose(ctx: composition.Context) -> None:
            ctx.resource("vpc", Unstructured(V, "VPC", spec={"region": "eu"}))
        """,
        ":compose",
        r"is the decorator @composition\.function missing",
        status=2,
    ),
    Mistake(
        "a compose() with another signature",
        """
        @composition.function
        def compose() -> None:  # here
            print("hello")
        """,
        "compose",
        "one argument",
        status=2,
    ),
    Mistake(
        "a module that isn't there",
        """
        import boto33  # here

        def compose() -> None: ...
        """,
        "here",
        "boto33",
        status=2,
    ),
    Mistake(
        "a misspelt key of the project file",
        "",
        r"crossplane-lite\.toml: \[preview\]",
        "did you mean 'composition'",
        status=2,
        files={"crossplane-lite.toml": PROJECT.replace("composition =", "compositon =")},
    ),
    Mistake(
        "a fixture of a misspelt name",
        "xr.status.vpcId = at.id",
        "vcp",
        "did you mean 'vpc'",
        status=0,
        command="simulate --fixtures fixtures.yaml",
        files={"fixtures.yaml": "vcp: {status: {id: vpc-1}}"},
    ),
    Mistake(
        "a step that calls a function of another name",
        "",
        "function-netwrok",
        "did you mean 'function-network'",
        status=2,
        files={"composition.yaml": _composition(functionRef={"name": "function-netwrok"})},
    ),
    Mistake(
        "a secret in the composite's status",
        'xr.status.address = ctx.credentials["cloud"]["t"].decode()',
        r"xr: status\.address",
        "secret",
        status=0,
        command="render --function-credentials secrets.yaml",
        files={"composition.yaml": _composition(credentials=CREDENTIALS)},
    ),
    Mistake(
        "a condition of Crossplane's own",
        'ctx.conditions.set("Ready", True, "Done")',
        "condition Ready of a function",
        "choose another type",
        status=0,
    ),
]
