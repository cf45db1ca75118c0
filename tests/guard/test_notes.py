"""What the guard notes, what it never notes, and what it says."""

from __future__ import annotations

import base64
import copy
from collections.abc import Callable
from typing import Any, Final

import pytest
from crossplane.function.proto.v1 import run_function_pb2 as fnv1

from crossplane_lite import Unstructured, composition
from crossplane_lite._core import codec
from crossplane_lite._core.guard.guard import Guard
from crossplane_lite._core.guard.seen import CONDITION, Options
from crossplane_lite.proto import _view
from crossplane_lite.runtime.transports.status import Refused
from tests.guard.functions import gated, lost_field, run
from tests.official import Call
from tests.safety.cluster import Cluster, Reconcile
from tests.support import KNOWN, notes_of

_BUDGET: Final = 2048


class Guarded:
    """A function behind the guard, whose target may fail.

    Attributes:
        fails: Whether the target fails from now on: `never`, `again` (when it is asked twice in a call) or `always`.
    """

    def __init__(self, compose: Callable[[Call], None], **options: Any) -> None:
        self._compose = compose
        self._guard = Guard(self._ask, Options(**{"name": "net", **options}))
        self._asked = 0
        self.fails = "never"

    def _ask(self, data: bytes, *_: object) -> bytes:
        self._asked += 1
        if self.fails == "always" or (self.fails == "again" and self._asked > 1):
            raise Refused(14, "the target is away")
        return run(self._compose, data)

    def run(self, data: bytes) -> bytes:
        """Answer a request."""
        self._asked = 0
        return self._guard.run(data)


def network(guarded: Any, **seen: Any) -> Cluster:
    """Return a cluster in which the parts of a network exist and are ready."""
    cluster = Cluster(guarded)
    for _ in range(4):
        cluster.reconcile()
        provide(cluster, **seen)
    return cluster


def provide(cluster: Cluster, **seen: Any) -> None:
    """Let the provider report."""
    for name in cluster.objects:
        status = {"atProvider": {"id": f"{name}-1", **seen}}
        cluster.provide(name, status, ready=True)


def lose(cluster: Cluster, name: str = "vpc") -> None:
    """Lose the id of an object."""
    del cluster.objects[name].live["status"]["atProvider"]["id"]


def notes_on(cluster: Cluster, name: str) -> str:
    """Return the notes on an object."""
    found: str = cluster.objects[name].live["metadata"]["annotations"].get(KNOWN, "")
    return found


def all_notes(cluster: Cluster) -> str:
    """Return the notes on all objects."""
    return "\n".join(notes_on(cluster, name) for name in cluster.objects)


def condition(cluster: Cluster, name: str = "net") -> dict[str, Any]:
    """Return a guard's condition of the composite."""
    conditions = cluster.xr.get("status", {}).get("conditions", [])
    return next((one for one in conditions if one["type"] == f"{CONDITION}-{name}"), {})


def test_notes_stay_small() -> None:
    """Twenty resources with statuses of two kilobytes have at most two kilobytes of notes each, of two steps."""

    def many(call: Call) -> None:
        call.compose("vpc", "VPC")
        vpc_id = call.seen("vpc").get("id")
        for number in range(19) if vpc_id else ():
            call.compose(f"part-{number}", "Part", vpcId=vpc_id)

    cluster = Cluster(Guarded(many), Guarded(many, name="other"))
    big = {f"field{number}": "x" * 40 for number in range(40)}
    for _ in range(4):
        cluster.reconcile()
        provide(cluster, **big)
    assert len(cluster.objects) == 20
    assert max(len(notes_on(cluster, name).encode()) for name in cluster.objects) <= _BUDGET
    lose(cluster)
    assert cluster.reconcile().deleted == []


@pytest.mark.parametrize("is_probed", [False, True])
def test_the_function_is_asked_which_values_decide(is_probed: bool) -> None:
    """Where not all values can be noted, --probe finds those that decide and that nobody sees in the content."""
    asked = []

    def hashed(call: Call) -> None:
        asked.append(1)
        call.compose("vpc", "VPC", region=call.spec["region"])
        seen = call.seen("vpc")
        if seen.get("field10") == "x" * 40 and (seen.get("field0") or seen.get("field1")):
            call.compose("subnet", "Subnet", region=call.spec["region"])
            call.compose("table", "Table", region=call.spec["region"])

    cluster = Cluster(Guarded(hashed, probe=is_probed))
    big = {f"field{number}": "x" * 40 for number in range(40)}
    for region in ("eu", "us"):
        cluster.xr["spec"]["region"] = region
        for _ in range(4):
            cluster.reconcile()
            provide(cluster, **big)
    calls = len(asked)
    assert cluster.reconcile().written == []
    assert len(asked) == calls + 1
    for name in ("field10", "field7", "field8"):
        del cluster.objects["vpc"].live["status"]["atProvider"][name]
    assert sorted(cluster.reconcile().deleted) == ([] if is_probed else ["subnet", "table"])


SECRETS: Final[dict[str, Any]] = {
    "password": "hunter2hunter2",
    "outputs": {"clientSecret": {"value": "abcdef-secret"}},
    "manifest": {"kind": "Secret", "data": {"a": "aHVudGVy"}},
    "users": [{"name": "root", "token": "t0ken-t0ken"}],
    "objects": [{"kind": "Secret", "stringData": {"a": "plain-secret"}}],
    "pem": "-----BEGIN RSA PRIVATE KEY-----\nabc",
    "copied": "of-a-connection-detail",
    "encoded": base64.b64encode(b"of-a-connection-detail").decode(),
}


def test_notes_have_no_secrets() -> None:
    """Nothing that is a secret by its kind, by its key or by its value is noted; what stands beside it is."""
    guarded = Guarded(lost_field)
    cluster = Cluster(guarded)
    for _ in range(5):
        cluster.reconcile()
        provide(cluster, **copy.deepcopy(SECRETS), secretName="name-of-a-secret", kmsKeyId="key-1")
        for found in cluster.objects.values():
            found.connection = {"password": b"of-a-connection-detail"}
    cluster.xr["spec"]["region"] = "us"
    cluster.reconcile()
    noted = all_notes(cluster)
    assert "name-of-a-secret" in noted
    assert "key-1" in noted
    hidden = ["hunter2", "abcdef-secret", "aHVudGVy", "t0ken", "plain-secret", "PRIVATE KEY", "of-a-connection-detail"]
    hidden.append(SECRETS["encoded"])
    assert [one for one in hidden if one in noted] == []


def test_notes_stay_in_their_namespace() -> None:
    """Values of an object lie only where who can read the resource can read the object."""

    def apart(call: Call) -> None:
        for name, namespace in (("a", "one"), ("b", "two"), ("c", "two")):
            call.compose(name, "Thing", labels={"x": "y"}, region=call.spec["region"])
            call.answer.desired.resources[name].resource["metadata"]["namespace"] = namespace

    cluster = Cluster(Guarded(apart))
    for _ in range(3):
        cluster.reconcile()
        provide(cluster)
    cluster.xr["spec"]["region"] = "us"
    cluster.reconcile()
    assert "b-1" not in notes_on(cluster, "a")
    assert "a-1" not in notes_on(cluster, "b") + notes_on(cluster, "c")
    assert "b-1" in notes_on(cluster, "b") + notes_on(cluster, "c")


def test_forged_notes_do_not_count() -> None:
    """With a key, notes that somebody wrote or copied from another resource don't count."""
    cluster = network(Guarded(lost_field, key=b"k" * 32))
    lose(cluster)
    assert cluster.copy().reconcile().deleted == []
    forged = cluster.copy()
    for name in forged.objects:
        annotations = forged.objects[name].live["metadata"]["annotations"]
        if KNOWN in annotations:
            annotations[KNOWN] = annotations[KNOWN].replace("vpc-1", "vpc-2")
    assert sorted(forged.reconcile().deleted) == ["subnet", "table"]
    copied = cluster.copy()
    first, second = (copied.objects[name].live["metadata"]["annotations"] for name in ("subnet", "table"))
    first[KNOWN], second[KNOWN] = second[KNOWN], "{}"
    assert sorted(copied.reconcile().deleted) == ["subnet", "table"]


def without_guard() -> Cluster:
    """Return a cluster of a network that was made without the guard."""

    class Alone:
        def run(self, data: bytes) -> bytes:
            return run(lost_field, data)

    return network(Alone())


def test_the_first_call_keeps_what_exists() -> None:
    """Nothing goes in the first calls, as long as something that exists isn't ready; then notes are written."""
    cluster = without_guard()
    cluster.functions = (Guarded(lost_field),)
    cluster.provide("vpc", {"atProvider": {}}, ready=False)
    for _ in range(2):
        done = cluster.reconcile()
        assert done.deleted == []
        assert sorted(cluster.objects) == ["subnet", "table", "vpc"]
    assert "subnet" in condition(cluster)["message"]
    assert "until these are ready: vpc." in condition(cluster)["message"]
    provide(cluster)
    cluster.reconcile()
    assert condition(cluster)["status"] == "False"
    lose(cluster)
    assert cluster.reconcile().deleted == []


def test_a_step_that_composes_nothing_holds_nothing() -> None:
    """A guard in front of a step that composes nothing leaves a later step's resources alone, whoever isn't ready."""
    cluster = without_guard()
    (alone,) = cluster.functions
    cluster.functions, cluster.inputs = (Guarded(lambda call: call.report(step="told")), alone), [None, None]
    cluster.provide("vpc", {"atProvider": {}}, ready=False)
    assert sorted(cluster.reconcile().deleted) == ["subnet", "table"]


def test_the_first_call_can_be_let_go() -> None:
    """The annotation with an asterisk lets all go, also in the first call."""
    cluster = without_guard()
    cluster.functions = (Guarded(lost_field),)
    cluster.provide("vpc", {"atProvider": {}}, ready=False)
    cluster.xr["metadata"]["annotations"] = {"crossplane-lite/let-go": "*"}
    assert sorted(cluster.reconcile().deleted) == ["subnet", "table"]


def test_a_target_that_fails_when_it_is_asked_again() -> None:
    """An answer that would delete resources is refused then, and the fatal result names these resources."""
    guarded = Guarded(lost_field)
    cluster = network(guarded)
    guarded.fails = "again"
    lose(cluster)
    done = cluster.reconcile()
    assert "subnet, table would be deleted" in done.fatal[0]
    assert sorted(cluster.objects) == ["subnet", "table", "vpc"]


def test_a_target_that_is_away() -> None:
    """Where the target doesn't answer at all, the caller gets its status."""
    guarded = Guarded(lost_field)
    cluster = network(guarded)
    guarded.fails = "always"
    lose(cluster)
    with pytest.raises(Refused, match="away"):
        cluster.reconcile()


def results(done: Reconcile) -> list[str]:
    """Return the results of a reconcile that are the guard's."""
    return [text for _, text in done.results if text.startswith("net: ")]


def test_the_condition_says_what_is_kept() -> None:
    """A condition names the value, what would go without it and the way out; a result says so once."""
    cluster = network(Guarded(lost_field))
    assert condition(cluster) == {}
    lose(cluster)
    assert len(results(cluster.reconcile())) == 1
    assert results(cluster.reconcile()) == []
    found = condition(cluster)
    assert found["status"] == "True"
    for part in ("vpc.status.atProvider.id ('vpc-1')", "subnet, table would be deleted", 'let-go: "vpc.status'):
        assert part in found["message"]
    provide(cluster)
    cluster.reconcile()
    assert condition(cluster)["status"] == "False"


@pytest.mark.parametrize("what", ["id", "Ready"])
def test_the_way_out_works(what: str) -> None:
    """The annotation that the condition shows lets the value go, also where the value is a condition."""
    cluster = network(Guarded(gated if what == "Ready" else lost_field))
    if what == "Ready":
        cluster.provide("vpc", {"atProvider": {"id": "vpc-1"}}, ready=False)
    else:
        lose(cluster)
    assert cluster.reconcile().deleted == []
    name, _, path = condition(cluster)["message"].partition("with the annotation ")[2].partition(": ")
    cluster.xr["metadata"]["annotations"] = {name: path.split('"')[1]}
    assert cluster.reconcile().deleted != []


@pytest.mark.parametrize("name", ["vpc", "a vpc", "a,vpc", "a.vpc", 'vpc["a"]'])
@pytest.mark.parametrize("count", [2, 20])
def test_the_way_out_of_many_values(name: str, count: int) -> None:
    """The annotation that the condition shows lets all missing values go, whatever the object's name and their number.

    A fatal result shows it, too.
    """

    def last(call: Call) -> None:
        call.compose(name, "VPC")
        if call.seen(name).get(f"field{count - 1}"):
            call.compose("subnet", "Subnet")

    guarded = Guarded(last)
    cluster = network(guarded, **{f"field{number}": f"value {number}" for number in range(count)})
    cluster.objects[name].live["status"]["atProvider"] = {}
    refused = cluster.copy()
    assert cluster.reconcile().deleted == []
    guarded.fails = "again"
    texts = [condition(cluster)["message"], refused.reconcile().fatal[0]]
    guarded.fails = "never"
    for text in texts:
        annotation, _, path = text.partition("with the annotation ")[2].partition(": ")
        let_go = cluster.copy()
        let_go.xr["metadata"]["annotations"] = {annotation: path[1:].partition('" of the composite')[0]}
        assert let_go.reconcile().deleted == ["subnet"]


def test_values_can_be_let_go() -> None:
    """A path in the annotation lets one value go, and what hangs on it; it isn't known any more afterwards."""
    cluster = network(Guarded(lost_field))
    lose(cluster)
    cluster.xr["metadata"]["annotations"] = {"crossplane-lite/let-go": "vpc.status.atProvider.arn"}
    assert cluster.reconcile().deleted == []
    cluster.xr["metadata"]["annotations"] = {"crossplane-lite/let-go": "vpc.status"}
    assert sorted(cluster.reconcile().deleted) == ["subnet", "table"]
    assert '"status.atProvider.id":"vpc-1"' not in all_notes(cluster)


def test_a_field_that_is_not_told_any_more_is_forgotten() -> None:
    """A new version that tells less in the composite's status costs one write, and then one call again."""

    def silent(call: Call) -> None:
        lost_field(call)
        call.answer.desired.composite.resource.Clear()

    asked: list[int] = []

    class Counting(Guarded):
        def run(self, data: bytes) -> bytes:
            found = super().run(data)
            asked.append(self._asked)
            return found

    cluster = network(Guarded(lost_field))
    cluster.functions = (Counting(silent),)
    written = [cluster.reconcile().written for _ in range(6)]
    assert cluster.xr["status"].get("vpcId") is None
    assert sum(map(len, written)) <= 2
    assert (written[-3:], asked[-3:]) == ([[], [], []], [1, 1, 1])


def test_a_wide_status_costs_no_write_at_rest() -> None:
    """A composite with more status fields than notes count is at rest as any other."""

    def wide(call: Call) -> None:
        call.compose("vpc", "VPC")
        call.report(**{f"field{number}": f"value {number}" for number in range(300)})

    cluster = network(Guarded(wide))
    assert [cluster.reconcile().written for _ in range(3)] == [[], [], []]


@pytest.mark.parametrize("depth", [50, 3000])
def test_deep_values_do_no_harm(depth: int) -> None:
    """A status or an input that is nested more deeply than any API server takes is passed on, and not noted."""
    deep = "x"
    for _ in range(depth):
        deep = [deep]  # type: ignore[assignment]
    req = {
        "observed": {
            "composite": {"kind": "XNetwork", "metadata": {"name": "net"}},
            "resources": {"a": {"kind": "Thing", "status": {"deep": deep, "id": "known"}}},
        },
    }
    message = _view.RunFunctionRequest()
    message.observed.composite.resource = codec.encode_struct(req["observed"]["composite"])
    message.observed.resources["a"].resource = codec.encode_struct(req["observed"]["resources"]["a"])
    message.input = codec.encode_struct({"deep": deep})
    answer = _view.RunFunctionResponse()
    answer.desired.resources["a"].resource = codec.encode_struct({"kind": "Thing", "spec": {"deep": deep}})
    found = Guard(lambda *_: answer.SerializeToString(), Options()).run(message.SerializeToString())
    assert b'"status.id":"known"' in found


def test_another_input_keeps_the_notes() -> None:
    """An edit of the step's input in the moment of a loss takes nothing along: the notes are the same guard's."""
    cluster = network(Guarded(lost_field))
    cluster.inputs = [{"version": 2}]
    lose(cluster)
    assert cluster.reconcile().deleted == []
    provide(cluster)
    cluster.reconcile()
    lose(cluster)
    assert cluster.reconcile().deleted == []


def test_a_function_of_this_sdk_behind_a_guard() -> None:
    """A function that has notes of its own keeps them behind a guard; both write nothing at rest, and lose nothing."""

    @composition.function(name="own", auto_ready=True)
    def compose(ctx: composition.Context) -> None:
        vpc = ctx.resource("vpc", Unstructured("example.org/v1", "VPC"))
        vpc.spec.region = "eu"
        if vpc.observed.status.atProvider.id:
            subnet = ctx.resource("subnet", Unstructured("example.org/v1", "Subnet"))
            subnet.spec.vpcId = vpc.observed.status.atProvider.id

    class Both:
        guard = Guard(lambda data, *_: compose.run(data), Options(name="net"))

        def run(self, data: bytes) -> bytes:
            return self.guard.run(data)

    cluster = network(Both())
    entries = notes_of(cluster.objects["subnet"].live)
    assert sorted(entries) == ["net", "own"]
    assert cluster.reconcile().written == []
    lose(cluster)
    done = cluster.reconcile()
    assert (done.deleted, done.written) == ([], [])


def test_values_of_ready_owners_are_let_go_after_a_time() -> None:
    """After --let-go-after a value that a ready object still lacks is let go, and not before."""
    cluster = network(Guarded(lost_field, let_go_after=60.0))
    lose(cluster)
    assert cluster.reconcile().deleted == []
    # The cluster of these tests writes all conditions in 2024.
    assert sorted(cluster.reconcile().deleted) == ["subnet", "table"]
    cluster = network(Guarded(lost_field, let_go_after=1e12))
    lose(cluster)
    for _ in range(3):
        assert cluster.reconcile().deleted == []


def silent_network(call: Call) -> None:
    """Composes a network, and tells nothing in the XR's status."""
    lost_field(call)
    call.answer.desired.composite.resource.Clear()


@pytest.mark.parametrize("how", ["no key", "another key", "gone"])
def test_notes_that_do_not_count(how: str) -> None:
    """With a new key, or where somebody removes the notes, nothing goes before new notes are there: one call later."""
    cluster = network(Guarded(silent_network, key={"another key": b"a" * 32}.get(how)))
    cluster.functions = (Guarded(silent_network, key=None if how == "gone" else b"k" * 32),)
    if how == "gone":
        cluster.forget_notes()
    at_once = cluster.copy()
    at_once.provide("vpc", {"atProvider": {}}, ready=False)
    for _ in range(2):
        done = at_once.reconcile()
        assert (done.deleted, done.written) == ([], [])
    cluster.reconcile()
    lose(cluster)
    assert cluster.reconcile().deleted == []
    provide(cluster)
    assert cluster.reconcile().written == []


class Eraser:
    """A later step that replaces the metadata of resources, or takes only the notes."""

    def __init__(self, *, takes_all: bool) -> None:
        self._takes_all = takes_all

    def run(self, data: bytes) -> bytes:
        """Answer a request."""
        req = fnv1.RunFunctionRequest.FromString(data)
        rsp = fnv1.RunFunctionResponse(desired=req.desired)
        for one in rsp.desired.resources.values():
            if self._takes_all:
                one.resource["metadata"] = {"labels": {"a": "b"}}
            else:
                one.resource["metadata"]["annotations"].fields.pop(KNOWN, None)
        return rsp.SerializeToString()


@pytest.mark.parametrize("takes_all", [True, False])
def test_notes_that_somebody_erases_are_told(takes_all: bool) -> None:
    """A later step that erases the notes is worth a warning, once."""
    cluster = Cluster(Guarded(lost_field), Eraser(takes_all=takes_all))
    told: list[str] = []
    for _ in range(12):
        told += results(cluster.reconcile())
        provide(cluster)
    assert KNOWN not in cluster.objects["vpc"].live["metadata"]["annotations"]
    assert len([text for text in told if "notes are gone" in text]) == 1


def test_two_guards_of_one_name_are_refused() -> None:
    """Two guards with one name in a pipeline would take each other's notes: a fatal result says so."""

    def other(call: Call) -> None:
        call.compose("other", "Thing")

    for second in (lost_field, other):
        done = Cluster(Guarded(lost_field), Guarded(second)).reconcile()
        assert "name of its own" in done.fatal[0]


def test_two_steps_of_one_function() -> None:
    """Two steps of one function, with an input each, don't say of each other's resources that they would go."""

    def database(call: Call) -> None:
        call.compose("db", "DB", region=call.spec["region"])
        if call.seen("db").get("id"):
            call.compose("user", "User", db=call.seen("db")["id"])

    first = Guarded(lost_field)
    cluster = Cluster(first, Guarded(database), inputs=[{"part": "network"}, {"part": "database"}])
    for _ in range(4):
        cluster.reconcile()
        provide(cluster)
    lose(cluster)
    assert cluster.reconcile().deleted == []
    message = condition(cluster)["message"]
    assert "without that, subnet, table would be deleted" in message
    first.fails = "again"
    assert "subnet, table would be deleted" in cluster.reconcile().fatal[0]


def test_two_guards_have_a_condition_each() -> None:
    """Of two guards in a pipeline each warns once, and each says when its values are there again."""

    def database(call: Call) -> None:
        call.compose("db", "DB")
        if call.seen("db").get("id"):
            call.compose("user", "User", db=call.seen("db")["id"])

    cluster = Cluster(Guarded(lost_field), Guarded(database, name="data"))
    for _ in range(4):
        cluster.reconcile()
        provide(cluster)
    lose(cluster, "vpc")
    lose(cluster, "db")
    assert len(cluster.reconcile().results) == 2
    assert cluster.reconcile().results == []
    assert [condition(cluster, name)["status"] for name in ("net", "data")] == ["True", "True"]
    provide(cluster)
    cluster.reconcile()
    assert [condition(cluster, name)["status"] for name in ("net", "data")] == ["False", "False"]


class Older:
    """A caller that doesn't say what it can, and knows neither required schemas nor the newer field of requirements."""

    def __init__(self, guarded: Guarded) -> None:
        self._guarded = guarded

    def run(self, data: bytes) -> bytes:
        """Answer a request."""
        req = fnv1.RunFunctionRequest.FromString(data)
        req.meta.ClearField("capabilities")
        req.ClearField("required_resources")
        req.extra_resources["env"].SetInParent()
        return self._guarded.run(req.SerializeToString())


def test_requirements_that_an_older_caller_does_not_know() -> None:
    """A function may require something that an older Crossplane leaves out: it is protected all the same."""

    def requires(call: Call) -> None:
        lost_field(call)
        call.answer.requirements.schemas["xr"].kind = "XNetwork"
        call.answer.requirements.resources["env"].kind = "Env"
        call.answer.requirements.extra_resources["env"].kind = "Env"

    cluster = network(Older(Guarded(requires)))
    lose(cluster)
    assert cluster.reconcile().deleted == []
