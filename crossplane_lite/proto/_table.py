"""The function protocol as a table in Python, from which `_build` makes all descriptors.

A message is a string of fields `name=number:type`, separated by spaces. The type is a scalar, a message or an enum of
the same package, or `Struct` or `Duration` of google.protobuf. Before a type, `[` means a repeated field, and `{` a map
with string keys. After a type, `?` means explicit presence, and `!` means deprecated. A field in a oneof has the name
`oneof/name`. An enum is a string of its values, numbered from 0.

The packages v1 and v1beta1 have the same messages and field numbers, so a message has the same bytes in both packages.
"""

from __future__ import annotations

from typing import Final

__all__ = ["DURATION_MESSAGES", "ENUMS", "LEVEL_MESSAGES", "MESSAGES", "STRUCT_ENUMS", "STRUCT_MESSAGES"]

MESSAGES: Final = {
    "RunFunctionRequest": "meta=1:RequestMeta observed=2:State desired=3:State input=4:Struct? context=5:Struct?"
    " extra_resources=6:{Resources! credentials=7:{Credentials required_resources=8:{Resources"
    " required_schemas=9:{Schema",
    "Credentials": "source/credential_data=1:CredentialData",
    "CredentialData": "data=1:{bytes",
    "Resources": "items=1:[Resource",
    "RunFunctionResponse": "meta=1:ResponseMeta desired=2:State results=3:[Result context=4:Struct?"
    " requirements=5:Requirements conditions=6:[Condition output=7:Struct?",
    "RequestMeta": "tag=1:string capabilities=2:[Capability",
    "Requirements": "extra_resources=1:{ResourceSelector! resources=2:{ResourceSelector schemas=3:{SchemaSelector",
    "ResourceSelector": "api_version=1:string kind=2:string match/match_name=3:string match/match_labels=4:MatchLabels"
    " namespace=5:string?",
    "MatchLabels": "labels=1:{string",
    "SchemaSelector": "api_version=1:string kind=2:string",
    "Schema": "openapi_v3=1:Struct?",
    "ResponseMeta": "tag=1:string ttl=2:Duration?",
    "State": "composite=1:Resource resources=2:{Resource",
    "Resource": "resource=1:Struct connection_details=2:{bytes ready=3:Ready",
    "Result": "severity=1:Severity message=2:string reason=3:string? target=4:Target?",
    "Condition": "type=1:string status=2:Status reason=3:string message=4:string? target=5:Target?",
}
"""The messages of `apiextensions.fn.proto.v1`."""

ENUMS: Final = {
    "Capability": "CAPABILITY_UNSPECIFIED CAPABILITY_CAPABILITIES CAPABILITY_REQUIRED_RESOURCES"
    " CAPABILITY_CREDENTIALS CAPABILITY_CONDITIONS CAPABILITY_REQUIRED_SCHEMAS",
    "Ready": "READY_UNSPECIFIED READY_TRUE READY_FALSE",
    "Severity": "SEVERITY_UNSPECIFIED SEVERITY_FATAL SEVERITY_WARNING SEVERITY_NORMAL",
    "Target": "TARGET_UNSPECIFIED TARGET_COMPOSITE TARGET_COMPOSITE_AND_CLAIM",
    "Status": "STATUS_CONDITION_UNSPECIFIED STATUS_CONDITION_UNKNOWN STATUS_CONDITION_TRUE STATUS_CONDITION_FALSE",
}
"""The enums of `apiextensions.fn.proto.v1`."""

STRUCT_MESSAGES: Final = {
    "Struct": "fields=1:{Value",
    "Value": "kind/null_value=1:NullValue kind/number_value=2:double kind/string_value=3:string"
    " kind/bool_value=4:bool kind/struct_value=5:Struct kind/list_value=6:ListValue",
    "ListValue": "values=1:[Value",
}
"""The messages of google/protobuf/struct.proto, for the copy in the private pool."""

STRUCT_ENUMS: Final = {"NullValue": "NULL_VALUE"}

DURATION_MESSAGES: Final = {"Duration": "seconds=1:int64 nanos=2:int32"}
"""The message of google/protobuf/duration.proto, for the copy in the private pool and for the view."""

LEVEL_MESSAGES: Final = {
    "Level": "fields=1:{bytes",
    "ListLevel": "values=1:[bytes",
    "ValueLevel": "kind/null_value=1:int32 kind/number_value=2:double kind/string_value=3:string"
    " kind/bool_value=4:bool kind/struct_value=5:bytes kind/list_value=6:bytes",
}
"""Struct, ListValue and Value with bytes in place of nested messages, so that protobuf parses one level only."""
