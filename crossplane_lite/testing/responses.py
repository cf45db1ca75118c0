"""Makes plain values of a function's answer, so that assertions in tests are easy to read."""

from __future__ import annotations

import contextlib
import dataclasses
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn, Protocol, cast

from .._core import codec
from .._core.base.texts import near_name, short_repr, short_text, some, type_in_words
from .._core.call.mark import ANNOTATION, HELD_BACK_KEY
from .._core.call.results import strictly
from .._core.dependencies.entry import read
from .._core.known import KNOWN
from .._tools.render.pipeline import Selector
from ..composition import Function
from ..errors import MissingExtraError, UsageError
from ..proto import _view
from ..runtime.load import takes_messages

if TYPE_CHECKING:
    from ._sources import Resources, Source

__all__ = ["Answers", "Condition", "Response", "Result", "run"]

_SEVERITIES: Final = {
    _view.SEVERITY_FATAL: "Fatal",
    _view.SEVERITY_WARNING: "Warning",
    _view.SEVERITY_NORMAL: "Normal",
}
_STATUSES: Final = {_view.STATUS_CONDITION_TRUE: "True", _view.STATUS_CONDITION_FALSE: "False"}
_READY: Final[dict[int, bool]] = {_view.READY_TRUE: True, _view.READY_FALSE: False}
_TARGETS: Final = {_view.TARGET_COMPOSITE_AND_CLAIM: "composite_and_claim"}
# The author's file and line, with which the text about an exception in compose() may end.
_PLACE: Final = re.compile(r" \([^()\s]+:\d+\)")


class Answers(Protocol):
    """An object that answers requests, such as the result of `@composition.function`."""

    def run(self, data: bytes, /) -> bytes:
        """Answer a request.

        Args:
            data: The bytes of a RunFunctionRequest.

        Returns:
            The bytes of the RunFunctionResponse.
        """
        ...  # pragma: no cover


class Result(NamedTuple):
    """One result of a function, which Crossplane shows as an event.

    Attributes:
        severity: `Fatal`, `Warning` or `Normal`; `Unspecified` if the function gives another
            severity, or none.
        message: The message for people.
        reason: The reason, as a CamelCase word; None if the function gives no reason.
        target: The objects that get the event: `composite_and_claim`; or `composite`, also if the
            function sets none.
    """

    severity: str
    message: str
    reason: str | None = None
    target: str = "composite"


class Condition(NamedTuple):
    """One condition that a function sets on the composite.

    Attributes:
        status: The string `True` or `False`; else `Unknown`, also if the function sets no status.
        reason: The reason, as a CamelCase word.
        message: The message for people; empty if the function gives no message.
        target: The objects that get the condition: `composite_and_claim`; or `composite`, also if
            the function sets none.
    """

    status: str
    reason: str
    message: str = ""
    target: str = "composite"


class _MissingError(KeyError):
    """A resource isn't desired. Unlike the text of a KeyError, this error's isn't quoted."""

    def __str__(self) -> str:
        return str(self.args[0])


class _Desired(dict[str, dict[str, Any]]):
    """Desired resources by name. The error about a name that isn't there says why it isn't."""

    # Python's dataclasses.asdict makes a copy from the items alone.
    def __init__(self, resources: Any, fatal: Sequence[str] = (), held: Sequence[str] = ()) -> None:
        super().__init__(resources)
        self._fatal = fatal
        self._held = held

    def __missing__(self, name: str) -> NoReturn:
        if self._fatal:
            first, *more = self._fatal[0].strip().splitlines() or [""]
            place = _PLACE.search(more[-1]) if more else None
            why = f", because of a fatal result: {short_text(first)}{place[0] if place else ''}"
        elif name in self._held:
            why = "; it is held back, because values are missing"
        else:
            why = near_name(str(name), self) or f"; desired are: {some([*self], 10) or 'none'}"
        raise _MissingError(f"no resource {short_repr(name)} is desired{why}")


@dataclasses.dataclass(frozen=True, repr=False)
class Response:
    """A RunFunctionResponse as plain values. Equality ignores the attributes `data` and `emitted`.

    Attributes:
        fatal: The messages of the fatal results; empty if there are none.
        desired: The desired composed resources by name, sorted. They lack an annotation that
            functions of crossplane-lite add to recognise their own resources. The KeyError for
            another name says why it isn't there.
        ready: Whether each desired resource is ready, by the resource's name; None if no function
            says so.
        composite: The desired composite. A function of crossplane-lite desires only its status.
        composite_ready: Whether the composite is ready; None if no function says so.
        connection_details: The composite's connection details, by key.
        results: All results of the function, in order.
        conditions: The conditions that the function sets on the composite, by type.
        required: The selectors of the resources that the function requires, by requirement name.
        required_schemas: The apiVersion and the kind of each schema that the function requires, by
            requirement name.
        context: The pipeline's context, as the function passes it on.
        output: The output of an Operation's function; None if there is none.
        ttl: The time in seconds for which Crossplane may reuse the answer; None if the function
            doesn't set it.
        tag: The tag of the request, which the answer repeats.
        emitted: The desired composed resources exactly as they are in the message.
        data: The bytes of the message.
    """

    fatal: list[str]
    desired: dict[str, dict[str, Any]]
    ready: dict[str, bool | None]
    composite: dict[str, Any]
    composite_ready: bool | None
    connection_details: dict[str, bytes]
    results: list[Result]
    conditions: dict[str, Condition]
    required: dict[str, Selector]
    required_schemas: dict[str, tuple[str, str]]
    context: dict[str, Any]
    output: dict[str, Any] | None
    ttl: float | None
    tag: str
    emitted: dict[str, dict[str, Any]] = dataclasses.field(compare=False)
    data: bytes = dataclasses.field(compare=False)

    @classmethod
    def of(cls, data: bytes) -> Response:
        """Return the content of a RunFunctionResponse.

        Args:
            data: The bytes of the message.

        Raises:
            UsageError: The bytes aren't a RunFunctionResponse.
            WireError: The bytes of a resource, or of another Struct in the message, are malformed.
        """
        try:
            message = _view.RunFunctionResponse.FromString(data)
        except Exception as error:  # protobuf's DecodeError, or the errors of its other backends
            raise UsageError(
                f"the function's answer is not a RunFunctionResponse: {error}"
            ) from None
        desired, wanted = message.desired, message.requirements
        emitted = {
            name: codec.decode_struct(desired.resources[name].resource)
            for name in sorted(desired.resources)
        }
        results = [_result(result) for result in message.results]
        asked = {**wanted.extra_resources, **wanted.resources}
        context = codec.decode_struct(message.context)
        fatal = [result.message for result in results if result.severity == "Fatal"]
        plain = {name: _without_marker(resource) for name, resource in emitted.items()}
        return cls(
            fatal=fatal,
            desired=_Desired(plain, fatal, _held_back(context)),
            ready={name: _READY.get(desired.resources[name].ready) for name in emitted},
            composite=codec.decode_struct(desired.composite.resource),
            composite_ready=_READY.get(desired.composite.ready),
            connection_details=dict(sorted(desired.composite.connection_details.items())),
            results=results,
            conditions={condition.type: _condition(condition) for condition in message.conditions},
            required={key: Selector.of(one) for key, one in sorted(asked.items())},
            required_schemas={
                key: (one.api_version, one.kind) for key, one in sorted(wanted.schemas.items())
            },
            context=context,
            output=codec.decode_struct(message.output) if message.HasField("output") else None,
            ttl=_seconds(message.meta),
            tag=message.meta.tag,
            emitted=emitted,
            data=bytes(data),
        )

    @property
    def held_back(self) -> list[str]:
        """The sorted names of resources that this function and previous ones leave out, because
        values are missing.
        """
        return _held_back(self.context)

    def __repr__(self) -> str:
        parts = []
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if field.name == "desired":
                shown = ", ".join(
                    f"{name}: {resource.get('kind')}" for name, resource in value.items()
                )
                parts.append(f"desired={{{shown}}}")
            elif field.name == "ready":
                said = {name: one for name, one in value.items() if one is not None}
                parts += [f"ready={said!r}"] if said else []
            elif field.name == "connection_details" and value:
                parts.append(f"connection_details={sorted(value)}")  # their values are secret
            elif field.compare and value not in (None, "", [], {}):
                parts.append(f"{field.name}={value!r}")
        return f"Response({', '.join(parts)})"


def run(
    function: Answers | Callable[[Any, Any], Any],
    request: bytes,
    *,
    xrd: Source | None = None,
    crds: Resources = (),
) -> Response:
    """Call a function once, as Crossplane does.

    Args:
        function: The result of `@composition.function`, a `compose(req, rsp)`, or an object with a
            method `run`.
        request: The bytes of a request, as `request()` builds it.
        xrd: The composite's CompositeResourceDefinition; None for no XRD. With an XRD, the observed
            composite is checked against it and gets its defaults, and the status that the function
            desires is checked. Without one, a field that has a default in the cluster and isn't in
            the request is UNSET. A path is relative to the current directory.
        crds: CustomResourceDefinitions, CompositeResourceDefinitions and OpenAPI documents, or
            folders of them. All resources that the function desires are checked against them,
            held-back ones too, with unresolved values as right ones.

    Returns:
        The answer. If compose() raises an exception, `fatal` of the answer has the exception's
        message, also where a cluster goes on after it, because a missing value may explain it. An
        UnresolvedError is answered as in a cluster. Without `xrd`, a warning names an unset field
        of the composite that compose() failed of.

    Raises:
        UsageError: `function` has no method `run`, `request` isn't bytes, or the answer isn't a
            RunFunctionResponse.
        WireError: The request or the answer is malformed.
        InputError: The XRD can't be used, or an API server would refuse the composite.
        RenderError: The composite's apiVersion can't be parsed; or with `xrd`, the desired status
            of the composite doesn't fit the XRD (InvalidStatusError); or with `crds`, a resource
            doesn't fit its kind's schema (InvalidResourceError).
        MissingExtraError: The XRD is YAML, and PyYAML isn't installed.
    """
    if takes_messages(function):
        from .._core.compat.pairs import Pair
        from ..runtime._message_functions import runner_of

        function = runner_of(Pair(cast("Callable[[Any, Any], Any]", function)))
    function = cast("Answers", function)
    if not callable(getattr(function, "run", None)):
        why = (
            "the function comes first"
            if isinstance(function, bytes)
            else "is @composition.function missing?"
        )
        raise UsageError(
            f"'function' must be a composition function (got {short_repr(function)}); {why}"
        )
    if not isinstance(request, bytes):
        raise UsageError(
            f"'request' must be bytes, as testing.request() returns (got {type_in_words(request)})"
        )
    is_checked = xrd is not None or bool(crds)
    answer = (
        _checked(function, request, xrd, crds) if is_checked else strictly(function.run, request)
    )
    response = Response.of(answer)
    if response.fatal and xrd is None and isinstance(function, Function):
        _warn_of_unset_fields(function, request)
    return response


def _warn_of_unset_fields(function: Function, request: bytes) -> None:
    """Warn of the unset field of the composite that compose() failed of: the XRD may have a default
    for it.
    """
    import warnings

    from .._tools.render.advice import hints
    from .._tools.render.functions import InProcess
    from .._tools.render.observing import Seen
    from .._tools.render.pipeline import Step
    from .._tools.render.recording import silent_run
    from .._tools.render.rendered import StepRun

    answer, seen = silent_run(function, request, Seen())
    if seen.raised is None or not seen.unset:
        return
    for hint in hints(StepRun(Step("run", "run"), InProcess(function), request, answer, 1, seen)):
        warnings.warn(hint, stacklevel=3)


def _checked(function: Answers, request: bytes, xrd: Source | None, crds: Resources) -> bytes:
    """Call a function with the XRD's defaults in the composite, and check composite and answer
    against the schemas.

    If a package for the check isn't installed, nothing is checked, and a warning says so. So it
    does of each field of an observed resource that compose() reads and that the schema of `crds`
    lacks.

    Raises:
        InputError: The XRD can't be used, or an API server would refuse the composite.
        RenderError: The composite's apiVersion can't be parsed, or an API server would refuse the
            desired status or a resource.
    """
    import warnings
    from pathlib import Path

    from .._tools.manifests.yaml import Document
    from .._tools.render.definition import admitted, schema_of
    from .._tools.render.functions import InProcess
    from .._tools.render.observing import Seen
    from .._tools.render.pipeline import Step
    from .._tools.render.rendered import InvalidStatusError, Rendered, StepRun
    from .._tools.render.validation import Check, status_errors
    from ._sources import one
    from .folder import refuse, schemas_of

    message = _view.RunFunctionRequest.FromString(request)
    composite = codec.decode_struct(message.observed.composite.resource)
    definition: Document | None = None
    if xrd is not None:
        definition = one(xrd, Path(), "xrd")
        found, notes = admitted(Document("the request's composite", composite), definition)
        for note in notes:
            warnings.warn(note, stacklevel=3)
        message.observed.composite.resource = codec.encode_struct(found.content)
        request = message.SerializeToString()
    runner: Any = function
    seen: Seen | None = None
    if isinstance(function, Function):
        runner, seen = InProcess(function), Seen()
        answer = strictly(function.run, request, seen)
        seen.answered(request, answer)
    else:
        answer = function.run(request)
    run = StepRun(Step("run", "run"), runner, request, answer, 1, seen)
    if Response.of(answer).fatal:
        return answer
    if definition is not None:
        schema, _ = schema_of(composite, definition.content, definition.where)
        wrong: list[str] = []
        with contextlib.suppress(MissingExtraError):  # a warning has told it
            # In a pipeline, other functions may set the fields that are missing.
            wrong = status_errors(composite, [run], schema, f" in {definition.where}", partial=True)
        if wrong:
            raise InvalidStatusError.of(wrong)
    schemas = schemas_of(crds, definition, Path()) if crds else None
    if schemas is not None:
        check = Check(schemas)
        check.add(Rendered(composite, {}, {}, {}, [], {}, {}, [run]), beyond=True)
        refuse(check, above=1)
    return answer


def _held_back(context: Mapping[str, Any]) -> list[str]:
    return sorted({name for one in read(context.get(HELD_BACK_KEY)).values() for name in one.held})


def _result(result: Any) -> Result:
    severity = _SEVERITIES.get(result.severity, "Unspecified")
    reason = result.reason if result.HasField("reason") else None
    return Result(severity, result.message, reason, _TARGETS.get(result.target, "composite"))


def _condition(condition: Any) -> Condition:
    status = _STATUSES.get(condition.status, "Unknown")
    return Condition(
        status, condition.reason, condition.message, _TARGETS.get(condition.target, "composite")
    )


def _seconds(meta: Any) -> float | None:
    return meta.ttl.seconds + meta.ttl.nanos / 1e9 if meta.HasField("ttl") else None


def _without_marker(resource: dict[str, Any]) -> dict[str, Any]:
    """Return a resource without the annotations by which crossplane-lite knows its own resources
    and their last values.

    Annotations or metadata that are empty without them are removed, too.
    """
    metadata = resource.get("metadata")
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    if (
        not isinstance(metadata, dict)
        or not isinstance(annotations, dict)
        or ANNOTATION not in annotations
    ):
        return resource
    rest = {key: value for key, value in annotations.items() if key not in (ANNOTATION, KNOWN)}
    metadata = {key: value for key, value in metadata.items() if key != "annotations"}
    if rest:
        metadata["annotations"] = rest
    resource = {key: value for key, value in resource.items() if key != "metadata"}
    return {**resource, "metadata": metadata} if metadata else resource
