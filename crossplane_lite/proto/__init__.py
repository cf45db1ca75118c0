"""The function protocol's messages, made at run time in a private descriptor pool (a registry of
message types).

There is no generated code, which would only work with some versions of protobuf. The official SDK
can be imported in the same process, before or after this package. The private pool has its own
`google.protobuf.Struct` and `Duration`.

- `crossplane_lite.proto.v1.run_function_pb2` and `crossplane_lite.proto.v1beta1.run_function_pb2`
  have the messages and enums under the names that generated modules have.
- The SDK itself uses a *view*: other message classes for the same wire format, in which every
  Struct stays bytes.

Messages of two pools are different classes, even if their names and bytes are the same. So a
message of the official
SDK, or a `google.protobuf.struct_pb2.Struct`, is converted through its bytes::

    from crossplane.function.proto.v1 import run_function_pb2 as official
    from crossplane_lite.proto.v1 import run_function_pb2 as ours

    mine = ours.RunFunctionRequest.FromString(theirs.SerializeToString())
    theirs = official.RunFunctionRequest.FromString(mine.SerializeToString())

    mine.input.MergeFromString(struct.SerializeToString())
    struct = struct_pb2.Struct.FromString(mine.input.SerializeToString())

`google.protobuf.json_format` works with the messages of both pools. So do the helpers of
`crossplane_lite.request`, `response` and `resource`: `resource.update(r, struct)` takes a Struct of
either pool, `resource.dict_to_struct(d, cls)` makes a Struct of the class `cls`, and
`response.to(req)` makes a response of the same pool as the request.
"""

from __future__ import annotations

from typing import Final

__all__ = ["METHOD", "V1BETA1_SERVICE", "V1_SERVICE"]

V1_SERVICE: Final = "apiextensions.fn.proto.v1.FunctionRunnerService"
"""The full name of the gRPC service."""

V1BETA1_SERVICE: Final = "apiextensions.fn.proto.v1beta1.FunctionRunnerService"
"""The full name of the gRPC service that older versions of Crossplane call."""

METHOD: Final = "RunFunction"
"""The only method of both services."""
