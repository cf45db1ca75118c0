"""Clients that want a server to suffer: `python -m tests.runtime.attackers NAME ADDRESS SECONDS`.

Each begins again if the server closes its connection. Nothing is loaded that takes long: a suite starts many of them.
"""

from __future__ import annotations

import contextlib
import gzip
import select
import socket
import struct
import sys
import time
from collections.abc import Callable, Iterator

from tests.runtime.http2 import HEADERS, PREFACE, frame, message

__all__ = ["ATTACKS", "sized"]

SETTINGS = frame(4)
DATA, HEAD, PRIORITY, RESET, SET, PING, WINDOW, CONTINUATION = 0, 1, 2, 3, 4, 6, 8, 9


def literal(headers: list[tuple[bytes, bytes]]) -> bytes:
    """Return a block of headers that needs no table."""
    return b"".join(b"\0" + bytes([len(name)]) + name + bytes([len(value)]) + value for name, value in headers)


def sized(size: int) -> bytes:
    """Return the message of a request whose answer has about so many bytes."""
    tag = str(size).encode()
    meta = b"\x0a" + bytes([len(tag)]) + tag
    return message(b"\x0a" + bytes([len(meta)]) + meta)


BLOCK = literal(HEADERS)
UNKNOWN = literal([(name, b"/no.Such/Method" if name == b":path" else value) for name, value in HEADERS])
HEALTH = literal([(name, b"/grpc.health.v1.Health/Check" if name == b":path" else value) for name, value in HEADERS])
NOT_GRPC = literal([(name, b"text/html" if name == b"content-type" else value) for name, value in HEADERS])
HASTY = literal([*HEADERS, (b"grpc-timeout", b"100m")])
ZIPPED = literal([*HEADERS, (b"grpc-encoding", b"gzip")])
BOMB = message(gzip.compress(bytes(4_000_000)), True)


class Line:
    """A connection of an attacker, which never waits for the server for longer than a moment."""

    def __init__(self, address: str, *settings: tuple[int, int], reads: bool = True) -> None:
        host, _, port = address.rpartition(":")
        self.sock = socket.create_connection((host, int(port)), timeout=5)
        self.sock.setblocking(False)
        self._reads = reads
        self.send(PREFACE + frame(SET, 0, 0, b"".join(struct.pack(">HI", *pair) for pair in settings)) + frame(4, 1))

    def send(self, data: bytes) -> None:
        """Send bytes, and drop those that have come. Raises OSError if the server has closed the connection."""
        view = memoryview(data)
        until = time.monotonic() + 0.5
        while view:
            readable, writable, _ = select.select([self.sock] if self._reads else [], [self.sock], [], 0.1)
            if readable and not self.sock.recv(1 << 20):
                raise ConnectionResetError
            if writable:
                with contextlib.suppress(BlockingIOError):
                    view = view[self.sock.send(view) :]
            elif time.monotonic() > until:
                return  # the server doesn't read


Attack = Callable[[str, float], None]
ATTACKS: dict[str, Attack] = {}


def flood(
    name: str, make: Callable[[int], bytes], *settings: tuple[int, int], first: bytes = b"", batch: int = 50,
    lines: int = 1, reads: bool = True, pause: float = 0.0,
) -> None:  # fmt: skip
    """Add an attack: connections that send as fast as they can what `make` returns for 0, 1, 2 and so on."""

    def attack(address: str, until: float) -> None:
        open_lines: list[tuple[Line, Iterator[int]]] = []
        while time.monotonic() < until:
            try:
                while len(open_lines) < lines:
                    line = Line(address, *settings, reads=reads)
                    line.send(first)
                    open_lines.append((line, iter(range(1 << 29))))
            except OSError:
                time.sleep(0.01)
            for one in open_lines.copy():
                try:
                    one[0].send(b"".join(make(next(one[1])) for _ in range(batch)))
                except OSError:
                    one[0].sock.close()
                    open_lines.remove(one)
            time.sleep(pause)

    ATTACKS[name] = attack


def crowd(name: str, count: int, first: bytes, later: bytes = b"") -> None:
    """Add an attack: many connections that send some bytes, and then a byte of others each second."""

    def attack(address: str, until: float) -> None:
        lines: list[Line] = []
        rest = later
        while time.monotonic() < until:
            try:
                while len(lines) < count and time.monotonic() < until:
                    lines.append(Line(address, reads=False))
                    lines[-1].send(first)
            except OSError:
                time.sleep(0.01)
            for line in lines.copy():
                try:
                    line.send(rest[:1])
                    if line.sock in select.select([line.sock], [], [], 0)[0] and not line.sock.recv(1 << 16):
                        raise ConnectionResetError
                except (OSError, ValueError):
                    line.sock.close()
                    lines.remove(line)
            rest = rest[1:]
            time.sleep(0.2)

    ATTACKS[name] = attack


def storm(name: str, first: bytes) -> None:
    """Add an attack: one connection after the other, which sends some bytes and is closed."""

    def attack(address: str, until: float) -> None:
        while time.monotonic() < until:
            with contextlib.suppress(OSError):
                line = Line(address)
                line.send(first)
                line.sock.close()

    ATTACKS[name] = attack


def begun(number: int, block: bytes = BLOCK, flags: int = 4) -> bytes:
    """Return the frame that begins the call with this number."""
    return frame(HEAD, flags, 2 * number + 1, block)


def call(number: int, data: bytes, block: bytes = BLOCK) -> bytes:
    """Return the frames of a whole call."""
    stream = 2 * number + 1
    pieces = [data[at : at + 16_384] for at in range(0, len(data), 16_384)] or [b""]
    last = len(pieces) - 1
    return begun(number, block) + b"".join(frame(DATA, at == last, stream, one) for at, one in enumerate(pieces))


SMALL = message(b"")
flood("rapid reset", lambda n: call(n, SMALL) + frame(RESET, 0, 2 * n + 1, bytes(4)))
flood("made you reset: windows of 0", lambda n: begun(n) + frame(WINDOW, 0, 2 * n + 1, bytes(4)))
flood("made you reset: data after the end", lambda n: call(n, SMALL) + frame(DATA, 0, 2 * n + 1, b"x"))
flood("made you reset: windows too large", lambda n: begun(n) + 2 * frame(WINDOW, 0, 2 * n + 1, b"\x7f\xff\xff\xff"))
flood("endless header block", lambda _: frame(CONTINUATION, 0, 1, bytes(4000)), first=frame(HEAD, 0, 1, BLOCK))
flood("empty continuations", lambda _: frame(CONTINUATION, 0, 1, b""), first=frame(HEAD, 0, 1, BLOCK))
ENTRY = b"\x40\x01x\x7f\xa1\x1e" + b"y" * 4000  # a header of 4 KB, which is put into the table
flood("HPACK bomb", lambda n: begun(n + 1, BLOCK + b"\xbe" * 3900), first=begun(0, BLOCK + ENTRY), batch=5)
flood("HPACK bomb of calls that stay open", lambda n: begun(n + 1, BLOCK + b"\xbe" * 3), first=begun(0, BLOCK + ENTRY))
flood("HPACK table resized", lambda n: begun(n, b"\x20\x3f\xe1\x1f" + BLOCK, 5))
flood("large headers", lambda n: begun(n, BLOCK + literal([(b"x-%d" % at, b"y" * 120) for at in range(90)]), 5))
flood("settings", lambda n: frame(SET, 0, 0, struct.pack(">HI", 4, 65_535 - n % 2)))
flood("settings with 100 calls open", lambda n: frame(SET, 0, 0, struct.pack(">HI", 4, 65_535 - n % 2)),
      first=b"".join(begun(n) for n in range(100)))  # fmt: skip
flood("settings of tables", lambda n: frame(SET, 0, 0, struct.pack(">HI", 1, n % 2 * 4096)))
flood("pings", lambda n: frame(PING, 0, 0, struct.pack(">Q", n)))
flood("pings of 10 connections", lambda n: frame(PING, 0, 0, struct.pack(">Q", n)), lines=10)
flood("pings, and nothing read", lambda n: frame(PING, 0, 0, struct.pack(">Q", n)), reads=False)
flood("answers to pings", lambda n: frame(PING, 1, 0, struct.pack(">Q", n)))
flood("priorities", lambda n: frame(PRIORITY, 0, 2 * n + 1, struct.pack(">IB", 0, 1)))
flood("windows of the connection", lambda _: frame(WINDOW, 0, 0, struct.pack(">I", 1)))
flood("windows of a call", lambda _: frame(WINDOW, 0, 1, struct.pack(">I", 1)), first=begun(0))
flood("empty data", lambda _: frame(DATA, 0, 1), first=begun(0))
flood("data of one byte", lambda _: frame(DATA, 0, 1, b"\0"), first=begun(0) + frame(DATA, 0, 1, b"\0\0\x3f\0\0"))
flood("padded data", lambda _: frame(DATA, 8, 1, b"\xff" + bytes(255)), first=begun(0))
flood("unknown frames", lambda _: frame(0xBE, 0, 0, b"?"))
UPDATE = struct.pack(">I", 1) + b"u=0"  # a call's priority, by RFC 9218
flood("updates of priorities", lambda _: frame(0x10, 0, 0, UPDATE), first=begun(0))
flood("updates of priorities of 256 KB", lambda _: frame(0x10, 0, 0, UPDATE.ljust(1 << 18)), first=begun(0), batch=1)
flood("goodbyes with a call open", lambda _: frame(7, 0, 0, bytes(8)), first=begun(0), batch=900)
# Huffman's code takes time to read: here are 60 KB of one that stands for twice as many digits.
HUFFMAN = b"\0\x01x\xff\xe1\xd3\x03" + bytes(60_000)
flood("headers in Huffman's code", lambda n: frame(HEAD, 5, 2 * n + 1, BLOCK + HUFFMAN), batch=1)
flood("trailers with pseudo-headers", lambda n: begun(n) + frame(DATA, 0, 2 * n + 1, SMALL) + begun(n, BLOCK, 5))
flood("calls whose time is over at once", lambda n: call(n, SMALL, literal([*HEADERS, (b"grpc-timeout", b"1n")])))
flood("unfinished calls of 100 ms", lambda n: begun(n, HASTY) + frame(DATA, 0, 2 * n + 1, b"\0"))
crowd("dribbled frames of 300 connections", 300, frame(DATA, 0, 1, bytes(1000))[:8], bytes(1000))
crowd("dribbled requests of 300 connections", 300, begun(0) + message(bytes(1000))[:0], frame(DATA, 0, 1, b"\0") * 50)
flood("windows of 0, answers of 1.2 MB", lambda n: call(n, sized(1_200_000)), (4, 0), batch=1, lines=10)
flood("windows of a byte, answers of 1.2 MB",
      lambda n: call(n, sized(1_200_000)) + frame(WINDOW, 0, 2 * n + 1, struct.pack(">I", 1)),
      (4, 0), batch=1, lines=10)  # fmt: skip
flood("answers of 1.2 MB, and nothing read", lambda n: call(n, sized(1_200_000)), (4, 2**31 - 1),
      first=frame(WINDOW, 0, 0, struct.pack(">I", 2**31 - 65_536)), batch=1, lines=10, reads=False)  # fmt: skip
flood("gzip bombs", lambda n: call(n, BOMB, ZIPPED), batch=5, lines=4)
HEALTH_ZIPPED = HEALTH + literal([(b"grpc-encoding", b"gzip")])
flood("gzip bombs for the health check", lambda n: call(n, BOMB, HEALTH_ZIPPED), batch=5, lines=4)
LARGER = message(b"\x7a\x80\x80\x04" + bytes(1 << 16))  # a field that nobody knows
for count in (1, 2, 4):
    flood(f"flooders with small calls: {count}", lambda n: call(n, sized(1)), lines=count)
    flood(f"flooders with calls of 64 KB: {count}", lambda n: call(n, LARGER), batch=16, lines=count)
flood("valid calls of 1 MB", lambda n: call(n, message(b"\x7a\xc0\x84=" + bytes(1_000_000))), batch=1)
flood("unknown paths", lambda n: begun(n, UNKNOWN, 5))
flood("health checks", lambda n: call(n, SMALL, HEALTH))
flood("requests that aren't gRPC", lambda n: begun(n, NOT_GRPC, 5))
storm("new connections", begun(0))
crowd("1,500 connections with an unfinished request", 1500, begun(0) + frame(DATA, 0, 1, b"\0\0\0\0\x09"))
crowd("1,500 idle connections", 1500, b"")


if __name__ == "__main__":
    name, address, seconds = sys.argv[1:]
    print("begun", flush=True)
    ATTACKS[name](address, time.monotonic() + float(seconds))
