"""What functions tell of who waits."""

from __future__ import annotations

from typing import Any

from crossplane_lite import composition
from crossplane_lite._core.dependencies.entry import CutOff, Need, Waiting
from crossplane_lite._tools.render.rendered import StepRun
from crossplane_lite._tools.render.told import told
from crossplane_lite.proto.v1 import run_function_pb2 as fnv1
from crossplane_lite.render import InProcess, Step
from crossplane_lite.unstructured import Unstructured
from tests.support import request

NOTHING = Waiting([], [], [])
SECRETS = {"db": {"username": b"postgres"}}


@composition.function(name="f")
def compose(ctx: composition.Context) -> None:
    """Compose b, which waits for a."""
    a = ctx.resource("postgres-a", Unstructured("e.org/v1", "A"))
    ctx.resource("b", Unstructured("e.org/v1", "B", spec={"id": a.observed.status["postgres"]}))


def run(response: bytes, **kwargs: Any) -> StepRun:
    """Return how a step went that gave this answer."""
    return StepRun(Step("s", "f"), InProcess(compose), request(**kwargs), response, 1)


def context(entries: Any) -> bytes:
    """Return an answer that has this in its context."""
    response = fnv1.RunFunctionResponse()
    response.context.update({"crossplane-lite/held-back": entries})
    return response.SerializeToString()


def test_what_a_function_tells() -> None:
    """What a real answer tells is read, secret values in it masked, names of resources not."""
    why = "postgres-a isn't observed yet"
    plain = Waiting(["b"], [Need("b", "postgres-a", 'postgres-a.status["postgres"]', why)], [])
    secret = Waiting(["b"], [Need("b", "postgres-a", 'postgres-a.status["[secret]"]', why)], [])
    assert list(told([run(compose.run(request()))])) == [plain]
    answer = compose.run(request(credentials=SECRETS))
    assert list(told([run(answer, credentials=SECRETS)])) == [secret]


def test_each_step_tells_its_own() -> None:
    """What a step passes on is what earlier ones told, and an entry of its own that it replaces is told again."""
    one = {"held": ["a"], "waits": [{"name": "a", "of": "x", "path": "x.y", "why": "z"}]}
    two = {"held": ["b"], "cutOff": [{"name": "r", "why": "z"}]}
    first, second = Waiting(["a"], [Need("a", "x", "x.y", "z")], []), Waiting(["b"], [], [CutOff("r", "z")])
    runs = [run(context({"1": one})), run(context({"1": one})), run(context({"1": one, "2": two})), run(b"")]
    assert list(told(runs)) == [first, NOTHING, second, NOTHING]
    assert list(told([run(context({"1": one})), run(context({"1": two}))])) == [first, second]


def test_a_context_that_is_no_struct() -> None:
    """An answer from elsewhere whose context can't be read tells nothing."""
    response = context({"1": ["a"]}).replace(b"held-back", b"held-\xffack")
    assert list(told([run(response)])) == [NOTHING]
