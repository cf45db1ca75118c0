"""Results: the messages of a KRM function about the resources, with the fields of the KRM functions
specification.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .._core.base.texts import value_in_words
from .._core.paths import field_path, trees
from ..errors import UsageError
from ._live import plain_data
from ._text._nodes import copied
from .resource import Resource

# type checkers take it for typing's, which would take longer to import than this module
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, TypedDict, overload

    from typing_extensions import Unpack

    class _More(TypedDict, total=False):
        current: Any
        proposed: Any
        file: str | Mapping[str, Any] | None
        tags: Mapping[str, str] | None

    _Sequence = Sequence["Result"]
else:
    _Sequence = Sequence

__all__ = ["SEVERITIES", "Result", "Results", "has_reference"]

SEVERITIES = ("error", "warning", "info")
"""The severities that the KRM functions specification allows."""


class Result:
    """One result: a message for people, and what it is about. It can't be changed.

    Args:
        wire: The result as an element of `results` in a ResourceList; it is copied.

    Attributes:
        message: The text of the result, for people.
        severity: `error`, `warning` or `info`; `error` if the result has none.
        resource_ref: The apiVersion, kind, name and namespace of the resource that the result is
            about. None if it names no resource.
        field: The path, currentValue and proposedValue of the field that the result is about. None
            if it names no field.
        file: The path of the file that contains the resource, and the resource's index in it. None
            if it names no file.
        tags: Other information, as strings by their names; empty if there is none.
    """

    __slots__ = ("_wire",)

    def __init__(self, wire: Mapping[str, Any]) -> None:
        self._wire: dict[str, Any] = copied(dict(wire))

    @property
    def message(self) -> str:
        return str(self._wire.get("message") or "")

    @property
    def severity(self) -> str:
        return str(self._wire.get("severity") or "error")

    @property
    def resource_ref(self) -> dict[str, Any] | None:
        return self._object("resourceRef")

    @property
    def field(self) -> dict[str, Any] | None:
        return self._object("field")

    @property
    def file(self) -> dict[str, Any] | None:
        return self._object("file")

    @property
    def tags(self) -> dict[str, Any]:
        return self._object("tags") or {}

    def _object(self, key: str) -> dict[str, Any] | None:
        found = self._wire.get(key)
        return copied(found) if isinstance(found, dict) else None

    def to_dict(self) -> dict[str, Any]:
        """Return a copy of the result as plain data, as it is written into a ResourceList."""
        made: dict[str, Any] = copied(self._wire)
        return made

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Result) and self._wire == other._wire

    __hash__ = None  # type: ignore[assignment]  # it holds dicts

    def __repr__(self) -> str:
        return f"<{self.severity}: {self.message}>"

    def __str__(self) -> str:
        """Return the result as a string, such as
        `error: Service prod/web spec.ports: is empty (app/web.yaml)`.

        Parts that the result doesn't have are left out.
        """
        ref, field, file = self.resource_ref or {}, self.field or {}, self.file or {}
        name = "/".join(str(ref[key]) for key in ("namespace", "name") if ref.get(key))
        about = " ".join(
            part
            for part in (str(ref.get("kind") or ""), name, str(field.get("path") or ""))
            if part
        )
        where = f" ({file['path']})" if file.get("path") else ""
        return f"{self.severity}: {about}{': ' if about else ''}{self.message}{where}"


class Results(_Sequence):
    """A sequence of the results of the input, followed by those that this function adds, in their
    order.

    If a result of this function is equal to one of the input, it isn't written a second time.
    """

    def __init__(self, came: Iterable[Mapping[str, Any]] = ()) -> None:
        self._came = [Result(one) for one in came]
        self._own: list[Result] = []

    def error(
        self, message: str, resource: Any = None, field: str | None = None, **more: Unpack[_More]
    ) -> Result:
        """Add a result of severity error. The function's exit status becomes 1; its ResourceList is
        still written.

        Args:
            message: The text for people, such as the mistake.
            resource: The resource that the result is about: an item, a typed view of one, or a
                mapping with apiVersion, kind and metadata.
            field: The path of a field in the resource, such as
                `spec.template.spec.containers[3].resources.limits.cpu`.
            current: The field's value; by default it is read from the resource. None leaves it out.
            proposed: The value that the field should have; by default the result proposes no value.
                None proposes null.
            file: The path of the file that contains the resource, or a mapping with `path` and
                `index`. By default it is read from the resource's annotations, and left out if
                these name no file.
            tags: Other information, as strings by their names.

        Returns:
            The result.

        Raises:
            UsageError: A field is given without a resource, or a value without a field. Or the
                resource has no apiVersion, kind or name. Or `field` isn't a field path, or an
                argument has a wrong type.
        """
        return self._add("error", message, resource, field, **more)

    def warning(
        self, message: str, resource: Any = None, field: str | None = None, **more: Unpack[_More]
    ) -> Result:
        """Add a result of severity warning, as `error` adds an error. The exit status stays."""
        return self._add("warning", message, resource, field, **more)

    def info(
        self, message: str, resource: Any = None, field: str | None = None, **more: Unpack[_More]
    ) -> Result:
        """Add a result of severity info, as `error` adds an error. The exit status stays."""
        return self._add("info", message, resource, field, **more)

    def _add(
        self,
        severity: str,
        message: str,
        resource: Any,
        field: Any,
        *,
        current: Any = ...,
        proposed: Any = ...,
        file: Any = None,
        tags: Any = None,
    ) -> Result:
        if not isinstance(message, str):
            raise UsageError(f"'message' must be a string (got {value_in_words(message)})")
        wire: dict[str, Any] = {"message": plain_data(message), "severity": severity}
        about = None if resource is None else _about(resource)
        if about is not None:
            wire["resourceRef"] = {}
        if field is not None:
            if about is None:
                raise UsageError(
                    "a result with a field must name the resource too: give it as 'resource'"
                    f" (field {field!r})"
                )
            wire["field"] = _field(about, field, current, proposed)
        elif current is not ... or proposed is not ...:
            raise UsageError(
                "'current' and 'proposed' are values of a field; give the field's path as 'field'"
            )
        if file is not None:
            wire["file"] = _file(file)
        elif about is not None and about._place is not None:
            wire["file"] = _written(*about._place)
        if tags:
            wire["tags"] = _tags(tags)
        if about is not None:
            wire["resourceRef"] = _reference(about)
        result = Result(wire)
        self._own.append(result)
        return result

    @property
    def has_errors(self) -> bool:
        """Whether this function has added an error. Errors of the input don't count."""
        return any(one.severity == "error" for one in self._own)

    if TYPE_CHECKING:

        @overload
        def __getitem__(self, at: int) -> Result: ...
        @overload
        def __getitem__(self, at: slice) -> list[Result]: ...

    def __getitem__(self, at: Any) -> Any:
        return [*self._came, *self._own][at]

    def __len__(self) -> int:
        return len(self._came) + len(self._own)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (Results, list)) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # mutable

    def __repr__(self) -> str:
        return repr(list(self))

    def _new(self) -> list[dict[str, Any]]:
        """Return this function's results as plain data, without those that are equal to one of the
        input.

        So a function that runs on its own output adds nothing.
        """
        if not self._own or not self._came:
            return [one.to_dict() for one in self._own]
        from json import dumps

        came = {dumps(one.to_dict(), sort_keys=True) for one in self._came}
        return [
            made for one in self._own if dumps(made := one.to_dict(), sort_keys=True) not in came
        ]


def _about(resource: Any) -> Resource:
    """Return the argument `resource` of a result: a Resource itself, or a new one with a copy of
    another mapping.

    Raises:
        UsageError: It isn't a mapping, or has a value that isn't JSON.
    """
    if isinstance(resource, Resource):
        return resource
    data = plain_data(resource)
    if not isinstance(data, dict):
        raise UsageError(
            "'resource' must be an item or a mapping with apiVersion, kind and metadata (got"
            f" {resource!r:.60})"
        )
    return Resource(data)


_NEEDED = (("apiVersion",), ("kind",), ("metadata", "name"))


def _missing(about: Resource) -> list[str]:
    found = ((steps, about._peek(*steps)) for steps in _NEEDED)
    return [".".join(steps) for steps, value in found if not isinstance(value, str) or not value]


def has_reference(about: Resource) -> bool:
    """Return whether a result can name the resource `about`, which must have an apiVersion, a kind
    and a name.
    """
    return not _missing(about)


def _reference(about: Resource) -> dict[str, str]:
    missing = _missing(about)
    if missing:
        raise UsageError(
            f"{about._where} has no {' and no '.join(missing)}, which the resource of a result must"
            " have; leave 'resource' out, and name the resource's file with 'file'"
        )
    namespace = about._peek("metadata", "namespace")
    made = {steps[-1]: about._peek(*steps) for steps in _NEEDED}
    return made | ({"namespace": namespace} if namespace and isinstance(namespace, str) else {})


def _field(about: Resource, field: Any, current: Any, proposed: Any) -> dict[str, Any]:
    steps = field_path.parse(field, whole_labels=True)
    made: dict[str, Any] = {"path": field}
    if current is ...:
        current = trees.lookup(about._now(), steps)
    for key, value in (("currentValue", current), ("proposedValue", proposed)):
        if value is not ... and (value is not None or key == "proposedValue"):
            made[key] = plain_data(value)
    return made


def _written(path: str, index: int) -> dict[str, Any]:
    # 0 is the default, and the specification's example leaves it out.
    return {"path": path, "index": index} if index else {"path": path}


def _file(file: Any) -> dict[str, Any]:
    """Return the `file` of a result, a mapping with `path`, and with `index` unless it is 0.

    Args:
        file: A path, or a mapping with `path` and perhaps `index`.

    Raises:
        UsageError: `file` is neither of them, or `index` isn't an integer of 0 or more.
    """
    data: Any = {"path": file} if isinstance(file, str) else plain_data(file)
    index = data.get("index", 0) if isinstance(data, dict) else None
    if (
        not isinstance(data, dict)
        or not isinstance(data.get("path"), str)
        or type(index) is not int
        or index < 0
    ):
        raise UsageError(
            "'file' must be a path, or a mapping with a path and, if wanted, an index of 0 or more"
            f" (got {file!r:.60})"
        )
    return _written(data["path"], index)


def _tags(tags: Any) -> dict[str, str]:
    data: Any = plain_data(tags)
    if not isinstance(data, dict) or not all(isinstance(one, str) for one in data.values()):
        raise UsageError(f"'tags' must be a mapping from strings to strings (got {tags!r:.60})")
    return data
