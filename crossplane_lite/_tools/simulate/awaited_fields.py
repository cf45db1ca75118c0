"""Gives values to the fields of a simulated resource that other resources need (its awaited
fields).
"""

from __future__ import annotations

import math
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from typing import Any, Final

from ..._core.base.texts import json_type_in_words
from ..._core.paths.schema import Schema
from ..._core.paths.text import EXTERNAL_NAME, show
from ..manifests.objects import secret_place
from ..render.told import missing_field, name_of, without_method
from .builtin import condition
from .fixtures import Fixture
from .merging import ABSENT, at, copied, steps_of
from .values import MOST_ELEMENTS, Target, text_for, value_for

GIVEN: Final = "given"
FIXTURE: Final = "fixture"
MIRROR: Final = "spec"
SCHEMA: Final = "schema"
ASSUMED: Final = "assumed"
MADE_UP: Final = frozenset({SCHEMA, ASSUMED})

_MOST_MADE: Final = 10_000
_DETAILS: Final = ("username", "password", "endpoint")


class _Never(Exception):
    """An awaited field never gets a value. The text of the exception says why."""


class AwaitedFields:
    """One simulated resource, whose awaited fields get values. Other resources need these fields.

    Args:
        owner: The resource's name, apiVersion and kind.
        schema: The schema of the resource's kind; None if it isn't known.
        fixture: The facts that the user gives about the resource.
        resource: The resource's content so far, to which fields are added.

    Attributes:
        resource: The resource with the awaited fields.
        origins: The source of each awaited value, by the field's path: `given` (part of the
            resource anyway), `fixture`, `spec` (copied from `spec.forProvider`), `schema` (made up
            by the schema) or `assumed` (a guess).
        never: The reason why an awaited field never gets a value, by the field's path.
    """

    def __init__(
        self,
        owner: Target,
        schema: Mapping[str, Any] | None,
        fixture: Fixture,
        resource: dict[str, Any],
    ) -> None:
        self._owner = owner
        self._schema = schema
        self._fixture = fixture
        self.resource = resource
        self.origins: dict[str, str] = {}
        self.never: dict[str, str] = {}
        self._before = copied(resource)
        self._details: set[str] = set()
        self._wants_details = False

    def want(self, path: str) -> None:
        """Give a field a value if it has none, and note the value's source in `origins`.

        If the field never gets a value, note the reason in `never`. An empty path means that others
        wait for the resource itself; nothing is done then.

        Args:
            path: The field's path after the resource's name, such as `.status.atProvider.vpcId`.
        """
        if not path:  # others wait for the resource itself to be ready
            return
        steps = steps_of(path)
        if not steps:
            self.never[path] = "this isn't the path of a field"
            return
        try:
            self.origins[path] = self._origin(self._from_start(without_method(self._schema, steps)))
        except _Never as reason:
            self.never[path] = str(reason)

    def _from_start(self, steps: list[str | int]) -> list[str | int]:
        """Return a path in which negative indexes of lists are replaced by the indexes from the
        start.

        If the list is too short, an index such as -2 becomes 1: the list will get two elements.
        """
        found: list[str | int] = []
        holder: Any = self.resource
        for step in steps:
            if isinstance(step, int) and step < 0:
                length = len(list_of(holder))
                step = length + step if length + step >= 0 else -step - 1
            found.append(step)
            holder = at(holder, [step])
        return found

    def _origin(self, steps: list[str | int]) -> str:
        if steps == ["external_name"]:
            return self._external_name()
        if steps[0] == "connection_details":
            return self._connection_detail(steps)
        if steps[:2] == ["status", "conditions"] and len(steps) > 2 and isinstance(steps[2], str):
            return self._condition(steps[2], steps[3:])
        found = at(self.resource, steps)
        if found is not ABSENT and found is not None:
            return self._origin_of(steps)
        if steps[0] not in ("spec", "status"):
            raise _Never(
                f"a simulation makes up only fields of spec and status; set {show(steps)} in a"
                " fixture"
            )
        return self._fill(steps)

    def _origin_of(self, steps: Sequence[str | int]) -> str:
        """Return the source of a value that the resource has already.

        It is `fixture` if the fixture has the same value, or also has a mapping or list at this
        path. Else, for a value in a list that this class has made up, it is `schema` if the kind's
        schema is known, and `assumed` if not. For all other values, it is `given`.
        """
        known = at(self._fixture.content, steps)
        # A value of desired state wins over the fixture's. Objects are made of both.
        if isinstance(known, (dict, list)) or known == at(self.resource, steps):
            return FIXTURE
        if any(self._is_made_up(steps[:end]) for end in range(1, len(steps))):
            return SCHEMA if self._schema is not None else ASSUMED
        return GIVEN

    def _is_made_up(self, steps: Sequence[str | int]) -> bool:
        """Return whether a value is a list that was made up here; only such lists may get more
        elements.
        """
        return (
            isinstance(at(self.resource, steps), list)
            and not isinstance(at(self._before, steps), list)
            and not isinstance(self._mirrored(steps), list)
        )

    def _external_name(self) -> str:
        annotations = at(self.resource, ["metadata", "annotations"])
        name = annotations.get(EXTERNAL_NAME, ABSENT)
        if name is None:
            raise _Never(
                f"the fixture sets the annotation {EXTERNAL_NAME} to null: give the annotation a"
                " value there"
            )
        if name is not ABSENT:
            return self._origin_of(["metadata", "annotations", EXTERNAL_NAME])
        if self._schema is not None:
            raise _Never(
                f"no provider gives {self._owner.name} an external name, because {self._owner.kind}"
                " isn't a managed resource: its schema has no spec.forProvider"
            )
        annotations[EXTERNAL_NAME] = self.resource["metadata"].get("name", self._owner.name)
        return ASSUMED

    def _condition(self, type_: str, steps: list[str | int]) -> str:
        conditions = list_of(at(self.resource, ["status", "conditions"]))
        found = next(
            (one for one in conditions if isinstance(one, dict) and one.get("type") == type_), None
        )
        if found is None:
            missing = self._missing(["status", "conditions"])
            if missing:
                raise _Never(missing)
            found = condition(type_, "Simulated")
            self.resource.setdefault("status", {}).setdefault("conditions", []).append(found)
        if not steps or at(found, steps) is not ABSENT:
            return GIVEN
        more = {
            "message": "simulated",
            "observedGeneration": self.resource["metadata"]["generation"],
        }
        if len(steps) > 1 or steps[0] not in more:
            raise _Never(f"a condition has no field {show(steps)}")
        found[str(steps[0])] = more[str(steps[0])]
        return ASSUMED

    def _connection_detail(self, steps: list[str | int]) -> str:
        if secret_place(self.resource) is None:
            raise _Never(
                f"{self._owner.name} has no spec.writeConnectionSecretToRef, so it gets no"
                " connection Secret"
            )
        if len(steps) == 1:
            self._wants_details = True
            return FIXTURE if self._fixture.details else ASSUMED
        key = str(steps[1])
        if self._fixture.details.get(key, "") is None:
            raise _Never(
                f"the fixture sets {show(['connectionDetails', key])} to null: give it a value"
                " there"
            )
        self._details.add(key)
        return FIXTURE if key in self._fixture.details else ASSUMED

    def secret(self, data: Mapping[str, str] | None) -> dict[str, Any] | None:
        """Return the resource's connection Secret with all known and awaited details; None if it
        names no Secret.

        A detail that the fixture sets to null is removed.

        Args:
            data: The data of the Secret so far, in base64; None if there is none.
        """
        place = secret_place(self.resource)
        if place is None:
            return None
        known = {key: b64decode(text) for key, text in (data or {}).items()}
        for key, text in self._fixture.details.items():
            if text is None:
                known.pop(key, None)
            else:
                known[key] = text.encode()
        wanted = self._details or (_DETAILS if self._wants_details and not known else ())
        for key in sorted(wanted):
            known.setdefault(key, text_for(self._owner, [key]).encode())
        return secret_at(place, known)

    # Fields of spec and status.

    def _fill(self, steps: list[str | int]) -> str:
        places = self._places(steps)
        indexes = [step for step in steps if isinstance(step, int)]
        if (
            max(indexes, default=0) >= MOST_ELEMENTS
            or math.prod(one + 1 for one in indexes) > _MOST_MADE
        ):
            raise _Never(
                f"a simulation makes up at most {MOST_ELEMENTS} elements of a list, and at most"
                f" {_MOST_MADE:,} of a list and the lists in it together; give this list in a"
                " fixture"
            )
        holder: Any = self.resource
        for depth, step in enumerate(steps):
            path = steps[:depth]
            kind: type[Any] = list if isinstance(step, int) else dict
            if not isinstance(holder, kind):
                wanted = "a list" if isinstance(step, int) else "an object"
                raise _Never(f"{show(path)} is {json_type_in_words(holder)}, not {wanted}")
            if isinstance(step, int):
                if step >= len(holder) and not self._is_made_up(path):
                    raise _Never(f"{show(path)} has no [{step}]: its length is {len(holder)}")
                self._grow(holder, step, steps, depth, places)
            elif step not in holder:
                if depth + 1 == len(steps):
                    return self._put(holder, steps, places[-1])
                empty: Any = [] if isinstance(steps[depth + 1], int) else {}
                same = self._mirrored(steps[: depth + 1])
                holder[step] = _fitting(same, places[depth]) if type(same) is type(empty) else empty
            if holder[step] is None:
                raise _Never(
                    f"the fixture sets {show(steps[: depth + 1])} to null: give it a value there"
                )
            holder = holder[step]
        return self._origin_of(steps)

    def _places(self, steps: list[str | int]) -> list[Schema]:
        """Return the schema of the value at each step of a path. It is empty where any value is
        allowed.

        Raises:
            _Never: The schema lacks a step, or an index is beyond the schema's `maxItems`.
        """
        places = []
        place = Schema(self._schema or {})
        for depth, step in enumerate(steps):
            found = place.below(step)
            if found is None:
                raise _Never(self._missing(steps))
            most = place.source.get("maxItems")
            if isinstance(step, int) and isinstance(most, int) and step >= most:
                raise _Never(
                    f"{name_of(*self._owner[1:])} allows at most {most} elements in"
                    f" {show(steps[:depth])}"
                )
            place = found
            places.append(place)
        return places

    def _missing(self, steps: list[str | int]) -> str:
        return missing_field(self._schema or {}, steps, name_of(*self._owner[1:]))

    def _mirrored(self, steps: Sequence[str | int]) -> Any:
        """Return the value that a provider copies to the status field at `steps`; ABSENT if there
        is none.

        A provider copies `spec.forProvider.x` to `status.atProvider.x`, and the external name to
        `status.atProvider.id`.
        """
        if [*steps[:2]] != ["status", "atProvider"] or len(steps) == 2:
            return ABSENT
        if [*steps[2:]] == ["id"]:
            return at(self.resource, ["metadata", "annotations", EXTERNAL_NAME])
        return at(self.resource, ["spec", "forProvider", *steps[2:]])

    def _grow(
        self, holder: Any, step: int, steps: list[str | int], depth: int, places: list[Schema]
    ) -> None:
        """Add elements with made-up values to a list until it has the index `step`.

        `step` is `steps[depth]`, and `places` has the schema of the value at each step.
        """
        is_open = places[depth].is_free and depth + 1 < len(steps)
        while len(holder) <= step:
            place = [*steps[:depth], len(holder)]
            if is_open:
                holder.append([] if isinstance(steps[depth + 1], int) else {})
                if len(holder) <= step:
                    self._fill([*place, *steps[depth + 1 :]])
            else:
                holder.append(value_for(places[depth].source, self._owner, place).value)

    def _put(self, holder: dict[str | int, Any], steps: list[str | int], place: Schema) -> str:
        mirrored = self._mirrored(steps)
        if mirrored is not ABSENT and mirrored is not None:
            holder[steps[-1]] = _fitting(mirrored, place)
            return MIRROR
        holder[steps[-1]], is_assumed = value_for(place.source, self._owner, steps)
        return ASSUMED if is_assumed or self._schema is None else SCHEMA


def _fitting(value: Any, place: Schema) -> Any:
    """Return a deep copy of a value without the fields that a schema lacks."""
    if isinstance(value, list):
        return [_fitting(one, place.below(at) or Schema({})) for at, one in enumerate(value)]
    if isinstance(value, dict):
        found = {key: place.below(key) for key in value}
        return {
            key: _fitting(value[key], inner) for key, inner in found.items() if inner is not None
        }
    return value


def secret_at(place: tuple[str, str], details: Mapping[str, bytes]) -> dict[str, Any]:
    """Return a connection Secret.

    Args:
        place: The Secret's namespace (empty for none) and the Secret's name.
        details: The Secret's data.
    """
    namespace, name = place
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    kind = {"apiVersion": "v1", "kind": "Secret", "type": "connection.crossplane.io/v1alpha1"}
    return {
        **kind,
        "metadata": metadata,
        "data": {key: b64encode(details[key]).decode() for key in sorted(details)},
    }


def list_of(value: Any) -> list[Any]:
    """Return `value` if it is a list, else an empty list."""
    return value if isinstance(value, list) else []
