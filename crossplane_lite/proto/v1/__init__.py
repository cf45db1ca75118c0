"""Package `apiextensions.fn.proto.v1`."""
