"""What used to go wrong when a value was lost, one test for each way of writing it."""

from __future__ import annotations

import base64
import gzip
import hashlib
import pickle
import sys
from collections.abc import Callable
from typing import Any

import jinja2
import pytest
import yaml

from crossplane_lite import Observable, Unstructured
from crossplane_lite.errors import CrossplaneLiteError
from tests.safety import models
from tests.safety.cluster import Cluster, content
from tests.safety.plain import make
from tests.safety.stories import cluster_of, evolved, functions_of, lose, nothing_changes, replaced, step
from tests.safety.values import FULL, LOST, grow, provide
from tests.support import MARKER, steps_of

# All forms of each test run with the slow ones.
pytestmark = pytest.mark.sample(3)

Body = Callable[[Any], Any]


def vpc_of(ctx: Any) -> Any:
    """Register the network and return its observed status."""
    return make(ctx, "vpc", "VPC", cidr="10.0.0.0/16").observed.status


def using(use: Callable[[Any, Any], None]) -> Body:
    """Return a compose() that uses the status of the network."""

    def compose(ctx: Any) -> None:
        use(ctx, vpc_of(ctx))

    return compose


# --- code that types lead to ----------------------------------------------------------------------------------------


def _isinstance(ctx: Any, status: Any) -> None:
    if isinstance(status.id, str):
        make(ctx, "s", x=status.id)


def _match(ctx: Any, status: Any) -> None:
    match status.id:
        case str():
            make(ctx, "s", x=status.id)


def _try(ctx: Any, status: Any) -> None:
    try:
        port = int(status.port)
    except ValueError:
        return
    make(ctx, "s", port=port)


@pytest.mark.parametrize(
    ("use", "path"),
    [(_isinstance, "vpc.status.id"), (_match, "vpc.status.id"), (_try, "vpc.status.port")],
    ids=["isinstance", "match", "try"],
)
def test_code_that_types_lead_to(use: Any, path: str) -> None:
    """A resource that is composed where a value is of its type stays when the value is gone, and that is told."""
    cluster = evolved(using(use))
    done = lose(cluster)
    nothing_changes(done)
    assert "s" in done.desired
    assert f"{path} is missing and counts as it last was" in done.waiting


# --- values that become empty ----------------------------------------------------------------------------------------


def _ids(ctx: Any, status: Any) -> None:
    make(ctx, "s", "Balancer", subnetIds=[subnet.id for subnet in status.subnets], note="fixed")


def _or(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=status.id or "none", fixed=1)


def _joined(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=",".join(subnet.id for subnet in status.subnets), fixed=1)


def _length(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=len(status.subnets), fixed=1)


def _jinja(ctx: Any, status: Any) -> None:
    template = jinja2.Template("[{% for subnet in subnets %}{{ subnet.id }},{% endfor %}]")
    make(ctx, "s", x=template.render(subnets=status.subnets), fixed=1)


EMPTIED = {"comprehension": _ids, "or": _or, "join": _joined, "len": _length, "jinja": _jinja}


@pytest.mark.parametrize("use", EMPTIED)
def test_values_that_become_empty(use: str) -> None:
    """What a loop, `or` or `len` makes of a missing value doesn't take the place of a live value, and it is said."""
    cluster = evolved(using(EMPTIED[use]))
    done = lose(cluster)
    nothing_changes(done)
    assert "vpc.status." in done.waiting


# --- placeholders in what can't be seen through ----------------------------------------------------------------------


def _checksum(ctx: Any, status: Any) -> None:
    password = ctx.resources["vpc"].observed.connection_details["password"]
    s = make(ctx, "s", fixed=1)
    s.metadata.annotations["checksum"] = hashlib.sha256(f"{password}".encode()).hexdigest()


def _cut(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=f"a-name-with-more-than-a-few-letters-in-it-and-{status.id}"[:53], fixed=1)


def _twice(ctx: Any, status: Any) -> None:
    once = base64.b64encode(f"id={status.id}".encode())
    make(ctx, "s", x=base64.b64encode(once).decode(), fixed=1)


def _gzip(ctx: Any, status: Any) -> None:
    packed = gzip.compress(f"vpc: {status.id}".encode(), mtime=0)
    make(ctx, "s", x=base64.b64encode(packed).decode(), fixed=1)


def _hash_in_a_name(ctx: Any, status: Any) -> None:
    make(ctx, f"s-{hashlib.sha256(f'{status.id}'.encode()).hexdigest()[:8]}", fixed=1)


MANGLED = {"checksum": _checksum, "cut": _cut, "base64 twice": _twice, "gzip": _gzip, "name": _hash_in_a_name}


@pytest.mark.parametrize("use", MANGLED)
def test_mangled_text_of_an_existing_resource(use: str) -> None:
    """A hash, a cut or a packed text keeps its live value while what it is made from is missing, in every call."""
    cluster = evolved(using(MANGLED[use]))
    first = lose(cluster)
    nothing_changes(first)
    second = step(cluster)
    nothing_changes(second)
    assert {name: content(body) for name, body in first.desired.items()} == {
        name: content(body) for name, body in second.desired.items()
    }
    assert first.desired.keys() == first.before.keys(), "a resource came"


@pytest.mark.parametrize("use", MANGLED)
def test_mangled_text_of_a_new_resource(use: str) -> None:
    """A new resource with such a text waits for the value, and the condition names the value."""
    cluster = cluster_of(using(MANGLED[use]))
    for _ in range(2):
        done = step(cluster)
        assert not done.fatal, done.fatal
        assert list(done.desired) == ["vpc"]
        assert ("vpc.connection_details" if use == "checksum" else "vpc.status.id") in done.waiting
        provide(cluster, LOST, ready=False)


# --- the repr of an Observable ---------------------------------------------------------------------------------------

SHOWN: dict[str, Callable[[Any], str]] = {
    "str of a list": lambda i: str([i]),
    "!r": lambda i: f"{i!r}",
    "%r": lambda i: "%r" % i,  # noqa: UP031
    "repr in a dict": lambda i: f"{ {'a': i} }",
    "cut": lambda i: str([i])[2:],
    "upper": lambda i: str([i]).upper(),
    "base64": lambda i: base64.b64encode(repr([i]).encode()).decode(),
}


@pytest.mark.parametrize("show", SHOWN)
def test_the_repr_of_a_value_is_no_text_to_emit(show: str) -> None:
    """What repr() makes of a missing value is unresolved like any other text with a placeholder."""

    def compose(ctx: Any) -> None:
        make(ctx, "s", x=SHOWN[show](vpc_of(ctx).id), fixed=1)

    done = step(cluster_of(compose))
    assert not done.fatal, done.fatal
    assert list(done.desired) == ["vpc"]
    nothing_changes(lose(evolved(compose)))


def test_a_text_of_the_user_is_never_a_placeholder() -> None:
    """A text in the composite that looks like the repr of an Observable is passed on as it is."""

    def compose(ctx: Any) -> None:
        xr = ctx.composite(Unstructured)
        make(ctx, "s", x=f"note: {xr.observed.spec.note}")
        make(ctx, "t", x=f"{vpc_of(ctx).id}")

    done = step(cluster_of(compose, spec={"note": "Observable('vpc.status.id')"}))
    assert done.desired["s"]["spec"] == {"x": "note: Observable('vpc.status.id')"}
    assert "t" not in done.desired


def test_looking_for_placeholders_takes_linear_work() -> None:
    """Four times as many texts with placeholders take less than eight times as many calls of functions."""

    def calls(count: int) -> int:
        def compose(ctx: Any) -> None:
            status = make(ctx, "net", "Net").observed.status
            make(ctx, "s", x=[str([getattr(status, f"f{n}")]) for n in range(count)])

        cluster = cluster_of(compose)
        made = 0

        def note(frame: Any, event: str, arg: Any) -> None:
            nonlocal made
            made += event in ("call", "c_call")

        before = sys.getprofile()
        sys.setprofile(note)
        try:
            done = cluster.ask()
        finally:
            sys.setprofile(before)
        assert not done.fatal and "s" not in done.desired
        return made

    calls(10)  # what is made once doesn't count
    assert calls(400) < 8 * calls(100)


def test_yaml_of_an_observable_waits() -> None:
    """What PyYAML writes of an Observable is text that waits for the value."""

    def compose(ctx: Any) -> None:
        make(ctx, "s", x=yaml.dump({"a": vpc_of(ctx).id}))

    done = cluster_of(compose).ask()
    assert not done.fatal
    assert "s" not in done.desired


def test_an_observable_is_not_pickled() -> None:
    """Pickling an Observable is an error that names `apply`."""
    raised: list[str] = []

    def compose(ctx: Any) -> None:
        status = vpc_of(ctx)
        try:
            make(ctx, "s", x=str(pickle.dumps(status.id)))
        except CrossplaneLiteError as error:
            raised.append(str(error))
            raise

    done = cluster_of(compose).ask()
    assert raised and all("apply" in text and "vpc.status.id" in text for text in raised)
    assert "s" not in done.desired


# --- a resource that is deleted by hand ------------------------------------------------------------------------------


def _if(ctx: Any, status: Any) -> None:
    if status.id:
        make(ctx, "s", x=status.id)


def test_a_network_that_is_deleted_by_hand_comes_back() -> None:
    """Where something hangs on a value of a deleted resource, that resource is composed again, and the other stays."""
    cluster = evolved(using(_if))
    del cluster.objects["vpc"]
    done = step(cluster)
    nothing_changes(done)
    assert "vpc" in cluster.objects
    provide(cluster, LOST, ready=False)
    nothing_changes(step(cluster))
    provide(cluster)
    done = step(cluster)
    nothing_changes(done)
    assert done.final.desired.composite.ready != 2


def test_a_field_that_the_provider_moves_while_the_resource_stays_ready() -> None:
    """A text that a ready resource doesn't have any more is no answer: what hangs on it stays."""
    cluster = evolved(using(_if))
    done = lose(cluster, ready=True)
    nothing_changes(done)
    assert "vpc.status.id is missing and counts as it last was" in done.waiting


# --- the composite's status ------------------------------------------------------------------------------------------


def test_a_gate_on_a_status_of_the_composite_that_a_release_newly_sets() -> None:
    """A release that puts an existing resource behind a status field which it sets itself doesn't delete it."""

    def old(ctx: Any) -> None:
        vpc_of(ctx)
        make(ctx, "s", fixed=1)

    def new(ctx: Any) -> None:
        xr = ctx.composite(Unstructured)
        xr.status.networkId = vpc_of(ctx).id
        if xr.observed.status.networkId:
            make(ctx, "s", fixed=1)

    cluster = evolved(old)
    conditions = cluster.xr.setdefault("status", {}).setdefault("conditions", [])
    conditions.append({"type": "Ready", "status": "True", "reason": "Available"})
    cluster = replaced(cluster, new)
    for _ in range(3):
        done = step(cluster)
        nothing_changes(done)
        assert "s" in done.desired
    assert cluster.xr["status"]["networkId"] == FULL["id"]


# --- depends_on across steps -----------------------------------------------------------------------------------------


def _plain_s(ctx: Any) -> None:
    make(ctx, "s", fixed=1)


def _dependent(ctx: Any) -> None:
    vpc = make(ctx, "vpc", "VPC", cidr="10.0.0.0/16")
    make(ctx, "s", depends_on=[vpc], other=2)


def test_depends_on_gates_what_an_earlier_function_desires() -> None:
    """A resource isn't created before its dependency is ready, also when a previous function desires it."""
    cluster = cluster_of(_plain_s, _dependent)
    done = step(cluster)
    assert not done.fatal
    assert list(done.desired) == ["vpc"]
    assert "s waits for " in done.waiting
    assert done.final.desired.composite.ready == 2
    provide(cluster, LOST, ready=False)
    assert list(step(cluster).desired) == ["vpc"]
    provide(cluster, LOST, ready=True)
    done = step(cluster)
    assert done.desired["s"]["spec"] == {"fixed": 1, "other": 2}


def test_depends_on_does_not_touch_what_exists() -> None:
    """An existing resource stays in desired state when its dependency degrades."""
    cluster = evolved(_plain_s, _dependent)
    nothing_changes(lose(cluster))


# --- keys ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("group", ["labels", "annotations"])
def test_a_label_whose_key_is_missing(group: str) -> None:
    """The live labels and annotations stay while the key of one is missing, as keys of other maps do."""

    def compose(ctx: Any) -> None:
        status = vpc_of(ctx)
        s = make(ctx, "s", fixed=1, tags={f"{status.id}": "x", "fixed": "y"})
        getattr(s.metadata, group)[f"{status.id}"] = "x"
        getattr(s.metadata, group)["fixed"] = "y"

    nothing_changes(lose(evolved(compose)))


# --- identity --------------------------------------------------------------------------------------------------------


def _guessing(ctx: Any) -> None:
    if vpc_of(ctx).id:
        make(ctx, "s", fixed=1)


def test_two_steps_of_one_name_are_told_so() -> None:
    """Two steps of one pipeline that are called the same are a Fatal result that says how to tell them apart."""

    def other(ctx: Any) -> None:
        status = make(ctx, "net", "VPC", cidr="10.1.0.0/16").observed.status
        if status.id:
            make(ctx, "t", fixed=1)

    done = Cluster(*functions_of(_guessing, other, name="function.compose")).ask()
    assert len(done.fatal) == 1, done.told
    assert "function.compose" in done.fatal[0] and "name=" in done.fatal[0]


def test_one_function_in_two_steps_with_different_inputs() -> None:
    """One function may be in several steps of a pipeline, each with an input of its own."""

    def compose(ctx: Any) -> None:
        name = ctx.input["name"]
        if make(ctx, f"vpc-{name}", "VPC", cidr="10.0.0.0/16").observed.status.id:
            make(ctx, f"s-{name}", fixed=1)

    (function,) = functions_of(compose)
    cluster = Cluster(function, function, inputs=[{"name": "a"}, {"name": "b"}])
    grow(cluster)
    assert sorted(cluster.objects) == ["s-a", "s-b", "vpc-a", "vpc-b"]
    for name in ("vpc-a", "vpc-b"):
        cluster.provide(name, LOST, ready=False)
    nothing_changes(cluster.reconcile())


def test_an_edited_input() -> None:
    """After an edit of the input nothing goes that the code still composes, even while values are missing."""
    cluster = Cluster(*functions_of(_guessing), inputs=[{"size": 1}])
    grow(cluster)
    cluster.inputs = [{"size": 2}]
    nothing_changes(lose(cluster))


def test_a_renamed_function() -> None:
    """A function that says its former name keeps what it composed under that name."""
    cluster = evolved(_guessing, name="old")
    cluster = replaced(cluster, _guessing, name="new", formerly=["old"])
    nothing_changes(lose(cluster))
    assert steps_of(cluster.objects["s"].live) == "new"


def test_a_migration_from_another_sdk() -> None:
    """What another SDK composed under the same names, without any mark, stays while values are missing."""
    cluster = evolved(_guessing)
    for found in cluster.objects.values():
        del found.live["metadata"]["annotations"][MARKER]
        found.owned = frozenset(path for path in found.owned if path[-1] != MARKER)
    done = lose(cluster)
    nothing_changes(done)
    assert "s" in done.desired


def test_a_resource_of_another_step_is_not_ours() -> None:
    """A resource with another step's mark goes, as it does where that step doesn't desire it any more."""
    cluster = evolved(_guessing)
    s = cluster.objects["s"].live
    s["metadata"]["annotations"][MARKER] = "another-step"
    assert lose(cluster).deleted == ["s"]


# --- reads that were meant otherwise ---------------------------------------------------------------------------------


def test_the_name_of_a_desired_resource() -> None:
    """The unset name of a desired resource is a reference to the name that it gets."""

    def compose(ctx: Any) -> None:
        secret = make(ctx, "secret", "ConfigMap", key="value")
        make(ctx, "s", "Balancer", ref=models.Ref(name=secret.metadata.name))

    cluster = cluster_of(compose)
    done = step(cluster)
    assert not done.fatal and list(done.desired) == ["secret"]
    assert "s waits for secret.metadata.name" in done.waiting
    provide(cluster, LOST)
    done = step(cluster)
    name = cluster.objects["secret"].live["metadata"]["name"]
    assert done.desired["s"]["spec"] == {"ref": {"name": name}}


def test_the_external_name_of_a_desired_resource() -> None:
    """The unset external name of a desired resource is a reference to the observed one."""

    def compose(ctx: Any) -> None:
        make(ctx, "s", x=make(ctx, "vpc", "VPC", cidr="10.0.0.0/16").external_name)

    cluster = cluster_of(compose)
    done = step(cluster)
    assert not done.fatal and list(done.desired) == ["vpc"]
    assert "s waits for vpc.external_name" in done.waiting
    provide(cluster)
    assert step(cluster).desired["s"]["spec"] == {"x": "ext-vpc"}


@pytest.mark.parametrize("kind", ["VPC", "Net"])
def test_the_status_of_a_desired_resource(kind: str) -> None:
    """Reading the desired status of a composed resource is an error that says `.observed`."""

    def compose(ctx: Any) -> None:
        make(ctx, "s", x=make(ctx, "vpc", kind, cidr="10.0.0.0/16").status.id)

    cluster = cluster_of(compose)
    done = cluster.ask()
    assert done.fatal and ".observed" in done.fatal[0], done.told


# --- metadata of objects without a schema ----------------------------------------------------------------------------


def _external_name(s: Any) -> None:
    s.external_name = 12


def _label(s: Any) -> None:
    s.metadata.labels["size"] = 3


def _annotation(s: Any) -> None:
    s.metadata.annotations["example.org/public"] = True


@pytest.mark.parametrize(
    ("spoil", "path"),
    [(_external_name, "external-name"), (_label, "size"), (_annotation, "example.org/public")],
    ids=["external name", "label", "annotation"],
)
@pytest.mark.parametrize("kind", ["Thing", "VPC"])
def test_metadata_that_is_no_string(spoil: Callable[[Any], None], path: str, kind: str) -> None:
    """A label or annotation that isn't a string is Fatal with its path: Crossplane would drop all of them."""

    def compose(ctx: Any) -> None:
        s = make(ctx, "s", kind, region="eu")
        s.metadata.labels["kept"] = "x"
        s.metadata.annotations["kept"] = "x"
        spoil(s)

    done = cluster_of(compose).ask()
    assert done.fatal, content(done.desired["s"])
    assert path in done.fatal[0].replace("external_name", "external-name")
    assert "; write " in done.fatal[0]


# --- Observables made by hand ----------------------------------------------------------------------------------------


def test_an_observable_made_by_hand() -> None:
    """An Observable made from a path resolves in the call in which it is used."""

    def compose(ctx: Any) -> None:
        vpc_of(ctx)
        make(ctx, "s", x=Observable("vpc.status.id"), y=f"{Observable('vpc.external_name')}")

    cluster = cluster_of(compose)
    done = step(cluster)
    assert not done.fatal and list(done.desired) == ["vpc"]
    provide(cluster)
    assert step(cluster).desired["s"]["spec"] == {"x": FULL["id"], "y": "ext-vpc"}


def test_an_observable_kept_from_an_earlier_call() -> None:
    """An Observable that a module has kept from an earlier call resolves in a later one."""
    kept: list[Any] = []

    def compose(ctx: Any) -> None:
        status = vpc_of(ctx)
        kept.append(status.id)
        make(ctx, "s", x=kept[0])

    cluster = cluster_of(compose)
    done = step(cluster)
    assert not done.fatal and list(done.desired) == ["vpc"]
    provide(cluster)
    assert step(cluster).desired["s"]["spec"] == {"x": FULL["id"]}
