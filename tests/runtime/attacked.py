"""The function that is attacked, served by this package or by the official SDK: `python -m tests.runtime.attacked h2`.

Its answer has as many bytes as the tag of the request says, and else it does nothing.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

__all__ = ["OFFICIAL", "SERVERS"]

OFFICIAL = "official"
SERVERS = ("h2", "grpcio", OFFICIAL)


class Sized:
    """Answers with a tag of the length that the request's tag says."""

    def __init__(self, messages: Any) -> None:
        self._messages = messages

    def RunFunction(self, request: Any, _: Any) -> Any:
        """Answer a request."""
        tag = request.meta.tag
        return self._messages.RunFunctionResponse(meta={"tag": "x" * int(tag) if tag.isdigit() else tag})


class SizedAsync(Sized):
    """The same for the official SDK, whose methods are coroutines."""

    async def RunFunction(self, request: Any, context: Any) -> Any:
        """Answer a request."""
        await asyncio.sleep(0)
        return super().RunFunction(request, context)


def main(server: str, address: str, certificates: str = "") -> None:
    """Serve at an address until a signal; without certificates, in plain text."""
    if server == OFFICIAL:
        from crossplane.function import runtime
        from crossplane.function.proto.v1 import run_function_pb2 as messages

        print(f"serving address='{address}'", file=sys.stderr, flush=True)
        runtime.serve(SizedAsync(messages), address, creds=None, insecure=True)
    else:
        from crossplane_lite import runtime as ours
        from crossplane_lite.proto.v1 import run_function_pb2

        flags = ["--address", address, "--transport", server]
        flags += ["--tls-certs-dir", certificates] if certificates else ["--insecure"]
        ours.main(Sized(run_function_pb2), flags)


if __name__ == "__main__":
    main(*sys.argv[1:])
