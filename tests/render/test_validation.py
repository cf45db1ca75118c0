"""What a pipeline desires is checked against the schemas of its kinds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from crossplane_lite._tools.manifests.kind_schemas import Schemas
from crossplane_lite._tools.render.observing import Seen
from crossplane_lite._tools.render.pipeline import Step
from crossplane_lite._tools.render.rendered import Rendered, StepRun
from crossplane_lite._tools.render.validation import Check, status_errors
from crossplane_lite.errors import InputError
from tests.codegen.generated import crd, needs_data, obj
from tests.models.tables import DATA
from tests.support import build

Json = dict[str, Any]

BUCKET = {
    **obj(
        spec={
            **obj(size="i", tags={"type": "object", "additionalProperties": {"type": "string"}}, region="s"),
            "required": ["region"],
        },
        status=obj(id="s"),
    ),
    "required": ["spec"],
}


class _Nobody:
    """Runs nothing."""

    def run(self, request: bytes, timeout: float) -> bytes:
        raise AssertionError


def rendered(desired: Mapping[str, Json], xr: Json | None = None) -> Rendered:
    """Return a reconcile whose last function desired this, and whose first desired something else."""
    composite = {"apiVersion": "example.org/v1", "kind": "XThing", "metadata": {"name": "my-xr"}, "spec": {}}
    # The desired state is the same message in a request and in a response.
    last = build(desired=desired, desired_xr=xr)
    response = _response(last)
    first = _response(build(desired={"other": bucket(spec=3)}))
    steps = [StepRun(Step(name, name), _Nobody(), b"", data, 1) for name, data in (("a", first), ("b", response))]
    return Rendered(composite, {}, {}, {}, [], {}, {}, steps)


def _response(request: Any) -> bytes:
    from crossplane.function.proto.v1 import run_function_pb2 as fnv1

    response = fnv1.RunFunctionResponse()
    response.desired.CopyFrom(request.desired)
    data: bytes = response.SerializeToString()
    return data


def check(rendered: Rendered, schemas: Schemas) -> tuple[list[str], str]:
    """Return the mistakes, and the line about what isn't checked."""
    found = Check(schemas)
    found.add(rendered, beyond=True)
    return found.errors, found.unchecked


def problems(rendered: Rendered, schemas: Schemas) -> list[str]:
    """Return all messages of a check."""
    errors, unchecked = check(rendered, schemas)
    return [*errors, *filter(None, [unchecked])]


def bucket(**fields: Any) -> Json:
    """Return a bucket."""
    return {"apiVersion": "example.org/v1", "kind": "Bucket", **fields}


@pytest.fixture(scope="module")
def schemas() -> Schemas:
    """Return the schemas of buckets and of the composite."""
    made = Schemas()
    made.add_crd(crd(BUCKET, kind="Bucket"), "crds/bucket.yaml")
    xthing = {**obj(spec={**obj(a="s"), "required": ["a"]}, status={**obj(id="s"), "required": ["id"]})}
    made.add_crd(crd({**xthing, "required": ["spec"]}, kind="XThing"), "crds/xthing.yaml")
    return made


OF_BUCKET = "(schema of example.org/v1 Bucket in crds/bucket.yaml)"
OF_XTHING = "(schema of example.org/v1 XThing in crds/xthing.yaml)"


@pytest.mark.parametrize(
    ("resource", "errors"),
    [
        (bucket(spec={"region": "eu", "size": 3, "tags": {"a": "b"}}), []),
        (bucket(metadata={"labels": {"a": "b"}, "annotations": {}}, spec={"region": "eu"}), []),
        (
            bucket(spec={"region": "eu", "sizes": 3}),
            ["b.spec.sizes: isn't a field of the schema; did you mean 'size'?"],
        ),
        (bucket(spec={"region": "eu", "size": "3"}), ["b.spec.size: must be an integer"]),
        (bucket(spec={}), ["b.spec.region: is required"]),
        (bucket(), ["b.spec: is required"]),
        (bucket(spec={"region": "eu", "tags": {"a/b": 3}}), ['b.spec.tags["a/b"]: must be a string']),
        (bucket(spec={"region": "eu"}, metadata={"labels": 3}), ["b.metadata.labels: must be an object"]),
        (bucket(spec={"region": "eu"}, status={}), []),
        (bucket(spec={"region": "eu"}, status={"id": 3}), ["b.status: is set, but Crossplane discards"]),
    ],
)
def test_a_composed_resource(schemas: Schemas, resource: Json, errors: list[str]) -> None:
    """What is wrong is told with the resource, the path and the file of the schema."""
    found = problems(rendered({"b": resource}), schemas)
    assert len(found) == len(errors), found
    for line, start in zip(found, errors, strict=True):
        assert line.startswith(start)
        assert line.endswith((OF_BUCKET, "of composed resources"))


def test_the_composite(schemas: Schemas) -> None:
    """Of the composite its status is checked, and nothing else; without one there is nothing to check."""
    schema = schemas.find("example.org/v1", "XThing") or {}

    def found(xr: Json | None, *unresolved: list[str | int], partial: bool = False) -> list[str]:
        made = rendered({}, xr)
        seen = Seen()
        seen.unresolved = list(map(list, unresolved))
        runs = [run._replace(seen=seen) for run in made.steps]
        return status_errors(made.composite, runs, schema, " in crds/xthing.yaml", partial=partial)

    required = f"xr.status.id: is required {OF_XTHING}"
    unknown = f"xr.status.ids: isn't a field of the schema; did you mean 'id'? {OF_XTHING}"
    assert found(None) == []
    assert found({"spec": {"b": 3}, "metadata": 3}) == []
    assert found({"status": {"id": "x"}}) == []
    assert found({"status": {"ids": "x"}}) == [required, unknown]
    assert found({"status": {"ids": "x"}}, partial=True) == [unknown]
    assert found(None, ["status", "id"], ["spec", "x"]) == []
    assert found(None, ["status", "id", 3], ["status", "id", "x"]) == []
    assert found({"status": {"id": 3}}, ["status", "id"]) == [
        f"xr.status.id: must be a string (got 3 that is an integer) {OF_XTHING}"
    ]
    assert found(None, ["status", "ids"]) == [required, unknown]
    assert problems(rendered({}, {"status": {"ids": "x"}}), schemas) == []


def test_a_manifest_in_an_object(schemas: Schemas) -> None:
    """The manifest inside of an Object is checked where its kind has a schema; an unresolved one is right."""

    def found(manifest: Any) -> list[str]:
        spec = {"forProvider": {"manifest": manifest}}
        made = {"apiVersion": "kubernetes.m.crossplane.io/v1alpha1", "kind": "Object", "spec": spec}
        return check(rendered({"o": made}), schemas)[0]

    at = "o.spec.forProvider.manifest"
    assert found(bucket(spec={"sizes": 1, "region": "eu"})) == [
        f"{at}.spec.sizes: isn't a field of the schema; did you mean 'size'? {OF_BUCKET}"
    ]
    assert found(bucket(spec={"region": "eu"})) == []
    assert found({"apiVersion": "v1", "kind": "Other"}) == found({}) == found(3) == []


def test_the_order(schemas: Schemas) -> None:
    """The resources come by their names."""
    desired = {name: bucket(spec={}) for name in ("c", "a", "b")}
    found = problems(rendered(desired), schemas)
    assert [line.partition(".")[0] for line in found] == ["a", "b", "c"]


def test_kinds_without_a_schema(schemas: Schemas) -> None:
    """A kind without a schema is named once, with its resources."""
    other = {"apiVersion": "other.org/v1", "kind": "Other"}
    found = problems(rendered({"z": other, "a": other, "b": bucket(spec={"region": "eu"})}), schemas)
    hint = "a file for --crds: kubectl get --raw /openapi/v3/apis"
    assert found == [f"not checked: 2 of 3 (a, z: no schema of other.org/v1 Other; {hint}/other.org/v1)"]
    assert problems(rendered({"a": other}, {"status": {"x": 1}}), Schemas()) == [
        f"not checked: 2 of 2 (a: no schema of other.org/v1 Other; {hint}/other.org/v1; "
        f"the composite: no schema of example.org/v1 XThing; {hint}/example.org/v1)"
    ]


def test_versions_that_definitions_lack() -> None:
    """A version that the kind's definitions lack or don't serve is a mistake, for which they are named."""
    content = crd(BUCKET, BUCKET, BUCKET, kind="Bucket", versions=["v1beta1", "v1beta2", "v1beta3"])
    content["spec"]["versions"][0]["served"] = False
    schemas = Schemas()
    schemas.add_crd(content, "crds.yaml")
    has = "(crds.yaml has v1beta2 and v1beta3 of Bucket of example.org)"
    desired = {"a": bucket(), "b": {**bucket(), "apiVersion": "example.org/v1beta1"}}
    assert check(rendered(desired), schemas) == (
        [f"a.apiVersion: v1 isn't a version of the kind {has}", f"b.apiVersion: v1beta1 isn't served {has}"],
        "",
    )
    content["spec"]["versions"] = content["spec"]["versions"][:1]
    schemas = Schemas()
    schemas.add_crd(content, "crds.yaml")
    schemas.add_crd(crd(obj(), versions=["v2"], kind="XThing"), "xrd.yaml")
    assert problems(rendered({"a": desired["b"]}, {"status": {"x": 1}}), schemas) == [
        "xr.apiVersion: v1 isn't a version of the kind (xrd.yaml has v2 of XThing of example.org)",
        "a.apiVersion: v1beta1 isn't served (crds.yaml has no served version of Bucket of example.org)",
    ]


def test_a_kind_that_is_misspelt(schemas: Schemas) -> None:
    """A kind that a group doesn't have is a mistake if the group has a similar one, also in lower case or as plural."""
    for kind in ("Buckett", "buckets", "bucket", "Buckets"):
        desired = {"a": {**bucket(), "kind": kind}, "b": {**bucket(), "apiVersion": "other.org/v1", "kind": kind}}
        first, second = problems(rendered(desired), schemas)
        assert first == f"a.kind: {kind} isn't a kind of example.org/v1; did you mean 'Bucket'?"
        assert second.startswith(f"not checked: 1 of 2 (b: no schema of other.org/v1 {kind};")


@pytest.mark.parametrize("resource", [{}, {"kind": "Bucket"}, {"apiVersion": "v1", "kind": 3}])
def test_a_resource_without_a_kind(schemas: Schemas, resource: Json) -> None:
    """A resource of no kind is an error of its own."""
    assert problems(rendered({"a": resource}), schemas) == ["a: has no apiVersion or no kind"]


def test_a_schema_that_can_not_be_used() -> None:
    """A schema that is none is told with its file, and doesn't hide what is wrong elsewhere."""
    schemas = Schemas()
    schemas.add_crd(crd({**BUCKET, "properties": {"spec": {"type": 3}}}, kind="Bucket"), "bad.yaml")
    (line,) = problems(rendered({"a": bucket(spec={})}), schemas)
    assert line.startswith("a: isn't checked: ")
    assert line.endswith("(schema of example.org/v1 Bucket in bad.yaml)")


def test_secrets_are_not_shown() -> None:
    """What stands in a Secret stays out of the messages."""
    schemas = Schemas()
    mark = {"x-kubernetes-group-version-kind": [{"group": "", "version": "v1", "kind": "Secret"}]}
    data = {"type": "object", "additionalProperties": {"type": "string", "enum": ["x"]}}
    document = {"openapi": "3.0.0", "components": {"schemas": {"Secret": {**obj(data=data), **mark}}}}
    schemas.add_openapi(document, "file")
    secret = {"apiVersion": "v1", "kind": "Secret", "data": {"password": "aHVudGVyMg=="}}
    found = " ".join(problems(rendered({"a": secret}), schemas))
    assert "a.data.password" in found
    assert "aHVudGVyMg" not in found


def test_no_steps(schemas: Schemas) -> None:
    """Without a step there is nothing to check."""
    assert problems(rendered({})._replace(steps=[]), schemas) == []


def test_a_file_that_can_not_be_read(tmp_path: Any) -> None:
    """What is wrong with a file of schemas is an error of input."""
    (tmp_path / "a.yaml").write_text("kind: CustomResourceDefinition # Bucket example.org v1\n}{")
    with pytest.raises(InputError, match="a.yaml"):
        problems(rendered({"a": bucket()}), Schemas([tmp_path]))


@needs_data
def test_real_schemas() -> None:
    """Resources are checked against real definitions and documents, the path of the file included."""
    pods = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a"}, "spec": {"replica": 3}}
    s3 = {"apiVersion": "s3.aws.upbound.io/v1beta1", "kind": "Bucket", "spec": {"forProvider": {"regoin": "eu"}}}
    found = problems(rendered({"app": pods, "bucket": s3}), Schemas([DATA]))
    text = "\n".join(found)
    assert "app.spec.replica: isn't a field of the schema; did you mean 'replicas'?" in text
    assert f"(schema of apps/v1 Deployment in {DATA}/openapi/apps_v1.json" in text
    assert "bucket.spec.forProvider.regoin: isn't a field of the schema; did you mean 'region'?" in text
    assert "s3.aws.upbound.io_buckets.yaml" in text
