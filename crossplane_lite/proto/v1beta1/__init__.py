"""Package `apiextensions.fn.proto.v1beta1`."""
