"""Checks a function in any language against the rules of Crossplane's functions specification.

    testing.assert_conforms(compose, testing.request("xr.yaml"))

In the example, `compose` is a composition function.
`crossplane-lite conformance localhost:9443 --xr xr.yaml` does the same for a function that is
served.

The checks look only at answers to requests. Rules have the level MUST or SHOULD, as in the
specification. `assert_conforms` fails for broken rules of both levels. The command prints both, and
fails only for a MUST.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from .._core import codec
from .._core.base import stdio
from .._core.base.texts import short_repr, short_text
from .._tools.render.rendered import RenderError
from ..proto import _view
from .folder import Folder

__all__ = ["Finding", "assert_conforms", "command", "findings"]

Call = Callable[[bytes], bytes]

_MOST_CALLS: Final = 6
_ONCE: Final = "make a password or the like once: ctx.once"
_DEEP: Final = 200
_LARGE: Final = 3_500_000
_EARLIER: Final = "conformance-earlier"
_UNKNOWN_FIELD: Final = b"\xfa\x3f\x07unknown"  # field 1023, of a later version of the protocol
_XR: Final = {
    "apiVersion": "example.org/v1",
    "kind": "XConformance",
    "metadata": {"name": "conformance", "uid": "6e3dbb2c-9d2c-4f0a-9a55-0c6a3c1c6a11"},
    "spec": {},
}


class Finding(NamedTuple):
    """A rule of the specification that a function breaks.

    Attributes:
        level: `MUST` or `SHOULD`.
        rule: The rule, such as `copy the tag`.
        problem: What the function does against the rule.
    """

    level: str
    rule: str
    problem: str

    def __str__(self) -> str:
        return f"{self.level} {self.rule}: {self.problem}"


def assert_conforms(
    function: Any, request: bytes | None = None, *, allow: Iterable[str] = ()
) -> None:
    """Check a function against Crossplane's functions specification. The function is called up to
    30 times.

    Some checks need an answer. If the function raises an exception in one of these, after a first
    call that succeeded, the exception is passed on.

    Args:
        function: The result of `@composition.function`, an object with a method RunFunction, a
            runner such as `crossplane_lite.render.Remote("localhost:9443")`, or the address of a
            server.
        request: The bytes of a request that the function can answer, as `request()` builds it. The
            default request has a composite of kind XConformance with an empty spec.
        allow: The rules that the function may break, as messages name them, such as `copy the tag`.

    Raises:
        AssertionError: The function breaks a MUST or a SHOULD. The message lists all broken rules.
        UsageError: `function` is an object of another type.
    """
    allowed = set(allow)
    found = [one for one in findings(_caller(function), request) if one.rule not in allowed]
    if found:
        lines = "\n".join(f"- {one}" for one in found)
        raise AssertionError(f"the function doesn't keep to the functions specification:\n{lines}")


def findings(call: Call, request: bytes | None = None) -> list[Finding]:
    """Return the rules of the specification that a function breaks.

    Args:
        call: A function that takes the bytes of a request and returns the bytes of the answer. Its
            exceptions count as findings in the first call, and in calls with deep or large
            requests. In other calls they are passed on.
        request: The bytes of a request that the function can answer. None means the request that
            `assert_conforms` uses by default.
    """
    return list(_Check(call, request if request is not None else Folder().request(_XR)).run())


class _Check:
    """The checks of one function.

    Args:
        call: A function that takes the bytes of a request and returns the bytes of the answer.
        request: The bytes of a request that the function can answer.
    """

    def __init__(self, call: Call, request: bytes) -> None:
        self._call = call
        self._request = _view.RunFunctionRequest.FromString(request)

    def run(self) -> Iterator[Finding]:
        """Run the checks, and yield each broken rule.

        If the first call raises an exception, or its answer has a fatal result, nothing more is
        checked.
        """
        try:
            answer = self._answer(self._message(1))
        except Exception as error:  # whatever a caller raises
            yield Finding(
                "MUST", "answer a request", f"no answer: {short_text(str(error) or repr(error))}"
            )
            return
        if answer.meta.tag != "conformance-1":
            yield Finding("MUST", "copy the tag", f"the tag is {short_repr(answer.meta.tag)}")
        if not answer.meta.HasField("ttl") or answer.meta.ttl.seconds + answer.meta.ttl.nanos <= 0:
            yield Finding("MUST", "set a ttl", "meta.ttl isn't set")
        fatal = [one.message for one in answer.results if one.severity == _view.SEVERITY_FATAL]
        if fatal:
            yield Finding(
                "SHOULD",
                "answer the request without a fatal result",
                f"{short_text(fatal[0])}; nothing more can be checked: give it a request that it"
                " can answer",
            )
            return
        yield from self._own_fields(answer)
        yield from self._twice()
        yield from self._passing_on()
        yield from self._settling()
        yield from self._sizes()

    def _own_fields(self, answer: Any) -> Iterator[Finding]:
        """Check that the function doesn't set fields that only Crossplane or controllers set."""
        composite = codec.decode_struct(answer.desired.composite.resource)
        if "spec" in composite:
            yield Finding("MUST", "desire no composite spec", "the desired composite has a spec")
        given = set(self._request.desired.resources)
        for name in sorted(answer.desired.resources):
            if name in given:
                continue
            resource = codec.decode_struct(answer.desired.resources[name].resource)
            if "status" in resource:
                yield Finding(
                    "MUST", "desire no status of composed resources", f"{name} has a status"
                )
            metadata = resource.get("metadata")
            if (
                isinstance(metadata, dict)
                and metadata.get("name")
                and not self._needs_name(resource)
            ):
                yield Finding(
                    "SHOULD",
                    "leave names to Crossplane",
                    f"{name} has metadata.name {short_repr(metadata['name'])}",
                )

    def _needs_name(self, resource: dict[str, Any]) -> bool:
        """Return whether a function may set the resource's `metadata.name`.

        For an Operation (a request without a composite), this holds for all resources. Otherwise it
        holds only for kinds whose names matter to others: ConfigMap, Namespace, Secret and
        ServiceAccount.
        """
        composite = self._request.observed.composite.resource
        return not composite or resource.get("kind") in (
            "ConfigMap",
            "Namespace",
            "Secret",
            "ServiceAccount",
        )

    def _twice(self) -> Iterator[Finding]:
        request = self._message(2).SerializeToString()
        one, other = self._call(request), self._call(request)
        if one == other:
            return
        parsed = [_view.RunFunctionResponse.FromString(each) for each in (one, other)]
        if parsed[0].SerializeToString(deterministic=True) != parsed[1].SerializeToString(
            deterministic=True
        ):
            yield Finding(
                "MUST", "answer the same request the same", f"two answers differ; {_ONCE}"
            )
        else:
            yield Finding(
                "SHOULD",
                "answer with the same bytes",
                "two answers have their fields in another order",
            )

    def _passing_on(self) -> Iterator[Finding]:
        """Check that the answer has the desired state of previous functions, the context, and
        unknown fields.
        """
        message = self._message(3)
        earlier = {
            "apiVersion": "example.org/v1",
            "kind": "Earlier",
            "spec": {"a": [1, {"b": None}]},
        }
        message.desired.resources[_EARLIER].resource = codec.encode_struct(earlier)
        message.desired.resources[_EARLIER].ready = _view.READY_TRUE
        message.desired.composite.connection_details["conformance"] = b"kept"
        message.context = codec.encode_struct(
            {**codec.decode_struct(message.context), "conformance": {"kept": True}}
        )
        inner = _view.Resource.FromString(
            message.desired.resources[_EARLIER].SerializeToString() + _UNKNOWN_FIELD
        )
        message.desired.resources[_EARLIER].CopyFrom(inner)
        answer = self._answer(message)
        if _EARLIER not in answer.desired.resources:
            yield Finding(
                "MUST",
                "pass desired state on",
                "a resource that a previous function desires is gone",
            )
            return
        found = answer.desired.resources[_EARLIER]
        if codec.decode_struct(found.resource) != earlier or found.ready != _view.READY_TRUE:
            yield Finding(
                "MUST",
                "pass desired state on",
                "a resource that a previous function desires was changed",
            )
        if answer.desired.composite.connection_details.get("conformance") != b"kept":
            yield Finding(
                "MUST", "pass desired state on", "the composite's connection details are gone"
            )
        if codec.decode_struct(answer.context).get("conformance") != {"kept": True}:
            yield Finding("SHOULD", "pass the context on", "a key of the context is gone")
        if _UNKNOWN_FIELD not in found.SerializeToString():
            yield Finding(
                "SHOULD",
                "keep unknown fields",
                "a field of a later version of the protocol is gone",
            )

    def _settling(self) -> Iterator[Finding]:
        """Call the function as Crossplane does, in three reconciles. Check the requirements and the
        results.

        In each reconcile, the function is called until its requirements are stable. In the next
        reconcile, the desired resources are observed. No warning and no normal result may be the
        same in all three.
        """
        message = self._message(4)
        said: list[set[tuple[int, str]]] = []
        for _ in range(3):
            answer = self._stable(message)
            if answer is None:
                yield Finding(
                    "MUST",
                    "let requirements settle",
                    f"the requirements differ in each of {_MOST_CALLS} calls",
                )
                return
            said.append({(one.severity, one.message) for one in answer.results})
            for name in answer.desired.resources:
                resource = codec.decode_struct(answer.desired.resources[name].resource)
                metadata = resource.get("metadata")
                named = {
                    "name": f"conformance-{name}",
                    **(metadata if isinstance(metadata, dict) else {}),
                }
                message.observed.resources[name].resource = codec.encode_struct(
                    {**resource, "metadata": named}
                )
        always = said[0] & said[1] & said[2]
        for severity, text in sorted(always):
            if severity in (_view.SEVERITY_NORMAL, _view.SEVERITY_WARNING):
                yield Finding("MUST", "return no result in every call", short_repr(text))

    def _stable(self, message: Any) -> Any:
        before: Any = None
        for _ in range(_MOST_CALLS):
            answer = self._answer(message)
            asked = answer.requirements if answer.HasField("requirements") else None
            if asked == before:
                return answer
            before = asked
            message.context = answer.context
            for field, answered in (
                ("resources", "required_resources"),
                ("extra_resources", "extra_resources"),
            ):
                for name in getattr(asked, field, ()):
                    getattr(message, answered)[name].SetInParent()
            for name in getattr(asked, "schemas", ()):
                message.required_schemas[name].SetInParent()
        return None

    def _sizes(self) -> Iterator[Finding]:
        """Check that the function can answer a deeply nested request and a large request."""
        deep: Any = "end"
        for _ in range(_DEEP):
            deep = {"a": deep}
        for what, value in ((f"{_DEEP} levels deep", deep), ("of 3.5 MB", "x" * _LARGE)):
            message = self._message(5)
            extra = {
                "apiVersion": "example.org/v1",
                "kind": "Extra",
                "metadata": {"name": "a"},
                "spec": {"a": value},
            }
            message.observed.resources["conformance-extra"].resource = codec.encode_struct(extra)
            try:
                answer = self._answer(message)
            except Exception as error:  # whatever a caller raises
                yield Finding(
                    "SHOULD", "answer deep and large requests", f"{what}: {short_text(str(error))}"
                )
                continue
            if answer.meta.tag != "conformance-5":
                yield Finding(
                    "MUST",
                    "copy the tag",
                    f"the answer to a request {what} has the tag {short_repr(answer.meta.tag)}",
                )

    def _message(self, number: int) -> Any:
        """Return a copy of the request whose tag has a number."""
        message = _view.RunFunctionRequest.FromString(self._request.SerializeToString())
        message.meta.tag = f"conformance-{number}"
        return message

    def _answer(self, message: Any) -> Any:
        return _view.RunFunctionResponse.FromString(self._call(message.SerializeToString()))


def _caller(function: Any) -> Call:
    from .._tools.render.functions import Remote, runners_of

    given = Remote(function) if isinstance(function, str) else function
    (runner,) = runners_of({"given": given}).values()
    return lambda request: runner.run(request, 60.0)


def make_parser() -> argparse.ArgumentParser:
    """Return the argument parser of `crossplane-lite conformance`."""
    from .._tools.render import arguments

    parser: argparse.ArgumentParser = arguments.Parser(
        prog="crossplane-lite conformance",
        usage="crossplane-lite conformance [options] ADDRESS",
        description=(
            "Check a running function against the functions specification: it is called a few dozen"
            " times, and each rule that it breaks is printed."
        ),
        epilog=(
            "Exit status: 0; 1 when a MUST isn't kept; 2 when the command line or a file can't be"
            " used."
        ),
    )
    parser.add_argument(
        "address",
        metavar="ADDRESS",
        help="address of the function's server, such as localhost:9443",
    )
    parser.add_argument(
        "--xr", metavar="PATH", type=Path, help="file of a composite that the function can handle"
    )
    parser.add_argument("--input", metavar="PATH", type=Path, help="file of the step's input")
    arguments.add_tls(parser)
    return parser


def command(argv: Sequence[str]) -> int:
    """Run `crossplane-lite conformance`.

    Args:
        argv: The arguments after `conformance`.

    Returns:
        The exit status. It is 1 if the function breaks a MUST or stops answering, else 0.

    Raises:
        SystemExit: The arguments are wrong (status 2), or --help was given (status 0).
        InputError: A file can't be read, or has no usable resource, or a certificate can't be used.
        MissingExtraError: PyYAML isn't installed, and a file is given.
    """
    from .._tools.render import terminal
    from .._tools.render.functions import dialling

    given: argparse.Namespace = make_parser().parse_intermixed_args(argv)
    terminal.begin()
    request = None
    if given.xr is not None or given.input is not None:
        request = Folder().request(given.xr if given.xr is not None else _XR, input=given.input)
    with dialling(given)(given.address) as remote:
        try:
            found = findings(lambda data: remote.run(data, 60.0), request)
        except RenderError as error:
            stdio.say(f"crossplane-lite conformance: {error}")
            return 1
    lines = [str(one) for one in found] or ["the function keeps to the functions specification"]
    stdio.write("".join(f"{line}\n" for line in lines).encode())
    return 1 if any(one.level == "MUST" for one in found) else 0
