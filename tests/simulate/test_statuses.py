"""What composed resources are like once they exist."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from crossplane_lite._core import codec
from crossplane_lite._core.observed import lookup
from crossplane_lite._tools.manifests.kind_schemas import Schemas
from crossplane_lite._tools.simulate.builtin import builtin_status
from crossplane_lite._tools.simulate.fixtures import Fixtures
from crossplane_lite._tools.simulate.statuses import Exists, Statuses
from crossplane_lite.schemas import errors_in
from tests.simulate.simulating import CRDS, schemas, simulated, thing

OPENAPI = CRDS.parent / "openapi"


def exists(
    composed: Mapping[str, Any],
    *wanted: str,
    known: Schemas | None = None,
    fixture: Mapping[str, Any] | None = None,
    before: Mapping[str, Any] = {},
    data: Mapping[str, str] | None = None,
) -> Exists:
    """Return a resource named `a` as it exists."""
    whole = {"metadata": {"name": "net-a"}, **composed}
    statuses = Statuses(Fixtures({} if fixture is None else {"a": fixture}), known.find if known else lambda *_: None)
    return statuses.exists("a", whole, before, wanted, data)


def managed(**spec: Any) -> dict[str, Any]:
    """Return a managed resource."""
    return {"apiVersion": "example.org/v1", "kind": "Thing", "spec": {"forProvider": {"region": "eu"}, **spec}}


def test_identity() -> None:
    """A resource has what an API server gives it, the same each time, and keeps what it had."""
    metadata = exists(managed()).resource["metadata"]
    assert metadata["generation"] == 1 and metadata["creationTimestamp"] == "2024-01-01T00:00:00Z"
    assert metadata["uid"] == exists(managed()).resource["metadata"]["uid"]
    assert metadata["annotations"] == {
        "crossplane.io/composition-resource-name": "a",
        "crossplane.io/external-name": "net-a",
    }
    before = {"metadata": {"uid": "u", "generation": 7, "annotations": {"x": "y"}, "labels": {"l": "m"}}}
    kept = exists(managed(), before=before).resource["metadata"]
    assert (kept["uid"], kept["generation"], kept["annotations"]["x"], kept["labels"]) == ("u", 7, "y", {"l": "m"})


def test_owned_fields() -> None:
    """What Crossplane has applied is in managedFields, as its own, and the external name as the provider's."""
    before = {
        "metadata": {
            "managedFields": [
                {"manager": "apiextensions.crossplane.io/composed/abc", "fieldsV1": {"f:old": {}}},
                {"manager": "provider", "fieldsV1": {"f:x": {}}},
                "odd",
            ]
        }
    }
    entries = exists(managed(), before=before).resource["metadata"]["managedFields"]
    assert [one if isinstance(one, str) else one["manager"].rpartition("/")[0] for one in entries] == [
        "",
        "odd",
        "",
        "apiextensions.crossplane.io/composed",
    ]
    annotations = {"f:annotations": {"f:crossplane.io/external-name": {}}}
    assert entries[-2]["manager"] == "provider"
    assert entries[-2]["fieldsV1"] == {"f:metadata": annotations}
    assert entries[-1]["fieldsV1"] == {"f:metadata": {"f:name": {}}, "f:spec": {"f:forProvider": {"f:region": {}}}}


def test_external_names() -> None:
    """Managed resources have an external name: their name, unless somebody says otherwise."""
    chosen = {"crossplane.io/external-name": "chosen"}
    assert exists(managed(), ".external_name").origins == {".external_name": "given"}
    desired = exists({**managed(), "metadata": {"name": "n", "annotations": chosen}}, ".external_name").resource
    assert desired["metadata"]["annotations"]["crossplane.io/external-name"] == "chosen"
    told = exists(managed(), ".external_name", fixture={"metadata": {"annotations": chosen}})
    assert told.resource["metadata"]["annotations"]["crossplane.io/external-name"] == "chosen"
    assert told.origins == {".external_name": "fixture"}
    other = {"apiVersion": "example.org/v1", "kind": "Thing", "spec": {}}
    assert exists(other, ".external_name").origins == {".external_name": "assumed"}
    assert "external-name" not in str(exists(other).resource)
    empty = schemas("Thing", {}, spec={"x": {"type": "string"}})
    assert (
        "isn't a managed resource: its schema" in exists(other, ".external_name", known=empty).never[".external_name"]
    )
    declared = exists(other, ".external_name", known=schemas("Thing", {}))
    assert declared.origins == {".external_name": "given"}


# The Gateways that routes and policies name, without which nobody accepts them.
_GATEWAYS = {"parentRefs": [{"name": "a"}], "targetRefs": [{"name": "a"}]}


@pytest.mark.parametrize(("group", "kind"), sorted(lookup.KINDS_WITH_RULES))
@pytest.mark.parametrize("spec", [{}, {"replicas": 3, "type": "LoadBalancer", "hard": {"pods": "3"}}, {"replicas": 0}])
def test_builtin_kinds_are_ready(group: str, kind: str, spec: dict[str, Any]) -> None:
    """Every kind with a rule for readiness of its own is ready by that rule, without a made-up condition Ready."""
    api_version = f"{group}/v1" if group else "v1"
    made = exists({"apiVersion": api_version, "kind": kind, "spec": {**_GATEWAYS, **spec}}).resource
    assert lookup.is_ready(codec.encode_struct(made))
    types = [one["type"] for one in made.get("status", {}).get("conditions", ())]
    assert ("Ready" in types) is (kind == "Pod")


def test_other_kinds_are_ready() -> None:
    """Other kinds have the conditions Ready and Synced, kinds without a status have none."""
    conditions = exists(managed()).resource["status"]["conditions"]
    assert [(one["type"], one["status"]) for one in conditions] == [("Synced", "True"), ("Ready", "True")]
    assert "status" not in exists({"apiVersion": "v1", "kind": "ConfigMap", "data": {}}).resource
    assert "status" not in exists({"apiVersion": "aws.upbound.io/v1", "kind": "ProviderConfig"}).resource


def test_schemas_without_conditions() -> None:
    """A kind whose schema has no conditions gets none."""
    root = {"type": "object", "properties": {"status": {"type": "object", "properties": {"x": {"type": "string"}}}}}
    made = Statuses(Fixtures({}), lambda *_: root).exists("a", {**managed(), "metadata": {}}, {}, [".status.x"])
    assert made.resource["status"] == {"x": "a-x"}
    never = Statuses(Fixtures({}), lambda *_: root).exists("a", managed(), {}, ['.status.conditions["Odd"].status'])
    assert "has no status.conditions" in next(iter(never.never.values()))


def test_values_come_from_the_best_source() -> None:
    """What is there, then fixtures, then the specification, then the schema."""
    provider = {"type": "object", "properties": {key: {"type": "string"} for key in ("id", "region", "made", "told")}}
    made = exists(
        managed(),
        *(f".status.atProvider.{key}" for key in ("id", "region", "made", "told", "before")),
        known=schemas("Thing", {"atProvider": provider | {"x-kubernetes-preserve-unknown-fields": True}}),
        fixture={"status": {"atProvider": {"told": "fixture"}}},
        before={"status": {"atProvider": {"before": 1, "told": "start"}}},
    )
    assert made.resource["status"]["atProvider"] == {
        "before": 1,
        "id": "net-a",
        "made": "a-made",
        "region": "eu",
        "told": "fixture",
    }
    origins = {path.rpartition(".")[2]: origin for path, origin in made.origins.items()}
    assert origins == {"before": "given", "id": "spec", "made": "schema", "region": "spec", "told": "fixture"}


def test_objects_of_the_specification_are_repeated() -> None:
    """An object or list of `spec.forProvider` is in `status.atProvider` as it is, with what is wanted beside it."""
    manifest = {"kind": "ConfigMap", "data": {"a": "b"}}
    composed = managed(forProvider={"manifest": manifest, "list": [{"x": 1, "ref": {"name": "r"}}]})
    text = {"type": "string"}
    provider = {
        "manifest": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        "list": {"type": "array", "items": {"type": "object", "properties": {"x": {"type": "integer"}, "id": text}}},
    }
    made = exists(
        composed,
        *(f".status.atProvider.{path}" for path in ("manifest.status.ip", "list[0].id", "list[1].id")),
        known=schemas("Thing", {"atProvider": {"type": "object", "properties": provider}}),
    )
    assert made.resource["status"]["atProvider"] == {
        "manifest": {**manifest, "status": {"ip": "a-manifest-ip"}},
        "list": [{"x": 1, "id": "a-list-0-id"}],
    }
    assert made.never == {".status.atProvider.list[1].id": "status.atProvider.list has no [1]: its length is 1"}
    assert "status" not in composed["spec"]["forProvider"]["manifest"]


def test_shapes() -> None:
    """Values have the shape that their schema asks for, with as many elements as the path needs."""
    status = {
        "count": {"type": "integer", "minimum": 3},
        "list": {"type": "array", "items": {"type": "object", "properties": {"id": {"type": "string"}}}},
        "map": {"type": "object", "additionalProperties": {"type": "string"}},
        "short": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
        "deep": {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}},
    }
    made = exists(
        managed(),
        *(".status.count", ".status.list[1].id", '.status.map["a.b/c"]', ".status.short[1]", ".status.deep[1][2]"),
        *(".status.list", ".status.short[2]", ".status.list[0].nope", ".status.count.x", ".status.list.x"),
        known=schemas("Thing", status),
    )
    status = made.resource["status"]
    del status["conditions"]
    assert status == {
        "count": 3,
        "list": [{"id": "a-list-0-id"}, {"id": "a-list-1-id"}],
        "map": {"a.b/c": "a-map-a-b-c"},
        "short": ["a-short-0", "a-short-1"],
        "deep": [[1], [1, 1, 1]],
    }
    start = "the schema of example.org/v1 Thing"
    assert made.never == {
        ".status.count.x": f"{start} has no status.count.x",
        ".status.list.x": f"{start} has no status.list.x",
        ".status.list[0].nope": f"{start} has no status.list[0].nope",
        ".status.short[2]": f"{start} allows at most 2 elements in status.short",
    }


def test_shapes_without_a_schema() -> None:
    """Without a schema the path alone gives the shape; its elements are all alike."""
    made = exists(managed(), ".status.a[1].b[1].c", ".status.d", '.status.e["x"]', ".status.f[1]")
    status = made.resource["status"]
    assert [[sorted(below) for below in one["b"]] for one in status["a"]] == [[["c"], ["c"]]] * 2
    assert (status["d"], status["e"], status["f"]) == ("a-d", {"x": "a-e-x"}, ["a-f-0", "a-f-1"])
    assert set(made.origins.values()) == {"assumed"} and not made.never


def test_late_initialisation() -> None:
    """A field of the specification that nobody sets, and somebody reads, is filled in; other fields aren't."""
    made = exists(managed(), ".spec.forProvider.zone", ".data.x", ".metadata.labels.x", "")
    assert made.resource["spec"]["forProvider"] == {"region": "eu", "zone": "a-zone"}
    assert made.never == {
        f".{path}": f"a simulation makes up only fields of spec and status; set {path} in a fixture"
        for path in ("data.x", "metadata.labels.x")
    }


def test_paths_that_lead_nowhere() -> None:
    """Paths through values that are no objects or lists, and huge lists, never have a value."""
    before = {"status": {"text": "t", "list": [], "odd": [1]}}
    wanted = {
        ".status.text.x": "status.text is a string, not an object",
        ".status.text[0]": "status.text is a string, not a list",
        ".status.list.x": "status.list is a list, not an object",
        ".status.list[0]": "status.list has no [0]: its length is 0",
        ".status.odd[0].x": "status.odd[0] is an integer, not an object",
        ".status.new[5000]": "a simulation makes up at most 200 elements of a list, and at most 10,000 of a list "
        "and the lists in it together; give this list in a fixture",
        ".status.new[150][150]": "a simulation makes up at most 200 elements of a list, and at most 10,000 of a list "
        "and the lists in it together; give this list in a fixture",
        ".status..x": "this isn't the path of a field",
        '.status.conditions["Ready"].other': "a condition has no field other",
    }
    made = exists(managed(), *wanted, f".status.x[{'9' * 5000}]", before=before)
    assert made.never.pop(f".status.x[{'9' * 5000}]") == "this isn't the path of a field"
    assert made.never == wanted
    assert sorted(made.resource["status"]) == ["conditions", "list", "odd", "text"]


def test_connection_secrets() -> None:
    """A connection Secret has the details that are known or wanted, and is where the resource says."""
    cluster = managed(writeConnectionSecretToRef={"name": "s", "namespace": "ns"})
    assert exists(managed(), ".connection_details.x").secret is None
    assert exists(cluster).secret == {
        "apiVersion": "v1",
        "kind": "Secret",
        "type": "connection.crossplane.io/v1alpha1",
        "metadata": {"name": "s", "namespace": "ns"},
        "data": {},
    }
    made = exists(
        cluster,
        *('.connection_details["user"]', '.connection_details["told"]', '.connection_details["never"]'),
        fixture={"connectionDetails": {"told": "yes", "never": None}},
        data={"kept": "eA==", "never": "eA=="},
    )
    assert made.secret is not None
    data = {key: b64decode(value).decode() for key, value in made.secret["data"].items()}
    assert data == {"kept": "x", "told": "yes", "user": "a-user"}
    assert list(made.never) == ['.connection_details["never"]']
    whole = exists(cluster, ".connection_details").secret
    assert whole is not None and sorted(whole["data"]) == ["endpoint", "password", "username"]
    namespaced = {**managed(writeConnectionSecretToRef={"name": "s"}), "metadata": {"name": "a", "namespace": "team"}}
    found = exists(namespaced).secret
    assert found is not None and found["metadata"] == {"name": "s", "namespace": "team"}


@pytest.mark.parametrize("odd", [None, 1, "text", [], [1], {"name": 1}, {"name": {}}, {"conditions": 1}])
@pytest.mark.parametrize("place", ["metadata", "spec", "status"])
def test_odd_objects(place: str, odd: Any) -> None:
    """Objects whose parts are of no shape that Kubernetes knows give no error that isn't one of ours."""
    exists({**managed(), place: odd}, ".status.x", ".external_name", '.status.conditions["Ready"].status')
    exists({**managed(), "spec": {"writeConnectionSecretToRef": odd}}, ".connection_details.x")
    exists(managed(), ".status.x", ".external_name", before={place: odd})


CASES = [
    ("ec2.aws.upbound.io_vpcs.yaml", "VPC", "id arn mainRouteTableId ipv6CidrBlock tagsAll.x cidrBlock"),
    ("ec2.aws.upbound.io_subnets.yaml", "Subnet", "id arn ownerId availabilityZoneId"),
    ("rds.aws.upbound.io_instances.yaml", "Instance", "endpoint port replicas[1] listenerEndpoint[0].port"),
    ("s3.aws.upbound.io_buckets.yaml", "Bucket", "arn corsRule[1].allowedMethods[0] versioning"),
    ("container.gcp.upbound.io_clusters.yaml", "Cluster", "endpoint masterAuth.clusterCaCertificate masterVersion"),
    ("storage.gcp.upbound.io_buckets.yaml", "Bucket", "url selfLink projectNumber"),
]


@pytest.mark.parametrize(("file", "kind", "paths"), CASES)
def test_real_definitions(file: str, kind: str, paths: str) -> None:
    """Of a provider's real kinds, values are made that its schema takes; what it doesn't have never comes."""
    path = CRDS / file
    if not path.is_file():
        pytest.skip(f"the provider's definitions are not in {CRDS}")
    known = Schemas([path])
    served = [version for version, found in known.kinds() if found == kind]
    wanted = [f".status.atProvider.{one}" for one in paths.split()]
    for version in served:
        composed = {"apiVersion": version, "kind": kind, "spec": {"forProvider": {}}}
        made = exists(composed, *wanted, ".status.atProvider.noSuchField", ".status.nor", known=known)
        resource = made.resource
        schema = known.find(version, kind)
        assert schema is not None
        status = {"apiVersion": version, "kind": kind, "metadata": {}, "status": resource["status"]}
        problems = [error for error in errors_in(status, schema) if str(error.path).startswith("status")]
        assert [str(problem) for problem in problems] == []
        unknown = set(made.never) - {".status.atProvider.noSuchField", ".status.nor"}
        # Versions differ in what is a list and what is an object.
        assert len(unknown) <= 1 and len(made.never) - len(unknown) == 2
        assert "assumed" not in made.origins.values()


@pytest.mark.parametrize(
    ("file", "api_version", "kind"),
    [
        ("apps_v1.json", "apps/v1", "Deployment"),
        ("apps_v1.json", "apps/v1", "StatefulSet"),
        ("batch_v1.json", "batch/v1", "Job"),
        ("batch_v1.json", "batch/v1", "CronJob"),
        ("core_v1.json", "v1", "Service"),
        ("core_v1.json", "v1", "Namespace"),
        ("core_v1.json", "v1", "PersistentVolumeClaim"),
    ],
)
def test_real_builtin_kinds(file: str, api_version: str, kind: str) -> None:
    """The statuses of Kubernetes' own kinds are what its schemas say."""
    path = OPENAPI / file
    if not path.is_file():
        pytest.skip(f"the API server's documents are not in {OPENAPI}")
    schema = Schemas([path]).find(api_version, kind)
    assert schema is not None
    status = builtin_status({"apiVersion": api_version, "kind": kind, "metadata": {"name": "x", "generation": 1}})
    found = {"apiVersion": api_version, "kind": kind, "metadata": {}, "status": status}
    assert [str(error) for error in errors_in(found, schema) if str(error.path).startswith("status")] == []


def test_a_whole_chain_with_real_definitions() -> None:
    """With real definitions a VPC's chain resolves, and a misspelt field of it is named."""
    if not (CRDS / "ec2.aws.upbound.io_vpcs.yaml").is_file():
        pytest.skip(f"the provider's definitions are not in {CRDS}")
    known = Schemas([CRDS / f"ec2.aws.upbound.io_{kind}.yaml" for kind in ("vpcs", "subnets")])

    def compose(ctx: Any) -> None:
        vpc = ctx.resource("vpc", ec2("VPC"))
        ctx.resource("good", ec2("Subnet", vpcId=vpc.observed.status.atProvider.id))
        ctx.resource("bad", ec2("Subnet", vpcId=vpc.observed.status.atProvider.vpcId))

    done = simulated(compose, schemas=known)
    assert done.waves == {"vpc": 1, "good": 2}
    assert list(done.unresolved) == ["bad"]
    assert "has no status.atProvider.vpcId" in done.unresolved["bad"][0]


def ec2(kind: str, **for_provider: Any) -> Any:
    """Return a resource of ec2."""
    made = thing(kind, **for_provider)
    made.apiVersion = "ec2.aws.upbound.io/v1beta1"
    return made


def test_where_the_definitions_are() -> None:
    """The tests that need them look for them beside the repository."""
    assert isinstance(CRDS, Path) and CRDS.parts[-3:] == ("shared", "data", "crds")
