"""Settings that all tests share."""

from __future__ import annotations

import os

import hypothesis

# How long one example takes depends on what else the machine does.
hypothesis.settings.register_profile("default", deadline=None)
hypothesis.settings.load_profile("default")

# gRPC complains on stderr about every refused handshake otherwise; the tests read what servers write there.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")
