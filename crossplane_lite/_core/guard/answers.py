"""An answer of the target: what it makes of the request, and how two answers differ."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any, Final

from ...proto import _view
from .. import codec
from ..call.mark import digest_of
from ..known.notes import COMPOSITE, MOST_MISSING, key_of
from ..known.put_back import Head
from ..paths.text import show
from .values import status_leaves

Steps = tuple[str, ...]


class Answer:
    """An answer of the target.

    Args:
        data: The bytes of the answer.
        request: The message of the request that it answers.

    Raises:
        DecodeError: The bytes aren't those of a RunFunctionResponse.

    Attributes:
        data: The same bytes.
        message: The answer's message. It may be changed.
        own: The digests of the resources that the target desires otherwise than previous steps do,
            by name.
        waiting: New resources of the target that wait for real values. They aren't in the message
            any more.
        has_failed: Whether this stands for no answer, or one with a fatal result: it desires
            nothing.
    """

    READY: Final = _view.READY_TRUE
    NOT_READY: Final = _view.READY_FALSE

    def __init__(self, data: bytes, request: Any) -> None:
        self.data = data
        self.message = _view.RunFunctionResponse.FromString(data)
        self._request = request
        self.own = dict(self._own())
        self.waiting: set[str] = set()
        self.has_failed = False

    @classmethod
    def of_usable(cls, answer: Answer | None, request: Any) -> Answer:
        """Return an answer; one that desires nothing if it has a fatal result or there is none."""
        if answer is not None and not answer.is_fatal:
            return answer
        nothing = cls(b"", request)
        nothing.has_failed = True
        return nothing

    @property
    def desired(self) -> Any:
        """The messages of the desired resources, by name."""
        return self.message.desired.resources

    def head_of(self, obj: str) -> Head | None:
        """Return what makes up an object that is gone: what is desired under its name; None for
        nothing.
        """
        return codec.decode_struct(self.desired[obj].resource) if obj in self.desired else None

    def _own(self) -> Iterator[tuple[str, str]]:
        before = self._request.desired.resources
        for name, one in self.desired.items():
            raw = one.resource
            base = before[name].resource if name in before else None
            if raw == base:
                continue
            digest = digest_of(raw)
            if base is None or digest_of(base) != digest:
                yield name, digest

    @property
    def is_fatal(self) -> bool:
        """Whether the answer has a fatal result, so that Crossplane does nothing by it."""
        return any(one.severity == _view.SEVERITY_FATAL for one in self.message.results)

    @property
    def is_settled(self) -> bool:
        """Whether the request has all that the target requires; otherwise Crossplane calls again
        before it acts.
        """
        wanted, request = self.message.requirements, self._request
        there = {*request.required_resources, *request.extra_resources}
        if not wanted.resources.keys() | wanted.extra_resources.keys() <= there:
            return False
        # A caller that doesn't say what it can knows no schemas.
        is_able = _view.CAPABILITY_REQUIRED_SCHEMAS in request.meta.capabilities
        return not is_able or wanted.schemas.keys() <= request.required_schemas.keys()

    @property
    def objects(self) -> set[str]:
        """The objects whose values count as read: the composite, and all that is desired."""
        return {COMPOSITE, *self.desired}

    @functools.cached_property
    def status(self) -> dict[Steps, Any]:
        """The fields of the composite's status that the answer sets, by their steps."""
        return dict(status_leaves(self.message.desired.composite.resource))

    @functools.cached_property
    def told(self) -> set[str]:
        """The keys of the fields that the answer sets in the composite's status.

        A guard's notes have them in the place of keys of missing values, for which nobody asks
        them.
        """
        keys = {key_of(COMPOSITE, show(steps)) for steps in self.status}
        return set(sorted(keys)[:MOST_MISSING])

    def is_same_as(self, other: Answer) -> bool:
        """Say whether another answer desires just as much."""
        if self.own != other.own or self.status != other.status:
            return False
        return bool(self.desired.keys() == other.desired.keys())
