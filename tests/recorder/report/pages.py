"""Recordings of simulated compositions, and what their pages show."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from google.protobuf import json_format

from crossplane_lite._tools.recorder.recording import Recording, Subject
from crossplane_lite._tools.recorder.report.facts import facts
from crossplane_lite._tools.recorder.report.moments import Moment, recorded
from crossplane_lite._tools.render.pipeline import Runner
from crossplane_lite._tools.simulate.simulation import Simulation
from crossplane_lite.proto.v1 import run_function_pb2
from tests.recorder.recordings import write_call, writer

__all__ = ["NET", "Shown", "record", "shown", "shown_recording", "state"]

NET = Subject("example.org/v1", "XNetwork", "", "net", "an-uid", "nets")


class Shown:
    """What a page shows, with facts in the place of their numbers.

    Attributes:
        data: The whole, as the page has it.
        reconciles: The reconciles, by time.
    """

    def __init__(self, text: str) -> None:
        self.data = json.loads(text)
        self.reconciles = [self._reconcile(number) for _, _, number, _ in self.data["reconciles"]]

    def _reconcile(self, number: int) -> dict[str, Any]:
        facts = self.data["facts"]
        one = dict(facts[number])
        one["steps"] = [{**facts[at], "changes": [facts[each] for each in facts[at]["changes"]]} for at in one["steps"]]
        one["effects"] = [facts[at] for at in one.get("effects", ())]
        one["graph"] = facts[one["graph"]]
        return one


def shown(moments: Iterable[Moment]) -> Shown:
    """Return what the page of some reconciles shows."""
    return Shown(facts("a test", moments))


def shown_recording(path: Path, runners: Mapping[str, Runner] = {}) -> Shown:
    """Return what the page of a recording shows."""
    return shown(recorded(Recording(path), runners))


def record(folder: Path, simulation: Simulation, subject: Subject = NET) -> Path:
    """Record a simulation, a second for each round, and return the recording."""
    made = writer(folder)
    for one in simulation.rounds:
        for number, run in enumerate(one.rendered.steps):
            about: dict[str, Any] = {"number": number, "step": run.step.name, "function": run.step.function}
            about |= {"trace": f"t{one.number}", "span": f"s{one.number}.{number}", "subject": subject}
            request = _plain(run_function_pb2.RunFunctionRequest, run.request)
            response = _plain(run_function_pb2.RunFunctionResponse, run.response)
            write_call(made, request, response, one.number, **about)
    made.close()
    return folder


def _plain(cls: Any, data: bytes) -> Any:
    return json_format.MessageToDict(cls.FromString(data))


def state(**resources: Any) -> dict[str, Any]:
    """Return a request's or an answer's state with these composed resources, in protobuf's JSON."""
    named = {
        name: {
            "resource": {
                "apiVersion": "example.org/v1",
                "kind": "Thing",
                "metadata": {"name": f"net-{name}", "annotations": {"crossplane.io/composition-resource-name": name}},
                **content,
            }
        }
        for name, content in resources.items()
    }
    composite = {"apiVersion": "example.org/v1", "kind": "XNetwork", "metadata": {"name": "net", "uid": "an-uid"}}
    return {"composite": {"resource": composite}, "resources": named}
