# pyright: reportPrivateUsage=false
"""The messages and enums of `apiextensions.fn.proto.v1beta1`: those of v1, as classes of their
own.
"""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, final

from google.protobuf.descriptor import FileDescriptor

from crossplane_lite.proto.v1.run_function_pb2 import (
    _Duration,
    _EnumType,
    _Message,
    _MessageMap,
    _RepeatedMessage,
    _RepeatedScalar,
    _ScalarMap,
    _Struct,
)

DESCRIPTOR: FileDescriptor

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
