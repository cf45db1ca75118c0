"""What the page shows of reconciles."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from crossplane_lite import Unstructured, composition
from crossplane_lite._tools.recorder.report.moments import simulated
from crossplane_lite._tools.render.functions import InProcess
from crossplane_lite._tools.render.pipeline import Step
from crossplane_lite.proto.v1 import run_function_pb2
from tests.recorder.recordings import NETWORK, event, write_call, writer
from tests.recorder.report.pages import Shown, record, shown, shown_recording, state
from tests.simulate.simulating import XR, chain, network, of_steps, thing
from tests.simulate.simulating import simulated as simulation

THING = {"spec": {"size": 1}}
SECRET = "a-very-secret-value"


def page(*functions: Any, **options: Any) -> Shown:
    """Return what the page of a simulation shows."""
    run = simulation(*functions, **options)
    return shown(simulated(run, None))


def named(changes: list[dict[str, Any]], name: str) -> dict[str, Any]:
    """Return the change of a resource."""
    (found,) = [one for one in changes if one["name"] == name]
    return found


def fields(change: dict[str, Any]) -> dict[str, list[Any]]:
    """Return the new value, the old value and the line of a change's fields, by path."""
    return {path: rest for path, *rest in change["fields"]}


def test_each_step_has_its_changes() -> None:
    """A step shows what it adds, changes and removes in the desired state that it gets, and nothing else."""

    def first(ctx: Any) -> None:
        """Compose two resources."""
        for name in ("a", "b", "c"):
            ctx.resource(name, thing(size=1))

    class Second:
        """Changes one resource and removes another."""

        def run(self, request: bytes, timeout: float) -> bytes:
            """Answer a request."""
            asked = run_function_pb2.RunFunctionRequest.FromString(request)
            answer = run_function_pb2.RunFunctionResponse(desired=asked.desired)
            answer.desired.resources["a"].resource.update({"spec": {"forProvider": {"region": "us", "size": 1}}})
            del answer.desired.resources["b"]
            return bytes(answer.SerializeToString())

    functions: dict[str, Any] = {"f0": composition.function(name="f0")(first), "f1": Second()}
    run = of_steps([Step("one", "f0"), Step("two", "f1")], functions, xr=XR)
    run.run()
    one, two = shown(simulated(run, None)).reconciles[0]["steps"]
    assert [(change["action"], change["name"]) for change in one["changes"]] == [
        ("adds", "a"),
        ("adds", "b"),
        ("adds", "c"),
    ]
    assert [(change["action"], change["name"]) for change in two["changes"]] == [("removes", "b"), ("changes", "a")]
    assert two["changes"][1]["fields"] == [["spec.forProvider.region", '"us"', '"eu"', ""]]


def test_fields_of_our_functions_have_lines() -> None:
    """A field that a function of this process sets has the line that sets it, in the composite's status too."""
    changes = page(network).reconciles[-1]["steps"][0]["changes"]
    file = Path(network.__code__.co_filename)
    lines = [""] + file.read_text().splitlines()
    of_status, of_peer = (fields(named(changes, name)) for name in ("", "peer"))
    for line, code in ((of_status["status.vpc"][2], "xr.status.vpc ="), (of_peer["spec.forProvider.vpc"][2], "spec=")):
        name, _, number = line.partition(":")
        assert name == file.name
        assert code in lines[int(number)]


def test_a_recording_has_lines_where_the_function_is_here(tmp_path: Path) -> None:
    """With the function in this process, a recording has lines and dependencies on values that exist; else none."""
    path = record(tmp_path, simulation(network))
    function = composition.function(name="f0", auto_ready=True)(network)
    without = shown_recording(path).reconciles[-1]
    with_it = shown_recording(path, {"f0": InProcess(function)}).reconciles[-1]
    lines = [
        {line for change in one["steps"][0]["changes"] for *_, line in change["fields"]} for one in (without, with_it)
    ]
    assert lines[0] == {""} and "" not in lines[1]
    assert without["graph"]["edges"] == []
    assert len(with_it["graph"]["edges"]) == 2
    assert "runs elsewhere" in without["graph"]["notes"][0] and with_it["graph"]["notes"] == []


def test_the_graph_has_the_states_of_the_moment() -> None:
    """The states of resources are those of each reconcile, and levels follow dependencies."""
    found = page(chain).reconciles
    states = [{lines[0]: state for state, _, lines, _ in one["graph"]["nodes"]} for one in found]
    assert states[0] == {"vpc": "to be created", "subnet": "held back", "instance": "held back"}
    assert set(states[-1].values()) == {"ready"}
    levels = {lines[0]: level for _, level, lines, _ in found[0]["graph"]["nodes"]}
    assert levels == {"vpc": 0, "subnet": 1, "instance": 2}
    styles = {style for _, _, _, style, _ in found[0]["graph"]["edges"]}
    assert styles == {"waits"}


def test_who_waits() -> None:
    """A step shows which resource waits for which value, and why."""
    (step,) = page(chain).reconciles[0]["steps"]
    assert ["subnet", "vpc.status.atProvider.vpcId"] in [wait[:2] for wait in step["waits"]]
    assert all(why for _, _, why in step["waits"])


def test_equal_parts_are_stored_once(tmp_path: Path) -> None:
    """A hundred equal reconciles make a page that hardly differs from that of one."""
    sizes = []
    for count in (1, 100):
        made = writer(tmp_path / str(count))
        for second in range(count):
            answer = {"desired": state(a={"spec": {"text": "x" * 1000}})}
            write_call(made, {"observed": state()}, answer, second / 10, trace=f"t{second}")
        made.close()
        found = shown_recording(tmp_path / str(count))
        assert len(found.reconciles) == count
        sizes.append(len(found.data["facts"]))
    assert sizes[0] == sizes[1]


def test_what_happens_in_the_cluster(tmp_path: Path) -> None:
    """A reconcile shows what it creates and deletes, and a failure shows its error and neither of them."""
    made = writer(tmp_path)
    write_call(made, {"observed": state(a=THING, b=THING)}, {"desired": state(b=THING, c=THING)}, 0, trace="t0")
    fatal = {"results": [{"severity": "SEVERITY_FATAL", "message": "no zone"}]}
    write_call(made, {"observed": state(a=THING)}, {"desired": state(), **fatal}, 1, trace="t1")
    made.close()
    one, two = shown_recording(tmp_path).reconciles
    assert [(change["action"], change["name"]) for change in one["effects"]] == [("deletes", "a"), ("creates", "c")]
    assert "error" not in one
    assert two["effects"] == [] and "no zone" in two["error"]
    assert two["steps"][0]["results"] == [["Fatal", "", "no zone"]]


def test_what_providers_write_is_no_change() -> None:
    """A simulation's later rounds change nothing: the external name is its provider's."""
    *_, last = page(chain).reconciles
    assert last["effects"] == []


def test_values_of_existing_resources_that_change(tmp_path: Path) -> None:
    """A field of an existing resource that the reconcile changes is shown with its old value."""
    made = writer(tmp_path)
    write_call(made, {"observed": state(a=THING)}, {"desired": state(a={"spec": {"size": 2}})})
    made.close()
    (change,) = shown_recording(tmp_path).reconciles[0]["effects"]
    assert change["fields"] == [["spec.size", "2", "1", ""]]


def test_conditions_and_results(tmp_path: Path) -> None:
    """The conditions of the composite, and those and the results of a step, are shown; values of odd types aren't."""
    observed = state()
    observed["composite"]["resource"]["status"] = {
        "conditions": [{"type": "Ready", "status": "False", "reason": "Creating", "message": 3}, "odd"]
    }
    condition = {"type": "Wired", "status": "STATUS_CONDITION_TRUE", "reason": "Done", "message": "yes"}
    result = {"severity": "SEVERITY_WARNING", "reason": "Slow", "message": "very"}
    made = writer(tmp_path)
    write_call(made, {"observed": observed}, {"desired": state(), "conditions": [condition], "results": [result]})
    made.close()
    (found,) = shown_recording(tmp_path).reconciles
    assert found["conditions"] == [["Ready", "False", "Creating", ""]]
    assert found["steps"][0]["conditions"] == [["Wired", "True", "Done", "yes"]]
    assert found["steps"][0]["results"] == [["Warning", "Slow", "very"]]


def test_xrs_and_times(tmp_path: Path) -> None:
    """Reconciles of several composites are in the order of their times, each with its composite."""
    made = writer(tmp_path)
    for second, name in enumerate(["b", "a", "b"]):
        subject = NETWORK._replace(name=name)
        write_call(made, {"observed": state()}, {"desired": state()}, second, trace=f"t{second}", subject=subject)
    made.close()
    data = shown_recording(tmp_path).data
    assert data["xrs"] == [["XNetwork", "team/a"], ["XNetwork", "team/b"]]
    assert [xr for _, xr, *_ in data["reconciles"]] == [1, 0, 1]


def test_secret_values_are_masked(tmp_path: Path) -> None:
    """Secret values of connection details, Secrets and credentials are masked wherever they come up."""

    def leaking(ctx: Any) -> None:
        """Spread a secret value."""
        secret = Unstructured("v1", "Secret", stringData={"password": SECRET})
        secret.metadata.name = "s"
        ctx.resource("secret", secret)
        ctx.resource("thing", thing(text=f"password is {SECRET}"))
        xr = ctx.composite(Unstructured)
        xr.status.told = SECRET
        ctx.results.normal(f"made with {SECRET}")
        ctx.conditions.set("Told", True, reason="Told", message=SECRET)

    run = simulation(leaking)
    for found in (shown(simulated(run, None)), shown_recording(record(tmp_path, run))):
        text = str(found.data)
        assert SECRET not in text
        assert "[secret]" in text


def test_long_values_are_cut(tmp_path: Path) -> None:
    """A value of 100 KB is shown up to a limit."""
    made = writer(tmp_path)
    write_call(made, {"observed": state()}, {"desired": state(a={"spec": {"text": "x" * 100_000}})})
    made.close()
    (change,) = shown_recording(tmp_path).reconciles[0]["steps"][0]["changes"]
    assert 1000 < len(change["fields"][0][1]) < 5000


def test_functions_without_a_name_for_their_step(tmp_path: Path) -> None:
    """A step without a name, as a served function records it, has the function's name."""
    made = writer(tmp_path)
    write_call(made, {"observed": state()}, {"desired": state()})
    made.close()
    for file in tmp_path.iterdir():
        file.write_text(file.read_text().replace('"step": "compose"', '"step": ""'))
    assert shown_recording(tmp_path).reconciles[0]["steps"][0]["name"] == "function-network"


def test_characters_that_cant_be_seen(tmp_path: Path) -> None:
    """Control characters, and those that turn the direction of text, are shown as escapes; lines stay lines."""
    made = writer(tmp_path)
    result = {"severity": "SEVERITY_NORMAL", "message": "one\ntwo\u202e\x1b"}
    answer = {"desired": state(a={"spec": {"text": "\u202etxt"}}), "results": [result]}
    write_call(made, {"observed": state()}, answer)
    made.close()
    (step,) = shown_recording(tmp_path).reconciles[0]["steps"]
    assert step["results"][0][2] == "one\ntwo\\u202e\\x1b"
    assert step["changes"][0]["fields"][0][1] == '"\\u202etxt"'


@pytest.mark.parametrize(
    "answer",
    [
        '{"desired": {"resources": {"a": {"resource": {"kind": "\\ud800"}}}}}',
        '{"desired": {"resources": {"a": {"resource": {"kind": ' + '{"a":' * 900 + "1" + "}" * 904,
        '{"desired": 3}',
    ],
)
def test_a_reconcile_that_cant_be_shown(tmp_path: Path, answer: str) -> None:
    """Where one reconcile can't be read, it says so, and the others are shown."""
    made = writer(tmp_path)
    write_call(made, {"observed": state()}, {"desired": state(a=THING)}, 0, trace="t0")
    made.write(event("request", 1, trace="t1"), b'{"observed": {}}')
    made.write(event("response", 1, trace="t1"), answer.encode())
    made.close()
    one, two = shown_recording(tmp_path).reconciles
    assert "error" not in one
    assert two["error"]
