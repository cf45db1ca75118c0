"""The view: the protocol's messages with bytes in place of each Struct, and the numbers of the protocol's enums.

A resource that a function only passes on is never decoded: its bytes are copied. So protobuf's limit on nested messages
doesn't apply to the content of a resource.
"""

from __future__ import annotations

from typing import Any, Final

from ._pool import Level, ListLevel, ValueLevel, add_file, message_class
from ._serialised import VIEW

__all__ = [
    "CAPABILITY_CAPABILITIES",
    "CAPABILITY_CONDITIONS",
    "CAPABILITY_CREDENTIALS",
    "CAPABILITY_REQUIRED_RESOURCES",
    "CAPABILITY_REQUIRED_SCHEMAS",
    "CAPABILITY_UNSPECIFIED",
    "READY_FALSE",
    "READY_TRUE",
    "READY_UNSPECIFIED",
    "SEVERITY_FATAL",
    "SEVERITY_NORMAL",
    "SEVERITY_UNSPECIFIED",
    "SEVERITY_WARNING",
    "STATUS_CONDITION_FALSE",
    "STATUS_CONDITION_TRUE",
    "STATUS_CONDITION_UNKNOWN",
    "STATUS_CONDITION_UNSPECIFIED",
    "TARGET_COMPOSITE",
    "TARGET_COMPOSITE_AND_CLAIM",
    "TARGET_UNSPECIFIED",
    "Condition",
    "CredentialData",
    "Credentials",
    "Duration",
    "Level",
    "ListLevel",
    "MatchLabels",
    "RequestMeta",
    "Requirements",
    "Resource",
    "ResourceSelector",
    "Resources",
    "ResponseMeta",
    "Result",
    "RunFunctionRequest",
    "RunFunctionResponse",
    "Schema",
    "SchemaSelector",
    "State",
    "ValueLevel",
]

add_file(VIEW)


def _view(name: str) -> Any:
    return message_class("crossplane_lite.view." + name)


RunFunctionRequest: Final = _view("RunFunctionRequest")
RunFunctionResponse: Final = _view("RunFunctionResponse")
RequestMeta: Final = _view("RequestMeta")
ResponseMeta: Final = _view("ResponseMeta")
State: Final = _view("State")
Resource: Final = _view("Resource")
Resources: Final = _view("Resources")
Credentials: Final = _view("Credentials")
CredentialData: Final = _view("CredentialData")
Requirements: Final = _view("Requirements")
ResourceSelector: Final = _view("ResourceSelector")
MatchLabels: Final = _view("MatchLabels")
SchemaSelector: Final = _view("SchemaSelector")
Schema: Final = _view("Schema")
Result: Final = _view("Result")
Condition: Final = _view("Condition")
Duration: Final = _view("Duration")

CAPABILITY_UNSPECIFIED: Final = 0
CAPABILITY_CAPABILITIES: Final = 1
CAPABILITY_REQUIRED_RESOURCES: Final = 2
CAPABILITY_CREDENTIALS: Final = 3
CAPABILITY_CONDITIONS: Final = 4
CAPABILITY_REQUIRED_SCHEMAS: Final = 5

READY_UNSPECIFIED: Final = 0
READY_TRUE: Final = 1
READY_FALSE: Final = 2

SEVERITY_UNSPECIFIED: Final = 0
SEVERITY_FATAL: Final = 1
SEVERITY_WARNING: Final = 2
SEVERITY_NORMAL: Final = 3

TARGET_UNSPECIFIED: Final = 0
TARGET_COMPOSITE: Final = 1
TARGET_COMPOSITE_AND_CLAIM: Final = 2

STATUS_CONDITION_UNSPECIFIED: Final = 0
STATUS_CONDITION_UNKNOWN: Final = 1
STATUS_CONDITION_TRUE: Final = 2
STATUS_CONDITION_FALSE: Final = 3
