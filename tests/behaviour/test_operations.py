"""A function that an Operation runs: no composite, no observed state, once to its end (design section 6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from crossplane.function.proto.v1 import run_function_pb2 as fnv1

from crossplane_lite import Observable, Unstructured, composition
from crossplane_lite.errors import UsageError
from tests.behaviour.helpers import path
from tests.behaviour.models import VPC, Bucket, ConfigMap, Subnet, XStorageBucket
from tests.support import ALL_CAPABILITIES, HELD_BACK, MARKER, Response, struct

Json = dict[str, Any]

WATCHED = "ops.crossplane.io/watched-resource"

CONFIG: Json = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {
        "name": "settings",
        "namespace": "team-a",
        "uid": "c0ffee00-0000-4000-8000-000000000001",
        "resourceVersion": "4711",
        "labels": {"validate": "true"},
    },
    "data": {"database.url": "postgres://db"},
}


def operation(
    *,
    required: Mapping[str, Sequence[Json]] | None = None,
    desired: Mapping[str, Json] | None = None,
    context: Json | None = None,
    input: Json | None = None,
    credentials: Mapping[str, bytes] | None = None,
    capabilities: Sequence[str] = ALL_CAPABILITIES,
) -> fnv1.RunFunctionRequest:
    """Return the request that Crossplane sends for a step of an Operation.

    There is desired state and a context, both of them empty for the first step, and nothing observed.
    """
    req = fnv1.RunFunctionRequest()
    req.meta.tag = "b0a1c2"
    req.meta.capabilities.extend(getattr(fnv1, name) for name in capabilities)
    req.desired.SetInParent()
    req.context.CopyFrom(struct(context or {}))
    for name, resource in (desired or {}).items():
        req.desired.resources[name].resource.CopyFrom(struct(resource))
    for key, items in (required or {}).items():
        req.required_resources[key].SetInParent()
        for item in items:
            req.required_resources[key].items.add().resource.CopyFrom(struct(item))
    if input is not None:
        req.input.CopyFrom(struct(input))
    for key, value in (credentials or {}).items():
        req.credentials["cloud"].credential_data.data[key] = value
    return req


def run(compose: Any, req: fnv1.RunFunctionRequest | None = None, **options: Any) -> Response:
    """Answer a request; for a plain function, raise what it raises."""
    raised: list[BaseException] = []

    def caught(ctx: Any) -> None:
        try:
            compose(ctx)
        except AssertionError as error:
            raised.append(error)
            raise

    fn = composition.function(name="op", **options)(caught)
    answer = Response(fn.run((operation() if req is None else req).SerializeToString()))
    if raised:
        raise raised[0]
    return answer


# --- whole requests --------------------------------------------------------------------------------------------------


def test_a_cron_operation() -> None:
    """A scheduled function asks for what it works on, and gets it with the next call of the same run."""
    input_ = {"apiVersion": "backup.fn.crossplane.io/v1beta1", "kind": "Input", "keep": 3}

    def compose(ctx: Any) -> None:
        assert ctx.in_operation
        assert ctx.watched is None
        keep = ctx.input["keep"]
        ctx.requirements.resources["databases"] = composition.ResourceSelector(
            api_version="rds.aws.upbound.io/v1beta1", kind="Instance", match_labels={"backup": "daily"}
        )
        databases = ctx.required_resources.get("databases")
        for database in databases:
            name = database.metadata.name
            snapshot = ctx.resource(f"snapshot-{name}", Unstructured("rds.aws.upbound.io/v1beta1", "Snapshot"))
            snapshot.metadata.name = f"{name}-daily"
            snapshot.spec.forProvider.dbInstanceIdentifier = database.status.atProvider.id
        ctx.output["databases"] = [database.metadata.name for database in databases]
        ctx.output["keep"] = keep
        if databases.answered:
            ctx.results.normal(f"{len(databases)} snapshots")

    first = run(compose, operation(input=input_))
    assert not first.fatal
    assert first.results == []
    assert first.requirements.resources["databases"].match_labels.labels == {"backup": "daily"}
    assert first.resources == {}

    instance = {
        "apiVersion": "rds.aws.upbound.io/v1beta1",
        "kind": "Instance",
        "metadata": {"name": "orders", "labels": {"backup": "daily"}},
        "status": {"atProvider": {"id": "db-1"}},
    }
    second = run(compose, operation(input=input_, required={"databases": [instance]}))
    # Both calls ask for the same, so Crossplane takes this answer.
    assert second.requirements == first.requirements
    assert second.resources == {
        "snapshot-orders": {
            "apiVersion": "rds.aws.upbound.io/v1beta1",
            "kind": "Snapshot",
            "metadata": {"name": "orders-daily"},
            "spec": {"forProvider": {"dbInstanceIdentifier": "db-1"}},
        }
    }
    assert second.output == {"databases": ["orders"], "keep": 3}
    assert second.results == [("normal", "1 snapshots")]
    assert second.message.meta.tag == "b0a1c2"


def test_a_watch_operation() -> None:
    """The watched resource comes with the first call, without being asked for, and can be changed."""

    def compose(ctx: Any) -> None:
        assert ctx.in_operation
        watched = ctx.watched
        assert watched.metadata.name == "settings"
        assert watched.data["database.url"] == "postgres://db"
        changed = ctx.resource("settings", ConfigMap())
        changed.metadata.name = watched.metadata.name
        changed.metadata.namespace = watched.metadata.namespace
        changed.metadata.annotations["validated"] = "true"
        ctx.output["valid"] = True

    answer = run(compose, operation(required={WATCHED: [CONFIG]}))
    assert answer.emitted == {
        "settings": {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "settings", "namespace": "team-a", "annotations": {"validated": "true"}},
        }
    }
    assert answer.output == {"valid": True}
    assert not answer.message.HasField("requirements")


def test_two_steps() -> None:
    """Desired state and context go from step to step, output is each step's own."""

    def first(ctx: Any) -> None:
        config = ctx.resource("config", ConfigMap())
        config.metadata.name = "a"
        config.data = {"a": "1"}
        ctx.context["example.org/seen"] = ["a"]
        ctx.output["step"] = 1

    def second(ctx: Any) -> None:
        assert ctx.desired["config"].data["a"] == "1"
        assert ctx.context["example.org/seen"] == ["a"]
        ctx.resource("config", ConfigMap()).data["b"] = "2"

    one = run(first)
    two = run(second, operation(desired=one.emitted, context=one.context))
    assert two.emitted["config"]["data"] == {"a": "1", "b": "2"}
    assert two.context == {"example.org/seen": ["a"]}
    assert one.output == {"step": 1}
    assert two.output == {}


def test_credentials_and_secrets() -> None:
    """Credentials are there, and masked in what people read, as for a composition."""

    def compose(ctx: Any) -> None:
        ctx.results.warning(f"no {ctx.credentials['cloud'].text('token')}")

    answer = run(compose, operation(credentials={"token": b"very-secret"}))
    assert answer.results == [("warning", "no [secret]")]


# --- the watched resource --------------------------------------------------------------------------------------------


def test_the_watched_resource_as_a_model() -> None:
    """The watched resource can be read as a model's class."""

    def compose(ctx: Any) -> None:
        (watched,) = ctx.required_resources.get(WATCHED, ConfigMap)
        assert type(watched) is ConfigMap
        assert watched.data["database.url"] == "postgres://db"
        assert watched.name == "settings"
        with pytest.raises(UsageError, match="is a ConfigMap of v1, and the class Bucket is for Bucket of storage.gcp"):
            ctx.required_resources.get(WATCHED, Bucket)

    assert not run(compose, operation(required={WATCHED: [CONFIG]})).fatal


@pytest.mark.parametrize("required", [{}, {WATCHED: []}])
def test_nothing_is_watched(required: Mapping[str, Sequence[Json]]) -> None:
    """`watched` is None for other Operations, and where the resource is gone by now."""

    def compose(ctx: Any) -> None:
        assert ctx.watched is None

    assert not run(compose, operation(required=required)).fatal


def test_what_the_watched_resource_lacks() -> None:
    """The watched resource is observed: what its status lacks is an Observable, what its metadata lacks is None."""

    def compose(ctx: Any) -> None:
        (watched,) = ctx.required_resources.get(WATCHED, VPC)
        assert watched.metadata.deletionTimestamp is None
        assert path(watched.status.atProvider.vpcId) == f"required.{WATCHED}[0].status.atProvider.vpcId"

    vpc = {"apiVersion": "ec2.aws.upbound.io/v1beta1", "kind": "VPC", "metadata": {"name": "v"}}
    assert not run(compose, operation(required={WATCHED: [vpc]})).fatal


def test_a_watched_resource_in_the_deprecated_field() -> None:
    """Crossplane that advertises no capabilities may answer in the deprecated field as well."""
    req = operation(capabilities=())
    req.extra_resources[WATCHED].items.add().resource.CopyFrom(struct(CONFIG))

    def compose(ctx: Any) -> None:
        assert ctx.watched.metadata.name == "settings"

    assert not run(compose, req).fatal


# --- there is no composite -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", [XStorageBucket, Unstructured])
def test_asking_for_the_composite(model: Any) -> None:
    """`ctx.composite()` in an Operation is an error that says so, and what to use."""
    answer = run(lambda ctx: ctx.composite(model))
    (text,) = answer.fatal
    assert "there is no composite: an Operation runs this function" in text
    assert "ctx.watched" in text
    assert "ctx.in_operation" in text


def test_a_function_for_both() -> None:
    """A function can tell whether an Operation runs it."""
    from tests.support import call

    def compose(ctx: Any) -> bool:
        seen: bool = ctx.in_operation
        if not seen:
            ctx.composite(XStorageBucket).status.x = "y"
        ctx.output["seen"] = seen
        return seen

    seen, answer = call(compose)
    assert seen is False
    assert answer.composite["status"] == {"x": "y"}
    operated = run(lambda ctx: (compose(ctx), None)[1])
    assert operated.output == {"seen": True}
    assert not operated.message.desired.HasField("composite")


@pytest.mark.parametrize("options", [{}, {"auto_ready": True}])
def test_nothing_is_written_that_only_composites_have(options: Json) -> None:
    """No condition, no readiness, no list of what is held back, and no mark on resources that others may compose."""

    def compose(ctx: Any) -> None:
        ctx.resource("a", ConfigMap()).metadata.name = "a"
        ctx.resource("b", Bucket()).metadata.name = "b"

    answer = run(compose, operation(desired={"earlier": CONFIG}), **options)
    assert answer.conditions == {}
    assert answer.ready == {"a": None, "b": None, "earlier": None}
    assert answer.context == {}
    assert not answer.message.desired.HasField("composite")
    assert answer.results == []
    for resource in answer.emitted.values():
        assert MARKER not in resource["metadata"].get("annotations", {})
        assert set(resource["metadata"]) <= {"name", "namespace", "uid", "resourceVersion", "labels"}


def test_conditions_are_left_out(caplog: pytest.LogCaptureFixture) -> None:
    """What compose() sets as a condition isn't sent, because nothing has it in an Operation; the log says so."""

    def compose(ctx: Any) -> None:
        ctx.conditions.set("DatabaseReady", True, "Ready")
        ctx.output["done"] = True

    answer = run(compose)
    assert answer.conditions == {}
    assert answer.output == {"done": True}
    assert "condition DatabaseReady is left out" in caplog.text


def test_conditions_are_left_out_of_a_fatal_answer() -> None:
    """An answer with a fatal result has none either."""

    def compose(ctx: Any) -> None:
        ctx.conditions.set("DatabaseReady", True, "Ready")
        raise ValueError("boom")

    answer = run(compose)
    assert answer.fatal
    assert answer.conditions == {}


def test_a_resource_without_metadata() -> None:
    """A resource that sets no metadata gets none."""
    answer = run(lambda ctx: ctx.resource("a", ConfigMap(data={"a": "b"})) and None)
    assert answer.emitted == {"a": {"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": "b"}}}


# --- nothing comes by waiting ----------------------------------------------------------------------------------------


def test_what_would_be_held_back_is_fatal() -> None:
    """An Operation would end as if all were done, so a resource that can't be emitted stops it with the reason."""

    def compose(ctx: Any) -> None:
        ctx.resource("vpc", VPC()).metadata.name = "v"
        subnet = ctx.resource("subnet", Subnet())
        subnet.spec.forProvider.vpcId = ctx.resources["vpc"].observed.status.atProvider.vpcId

    answer = run(compose, operation(desired={"earlier": CONFIG}))
    (text,) = answer.fatal
    assert "an Operation does not wait" in text
    assert "subnet waits for vpc.status.atProvider.vpcId" in text
    assert list(answer.resources) == ["earlier"]
    assert answer.conditions == {}
    assert answer.composite_ready is None
    assert HELD_BACK not in answer.context


def test_dependencies_on_what_is_applied_with_them() -> None:
    """`depends_on` waits for observed state, which never comes, so it is fatal as well."""

    def compose(ctx: Any) -> None:
        first = ctx.resource("first", ConfigMap())
        ctx.resource("second", ConfigMap(), depends_on=[first])

    assert "second waits for first" in run(compose).fatal[0]


def test_a_required_resource_that_lacks_a_value() -> None:
    """While a requirement is unanswered nothing is fatal; once it is answered, a value that is missing is."""

    def compose(ctx: Any) -> None:
        ctx.requirements.resources["vpc"] = composition.ResourceSelector(
            api_version="ec2.aws.upbound.io/v1beta1", kind="VPC", match_name="v"
        )
        vpc_id = ctx.required_resources.get("vpc", VPC)[0].status.atProvider.vpcId
        subnet = ctx.resource("subnet", Subnet())
        subnet.metadata.name = "s"
        subnet.spec.forProvider.vpcId = vpc_id
        ctx.output["vpc"] = vpc_id
        assert isinstance(vpc_id, (Observable, str))

    vpc = {"apiVersion": "ec2.aws.upbound.io/v1beta1", "kind": "VPC", "metadata": {"name": "v"}}
    first = run(compose)
    assert not first.fatal
    assert list(first.requirements.resources) == ["vpc"]
    assert first.conditions == {}
    for answered in ([], [vpc]):
        assert "subnet waits for required.vpc[0]" in run(compose, operation(required={"vpc": answered})).fatal[0]
    vpc["status"] = {"atProvider": {"vpcId": "vpc-1"}}
    last = run(compose, operation(required={"vpc": [vpc]}))
    assert last.resources["subnet"]["spec"]["forProvider"] == {"vpcId": "vpc-1"}
    assert last.output == {"vpc": "vpc-1"}


def test_requirements_that_the_caller_does_not_support() -> None:
    """What can't be had is Fatal, because there is no composite to have a condition."""

    def compose(ctx: Any) -> None:
        ctx.requirements.resources["vpc"] = composition.ResourceSelector(api_version="v1", kind="Node", match_name="v")
        ctx.resource("a", ConfigMap()).metadata.name = "a"

    answer = run(compose, operation(capabilities=["CAPABILITY_CAPABILITIES"]))
    assert "vpc isn't available" in answer.fatal[0]


def test_an_exception_is_fatal() -> None:
    """What goes wrong in an Operation is a fatal result; desired state of previous steps stays as it came."""

    def compose(ctx: Any) -> None:
        ctx.resource("a", ConfigMap())
        raise ValueError("boom")

    answer = run(compose, operation(desired={"earlier": CONFIG}))
    assert "ValueError: boom" in answer.fatal[0]
    assert answer.emitted == {"earlier": CONFIG}
    assert answer.conditions == {}


def test_a_connection_secret() -> None:
    """There is no composite whose connection details could go into a Secret."""
    answer = run(lambda ctx: ctx.connection_secret({"a": "b"}) and None)
    assert "an Operation has none" in answer.fatal[0]
