"""The function protocol's messages, made at run time in a private descriptor pool.

No generated code ties a user to one version of protobuf, and the official SDK can be imported in the same
process, before or after. The private pool also has its own `google.protobuf.Struct` and `Duration`.

- `crossplane_lite.proto.v1.run_function_pb2` and `crossplane_lite.proto.v1beta1.run_function_pb2` offer the
  messages and enums under their usual names.
- The SDK itself works on a *view*: the same wire, with every Struct left as bytes.

Messages of two pools are different classes, even when their names and their bytes are the same. So a message
of the official SDK, or a `google.protobuf.struct_pb2.Struct`, is converted through its bytes::

    from crossplane.function.proto.v1 import run_function_pb2 as official
    from crossplane_lite.proto.v1 import run_function_pb2 as ours

    mine = ours.RunFunctionRequest.FromString(theirs.SerializeToString())
    theirs = official.RunFunctionRequest.FromString(mine.SerializeToString())

    mine.input.MergeFromString(struct.SerializeToString())
    struct = struct_pb2.Struct.FromString(mine.input.SerializeToString())

`google.protobuf.json_format` works on the messages of either side. So do the helpers of `crossplane_lite.request`,
`response` and `resource`: `resource.update(r, struct)` takes a Struct of any side, `resource.dict_to_struct(d, cls)`
makes one, and `response.to(req)` answers in the messages of the request.
"""

from __future__ import annotations

from typing import Final

__all__ = ["METHOD", "V1BETA1_SERVICE", "V1_SERVICE"]

V1_SERVICE: Final = "apiextensions.fn.proto.v1.FunctionRunnerService"
"""Full name of the gRPC service."""

V1BETA1_SERVICE: Final = "apiextensions.fn.proto.v1beta1.FunctionRunnerService"
"""Full name of the gRPC service that older versions of Crossplane call."""

METHOD: Final = "RunFunction"
"""The one method of either service."""
