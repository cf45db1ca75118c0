"""A function whose calls share what its module keeps."""

from __future__ import annotations

import asyncio

from crossplane_lite import Unstructured, composition
from tests.runtime.functions import bucket_of


class _Peer:
    """What modules keep between calls: a connection to a server of our own, a limit, and a lock."""

    def __init__(self) -> None:
        self.limit = asyncio.Semaphore(2)
        self.lock = asyncio.Lock()
        self.streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def upper(self, text: str) -> str:
        """Return what the server makes of a line."""
        async with self.limit:
            async with self.lock:
                if self.streams is None:
                    server = await asyncio.start_server(_in_capitals, "127.0.0.1", 0)
                    self.streams = await asyncio.open_connection(*server.sockets[0].getsockname()[:2])
                reader, writer = self.streams
                writer.write(f"{text}\n".encode())
                return (await reader.readline()).decode().strip()


async def _in_capitals(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while line := await reader.readline():
        await asyncio.sleep(0.005)
        writer.write(line.upper())


_peer = _Peer()


@composition.function
async def sharing(ctx: composition.Context) -> None:
    """Asks the same peer over the same connection in every call."""
    location = ctx.composite(Unstructured).observed.spec.location
    bucket_of(ctx, await asyncio.wait_for(_peer.upper(location), 30))
