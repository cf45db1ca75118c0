"""The messages and enums of `apiextensions.fn.proto.v1`, which protobuf makes while the program
runs.
"""

import datetime
from collections.abc import (
    Callable,
    ItemsView,
    Iterable,
    Iterator,
    KeysView,
    Mapping,
    MutableMapping,
    MutableSequence,
    Sequence,
    ValuesView,
)
from typing import Any, ClassVar, TypeVar, final, overload, type_check_only

from google.protobuf.descriptor import FileDescriptor
from google.protobuf.message import Message
from typing_extensions import Self

_T = TypeVar("_T")
_M = TypeVar("_M", bound=Message)

DESCRIPTOR: FileDescriptor

@type_check_only
class _Message(Message):  # type: ignore[misc,unused-ignore]  # protobuf itself comes without types
    """The methods of every message."""

    @classmethod
    def FromString(cls, s: bytes) -> Self: ...
    def ByteSize(self) -> int: ...
    def Clear(self) -> None: ...
    def ClearField(self, field_name: str) -> None: ...
    def CopyFrom(self, other_msg: Self) -> None: ...
    def HasField(self, field_name: str) -> bool: ...
    def MergeFrom(self, other_msg: Self) -> None: ...
    def MergeFromString(self, serialized: bytes) -> int: ...
    def ParseFromString(self, serialized: bytes) -> int: ...
    def SerializeToString(self, *, deterministic: bool = ...) -> bytes: ...
    def SetInParent(self) -> None: ...
    def WhichOneof(self, oneof_group: str) -> str | None: ...

@type_check_only
class _EnumType(type):
    """The methods of every enum. An enum's values are plain integers."""

    def Name(cls, number: int) -> str: ...
    def Value(cls, name: str) -> int: ...
    def keys(cls) -> list[str]: ...
    def values(cls) -> list[int]: ...
    def items(cls) -> list[tuple[str, int]]: ...

@type_check_only
class _RepeatedMessage(Sequence[_M]):
    """A repeated field of messages. Elements can be added, but not assigned."""

    @overload
    def __getitem__(self, index: int) -> _M: ...
    @overload
    def __getitem__(self, index: slice) -> list[_M]: ...
    def __delitem__(self, index: int | slice) -> None: ...
    def __len__(self) -> int: ...
    def add(self, **fields: Any) -> _M: ...
    def append(self, value: _M) -> None: ...
    def clear(self) -> None: ...
    def extend(self, values: Iterable[_M]) -> None: ...
    def insert(self, index: int, value: _M) -> None: ...
    def pop(self, index: int = -1) -> _M: ...
    def remove(self, value: _M) -> None: ...
    def reverse(self) -> None: ...
    def sort(self, *, key: Callable[[_M], Any] | None = None, reverse: bool = False) -> None: ...
    def MergeFrom(self, other: Iterable[_M]) -> None: ...

@type_check_only
class _RepeatedScalar(MutableSequence[_T]):
    """A repeated field of plain values."""

    @overload
    def __getitem__(self, index: int) -> _T: ...
    @overload
    def __getitem__(self, index: slice) -> list[_T]: ...
    @overload
    def __setitem__(self, index: int, value: _T) -> None: ...
    @overload
    def __setitem__(self, index: slice, value: Iterable[_T]) -> None: ...
    def __delitem__(self, index: int | slice) -> None: ...
    def __len__(self) -> int: ...
    def insert(self, index: int, value: _T) -> None: ...
    def sort(self, *, key: Callable[[_T], Any] | None = None, reverse: bool = False) -> None: ...
    def MergeFrom(self, other: Iterable[_T]) -> None: ...

@type_check_only
class _MessageMap(Mapping[str, _M]):
    """A map field of messages. Reading a missing key adds an empty message; entries can't be
    assigned.
    """

    def __getitem__(self, key: str) -> _M: ...
    def __delitem__(self, key: str) -> None: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...
    def clear(self) -> None: ...
    def get_or_create(self, key: str) -> _M: ...
    def pop(self, key: str, default: _M = ...) -> _M: ...
    def MergeFrom(self, other: Self) -> None: ...

@type_check_only
class _ScalarMap(MutableMapping[str, _T]):
    """A map field of plain values."""

    def __getitem__(self, key: str) -> _T: ...
    def __setitem__(self, key: str, value: _T) -> None: ...
    def __delitem__(self, key: str) -> None: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...
    def MergeFrom(self, other: Self) -> None: ...

# The private pool has its own Struct and Duration; those of struct_pb2 and duration_pb2 can't take
# their place.
@type_check_only
class _Struct(_Message):
    """google.protobuf.Struct: a JSON object."""

    def __init__(self, *, fields: Mapping[str, Any] | None = ...) -> None: ...
    @property
    def fields(self) -> _MessageMap[_Value]: ...
    def __contains__(self, key: str) -> bool: ...
    def __delitem__(self, key: str) -> None: ...
    def __getitem__(self, key: str) -> Any: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...
    def __setitem__(self, key: str, value: Any) -> None: ...
    def get_or_create_list(self, key: str) -> _ListValue: ...
    def get_or_create_struct(self, key: str) -> _Struct: ...
    def items(self) -> ItemsView[str, Any]: ...
    def keys(self) -> KeysView[str]: ...
    def update(self, value: Mapping[str, Any]) -> None: ...
    def values(self) -> ValuesView[Any]: ...

@type_check_only
class _Value(_Message):
    """google.protobuf.Value: any JSON value."""

    null_value: int
    number_value: float
    string_value: str
    bool_value: bool
    @property
    def struct_value(self) -> _Struct: ...
    @property
    def list_value(self) -> _ListValue: ...

@type_check_only
class _ListValue(_Message):
    """google.protobuf.ListValue: a JSON array."""

    @property
    def values(self) -> _RepeatedMessage[_Value]: ...
    def __delitem__(self, index: int) -> None: ...
    def __getitem__(self, index: int) -> Any: ...
    def __len__(self) -> int: ...
    def __setitem__(self, index: int, value: Any) -> None: ...
    def add_list(self) -> _ListValue: ...
    def add_struct(self) -> _Struct: ...
    def append(self, value: Any) -> None: ...
    def extend(self, values: Iterable[Any]) -> None: ...
    def items(self) -> Iterator[Any]: ...

@type_check_only
class _Duration(_Message):
    """google.protobuf.Duration: a span of time."""

    seconds: int
    nanos: int
    def __init__(self, *, seconds: int | None = ..., nanos: int | None = ...) -> None: ...
    def FromJsonString(self, value: str) -> None: ...
    def FromMilliseconds(self, millis: int) -> None: ...
    def FromSeconds(self, seconds: int) -> None: ...
    def FromTimedelta(self, td: datetime.timedelta) -> None: ...
    def ToJsonString(self) -> str: ...
    def ToMilliseconds(self) -> int: ...
    def ToSeconds(self) -> int: ...
    def ToTimedelta(self) -> datetime.timedelta: ...

class Capability(int, metaclass=_EnumType):
    """A feature of the protocol that the caller, such as Crossplane, supports."""

    CAPABILITY_UNSPECIFIED: ClassVar[Capability]
    CAPABILITY_CAPABILITIES: ClassVar[Capability]
    CAPABILITY_REQUIRED_RESOURCES: ClassVar[Capability]
    CAPABILITY_CREDENTIALS: ClassVar[Capability]
    CAPABILITY_CONDITIONS: ClassVar[Capability]
    CAPABILITY_REQUIRED_SCHEMAS: ClassVar[Capability]

class Ready(int, metaclass=_EnumType):
    """Whether a resource is ready."""

    READY_UNSPECIFIED: ClassVar[Ready]
    READY_TRUE: ClassVar[Ready]
    READY_FALSE: ClassVar[Ready]

class Severity(int, metaclass=_EnumType):
    """The severity of a result. A fatal result stops the pipeline."""

    SEVERITY_UNSPECIFIED: ClassVar[Severity]
    SEVERITY_FATAL: ClassVar[Severity]
    SEVERITY_WARNING: ClassVar[Severity]
    SEVERITY_NORMAL: ClassVar[Severity]

class Target(int, metaclass=_EnumType):
    """The object that gets an event or a condition: the composite, or the composite and its
    claim.
    """

    TARGET_UNSPECIFIED: ClassVar[Target]
    TARGET_COMPOSITE: ClassVar[Target]
    TARGET_COMPOSITE_AND_CLAIM: ClassVar[Target]

class Status(int, metaclass=_EnumType):
    """The status of a condition."""

    STATUS_CONDITION_UNSPECIFIED: ClassVar[Status]
    STATUS_CONDITION_UNKNOWN: ClassVar[Status]
    STATUS_CONDITION_TRUE: ClassVar[Status]
    STATUS_CONDITION_FALSE: ClassVar[Status]

CAPABILITY_UNSPECIFIED: Capability
CAPABILITY_CAPABILITIES: Capability
CAPABILITY_REQUIRED_RESOURCES: Capability
CAPABILITY_CREDENTIALS: Capability
CAPABILITY_CONDITIONS: Capability
CAPABILITY_REQUIRED_SCHEMAS: Capability
READY_UNSPECIFIED: Ready
READY_TRUE: Ready
READY_FALSE: Ready
SEVERITY_UNSPECIFIED: Severity
SEVERITY_FATAL: Severity
SEVERITY_WARNING: Severity
SEVERITY_NORMAL: Severity
TARGET_UNSPECIFIED: Target
TARGET_COMPOSITE: Target
TARGET_COMPOSITE_AND_CLAIM: Target
STATUS_CONDITION_UNSPECIFIED: Status
STATUS_CONDITION_UNKNOWN: Status
STATUS_CONDITION_TRUE: Status
STATUS_CONDITION_FALSE: Status

@final
class RunFunctionRequest(_Message):
    """A call of a function: the observed and desired state, the input, and what Crossplane fetched
    for the function.
    """

    META_FIELD_NUMBER: ClassVar[int]
    OBSERVED_FIELD_NUMBER: ClassVar[int]
    DESIRED_FIELD_NUMBER: ClassVar[int]
    INPUT_FIELD_NUMBER: ClassVar[int]
    CONTEXT_FIELD_NUMBER: ClassVar[int]
    EXTRA_RESOURCES_FIELD_NUMBER: ClassVar[int]
    CREDENTIALS_FIELD_NUMBER: ClassVar[int]
    REQUIRED_RESOURCES_FIELD_NUMBER: ClassVar[int]
    REQUIRED_SCHEMAS_FIELD_NUMBER: ClassVar[int]
    def __init__(
        self,
        *,
        meta: RequestMeta | Mapping[str, Any] | None = ...,
        observed: State | Mapping[str, Any] | None = ...,
        desired: State | Mapping[str, Any] | None = ...,
        input: _Struct | Mapping[str, Any] | None = ...,
        context: _Struct | Mapping[str, Any] | None = ...,
        extra_resources: Mapping[str, Resources] | None = ...,
        credentials: Mapping[str, Credentials] | None = ...,
        required_resources: Mapping[str, Resources] | None = ...,
        required_schemas: Mapping[str, Schema] | None = ...,
    ) -> None: ...
    @property
    def meta(self) -> RequestMeta: ...
    @property
    def observed(self) -> State: ...
    @property
    def desired(self) -> State: ...
    @property
    def input(self) -> _Struct: ...
    @property
    def context(self) -> _Struct: ...
    @property
    def extra_resources(self) -> _MessageMap[Resources]: ...
    @property
    def credentials(self) -> _MessageMap[Credentials]: ...
    @property
    def required_resources(self) -> _MessageMap[Resources]: ...
    @property
    def required_schemas(self) -> _MessageMap[Schema]: ...

@final
class Credentials(_Message):
    """Credentials for the function."""

    CREDENTIAL_DATA_FIELD_NUMBER: ClassVar[int]
    def __init__(
        self,
        *,
        credential_data: CredentialData | Mapping[str, Any] | None = ...,
    ) -> None: ...
    @property
    def credential_data(self) -> CredentialData: ...

@final
class CredentialData(_Message):
    """The data of a Secret."""

    DATA_FIELD_NUMBER: ClassVar[int]
    def __init__(
        self,
        *,
        data: Mapping[str, bytes] | None = ...,
    ) -> None: ...
    @property
    def data(self) -> _ScalarMap[bytes]: ...

@final
class Resources(_Message):
    """The resources that answer one requirement."""

    ITEMS_FIELD_NUMBER: ClassVar[int]
    def __init__(
        self,
        *,
        items: Iterable[Resource | Mapping[str, Any]] | None = ...,
    ) -> None: ...
    @property
    def items(self) -> _RepeatedMessage[Resource]: ...

@final
class RunFunctionResponse(_Message):
    """A function's answer: the desired state, results, conditions and requirements."""

    META_FIELD_NUMBER: ClassVar[int]
    DESIRED_FIELD_NUMBER: ClassVar[int]
    RESULTS_FIELD_NUMBER: ClassVar[int]
    CONTEXT_FIELD_NUMBER: ClassVar[int]
    REQUIREMENTS_FIELD_NUMBER: ClassVar[int]
    CONDITIONS_FIELD_NUMBER: ClassVar[int]
    OUTPUT_FIELD_NUMBER: ClassVar[int]
    def __init__(
        self,
        *,
        meta: ResponseMeta | Mapping[str, Any] | None = ...,
        desired: State | Mapping[str, Any] | None = ...,
        results: Iterable[Result | Mapping[str, Any]] | None = ...,
        context: _Struct | Mapping[str, Any] | None = ...,
        requirements: Requirements | Mapping[str, Any] | None = ...,
        conditions: Iterable[Condition | Mapping[str, Any]] | None = ...,
        output: _Struct | Mapping[str, Any] | None = ...,
    ) -> None: ...
    @property
    def meta(self) -> ResponseMeta: ...
    @property
    def desired(self) -> State: ...
    @property
    def results(self) -> _RepeatedMessage[Result]: ...
    @property
    def context(self) -> _Struct: ...
    @property
    def requirements(self) -> Requirements: ...
    @property
    def conditions(self) -> _RepeatedMessage[Condition]: ...
    @property
    def output(self) -> _Struct: ...

@final
class RequestMeta(_Message):
    """The tag of a request, and the capabilities of its caller."""

    TAG_FIELD_NUMBER: ClassVar[int]
    CAPABILITIES_FIELD_NUMBER: ClassVar[int]
    tag: str
    def __init__(
        self,
        *,
        tag: str | None = ...,
        capabilities: Iterable[Capability | str] | None = ...,
    ) -> None: ...
    @property
    def capabilities(self) -> _RepeatedScalar[Capability]: ...

@final
class Requirements(_Message):
    """The resources and schemas that Crossplane must fetch before it calls the function again."""

    EXTRA_RESOURCES_FIELD_NUMBER: ClassVar[int]
    RESOURCES_FIELD_NUMBER: ClassVar[int]
    SCHEMAS_FIELD_NUMBER: ClassVar[int]
    def __init__(
        self,
        *,
        extra_resources: Mapping[str, ResourceSelector] | None = ...,
        resources: Mapping[str, ResourceSelector] | None = ...,
        schemas: Mapping[str, SchemaSelector] | None = ...,
    ) -> None: ...
    @property
    def extra_resources(self) -> _MessageMap[ResourceSelector]: ...
    @property
    def resources(self) -> _MessageMap[ResourceSelector]: ...
    @property
    def schemas(self) -> _MessageMap[SchemaSelector]: ...

@final
class ResourceSelector(_Message):
    """Selects the resources of a requirement: a kind, and a name or labels."""

    API_VERSION_FIELD_NUMBER: ClassVar[int]
    KIND_FIELD_NUMBER: ClassVar[int]
    MATCH_NAME_FIELD_NUMBER: ClassVar[int]
    MATCH_LABELS_FIELD_NUMBER: ClassVar[int]
    NAMESPACE_FIELD_NUMBER: ClassVar[int]
    api_version: str
    kind: str
    match_name: str
    namespace: str
    def __init__(
        self,
        *,
        api_version: str | None = ...,
        kind: str | None = ...,
        match_name: str | None = ...,
        match_labels: MatchLabels | Mapping[str, Any] | None = ...,
        namespace: str | None = ...,
    ) -> None: ...
    @property
    def match_labels(self) -> MatchLabels: ...

@final
class MatchLabels(_Message):
    """The labels that a required resource must have."""

    LABELS_FIELD_NUMBER: ClassVar[int]
    def __init__(
        self,
        *,
        labels: Mapping[str, str] | None = ...,
    ) -> None: ...
    @property
    def labels(self) -> _ScalarMap[str]: ...

@final
class SchemaSelector(_Message):
    """Selects the OpenAPI schema of a requirement: the schema of a kind."""

    API_VERSION_FIELD_NUMBER: ClassVar[int]
    KIND_FIELD_NUMBER: ClassVar[int]
    api_version: str
    kind: str
    def __init__(
        self,
        *,
        api_version: str | None = ...,
        kind: str | None = ...,
    ) -> None: ...

@final
class Schema(_Message):
    """The answer to a required schema; empty where Crossplane doesn't know the kind."""

    OPENAPI_V3_FIELD_NUMBER: ClassVar[int]
    def __init__(
        self,
        *,
        openapi_v3: _Struct | Mapping[str, Any] | None = ...,
    ) -> None: ...
    @property
    def openapi_v3(self) -> _Struct: ...

@final
class ResponseMeta(_Message):
    """The tag of a response, and how long Crossplane may cache the response."""

    TAG_FIELD_NUMBER: ClassVar[int]
    TTL_FIELD_NUMBER: ClassVar[int]
    tag: str
    def __init__(
        self,
        *,
        tag: str | None = ...,
        ttl: _Duration | Mapping[str, Any] | None = ...,
    ) -> None: ...
    @property
    def ttl(self) -> _Duration: ...

@final
class State(_Message):
    """A composite resource and its composed resources."""

    COMPOSITE_FIELD_NUMBER: ClassVar[int]
    RESOURCES_FIELD_NUMBER: ClassVar[int]
    def __init__(
        self,
        *,
        composite: Resource | Mapping[str, Any] | None = ...,
        resources: Mapping[str, Resource] | None = ...,
    ) -> None: ...
    @property
    def composite(self) -> Resource: ...
    @property
    def resources(self) -> _MessageMap[Resource]: ...

@final
class Resource(_Message):
    """One resource with its connection details and readiness."""

    RESOURCE_FIELD_NUMBER: ClassVar[int]
    CONNECTION_DETAILS_FIELD_NUMBER: ClassVar[int]
    READY_FIELD_NUMBER: ClassVar[int]
    ready: Ready
    def __init__(
        self,
        *,
        resource: _Struct | Mapping[str, Any] | None = ...,
        connection_details: Mapping[str, bytes] | None = ...,
        ready: Ready | str | None = ...,
    ) -> None: ...
    @property
    def resource(self) -> _Struct: ...
    @property
    def connection_details(self) -> _ScalarMap[bytes]: ...

@final
class Result(_Message):
    """A message for people: it becomes an event of the composite resource."""

    SEVERITY_FIELD_NUMBER: ClassVar[int]
    MESSAGE_FIELD_NUMBER: ClassVar[int]
    REASON_FIELD_NUMBER: ClassVar[int]
    TARGET_FIELD_NUMBER: ClassVar[int]
    severity: Severity
    message: str
    reason: str
    target: Target
    def __init__(
        self,
        *,
        severity: Severity | str | None = ...,
        message: str | None = ...,
        reason: str | None = ...,
        target: Target | str | None = ...,
    ) -> None: ...

@final
class Condition(_Message):
    """A status condition of the composite resource."""

    TYPE_FIELD_NUMBER: ClassVar[int]
    STATUS_FIELD_NUMBER: ClassVar[int]
    REASON_FIELD_NUMBER: ClassVar[int]
    MESSAGE_FIELD_NUMBER: ClassVar[int]
    TARGET_FIELD_NUMBER: ClassVar[int]
    type: str
    status: Status
    reason: str
    message: str
    target: Target
    def __init__(
        self,
        *,
        type: str | None = ...,
        status: Status | str | None = ...,
        reason: str | None = ...,
        message: str | None = ...,
        target: Target | str | None = ...,
    ) -> None: ...
