"""The view: the protocol's messages with bytes in place of each Struct, and the numbers of the
protocol's enums.

A resource that a function only passes on is never decoded: its bytes are copied. So protobuf's
limit on nested messages doesn't apply to the content of a resource.
"""

from __future__ import annotations

from typing import Final

from ._pool import add_file, message_class
from ._serialised import VIEW

add_file(VIEW)


RunFunctionRequest: Final = message_class("crossplane_lite.view.RunFunctionRequest")
RunFunctionResponse: Final = message_class("crossplane_lite.view.RunFunctionResponse")
RequestMeta: Final = message_class("crossplane_lite.view.RequestMeta")
State: Final = message_class("crossplane_lite.view.State")
Resource: Final = message_class("crossplane_lite.view.Resource")
Resources: Final = message_class("crossplane_lite.view.Resources")

(
    CAPABILITY_UNSPECIFIED,
    CAPABILITY_CAPABILITIES,
    CAPABILITY_REQUIRED_RESOURCES,
    CAPABILITY_CREDENTIALS,
    CAPABILITY_CONDITIONS,
    CAPABILITY_REQUIRED_SCHEMAS,
) = range(6)
READY_UNSPECIFIED, READY_TRUE, READY_FALSE = range(3)
SEVERITY_UNSPECIFIED, SEVERITY_FATAL, SEVERITY_WARNING, SEVERITY_NORMAL = range(4)
TARGET_UNSPECIFIED, TARGET_COMPOSITE, TARGET_COMPOSITE_AND_CLAIM = range(3)
(
    STATUS_CONDITION_UNSPECIFIED,
    STATUS_CONDITION_UNKNOWN,
    STATUS_CONDITION_TRUE,
    STATUS_CONDITION_FALSE,
) = range(4)
