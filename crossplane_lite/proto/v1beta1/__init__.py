"""The messages and the gRPC service of the protobuf package `apiextensions.fn.proto.v1beta1`."""
