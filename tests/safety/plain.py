"""Styles run on plain values: what the same code composes where every value is simply there.

The same function that the SDK runs is called with a context made of plain Python, in which an observed status is a
dict with attributes. It is the oracle for what is resolved, and for what depends on a value: where two values of it
give the same, it doesn't count.
"""

from __future__ import annotations

__all__ = ["Body", "Missing", "PlainContext", "Removed", "Seen", "World", "evaluate", "make", "plan_contents"]

import asyncio
import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from crossplane_lite import Unstructured
from tests.safety import models
from tests.safety.cluster import EXTERNAL_NAME, Path, content

TYPED: Final = frozenset({"VPC", "Balancer"})
"""The kinds that `tests.safety.models` has."""


class Body(dict):  # type: ignore[type-arg]
    """An object without a schema: attributes are keys, and what isn't there is made when something is set below."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self.setdefault(name, Body())

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value


class View(dict):  # type: ignore[type-arg]
    """An observed object; what isn't there is an error, because plain worlds are complete."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


class Missing:
    """A value that isn't there, in plain Python: false, empty and equal to nothing; its text tells it from others."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __bool__(self) -> bool:
        return False

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __len__(self) -> int:
        return 0

    def __int__(self) -> int:
        raise ValueError("missing")

    def __getitem__(self, key: Any) -> Missing:
        return self

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __repr__(self) -> str:
        return self._text

    def __reduce__(self) -> Any:
        return Missing, (self._text,)


def _viewed(value: Any) -> Any:
    if isinstance(value, Mapping):
        return View({key: _viewed(item) for key, item in value.items()})
    return [_viewed(item) for item in value] if isinstance(value, list) else value


@dataclass
class World:
    """What is observed.

    Attributes:
        statuses: The status of each composed resource; the one of "*" for those that aren't named.
        ready: Whether composed resources are ready.
        unready: Which of them aren't, whatever `ready` says.
        exists: Whether composed resources exist.
        existing: Which of them do, where a gate for creation asks.
        spec: The composite's spec.
        xr_status: The composite's status.
        required: The status of required resources.
    """

    statuses: Mapping[str, Mapping[str, Any]]
    ready: bool = True
    unready: frozenset[str] = frozenset()
    exists: bool = True
    existing: frozenset[str] = frozenset()
    spec: Mapping[str, Any] = field(default_factory=dict)
    xr_status: Mapping[str, Any] = field(default_factory=dict)
    required: Mapping[str, Any] = field(default_factory=dict)
    connection: Mapping[str, str] = field(default_factory=lambda: {"password": "hunter22"})

    def is_ready(self, name: str) -> bool:
        return self.ready and name not in self.unready

    def status_of(self, name: str) -> Mapping[str, Any]:
        found = self.statuses.get(name)
        return self.statuses.get("*", {}) if found is None else found


class _Reference(str):
    """What an unset external name reads as in desired state: a reference, which is false as an Observable is."""

    def __bool__(self) -> bool:
        return False


class _Observed:
    def __init__(self, name: str, world: World, live: Body) -> None:
        self._world = world
        self._is_ready = world.is_ready(name)
        condition = {"type": "Ready", "status": "True" if self._is_ready else "False"}
        self.status = _viewed({**world.status_of(name), "conditions": [condition]})
        self.external_name = f"ext-{name}"
        self.connection_details = dict(world.connection)
        self.ready = self._is_ready
        self.spec = live.get("spec", {})
        self.metadata = View(name=f"net-{name}", uid=f"uid-{name}", labels={}, annotations={})

    def __bool__(self) -> bool:
        return self._world.exists

    def condition(self, type_: str) -> Any:
        return View(status="True" if self._is_ready else "False", type=type_)


class _Resource(Body):
    """A registered resource."""

    def __init__(self, fields: Mapping[str, Any], name: str, world: World, depends_on: Any) -> None:
        super().__init__(fields)
        dict.setdefault(self, "metadata", Body(labels=Body(), annotations=Body()))
        object.__setattr__(self, "_observed", _Observed(name, world, self))
        object.__setattr__(self, "_world", world)
        object.__setattr__(self, "depends_on", [d if isinstance(d, str) else d.name for d in depends_on])
        object.__setattr__(self, "name", name)

    @property
    def observed(self) -> Any:
        return self._observed

    @property
    def external_name(self) -> Any:
        return self.metadata.annotations.get(EXTERNAL_NAME) or _Reference(self._observed.external_name)

    def condition(self, type_: str) -> Any:
        return self._observed.condition(type_)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "external_name":
            self.metadata.annotations[EXTERNAL_NAME] = value
        elif name == "ready":
            pass
        else:
            self[name] = value

    def __delattr__(self, name: str) -> None:
        self.pop(name, None)


class Removed(Exception):
    """`ctx.remove` was called for something that isn't registered."""


class _Composite:
    def __init__(self, world: World) -> None:
        self.observed = View(
            spec=_viewed(world.spec), status=_viewed(world.xr_status), metadata=View(name="net", uid="u")
        )
        self.spec = self.observed.spec
        self.metadata = self.observed.metadata
        self.status = Body()


class _Ignored:
    """Takes whatever is called or set."""

    def __getattr__(self, name: str) -> Any:
        return _Ignored()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return _Ignored()

    def __setitem__(self, key: Any, value: Any) -> None:
        pass


class PlainContext:
    """A context of plain Python."""

    def __init__(self, world: World, context: dict[str, Any]) -> None:
        self._world = world
        self.resources: dict[str, _Resource] = {}
        self.context = context
        self.requirements = self.results = self.conditions = self.log = _Ignored()
        self._composite = _Composite(world)

    @property
    def required_resources(self) -> Any:
        return {
            key: [View(observed=View(_viewed(item)), **_viewed(item)) for item in items]
            for key, items in self._world.required.items()
        }

    def composite(self, model: Any) -> Any:
        return self._composite

    def resource(self, name: str, body: Mapping[str, Any], *, depends_on: Any = ()) -> Any:
        if name in self.resources:
            raise ValueError(f"{name} is registered twice")
        self.resources[name] = _Resource(body, name, self._world, depends_on)
        return self.resources[name]

    def remove(self, name: str) -> None:
        self.resources.pop(name, None)


class Seen:
    """A resource of another step, as far as it is observed; what a resource that is registered here has, too."""

    def __init__(self, ctx: Any, name: str) -> None:
        self.registered_as = name
        self.observed = ctx.observed[name]

    def condition(self, type_: str) -> Any:
        return self.observed.condition(type_)


def make(ctx: Any, name: str, kind: str = "Thing", *, depends_on: Any = (), **spec: Any) -> Any:
    """Register a resource, in a context of the SDK or in a plain one.

    The kinds of `tests.safety.models` are typed; others are `Unstructured`.
    """
    instance: Any
    depends_on = [other.registered_as if isinstance(other, Seen) else other for other in depends_on]
    version = "v1" if kind == "ConfigMap" else "example.org/v1"
    fields = {"data": spec} if kind == "ConfigMap" else {"spec": spec}
    if isinstance(ctx, PlainContext):
        instance = Body(apiVersion=version, kind=kind, **{key: _bodied(value) for key, value in fields.items()})
    elif kind in TYPED:
        instance = getattr(models, kind)(**fields)
    else:
        instance = Unstructured(version, kind, **fields)
    return ctx.resource(name, instance, depends_on=depends_on)


def _bodied(value: Any) -> Any:
    if isinstance(value, Mapping):
        return Body({key: _bodied(item) for key, item in value.items()})
    return [_bodied(item) for item in value] if isinstance(value, list | tuple) else value


def evaluate(functions: Any, world: World) -> tuple[dict[str, dict[str, Any]], dict[str, Any]]:
    """Return what functions compose in a world, by name, and the status of the composite.

    Raises:
        Exception: What the functions raise.
    """
    plan: dict[str, dict[str, Any]] = {}
    status: dict[str, Any] = {}
    context: dict[str, Any] = {}
    for function in functions:
        ctx = PlainContext(world, context)
        _finish(function, ctx)
        for name, body in ctx.resources.items():
            if name in world.existing or all(map(world.is_ready, body.depends_on)):
                plan[name] = _merged(plan.get(name, {}), body)
        status.update(ctx._composite.status)
    return plan, status


def _merged(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Lay a later step's resource over an earlier one's."""
    merged = dict(base)
    for key, value in over.items():
        below = merged.get(key)
        is_map = isinstance(value, Mapping) and isinstance(below, Mapping)
        merged[key] = _merged(below, value) if is_map else value
    return merged


def _finish(function: Callable[[Any], Any], ctx: PlainContext) -> None:
    result = function(ctx)
    if inspect.iscoroutine(result):
        asyncio.run(result)


def plan_contents(plan: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[Path, Any]]:
    """Return the content of each composed object of a plan, without what is unset."""
    return {name: content(_present(body)) for name, body in plan.items()}


def _present(value: Any) -> Any:
    """Drop None and the maps that nobody wrote to."""
    if isinstance(value, Mapping):
        items = {key: _present(item) for key, item in value.items() if item is not None}
        return {key: item for key, item in items.items() if item != {} or value[key] == {} and type(value[key]) is dict}
    return [_present(item) for item in value] if isinstance(value, list | tuple) else value
