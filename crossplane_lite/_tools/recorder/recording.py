"""The format of recordings, and their reader.

A recording is a file, or a folder of files whose names end in `.jsonl`. Each file can be read
without the others, so that the oldest ones can be deleted. A line is a JSON object of one of these
forms:

- `{"recording": 1}`: The first line of each file. The number is the version of the format;
- `{"content": HASH, "json": {...}}`: A request or a response, in protobuf's JSON. It stands before
  the first event that has it, and once in each file: equal ones are stored once;
- `{"event": "request", ...}`: An event, with the fields of `Event`. `content` is the hash of its
  content;
- `{"event": "response", ...}`: The same for an answer. `error` has the text if the call failed;
- `{"dropped": 3, "time": ...}`: So many events were dropped before this line, because too many came
  at once, or the disk was full. `error` has the text if they couldn't be written.

A process that writes begins a new file. So if it is killed, only the last line of its file can be
cut off, and the reader leaves such a line out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from ..._core.base.texts import some
from ...errors import InputError

FORMAT: Final = 1
SUFFIX: Final = ".jsonl"
HASH_DIGITS: Final = 32
CONTENT: Final = (b'{"content": "', b'", "json": ')
"""What stands before the hash in the line of a content, and what stands behind it."""
START: Final = json.dumps({"recording": FORMAT}).encode() + b"\n"
"""The first line of a file."""
REDACTED: Final = "**REDACTED**"
"""What Crossplane sends in the place of a secret value."""
OPERATION: Final = "ops.crossplane.io/v1alpha1", "Operation"
"""The apiVersion and kind of an Operation."""


class Subject(NamedTuple):
    """The composite or the Operation that a call is about. Fields that don't apply are empty.

    Attributes:
        api_version: The apiVersion.
        kind: The kind.
        namespace: The namespace; empty for objects of the whole cluster.
        name: The name.
        uid: The uid.
        composition: The name of the composite's Composition.
    """

    api_version: str = ""
    kind: str = ""
    namespace: str = ""
    name: str = ""
    uid: str = ""
    composition: str = ""

    @property
    def place(self) -> str:
        """The namespace and the name, such as `team/example`; only the name without a namespace."""
        return f"{self.namespace}/{self.name}" if self.namespace else self.name

    @property
    def title(self) -> str:
        """The kind, namespace and name, such as `XNetwork team/example`."""
        return f"{self.kind} {self.place}"

    @property
    def identity(self) -> tuple[str, ...]:
        """The apiVersion, kind, namespace and name: the same for an object that was deleted and
        created again.
        """
        return self[:4]


class Event(NamedTuple):
    """A request or an answer, as a line of a recording has it.

    Attributes:
        event: `request` or `response`.
        time: The time in UTC with microseconds, such as `2026-11-24T18:30:09.123456Z`. Such texts
            sort by time.
        trace: The id of the reconcile: the same for all calls of one reconcile.
        span: The id of the call.
        step: The name of the pipeline's step; empty if it isn't known.
        number: The number of the step in the pipeline, from 0.
        iteration: How often the step was called before in this reconcile, because it asked for
            more.
        function: The name of the function.
        subject: The composite or the Operation.
        content: The hash of the content; empty for an error.
        error: Why the call failed; empty if it didn't.
    """

    event: str
    time: str
    trace: str
    span: str
    step: str
    number: int
    iteration: int
    function: str
    subject: Subject
    content: str = ""
    error: str = ""


_TEXTS: Final = frozenset(Event._fields) - {"number", "iteration", "subject"}


class Content(NamedTuple):
    """The place of a request or a response in a file. It is read when it is needed.

    Attributes:
        hash: The hash: equal contents have the same.
        file: The file.
        offset: Where its JSON begins in the file, in bytes.
        length: The length of its JSON, in bytes.
    """

    hash: str
    file: Path
    offset: int
    length: int

    def read(self) -> dict[str, Any]:
        """Return the content: a RunFunctionRequest or RunFunctionResponse in protobuf's JSON, as
        plain data.

        Raises:
            InputError: The file can't be read any more.
        """
        try:
            with self.file.open("rb") as file:
                file.seek(self.offset)
                found = json.loads(file.read(self.length))
        except (OSError, ValueError, RecursionError) as e:
            raise InputError(f"{self.file}: a content can't be read any more: {e}") from None
        if not isinstance(found, dict):
            raise InputError(f"{self.file}: byte {self.offset}: this must be a JSON object")
        return found


class Call(NamedTuple):
    """A call of a function: a request, and its answer.

    Attributes:
        event: The event of the request. If the request isn't in the recording, that of the answer.
        asked: The request's content; None if it isn't in the recording (dropped, or in a file that
            was deleted).
        answered: The answer's content; None if there was an error, or the answer isn't in the
            recording.
        error: Why the call failed; empty if it didn't.
        ended: The time of the answer; empty if it isn't in the recording.
    """

    event: Event
    asked: Content | None
    answered: Content | None = None
    error: str = ""
    ended: str = ""

    @property
    def subject(self) -> Subject:
        """The composite or the Operation."""
        return self.event.subject

    @property
    def request(self) -> dict[str, Any]:
        """The request in protobuf's JSON, read from the file each time; empty if it isn't in the
        recording.
        """
        return self.asked.read() if self.asked else {}

    @property
    def response(self) -> dict[str, Any]:
        """The answer in protobuf's JSON, read from the file each time; empty if there is none."""
        return self.answered.read() if self.answered else {}


class Reconcile(NamedTuple):
    """The calls of one reconcile.

    Attributes:
        subject: The composite or the Operation.
        trace: The id of the reconcile.
        time: The time of its first event.
        calls: Its calls, in the order of the steps and their iterations.
    """

    subject: Subject
    trace: str
    time: str
    calls: list[Call]


class Recording:
    """A recording, which may still be written. Events are read at once, and contents when they are
    needed.

    Args:
        path: A file, or a folder of files.

    Attributes:
        path: The same.
        calls: All calls, by time.
        dropped: How many events the recorder has dropped.
        notes: What a reader should know: a line that is cut off, answers without their requests.

    Raises:
        InputError: The path can't be read, has no recording, or one of a version that this release
            doesn't know.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self.calls: list[Call] = []
        self.dropped = 0
        self._errors: set[str] = set()  # why events couldn't be written
        self.notes: list[str] = []
        self._calls: dict[tuple[Any, ...], Call] = {}
        files = sorted(self.path.glob(f"*{SUFFIX}")) if self.path.is_dir() else [self.path]
        if not files:
            raise InputError(
                f"{path}: there is no file *{SUFFIX} in this folder: is it a recording?"
            )
        for file in files:
            self._read(file)
        self.calls = sorted(
            self._calls.values(), key=lambda call: (call.event.time, call.event.number)
        )
        lost = sum(call.asked is None for call in self.calls)
        if self.dropped:
            why = "".join(f": {error}" for error in sorted(self._errors))
            self.notes.append(f"the recorder dropped {self.dropped} events{why}")
        if lost:
            self.notes.append(f"the requests of {lost} calls aren't in the recording")

    def reconciles(self) -> list[Reconcile]:
        """Return the calls by reconcile (by trace and subject). The reconciles are sorted by their
        first event.
        """
        found: dict[tuple[Any, ...], list[Call]] = {}
        for call in self.calls:
            found.setdefault((call.event.trace, call.subject.identity), []).append(call)
        return [
            Reconcile(
                calls[0].subject,
                calls[0].event.trace,
                calls[0].event.time,
                sorted(
                    calls,
                    key=lambda call: (call.event.number, call.event.iteration, call.event.time),
                ),
            )
            for calls in found.values()
        ]

    def subjects(self) -> dict[tuple[str, ...], list[Reconcile]]:
        """Return the reconciles by what they are about: by `Subject.identity`, sorted."""
        found: dict[tuple[str, ...], list[Reconcile]] = {}
        for one in self.reconciles():
            found.setdefault(one.subject.identity, []).append(one)
        return dict(sorted(found.items()))

    def find(self, what: str) -> Reconcile:
        """Return the reconcile that a text such as `team/example@2026-11-24T18:30` names.

        Args:
            what: A name, a namespace and name, or a kind, namespace and name
                (`XNetwork/team/example`), and after `@` the time, or its beginning. It is the last
                reconcile that began at this time or before; without a time, the last one of all.
                The empty text stands for the only subject of the recording.

        Raises:
            InputError: There is no such subject or several, or it has no reconcile at that time, or
                that isn't a time.
        """
        name, _, time = what.partition("@")
        if time and not re.fullmatch(r"\d{4}[-\dT:.]*Z?", time, re.ASCII):
            raise InputError(
                f"{self.path}#{what}: {time!r} isn't a time, or its beginning, such as"
                " 2026-11-24T18:30"
            )
        subjects = list(self.subjects().values())
        fits = [one for one in subjects if not name or name in _names(one[0].subject)]
        if len(fits) != 1:
            known = sorted(
                f"{one[0].subject.kind}/{one[0].subject.place}" for one in fits or subjects
            )
            says = "name one of several" if fits else f"nothing recorded is called {name}; there is"
            raise InputError(f"{self.path}#{what}: {says}: {some(known, 10) or 'nothing'}")
        # The text is the beginning of a time, so `~`, which sorts after all of its characters, ends
        # it.
        before = [one for one in fits[0] if not time or one.time <= f"{time}~"]
        if not before:
            raise InputError(
                f"{self.path}#{what}: its first reconcile in the recording is at {fits[0][0].time}"
            )
        return before[-1]

    def _read(self, file: Path) -> None:
        contents: dict[str, Content] = {}
        try:
            with file.open("rb") as lines:
                self._begin(file, lines.readline())
                offset = lines.tell()
                for line in lines:
                    if not self._line(file, line, offset, contents):
                        self.notes.append(
                            f"{file.name}: the line at byte {offset} is cut off or damaged, and"
                            " left out"
                        )
                    offset += len(line)
        except OSError as e:
            raise InputError(f"can't read {file}: {e.strerror or e}") from None

    def _begin(self, file: Path, line: bytes) -> None:
        if START.startswith(line):  # its writer was stopped before it had written anything
            return
        try:
            version = json.loads(line)["recording"]
        except (ValueError, KeyError, TypeError, RecursionError):
            raise InputError(f"{file}: its first line isn't that of a recording") from None
        if version != FORMAT:
            raise InputError(
                f"{file}: this is a recording of version {version}; this release reads version"
                f" {FORMAT}"
            )

    def _line(self, file: Path, line: bytes, offset: int, contents: dict[str, Content]) -> bool:
        """Take in a line, and return whether it could be read."""
        before, behind = CONTENT
        if line.startswith(before):
            start = len(before) + HASH_DIGITS + len(behind)
            if not line.endswith(b"}\n"):
                return False
            key = line[len(before) : len(before) + HASH_DIGITS].decode("ascii", "replace")
            contents.setdefault(key, Content(key, file, offset + start, len(line) - start - 2))
            return True
        try:
            if not line.endswith(b"\n"):
                return False
            found = json.loads(line)
            if "dropped" in found:
                self.dropped += found["dropped"]
                self._errors.update([found["error"]] if "error" in found else ())
            else:
                self._take(_event(found), contents)
        except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
            return False
        return True

    def _take(self, event: Event, contents: Mapping[str, Content]) -> None:
        key = (event.trace, event.span, event.number, event.iteration, event.subject.identity)
        content = contents.get(event.content)
        call = self._calls.get(key)
        if event.event == "request":
            self._calls[key] = (
                Call(event, content) if call is None else call._replace(event=event, asked=content)
            )
        else:
            call = call or Call(event, None)
            self._calls[key] = call._replace(answered=content, error=event.error, ended=event.time)


def _event(found: dict[str, Any]) -> Event:
    subject = found.pop("subject")
    named = {**subject, "api_version": subject.get("apiVersion", "")}
    named.pop("apiVersion", None)
    event = Event(**{**found, "subject": Subject(**named)})
    types = (
        *map(type, event.subject),
        *(type(value) for name, value in event._asdict().items() if name in _TEXTS),
    )
    if set(types) != {str} or type(event.number) is not int or type(event.iteration) is not int:
        raise TypeError("a field of the event has another type")
    return event


def _names(subject: Subject) -> Iterator[str]:
    yield from (subject.name, subject.place, f"{subject.kind}/{subject.place}")
