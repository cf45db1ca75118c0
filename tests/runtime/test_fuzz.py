"""HTTP/2 conversations gone wrong: whatever a peer sends, nothing is raised, kept or lost."""

from __future__ import annotations

import gc
import logging
import os
import random
import socket
import struct
import threading
import time
from collections.abc import Callable

import h2.config
import h2.connection
import h2.settings
import pytest

from benchmarks.processes import resident_bytes
from crossplane_lite.runtime.transports.budget import Budget, Limits, Shared
from crossplane_lite.runtime.transports.call import Call
from crossplane_lite.runtime.transports.connection import Connection
from crossplane_lite.runtime.transports.status import Refused
from tests.runtime.http2 import HEADERS, PREFACE, frame, message
from tests.runtime.serving import channel, in_process, raw_call

LIMITS = Limits(receive_bytes=100_000, streams=10)


class Echo:
    """An owner of a connection that answers each call at once, or never."""

    def __init__(self, answers: bool) -> None:
        self._answers = answers
        self.open: set[Call] = set()
        self.answered = 0
        self._ready: list[Call] = []

    def knows(self, path: str) -> bool:
        return not path

    def ready(self, call: Call) -> None:
        self.open.add(call)
        assert not call.dropped
        assert call.held <= LIMITS.receive_bytes + 5
        if self._answers:
            self.answered += 1
            self._ready.append(call)

    def dropped(self, call: Call) -> None:
        assert call.dropped
        self.open.discard(call)

    def talk(self, data: bytes, chance: random.Random) -> int:
        """Let a connection have the bytes, in pieces of any size, and its time pass; return how many frames began."""
        now = 0.0
        memory = Shared(LIMITS.memory)
        budget = Budget(memory, now)
        connection = Connection(LIMITS, self, now, budget)
        at = 0
        while at < len(data) and not connection.closed:
            size = chance.choice((1, 5, 9, 50, 1000, 65_536))
            connection.receive(data[at : at + size], now)
            at += size
            for call in self._ready:
                if not call.dropped:
                    try:
                        response = call.take_message()
                    except Refused as e:
                        connection.refuse(call, e)
                    else:
                        connection.answer(call, response, now)
            self._ready.clear()
            connection.output(now)
            budget.buffer(connection.buffered)
            if chance.random() < 0.02:
                now += chance.choice((0.1, 5.0, 40.0))
                connection.check(now)
            if chance.random() < 0.005:
                connection.drain(now)
        connection.abandon()
        connection.output(now)
        assert connection.idle
        assert not self.open
        budget.buffer(0)
        assert budget.held == memory.held == 0
        return connection._frames.begun


def conversations() -> list[list[bytes]]:
    """Return frames of well-behaved clients."""
    found = []
    for kind in range(6):
        client = h2.connection.H2Connection(h2.config.H2Configuration(client_side=True))
        client.initiate_connection()
        frames = [client.data_to_send()]
        for number in range(4):
            stream = client.get_next_available_stream_id()
            extra = [(b"grpc-encoding", b"identity")] if kind == 1 else [(b"grpc-timeout", b"5S")] if kind == 2 else []
            client.send_headers(stream, [*HEADERS, *extra, (b"x-%d" % number, b"y" * 50 * kind)])
            frames.append(client.data_to_send())
            data = message(b"hello" * 100 * kind)
            if kind == 3:
                client.send_data(stream, data[:50])
                frames.append(client.data_to_send())
                client.reset_stream(stream)
            elif kind == 4:
                client.send_data(stream, data[:50], pad_length=20)
                frames.append(client.data_to_send())
                client.send_data(stream, data[50:], end_stream=True)
            else:
                client.send_data(stream, data, end_stream=True)
            frames.append(client.data_to_send())
            client.ping(b"12345678")
            client.update_settings({h2.settings.SettingCodes.INITIAL_WINDOW_SIZE: 1000 * number})
            frames.append(client.data_to_send())
        if kind == 5:
            client.close_connection()
            frames.append(client.data_to_send())
        found.append(frames)
    return found


CONVERSATIONS = conversations()


def any_frame(chance: random.Random) -> bytes:
    """Return a frame of any kind, most of them nearly legal."""
    kind = chance.choice((0, 0, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, chance.randrange(256)))
    flags = chance.choice((0, 0, 1, 4, 5, 8, 0x20, chance.randrange(256)))
    stream = chance.choice((0, 1, 1, 3, 5, 7, 2, 2**31 - 1, chance.randrange(2**32)))
    sizes = {2: 5, 3: 4, 4: 6 * chance.randrange(4), 6: 8, 7: 8 + chance.randrange(5), 8: 4}
    size = sizes.get(kind, chance.randrange(60))
    if chance.random() < 0.1:
        size = chance.choice((0, 1, 300, 20_000))
    return frame(kind, flags, stream, chance.randbytes(size))


# A header block that needs no table, so that it is the same for every connection.
BLOCK = b"".join(
    b"\x00" + bytes([len(name)]) + name + bytes([len(value)]) + value for name, value in [*HEADERS, (b"x", b"y" * 90)]
)


def likely_frame(chance: random.Random, number: int) -> bytes:
    """Return a frame that is legal by itself, and often where it comes: the so-and-so-many of a connection."""
    stream = 101 + 2 * (number // 2)  # two in turn for each, and later ones for those before
    if chance.random() < 0.2:
        stream = chance.randrange(101, stream + 2, 2)
    kind = 1 if number % 2 == 0 and chance.random() < 0.9 else chance.choice((0, 0, 1, 1, 1, 2, 3, 4, 6, 8, 9, 0xEE))
    if kind == 0:
        data = message(bytes(chance.randrange(200)))
        return frame(0, chance.choice((0, 1)), stream, chance.choice((data, data[:3], data + data, b"")))
    if kind in (1, 9):
        return frame(kind, chance.choice((4, 4, 4, 5, 0)), stream, BLOCK)
    payload = {
        2: struct.pack(">IB", chance.randrange(2, 200, 2), 7),
        3: struct.pack(">I", chance.randrange(14)),
        4: struct.pack(">HI", *chance.choice(((1, 0), (3, 5), (4, 0), (4, 70_000), (5, 16_384), (6, 9), (99, 1)))),
        6: bytes(8),
        8: struct.pack(">I", chance.choice((1, 1000, 2**30))),
        0xEE: b"?",
    }[kind]
    return frame(kind, 0, 0 if kind in (4, 6) else stream, payload)


def mutated(chance: random.Random) -> bytes:
    """Return a conversation with something wrong in it."""
    frames = list(chance.choice(CONVERSATIONS))
    for _ in range(chance.randrange(1, 4)):
        at = chance.randrange(len(frames))
        change = chance.randrange(7)
        if change == 0 and frames[at]:
            piece = bytearray(frames[at])
            for _ in range(chance.randrange(1, 4)):
                piece[chance.randrange(len(piece))] = chance.randrange(256)
            frames[at] = bytes(piece)
        elif change == 1:
            frames.insert(at, any_frame(chance))
        elif change == 2:
            frames.insert(at, frames[chance.randrange(len(frames))])
        elif change == 3 and len(frames) > 1:
            del frames[at]
        elif change == 4:
            frames[at] = frames[at][: chance.randrange(len(frames[at]) + 1)]
        elif change == 5:
            other = chance.choice(CONVERSATIONS)
            frames[at:] = other[chance.randrange(len(other)) :]
        elif len(frames[at]) > 9:  # another length than there is
            frames[at] = struct.pack(">I", chance.randrange(2**24))[1:] + frames[at][3:]
        if not frames:
            frames = [PREFACE]
    return b"".join(frames)


def test_conversations_are_answered_unchanged() -> None:
    """What the others are made from is legal: each of its calls that is whole is answered."""
    owner = Echo(answers=True)
    for frames in CONVERSATIONS:
        owner.talk(b"".join(frames), random.Random(7))
    assert owner.answered == 4 * (len(CONVERSATIONS) - 1)


# `python -m tests.fuzzing` searches for longer.
LONGEST_SECONDS = 30


def run(make: Callable[[random.Random], bytes], count: int, seed: int, *, of_frames: bool = False) -> None:
    """Let many connections talk, for half a minute at most, and see that memory is flat from the first tenth on.

    Args:
        make: Makes what a client says.
        count: How many conversations, or frames that the server has begun to read.
        seed: Where chance begins.
        of_frames: Whether frames are counted.
    """
    chance = random.Random(seed)
    end = time.monotonic() + LONGEST_SECONDS
    owners = (Echo(answers=True), Echo(answers=False))
    warm = done = number = 0
    while done < count and time.monotonic() < end:
        if not warm and (done >= count // 10 or time.monotonic() > end - 20):
            gc.collect()
            warm = resident_bytes(os.getpid())
        frames = owners[number % 2].talk(make(chance), chance)
        number += 1
        done += frames if of_frames else 1
    assert owners[0].answered > done // 500
    gc.collect()
    assert resident_bytes(os.getpid()) - warm < 8_000_000


@pytest.mark.parametrize("count", [40, pytest.param(100_000, marks=pytest.mark.slow)])
def test_mutated_conversations(count: int) -> None:
    """No mutated conversation raises, leaves a call behind or takes memory."""
    run(mutated, count, 1)


@pytest.mark.parametrize("count", [400, pytest.param(1_000_000, marks=pytest.mark.slow)])
def test_any_frames(count: int) -> None:
    """No sequence of frames raises, leaves a call behind or takes memory."""

    def frames(chance: random.Random) -> bytes:
        start = b"".join(chance.choice(CONVERSATIONS)[: chance.randrange(1, 14)])
        rest = (any_frame(chance) if chance.random() < 0.03 else likely_frame(chance, at) for at in range(30))
        return start + b"".join(rest)

    run(frames, count, 2, of_frames=True)


@pytest.mark.parametrize("count", [5, pytest.param(100_000, marks=pytest.mark.slow)])
def test_mutated_conversations_over_sockets(count: int, caplog: pytest.LogCaptureFixture) -> None:
    """A server that hears mutated conversations loses no thread and no memory, and answers the next good call."""
    chance = random.Random(3)
    warm = 0
    with in_process(lambda data: data, "h2") as (_, address), caplog.at_level(logging.WARNING):
        host, _, port = address.rpartition(":")
        with channel(address) as opened:
            assert raw_call(opened, b"good") == b"good"
            threads = threading.active_count()
            end = time.monotonic() + LONGEST_SECONDS
            for number in range(count):
                if time.monotonic() > end:
                    break
                if not warm and (number >= count // 5 or time.monotonic() > end - 20):
                    gc.collect()
                    warm = resident_bytes(os.getpid())
                with socket.create_connection((host, int(port)), timeout=30) as sock:
                    try:
                        sock.sendall(mutated(chance))
                        if chance.random() < 0.5:
                            sock.shutdown(socket.SHUT_WR)
                            while sock.recv(65536):
                                pass
                    except OSError:
                        pass  # the server was faster
                if number % 100 == 0:
                    assert raw_call(opened, b"good", timeout=10) == b"good"
            assert raw_call(opened, b"good", timeout=10) == b"good"
        gc.collect()
        assert resident_bytes(os.getpid()) - warm < 16_000_000
        assert threading.active_count() <= threads + 4
    assert not caplog.records
