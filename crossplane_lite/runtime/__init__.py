"""What runs a composition function as a process: command-line flags, the gRPC server, logging."""
