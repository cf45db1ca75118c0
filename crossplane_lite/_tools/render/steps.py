"""Runs the steps of a pipeline as Crossplane does: builds requests, calls functions, and collects
their responses.

A function that requires resources or schemas is called again, until its requirements are stable.
Resources aren't decoded: the observed state is encoded once for all steps, and the next function
gets the desired state as it is.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from google.protobuf.message import DecodeError

from ..._core import codec
from ...composition import Function
from ...errors import InputError, WireError
from ...proto import _view
from ..manifests.objects import (
    encode,
    metadata_of,
    observed_bytes,
    quoted,
    secret_data,
    text_of,
    with_condition,
)
from .functions import runners_of
from .pipeline import Cluster, Runner, Selector, Step
from .rendered import FatalResultError, NoAnswerError, RenderError, Result, StepRun

MOST_CALLS: Final = 6
"""The most calls of a function in a step: one, and up to five more until its requirements are
stable.
"""

# The capabilities that Crossplane 2.2 and later advertise.
_CAPABILITIES: Final = (
    _view.CAPABILITY_CAPABILITIES,
    _view.CAPABILITY_REQUIRED_RESOURCES,
    _view.CAPABILITY_CREDENTIALS,
    _view.CAPABILITY_CONDITIONS,
    _view.CAPABILITY_REQUIRED_SCHEMAS,
)
_STATUSES: Final = {_view.STATUS_CONDITION_TRUE: "True", _view.STATUS_CONDITION_FALSE: "False"}


class Wording(NamedTuple):
    """The words that Crossplane uses in messages. They differ between Compositions and Operations.

    Attributes:
        call: The beginning of an error about a call, with `{}` for the step's name.
        credential: The beginning of an error about a missing credential, with `{}` for the step's
            name and for the credential's name.
        reason: The reason of an event if the function's result has no reason.
        own_reasons: Whether the reason in a function's result is used. If not, all events have
            `reason`.
    """

    call: str
    credential: str
    reason: str
    own_reasons: bool


COMPOSITION: Final = Wording(
    "cannot run Composition pipeline step {}",
    "cannot get Composition pipeline step {} credential {} from Secret",
    "ComposeResources",
    True,
)
OPERATION: Final = Wording(
    "failed to invoke pipeline step {}",
    "cannot get operation pipeline step {} credential {} from Secret",
    "RunPipelineStep",
    False,
)


class Pipeline:
    """A pipeline that can be run once.

    Args:
        steps: The steps.
        functions: By the function's name, a composition function, an object with the method
            `RunFunction`, or a runner (an object that calls the function).
        observed: The bytes of the observed State message; None for requests without observed state.
        cluster: The source of required resources, schemas and Secrets; None for an empty cluster.
        context: The context before the first step; None for an empty context.
        timeout: The time limit of all steps together, in seconds, for functions on servers. The
            time begins now.
        wording: The words of Crossplane's messages.

    Attributes:
        desired: The desired state after the last step: a State message of `proto._view`.
        context: The bytes of the context after the last step; None if the last function returned no
            context.
        results: The functions' results. A fatal result isn't included.
        conditions: The conditions that the functions returned, in order, each with whether it is
            for the claim, too.
        outputs: The bytes of each step's output, by the step's name.
        runs: The runs of the steps.

    Raises:
        InputError: The timeout isn't positive, a step calls a function that isn't in `functions`,
            or the context or a required resource can't be encoded.
        UsageError: A function is neither a runner nor a composition function.
    """

    def __init__(
        self,
        steps: Sequence[Step],
        functions: Mapping[str, Runner | Function],
        *,
        observed: bytes | None,
        cluster: Cluster | None,
        context: Mapping[str, Any] | None,
        timeout: float,
        wording: Wording = COMPOSITION,
    ) -> None:
        if not timeout > 0:
            raise InputError(f"the timeout must be more than 0 seconds (got {timeout})")
        self._steps = steps
        self._runners = runners_of(functions)
        self._observed = observed
        self._cluster = cluster
        self._deadline = time.monotonic() + timeout
        self._wording = wording
        self.desired = _view.State()
        self.context: bytes | None = encode(context or {}, "the context")
        self.results: list[Result] = []
        self.conditions: list[tuple[dict[str, Any], bool]] = []
        self.outputs: dict[str, bytes] = {}
        self.runs: list[StepRun] = []
        for step in steps:
            self._check(step)

    def _check(self, step: Step) -> None:
        if step.function not in self._runners:
            where = f"{step.where}: " if step.where else ""
            known = ", ".join(sorted(self._runners)) or "none"
            raise InputError(
                f"{where}pipeline step {quoted(step.name)} calls function {quoted(step.function)}, "
                f"which isn't among the functions that were given ({known})"
            )

    def run(self) -> None:
        """Run the steps in order, and set the attributes.

        Raises:
            FatalResultError: A function returned a fatal result.
            RenderError: A function returned no valid response in time, its requirements didn't
                become stable, or a credential's Secret is missing.
            InputError: An input, a Secret or a required resource can't be used.
        """
        for step in self._steps:
            response = self._stable_answer(step)
            self.desired = response.desired
            self.context = response.context if response.HasField("context") else None
            self.conditions += map(_condition, response.conditions)
            self._take_results(step, response.results)
            if response.HasField("output"):
                self.outputs[step.name] = response.output

    # -- requests

    def _stable_answer(self, step: Step) -> Any:
        """Call a step's function until its requirements are stable, and return the last response.

        The requirements are stable if two responses in a row have the same ones, or if the first
        request already had all that the first response requires. A response with a fatal result is
        returned at once.

        Raises:
            RenderError: A call failed, a credential's Secret is missing, or the requirements aren't
                stable after `MOST_CALLS` calls.
            InputError: The input, a Secret or a required resource can't be used.
        """
        request = self._first_request(step)
        first = _required_of(request)
        before: Any = None
        for number in range(1, MOST_CALLS + 1):
            response = self._call(step, request, number)
            if any(result.severity == _view.SEVERITY_FATAL for result in response.results):
                return response
            asked = response.requirements if response.HasField("requirements") else None
            if asked == before:
                return response
            if number < MOST_CALLS:
                self._satisfy(request, first, asked)
                if number == 1 and first == _required_of(request):
                    return response  # the first request had all that the function asks for
                request.ClearField("context")
                if response.HasField("context"):
                    request.context = response.context
                before = asked
        raise self._failed(
            step,
            "requirements didn't stabilize after the maximum number of iterations"
            f" ({MOST_CALLS - 1}){_difference(before, asked)}",
        )

    def _first_request(self, step: Step) -> Any:
        request = _view.RunFunctionRequest()
        if self._observed is not None:
            request.observed.MergeFromString(self._observed)
        request.desired.CopyFrom(self.desired)
        if self.context is not None:
            request.context = self.context
        if step.input is not None:
            request.input = encode(step.input, f"{_where(step)}: input")
        for name, (namespace, secret) in step.credentials.items():
            request.credentials[name].credential_data.data.update(
                self._credential(step, name, namespace, secret)
            )
        for name, selector in step.resources.items():
            self._fetch(request.required_resources, name, selector)
        for name, (api_version, kind) in step.schemas.items():
            self._fetch_schema(request.required_schemas, name, api_version, kind)
        return request

    def _credential(self, step: Step, name: str, namespace: str, secret: str) -> dict[str, bytes]:
        found = self._resources(Selector("v1", "Secret", name=secret, namespace=namespace))
        if not found:
            text = self._wording.credential.format(quoted(step.name), quoted(name))
            raise RenderError(
                f"{text}: Secret {quoted(secret)} not found in namespace {quoted(namespace)}",
                step.name,
            )
        return secret_data(found[0], f"Secret {namespace}/{secret}")

    def _satisfy(self, request: Any, first: Any, asked: Any) -> None:
        """Set the required resources and schemas of a function's next request. All previous ones
        are removed.

        Every request of the step gets those of its `first` one, for example because the Composition
        requires them. `asked` are the requirements in the last response.
        """
        for field in ("extra_resources", "required_resources", "required_schemas"):
            request.ClearField(field)
        request.MergeFrom(first)
        if asked is None:
            return
        for selectors, target in (
            (asked.extra_resources, request.extra_resources),
            (asked.resources, request.required_resources),
        ):
            for name, selector in selectors.items():
                self._fetch(target, name, Selector.of(selector))
        for name, selector in asked.schemas.items():
            self._fetch_schema(request.required_schemas, name, selector.api_version, selector.kind)

    def _resources(self, selector: Selector) -> list[Mapping[str, Any]]:
        return [] if self._cluster is None else self._cluster.resources(selector)

    def _fetch(self, target: Any, name: str, selector: Selector) -> None:
        # If nothing is found, the request has an empty entry. So the function sees that there is no
        # such resource.
        target[name].CopyFrom(_resources(self._resources(selector), str(selector)))

    def _fetch_schema(self, target: Any, name: str, api_version: str, kind: str) -> None:
        schema = None if self._cluster is None else self._cluster.schema(api_version, kind)
        found = target[name]
        found.ClearField("openapi_v3")
        if schema is not None:
            found.openapi_v3 = encode(schema, f"the schema of {api_version} {kind}")

    def _call(self, step: Step, request: Any, number: int) -> Any:
        body: bytes = request.SerializeToString(deterministic=True)
        meta = _view.RequestMeta(tag=hashlib.sha256(body).hexdigest(), capabilities=_CAPABILITIES)
        # The tag is a hash of all other fields, so it is appended to them: fields of a message may
        # have any order.
        data = body + _view.RunFunctionRequest(meta=meta).SerializeToString()
        runner = self._runners[step.function]
        try:
            answer = runner.run(data, self._deadline - time.monotonic())
        except RenderError as e:
            raise self._failed(step, str(e), NoAnswerError) from e
        try:
            response = _view.RunFunctionResponse.FromString(answer)
        except (DecodeError, TypeError) as e:
            raise self._failed(
                step, f"the answer is not a RunFunctionResponse: {e}", NoAnswerError
            ) from None
        run = StepRun(step, runner, data, answer, number, getattr(runner, "seen", None))
        self.runs[len(self.runs) - (number > 1) :] = [run]
        return response

    def _failed(
        self, step: Step, problem: str, kind: type[RenderError] = RenderError
    ) -> RenderError:
        begin = self._wording.call.format(quoted(step.name))
        return kind(f"{begin}: function {quoted(step.function)}: {problem}", step.name)

    # -- answers

    def _take_results(self, step: Step, results: Sequence[Any]) -> None:
        for result in results:
            if result.severity == _view.SEVERITY_FATAL:
                raise FatalResultError(
                    f"pipeline step {quoted(step.name)} returned a fatal result: {result.message}",
                    step.name,
                )
            text = f"Pipeline step {quoted(step.name)}"
            if result.severity not in (_view.SEVERITY_NORMAL, _view.SEVERITY_WARNING):
                text += " returned a result of unknown severity (assuming warning)"
            severity = "Normal" if result.severity == _view.SEVERITY_NORMAL else "Warning"
            reason = (result.reason if self._wording.own_reasons else "") or self._wording.reason
            self.results.append(Result(severity, reason, f"{text}: {result.message}", step.name))


def mark(
    conditions: list[dict[str, Any]],
    owner: Mapping[str, Any],
    type_: str,
    status: str,
    reason: str,
    message: str = "",
) -> None:
    """Put a condition of an object into the list of its conditions. It replaces an older condition
    of its type.
    """
    condition: dict[str, Any] = {"type": type_, "status": status, "reason": reason}
    if message:
        condition["message"] = message
    generation = metadata_of(owner).get("generation")
    if isinstance(generation, int) and generation:
        condition["observedGeneration"] = generation
    with_condition(conditions, condition)


def decoded(raw: bytes, what: str) -> dict[str, Any]:
    """Decode a Struct from a function's response into a dict.

    Args:
        raw: The bytes of the Struct.
        what: The name of the object in error messages.

    Raises:
        RenderError: The bytes aren't a valid Struct.
    """
    try:
        return codec.decode_struct(raw)
    except WireError as e:
        raise RenderError(f"{what} is malformed: {e}") from None


def _where(step: Step) -> str:
    return step.where or f"pipeline step {quoted(step.name)}"


def _resources(items: Sequence[Mapping[str, Any]], what: str) -> Any:
    message = _view.Resources()
    for item in sorted(items, key=_order):
        message.items.add().resource = observed_bytes(item, what)
    return message


def copy_required(request: Any, target: Any) -> None:
    """Put the required resources and schemas of a request into another one."""
    for field in ("extra_resources", "required_resources", "required_schemas"):
        for name, value in getattr(request, field).items():
            getattr(target, field)[name].CopyFrom(value)


def _required_of(request: Any) -> Any:
    """Return a copy of a request with only its required resources and schemas."""
    part = _view.RunFunctionRequest()
    copy_required(request, part)
    return part


def _order(resource: Mapping[str, Any]) -> str:
    metadata = metadata_of(resource)
    return f"{text_of(metadata.get('namespace'))}/{text_of(metadata.get('name'))}"


def _condition(message: Any) -> tuple[dict[str, Any], bool]:
    condition = {
        "type": message.type,
        "status": _STATUSES.get(message.status, "Unknown"),
        "reason": message.reason,
    }
    if message.message:
        condition["message"] = message.message
    return condition, message.target == _view.TARGET_COMPOSITE_AND_CLAIM


def _difference(before: Any, after: Any) -> str:
    """Return the end of an error message that names the requirements in which two responses differ.

    It is empty if they don't differ.
    """
    names: set[str] = set()
    for field in ("extra_resources", "resources", "schemas"):
        maps = [
            {} if asked is None else dict(getattr(asked, field).items())
            for asked in (before, after)
        ]
        names |= {name for name in {*maps[0], *maps[1]} if maps[0].get(name) != maps[1].get(name)}
    if not names:
        return ""
    return (
        f"; the last two answers differ in the requirements {', '.join(sorted(names))}: ask for the"
        " same ones in every call"
    )
