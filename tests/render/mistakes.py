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

__all__ = ["CRDS", "MISTAKES", "Mistake", "observed_vpc", "write"]

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
            open="b",
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
HEAD_OF_XR = f"apiVersion: {V}\nkind: Network\n"
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
import os

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


def observed_vpc(namespace: str | None = None, name: str = "vpc", **more: Any) -> dict[str, Any]:
    """Return the VPC of the projects as it exists, with its composition resource name."""
    annotations = {"crossplane.io/composition-resource-name": name}
    metadata = {"name": "vpc", "namespace": namespace, "annotations": annotations}
    return {"apiVersion": V, "kind": "VPC", "metadata": metadata, "spec": {"region": "eu"}, **more}


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


def _of_model(name: str, code: str, remedy: str) -> Mistake:
    """Return a mistake with the model of Deployments, of which `made` is a registered one."""
    lines = f"""
    from examples.application.model.io.k8s.api.apps import v1 as model

    made = ctx.resource("typed", model.Deployment())
    {code}  # here
    """
    return Mistake(name, lines, "here", remedy)


OLDER_MODELS = """\
from crossplane_lite.table import load

__getattr__, __dir__ = load(
    __name__,
    {
        "Network": "@example.org/v1 metadata:meta.ObjectMeta spec:NetworkSpec",
        "NetworkSpec": "region:s",
        "VPC": "@example.org/v1 metadata:meta.ObjectMeta spec:VPCSpec",
        "VPCSpec": "region:s",
    },
    meta="crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta.v1",
)
"""


MISTAKES = [
    # Fields and kinds.
    Mistake(
        "a misspelt field",
        'ctx.resource("subnet", Unstructured(V, "Subnet", spec={"regoin": "eu"}))',
        r"subnet\.spec\.regoin",
        "did you mean 'region'",
    ),
    _of_model("a misspelt field of a model", "made.spec.replcas = 3", "did you mean 'replicas'"),
    Mistake(
        "a misspelt kind",
        'ctx.resource("subnet", Unstructured(V, "Sbunet", spec={"region": "eu"}))',
        "subnet",
        "did you mean 'Subnet'",
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
        "another group that isn't like it",
        'ctx.resource("subnet", Unstructured("networks.test/v1", "Subnet", spec={"region": "eu"}))',
        "subnet",
        r"there is one of example\.org/v1: is that meant",
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
        "a text where a Secret has base64",
        'ctx.resource("secret", Unstructured("v1", "Secret", data={"user": "plain!"}))',
        r"secret\.data\.user: must be base64",
        "stringData takes plain text",
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
    Mistake(
        "a field of managed resources that stands too high",
        'ctx.resource("db", Unstructured(V, "Instance", engine="pg"))',
        r"db\.engine",
        r"it belongs below spec\.forProvider",
    ),
    Mistake(
        "a field that stands too high, of a kind without a schema",
        'ctx.resource("other", Unstructured("s3.aws.m.upbound.io/v1beta1", "Bucket", forProvider={}))  # here',
        "here",
        "other has forProvider at its top; managed resources have it below spec",
        status=0,
    ),
    Mistake(
        "a namespace of a connection Secret",
        """
        secret = {"name": "a", "namespace": "b"}
        other = Unstructured("s3.aws.m.upbound.io/v1beta1", "Bucket", spec={"writeConnectionSecretToRef": secret})
        ctx.resource("other", other)  # here
        """,
        "here",
        r"other\.spec\.writeConnectionSecretToRef\.namespace is set, .* leave it out",
        status=0,
    ),
    Mistake(
        "a number where the XRD wants a string",
        "",
        r"spec\.team: must be a string",
        r"\(got 16\.3 that is a number\); quote it in xr\.yaml, line 6",
        status=2,
        files={
            "xr.yaml": HEAD_OF_XR + "metadata: {name: net, namespace: default}\nspec:\n  region: eu\n  team: 16.3\n"
        },
    ),
    Mistake(
        "another group of the composite",
        "",
        r"the composite is a Network of exmaple\.org",
        r"did you mean 'example\.org'",
        status=2,
        files={"xr.yaml": {**gate.XR, "apiVersion": "exmaple.org/v1", "kind": "Network"}},
    ),
    Mistake(
        "a misspelt field in a file of what exists",
        "xr.status.vpcId = at.id",
        r"the observed resource vpc: the schema of example\.org/v1 VPC has no status\.idd",
        "did you mean 'id'",
        status=0,
        command="render -o observed.yaml",
        files={"observed.yaml": observed_vpc("default", status={"idd": "vpc-1"})},
    ),
    Mistake(
        "a field of a fixture that stands too high",
        "xr.status.vpcId = at.id",
        r"fixture 'vpc': the schema of example\.org/v1 VPC has no engine",
        "no engine",
        status=0,
        command="simulate --fixtures fixtures.yaml",
        files={"fixtures.yaml": "vpc: {engine: postgres}"},
    ),
    Mistake(
        "a value that is new in each call",
        """
        import time

        vpc.metadata.annotations["at"] = str(time.time())
        """,
        r"these still change: vpc\.metadata\.annotations\.at",
        "a time or a random value is another one in each round",
        command="simulate --max-rounds 4",
    ),
    Mistake(
        "a composite without a namespace",
        'ctx.connection_secret({"a": "b"})  # here',
        "here",
        r"the composite has no metadata\.namespace; if its kind has one, give it there",
        files={
            "crossplane-lite.toml": PROJECT.replace('xrd = "xrd.yaml"\n', ""),
            "xr.yaml": HEAD_OF_XR + "metadata: {name: net}\nspec: {region: eu}\n",
        },
    ),
    Mistake(
        "a file of another name",
        "",
        r"xr\.yml: No such file",
        "did you mean 'xr.yaml'",
        status=2,
        command="render xr.yml",
    ),
    # Tables and models.
    Mistake("a key that a table lacks", "size = SIZES[vpc.name]  # here", "here", "'vpc'; SIZES has eu, us"),
    Mistake(
        "a key that a table in a table lacks",
        """
        tiers = {"eu": {"basic": 1}}
        size = tiers["eu"]["large"]  # here
        """,
        "here",
        r"tiers\['eu'\] has basic",
    ),
    Mistake(
        "a key of a long table",
        """
        ports = {f"p{number:02}": number for number in range(50)}
        port = ports["http"]  # here
        """,
        "here",
        "ports has p00, p01, .*, p09 and 40 more",
    ),
    Mistake(
        "a key that the pipeline's context lacks",
        """
        ctx.context["zones"] = ["a"]
        zones = ctx.context["zone"]  # here
        """,
        "here",
        "'zone'; the pipeline's context has zones",
    ),
    Mistake(
        "a key that the environment lacks",
        'ctx.environment["x"]  # here',
        "here",
        r"ctx\.environment is empty: .* previews take --context-values apiextensions\.crossplane\.io/environment=",
    ),
    Mistake(
        "a key of an empty context",
        'ctx.context["x"]  # here',
        "here",
        r"context is empty: a step before .*, and previews take --context-values KEY=VALUE",
    ),
    Mistake("a missing value as a key", "size = SIZES[at.engine]  # here", "here", r"apply\(SIZES\.get, \.\.\.\)"),
    _of_model(
        "a model's field as a key", 'made.spec["replicas"]', r"typed\.spec is a model, not a dict: write \.replicas"
    ),
    _of_model("a model's field set as a key", 'made.spec["replicas"] = 3', r"write \.replicas"),
    _of_model("a misspelt key of a model", 'made.spec["replcas"]', "did you mean 'replicas'"),
    _of_model("a method of dicts on a model", 'made.spec.get("replicas")', r"write fields as attributes, such as \."),
    _of_model("a loop over a model", "[*made.spec]", r"write fields as attributes, such as \."),
    _of_model("a field that belongs deeper", "model.Deployment(replicas=3)", "it belongs below spec "),
    _of_model(
        "a key that belongs deeper", 'model.Deployment(spec={"containers": []})', r"it belongs below template\.spec "
    ),
    Mistake(
        "a function that returns nothing",
        """
        from examples.application.model.io.k8s.api.apps import v1 as model

        def chosen():
            labels = {"matchLabels": {"app": "a"}}

        made = ctx.resource("typed", model.Deployment(spec={"template": {}}))
        made.spec.selector = chosen()  # here
        """,
        r"hint: typed\.spec\.selector is set to None at beginner_\d+\.py:\d+",
        "if a function makes the value there, look whether it returns it",
    ),
    _of_model(
        "a namespace of a local reference",
        'model.Deployment(spec={"template": {"spec": {"volumes": [{"name": "a", "csi": {"driver": "d", '
        '"nodePublishSecretRef": {"name": "a", "namespace": "b"}}}]}}})',
        r"nodePublishSecretRef .* has no field 'namespace'; what it refers to is in the resource's own namespace",
    ),
    _of_model(
        "a key that resembles one beside it",
        'made.spec = {"replicas": 1, "replica": 2}',
        r"has no field 'replica' \(",
    ),
    _of_model("a field of a list", "made.observed.status.conditions.type", r"as in \[0\]\.type"),
    _of_model("a field that belongs much deeper", "made.containers = []", r"it belongs below spec\.template\.spec "),
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
        "here",
        r"xr\.spec\.region was set, .* remove the assignment",
    ),
    Mistake(
        "a label of the composite",
        'xr.metadata.labels["a"] = "b"  # here',
        "here",
        r"to read it write xr\.observed\.metadata\.labels; only the composite's author can set it",
    ),
    Mistake(
        "a write to desired status", 'vpc.status.id = "a"  # here', "here", r"read the status from \.observed\.status"
    ),
    Mistake(
        "None in a list",
        'ctx.resource("subnet", Unstructured(V, "Subnet", spec={"zones": ["a", spec.team]}))  # here',
        "here",
        r"subnet\.spec\.zones\[1\]: None can't be in a list; leave the element out",
    ),
    Mistake(
        "None that is appended",
        """
        vpc.spec.zones.append("a")
        vpc.spec.zones.append(spec.team)  # here
        """,
        "here",
        r"vpc\.spec\.zones\[1\]: None can't be in a list; leave the element out",
    ),
    Mistake(
        "a time without a time zone",
        """
        from datetime import datetime

        xr.status.address = datetime.now()  # here
        """,
        "here",
        r"xr\.status\.address: a time must have a time zone .* write datetime\.now\(timezone\.utc\)",
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
        "an order of missing texts",
        'first = sorted(["a", at.id])  # here',
        "here",
        r"\(id or ''\), which .*\n.* or write apply\(sorted, \[\.\.\.\]\), which waits",
        status=0,
    ),
    Mistake(
        "an order of missing values",
        "last = max(at.id, at.engine)  # here",
        "here",
        r"give it a default, as in \(engine or 0\)\n.* or write apply\(max, \[\.\.\.\]\), which waits",
        status=0,
    ),
    Mistake(
        "an order by a missing value",
        "first = min([vpc, vpc], key=lambda one: one.observed.status.size)  # here",
        "here",
        r"as in \(size or 0\)\n.* for min\(\), write it in key=lambda one: \.\.\.",
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
        "a condition set as an item",
        'ctx.conditions["Ready2"] = "Yes"  # here',
        "here",
        r"ctx\.conditions\.set\('Ready2', status, reason, message\)",
    ),
    Mistake(
        "once, with the value in the place of the function",
        'ctx.once(at.key, "new")  # here',
        "here",
        r"'make' must be a function \(got a string\); write lambda:",
    ),
    Mistake(
        "once, with None in the place of the function",
        "ctx.once(at.key, None)  # here",
        "here",
        r"'make' must be a function \(got None\)",
    ),
    _of_model(
        "connection details as the API spells them",
        "made.observed.connectionDetails",
        r"did you mean \.connection_details\?",
    ),
    _of_model(
        "a path as the name of a field",
        'setattr(made, "spec.replicas", 3)',
        r"which is a path: set one field after the other, as in \.spec\.replicas",
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
    Mistake(
        "a misspelt field of observed state",
        "if at.idd:  # here\n    xr.status.vpcId = at.id",
        "here",
        r"vpc\.observed\.status\.idd is read, and the schema of example\.org/v1 VPC has no .*; did you mean 'id'",
        status=0,
    ),
    Mistake(
        "a misspelt field of observed state in a simulation",
        'xr.status.vpcId = at.get("idd", "none")  # here',
        "here",
        "did you mean 'id'",
        status=0,
        command="simulate",
    ),
    Mistake(
        "a field that Kubernetes' own kind doesn't have",
        """
        config = ctx.resource("config", Unstructured("v1", "ConfigMap"))
        ready = config.observed.status.ready  # here
        """,
        "here",
        "the schema of v1 ConfigMap has no status",
        status=0,
    ),
    Mistake(
        "a question whether a resource exists",
        "if vpc.observed.exists:  # here\n    xr.status.vpcId = at.id",
        "here",
        r"`if vpc\.observed:` asks whether it exists",
        status=0,
    ),
    Mistake(
        "two resources that wait for each other",
        """
        subnet = ctx.resource("subnet", Unstructured(V, "Subnet", spec={"vpcId": at.id}))
        vpc.metadata.annotations["subnet"] = subnet.observed.status.id  # here
        """,
        r"hint: vpc\.metadata\.annotations\.subnet waits for subnet\.status\.id \(\w+\.py:\d+\)\n"
        r"hint: subnet\.spec\.vpcId waits for vpc\.status\.id \(\w+\.py:\d+\)\n",
        r"\(subnet\.status\.id, vpc\.status\.id\); take one out, or set its field only where the value is there",
    ),
    # Values that are used as something else.
    _of_model("the length of a model", "len(made.spec)", r"typed\.spec is a model, .* crossplane_lite\.model\.to_dict"),
    _of_model("a model in a dict", "{**made.spec}", r"typed\.spec is a model, .* crossplane_lite\.model\.to_dict"),
    _of_model("a model for keyword arguments", "dict(a=1, **made.spec)", r"typed\.spec is a model, .*\.to_dict"),
    _of_model("a model beside a dict", "made.spec | {}", r"typed\.spec is a model, .* crossplane_lite\.model\.to_dict"),
    _of_model("a model that is called", "made.spec()", r"made\.spec is a value, not a function: write it without \(\)"),
    _of_model("an unset field that is called", "made.spec.replicas()", r"is a value, not a function: write it without"),
    _of_model("a model that is unpacked", "first, second = made.spec", r"typed\.spec is a model, .*\.to_dict"),
    Mistake(
        "a text that is called", "spec.region()  # here", "here", r"spec\.region is a value, .* write it without \(\)"
    ),
    Mistake("a module that is called", "os()  # here", "here", "os is a module, not a function"),
    Mistake(
        "the first of none",
        'zone = [one for one in at.conditions if one.type == "a"][0]  # here',
        "here",
        r"nothing is in the list: next\(iter\(\.\.\.\), None\)",
    ),
    Mistake(
        "a text that is no number",
        "size = int(spec.region)  # here",
        "here",
        r"spec\.region must be a number: its schema can say so",
    ),
    Mistake(
        "a None that is no number",
        """
        tier = {"eu": 1}.get("us")
        size = int(tier)  # here
        """,
        "here",
        r"; tier is None: give a default, as in \(tier or \.\.\.\)",
    ),
    Mistake(
        "a missing list that is unpacked",
        "first, second = at.addresses  # here",
        "here",
        r"at\.addresses has no value: ask `if at\.addresses:` first",
    ),
    Mistake(
        "an unset field that is unpacked",
        "first, second = spec.team  # here",
        "here",
        r"spec\.team has no value: ask `if spec\.team:` first",
    ),
    Mistake(
        "a loop over a dict's keys with two names",
        """
        names = {"name": 1}
        for key, value in names:  # here
            vpc.metadata.labels[key] = value
        """,
        "here",
        r"names\.items\(\) gives keys and values",
    ),
    Mistake(
        "a loop over a field's keys with two names",
        """
        vpc.spec.tags = {"name": "a"}
        for key, value in vpc.spec.tags:  # here
            vpc.metadata.labels[key] = value
        """,
        "here",
        r"vpc\.spec\.tags\.items\(\) gives keys and values",
    ),
    Mistake(
        "too few values for names",
        'first, second = spec.region.split("-")  # here',
        "here",
        r"`first, \*others = spec\.region\.split\('-'\)` takes one value or more",
    ),
    Mistake(
        "a missing value as an argument with a name",
        """
        from datetime import timedelta

        age = timedelta(days=at.size)  # here
        """,
        "here",
        r"vpc\.status\.size; use crossplane_lite\.apply\(lambda value: timedelta\(days=value\), value\)",
    ),
    Mistake(
        "an unset field as an argument",
        """
        from datetime import timedelta

        age = timedelta(days=spec.team)  # here
        """,
        "here",
        r"xr\.spec\.team isn't set: give a default, as in \(spec\.team or \.\.\.\) \(",
    ),
    Mistake(
        "a loop over a text",
        """
        for zone in spec.region:  # here
            ctx.resource(f"subnet-{zone}", Unstructured(V, "Subnet", spec={"region": spec.region}))
        """,
        "here",
        r"the letters of xr\.spec\.region, which is a string; .* write \[\.\.\.\] around it",
        status=0,
    ),
    Mistake(
        "a loop over a text with a name",
        """
        zones = spec.region
        for zone in zones:  # here
            ctx.resource(f"subnet-{zone}", Unstructured(V, "Subnet", spec={"region": spec.region}))
        """,
        "here",
        r"`for zone in zones` takes the letters of xr\.spec\.region, .* write \[\.\.\.\] around it",
        status=0,
    ),
    Mistake(
        "a loop over a text with numbers",
        """
        for number, zone in enumerate(spec.region or []):  # here
            ctx.resource(f"subnet-{number}", Unstructured(V, "Subnet", spec={"region": zone}))
        """,
        "here",
        r"takes the letters of xr\.spec\.region, .* write \[\.\.\.\] around it",
        status=0,
    ),
    Mistake(
        "a list that all calls change",
        """
        made = []


        @composition.function(auto_ready=True)
        def compose(ctx: composition.Context) -> None:
            made.append("vpc")  # here
            ctx.resource("vpc", Unstructured(V, "VPC", spec={"region": "eu"}))
        """,
        "here",
        "made belongs to the module, .* make it in the function",
        status=0,
    ),
    Mistake(
        "a value of a fixture of another type",
        "xr.status.address = at.engine",
        r"fixture 'vpc': the schema of example\.org/v1 VPC wants a string at status\.id",
        r"\(got an integer\)",
        status=0,
        command="simulate --fixtures fixtures.yaml",
        files={"fixtures.yaml": "vpc: {status: {id: 5}}"},
    ),
    Mistake(
        "a fixture whose status is none",
        "xr.status.vpcId = at.id",
        r"fixtures\.yaml, document 1 \(line 1\): the fixture 'vpc'",
        "status must be a mapping",
        status=2,
        command="simulate --fixtures fixtures.yaml",
        files={"fixtures.yaml": "vpc: {status: 5}"},
    ),
    Mistake(
        "a field of a fixture's status that stands too high",
        "xr.status.vpcId = at.id",
        r"fixture 'vpc': the schema of example\.org/v1 VPC has no id",
        "; it belongs below status",
        status=0,
        command="simulate --fixtures fixtures.yaml",
        files={"fixtures.yaml": "vpc: {id: a}"},
    ),
    Mistake(
        "a value of another type in a file of what exists",
        "xr.status.address = at.engine",
        r"the observed resource vpc: the schema of example\.org/v1 VPC wants true or false at status\.open",
        r"\(got a string\)",
        status=0,
        command="render -o observed.yaml",
        files={"observed.yaml": observed_vpc("default", status={"open": "yes"})},
    ),
    Mistake(
        "an existing resource under another name",
        "pass",
        "net is kept for now",
        r"if vpc is the same resource under a new name, give it formerly=\['net'\]",
        status=0,
        command="render -o observed.yaml",
        files={"observed.yaml": observed_vpc("default", "net")},
    ),
    Mistake(
        "a sentence as a condition's reason",
        'ctx.conditions.set("Done", False, "Not yet")',
        "the condition Done of a function has a reason",
        "isn't one CamelCase word, .*: sentences belong into the message",
        status=0,
    ),
    # Python and files.
    Mistake(
        "an environment variable that isn't set", "os.environ['N_O']  # here", "here", r"isn't set: os\.environ\.get"
    ),
    Mistake(
        "a None that is read",
        """
        tier = {"eu": {"size": 1}}.get("us")
        size = tier["size"]  # here
        """,
        "here",
        "; tier is None",
    ),
    Mistake(
        "a misspelt name",
        "other = spce.region  # here",
        "here",
        "name 'spce' is not defined; did you mean 'spec'",
    ),
    Mistake(
        "a name that is set in some cases",
        """
        if at.id:
            tier = "large"
        vpc.spec.tier = tier  # here
        """,
        "here",
        "set it before, for all cases",
    ),
    Mistake(
        "a misspelt import",
        "from crossplane_lite import Unstructred  # here",
        "here",
        "did you mean 'Unstructured'",
    ),
    Mistake(
        "a required resource that nobody asks for",
        """
        ctx.requirements.resources["zones"] = composition.ResourceSelector(api_version=V, kind="VPC", match_name="a")
        for zone in ctx.required_resources["zone"]:
            ctx.resource(zone.name, Unstructured(V, "Subnet"))
        """,
        r"required\.zone is read, and neither compose\(\) nor the Composition asks for zone",
        "did you mean 'zones'",
        status=0,
    ),
    Mistake(
        "an index beyond a list",
        """
        zones = ["a", "b"]
        zone = zones[2]  # here
        """,
        "here",
        "; zones has 2",
    ),
    Mistake(
        "an index beyond a list that is set",
        """
        zones = ["a", "b"]
        zones[2] = "c"  # here
        """,
        "here",
        "; zones has 2",
    ),
    Mistake("an element that isn't there", "next(iter(at.conditions))  # here", "here", r"next\(\.\.\., None\)"),
    Mistake("an attribute of a dict", "size = ctx.input.size  # here", "here", r"; write \['size'\]"),
    Mistake("a misspelt method of the context's", 'ctx.results.warn("a")  # here', "here", "did you mean 'warning'"),
    Mistake("a misspelt method of a text", "region = spec.region.uper()  # here", "here", "did you mean 'upper'"),
    Mistake(
        "a misspelt argument",
        'ctx.resource("subnet", Unstructured(V, "Subnet"), dependson=[vpc])  # here',
        "here",
        r"it is called as ctx\.resource\(name, instance, \*, depends_on=\(\), formerly=\(\)\)",
    ),
    Mistake(
        "an argument too many",
        'ctx.resource("subnet", Unstructured(V, "Subnet", {"region": "eu"}))  # here',
        "here",
        r"it is called as Unstructured\(api_version, kind, \*\*fields\) \(beginner",
    ),
    Mistake(
        "arguments in another order",
        'ctx.resource(Unstructured(V, "Subnet"), "subnet")  # here',
        "here",
        r"the name comes first: ctx\.resource\(name, instance\)",
    ),
    Mistake(
        "a resource that is put into the context",
        'ctx.resources["subnet"] = Unstructured(V, "Subnet")  # here',
        "here",
        r"only for reading; write ctx\.resource\('subnet', \.\.\.\)",
    ),
    Mistake(
        "a missing value for a function in C",
        "size = json.loads(at.id)  # here",
        "here",
        r"vpc\.status\.id; use crossplane_lite\.apply\(json\.loads, value\)",
    ),
    Mistake(
        "a missing value for a function that takes text",
        """
        import ipaddress

        network = ipaddress.ip_network(at.id)  # here
        """,
        "here",
        r"vpc\.status\.id; use crossplane_lite\.apply\(ipaddress\.ip_network, value\)",
    ),
    Mistake(
        "a missing value for a divisor",
        "size = 100 // len(at.addresses)  # here",
        "here",
        r"ZeroDivisionError.* Without a value in this call: vpc\.status\.addresses; use crossplane_lite\.apply",
    ),
    Mistake(
        "a missing value that is unpacked",
        "first, second = at.addresses  # here",
        "here",
        r"Without a value in this call: vpc\.status\.addresses; use",
    ),
    Mistake(
        "a missing value of which an assert needs one",
        'assert at.id, "VPC has no id"  # here',
        "here",
        r"Without a value in this call: vpc\.status\.id; leave out the assert: a field .* waits by itself",
    ),
    Mistake(
        "a missing text that is made up, and has too few parts",
        'zone = at.id.split(":")[4]  # here',
        "here",
        r"hint: vpc\.status\.id is made up \(.*\): give it a real value with --fixtures",
        command="simulate",
    ),
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
        r"got a coroutine; await it",
    ),
    Mistake("a method that isn't called", 'vpc.spec.region = "EU".lower  # here', "here", r"method; call it\)"),
    Mistake("bytes for a text", 'vpc.spec.region = b"eu"  # here', "here", r"got bytes; write \.decode\(\)"),
    Mistake(
        "dicts that are added",
        'vpc.metadata.labels = {"a": "b"} + {"c": "d"}  # here',
        "here",
        r"dicts are joined by \| and \|=",
    ),
    Mistake(
        "a misspelt name that is removed",
        'ctx.remove("vcp")  # here',
        "here",
        "did you mean 'vpc'",
        status=0,
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
    # Names of the official SDK, and of YAML and JSON.
    Mistake(
        "the official SDK's condition of observed state",
        'vpc.observed.get_condition("Ready")  # here',
        "here",
        r"observed state of vpc has no method get_condition\(\); write \.condition\('Ready'\)",
    ),
    Mistake(
        "the official SDK's condition of desired state",
        'vpc.get_condition("Ready")  # here',
        "here",
        r"so get_condition\(\) can't be called; write \.condition\('Ready'\)",
    ),
    _of_model(
        "the official SDK's condition of a model",
        'made.observed.get_condition("Ready")',
        r"has no field 'get_condition'; write \.condition\('Ready'\)",
    ),
    Mistake(
        "a method that observed state doesn't have",
        "vpc.observed.refresh()  # here",
        "here",
        r"the observed state of vpc has no method refresh\(\)",
    ),
    Mistake(
        "an update of a resource as of a message",
        """
        from crossplane_lite import resource

        resource.update(vpc, {"spec": {"region": "us"}})  # here
        """,
        "here",
        r"UsageError: what a helper fills must be a protobuf message, .* as in bucket\.spec = ",
    ),
    Mistake(
        "a result for the context",
        """
        from crossplane_lite import response

        response.normal(ctx, "done")  # here
        """,
        "here",
        r"UsageError: a request or response must be a protobuf message \(got a Context\); .* ctx\.results\.normal",
    ),
    Mistake(
        "desired resources as of a response",
        'ctx.desired.resources["subnet"]  # here',
        "here",
        r"no attribute 'resources'; write ctx\.resource\(name, \.\.\.\)",
    ),
    Mistake(
        "observed resources as of a request",
        'ctx.observed.resources["subnet"]  # here',
        "here",
        r"no attribute 'resources'; write ctx\.observed\[name\]",
    ),
    Mistake(
        "the observed composite as of a request",
        "ctx.observed.composite.resource  # here",
        "here",
        r"no attribute 'composite'; write ctx\.composite\(Unstructured\)\.observed",
    ),
    Mistake("a response", "ctx.rsp.desired  # here", "here", r"'rsp'; ctx\.resource\(name, .* fill the response"),
    Mistake("the response", "ctx.response.desired  # here", "here", r"'response'; ctx\.resource\(name, .* fill the"),
    Mistake("a request", "ctx.req.observed  # here", "here", r"'req'; ctx\.observed\[name\] and .* are what exists"),
    Mistake(
        "a dict in place of a resource",
        'ctx.resource("config", {"apiVersion": "v1", "kind": "ConfigMap", "data": {}})  # here',
        "here",
        r"got a dict; write Unstructured\('v1', 'ConfigMap', data=\.\.\.\)",
    ),
    Mistake(
        "an address in place of a function",
        "",
        r"--function localhost:9543: this is an address",
        r"runtime: Development and render\.crossplane\.io/runtime-development-target: localhost:9543",
        status=2,
        command="render --function function-network=localhost:9543",
    ),
    Mistake(
        "JSON of a missing value, in an f-string",
        """
        text = f'{"id": "{at.id}"}'  # here
        """,
        "here",
        r"is written \{\{ and \}\}; crossplane_lite\.json_dumps\(\{\.\.\.\}\) is easier \(\w+\.py:\d+\)$",
    ),
    Mistake(
        "JSON of a missing value has one remedy",
        'json.dumps({"id": at.id})  # here',
        "here",
        r"vpc\.status\.id has no value yet: crossplane_lite\.json_dumps\(.* missing \(\w+\.py:\d+\)$",
    ),
    Mistake("a constant of YAML", 'at = {"public": true}  # here', "here", r"Python writes True"),
    Mistake("a key without quotes", "at = {days: 30}  # here", "here", r"a key is a text: write 'days'"),
    # Models that are older than the definitions.
    Mistake(
        "a field that older models lack",
        """
        from older_models import VPC

        ctx.resource("other", VPC(spec={"tier": "basic"}))  # here
        """,
        "here",
        r"hint: crds\.yaml.* has 'tier', and the models are older: run crossplane-lite generate",
        files={"older_models.py": OLDER_MODELS},
    ),
    Mistake(
        "a field of the composite that older models lack",
        """
        def compose(ctx):
            from older_models_of_xr import Network

            print(ctx.composite(Network).observed.spec.team)  # here


        compose = composition.function(compose)
        """,
        "here",
        r"hint: xrd\.yaml.* has 'team', and the models are older: run crossplane-lite generate",
        files={"older_models_of_xr.py": OLDER_MODELS},
    ),
]
