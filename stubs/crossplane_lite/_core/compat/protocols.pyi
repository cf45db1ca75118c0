"""The types of protobuf messages of any implementation, for type checkers: no module has them at
run time.
"""

from collections.abc import Mapping
from typing import Any, Literal, Protocol, TypeAlias

from ..models.model import Model

class StructMessage(Protocol):
    """A `google.protobuf.Struct` of any implementation."""

    @property
    def fields(self) -> Any: ...
    def SerializeToString(self) -> bytes: ...

class ResourceMessage(Protocol):
    """A `Resource` of any implementation and version of the protocol."""

    ready: Any

    @property
    def resource(self) -> Any: ...
    @property
    def connection_details(self) -> Any: ...

class DesiredHolder(Protocol):
    """A message with desired state: a `RunFunctionRequest` or a `RunFunctionResponse`."""

    @property
    def desired(self) -> Any: ...

class Request(Protocol):
    """A `RunFunctionRequest` of any implementation and version of the protocol."""

    @property
    def meta(self) -> Any: ...
    @property
    def observed(self) -> Any: ...
    @property
    def desired(self) -> Any: ...
    @property
    def input(self) -> Any: ...
    @property
    def context(self) -> Any: ...
    @property
    def credentials(self) -> Any: ...
    @property
    def extra_resources(self) -> Any: ...
    @property
    def required_resources(self) -> Any: ...
    @property
    def required_schemas(self) -> Any: ...
    def HasField(self, field_name: Any, /) -> bool: ...

class Response(Protocol):
    """A `RunFunctionResponse` of any implementation and version of the protocol."""

    @property
    def meta(self) -> Any: ...
    @property
    def desired(self) -> Any: ...
    @property
    def results(self) -> Any: ...
    @property
    def context(self) -> Any: ...
    @property
    def requirements(self) -> Any: ...
    @property
    def conditions(self) -> Any: ...
    @property
    def output(self) -> Any: ...

class Dumped(Protocol):
    """An object with pydantic's method `model_dump`, which can leave out the fields that weren't
    set.
    """

    def model_dump(
        self, *, exclude_unset: bool, by_alias: bool, warnings: bool
    ) -> dict[str, Any]: ...

Target: TypeAlias = Literal["composite", "composite_and_claim"] | int | None
"""The object that gets an event or a condition: a name, a TARGET_ number of the protocol, or None
for the default.
"""

Source: TypeAlias = Mapping[str, Any] | Model | StructMessage | Dumped
"""The types of objects that helpers accept: a mapping, a model, a Struct message or a pydantic
model.
"""
