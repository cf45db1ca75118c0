"""What a peer's frames cost: looking at their heads before anything reads them.

h2 keeps to the protocol and answers each legal frame. A peer that sends nothing but legal frames, small ones, could
keep a server busy with them; so each frame that brings no call forward costs a credit.
"""

from __future__ import annotations

from typing import Final

__all__ = ["Credits", "Flood", "Frames"]

PREFACE: Final = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_HEAD: Final = 9

_DATA, _HEADERS, _RST_STREAM, _GOAWAY, _CONTINUATION = 0x0, 0x1, 0x3, 0x7, 0x9
_END_STREAM, _END_HEADERS = 0x1, 0x4

ENHANCE_YOUR_CALM: Final = 0xB
_FRAME_SIZE_ERROR: Final = 0x6

# What a peer adds to a GOAWAY frame is a text for people.
_LONGEST_GOAWAY: Final = 1024

# Data frames that are smaller than this cost as much as empty ones, except for a call's last one.
_SMALL: Final = 1024
# A reset costs more, because the server may have begun with the call.
_COST_OF_RESET: Final = 2


class Flood(Exception):
    """A peer has sent more than it may; the text says of what.

    Attributes:
        code: HTTP/2's code for it.
    """

    def __init__(self, text: str, code: int = ENHANCE_YOUR_CALM) -> None:
        super().__init__(text)
        self.code = code


class Credits:
    """How many frames that bring no call forward a connection may still send.

    There are 1,000 at the beginning and never more; 100 come back each second, and some with everything useful.
    """

    MOST: Final = 1000
    PER_SECOND: Final = 100

    __slots__ = ("_left", "_since")

    def __init__(self, now: float) -> None:
        self._left = float(self.MOST)
        self._since = now

    def spend(self, cost: int, now: float) -> None:
        """Take credits away.

        Raises:
            Flood: There are none left.
        """
        self._left += (now - self._since) * self.PER_SECOND - cost
        self._since = now
        if self._left > self.MOST:
            self._left = self.MOST
        if self._left < 0:
            raise Flood("too many frames that bring no call forward")

    def earn(self, credits: int) -> None:
        """Give credits for something useful."""
        self._left += credits


class Frames:
    """Follows the frames in a peer's bytes, whatever pieces they come in.

    Args:
        frame_bytes: The largest frame. h2 would look at the size only when it has all of the frame.
        header_bytes: The longest header block as it is sent, over all its frames.

    Attributes:
        begun: How many frames have begun, header blocks counted once.
        cost: What the frames in the last bytes cost.
        departing: Whether the peer has said that it will begin no more calls.
        inside: Whether the bytes so far end inside of a frame or between the frames of a header block.
    """

    __slots__ = (
        *("_block", "_dropping", "_frame_bytes", "_head", "_header_bytes", "_left", "_preface"),
        *("begun", "cost", "departing", "inside"),
    )

    def __init__(self, frame_bytes: int, header_bytes: int) -> None:
        self._frame_bytes = frame_bytes
        self._header_bytes = header_bytes
        self._preface = len(PREFACE)
        self._head = b""  # of a frame whose head has come in part
        self._left = 0  # bytes of the current frame's payload that are still to come
        self._dropping = False  # whether this payload is kept back
        self._block = -1  # bytes of the header block that is open, -1 for none
        self.begun = 0
        self.cost = 0
        self.departing = False
        self.inside = True

    def pass_on(self, data: bytes) -> bytes:
        """Look at bytes, and return those that h2 is to get.

        A GOAWAY frame is kept back and noted in `departing`: h2 would refuse to send what the peer still waits for.

        Raises:
            Flood: A frame is too large, or a header block too long.
        """
        self.cost = 0
        end = len(data)
        at = min(self._preface, end)
        self._preface -= at
        start = 0  # of what isn't in `parts` yet
        parts: list[bytes] = []
        while at < end:
            if self._left:
                step = min(self._left, end - at)
                self._left -= step
                at += step
                if self._dropping:
                    start = at
                continue
            whole = not self._head and end - at >= _HEAD
            if whole:
                head = data[at : at + _HEAD]
                at += _HEAD
            else:
                parts.append(data[start:at])
                step = min(_HEAD - len(self._head), end - at)
                self._head += data[at : at + step]
                start = at = at + step
                if len(self._head) < _HEAD:
                    break
                head, self._head = self._head, b""
            self._left = head[0] << 16 | head[1] << 8 | head[2]
            if self._left > self._frame_bytes:
                raise Flood("a frame is too large", _FRAME_SIZE_ERROR)
            self._dropping = self._is_departure(head)
            if self._dropping:
                self.departing = True
                if whole:
                    parts.append(data[start : at - _HEAD])
                    start = at
            elif not whole:
                parts.append(head)
            self._count(head[3], head[4])
        self.inside = bool(self._left or self._head or self._preface) or self._block >= 0
        if not parts and not start:
            return data
        parts.append(data[start:])
        return b"".join(parts)

    def _is_departure(self, head: bytes) -> bool:
        """Whether it is a GOAWAY frame as it should be; h2 has the answer to the others."""
        return head[3] == _GOAWAY and self._block < 0 and not any(head[5:]) and 8 <= self._left <= _LONGEST_GOAWAY

    def _count(self, kind: int, flags: int) -> None:
        self.begun += self._block < 0
        if kind == _DATA:
            self.cost += self._left < _SMALL and not flags & _END_STREAM
        elif kind == _HEADERS or (kind == _CONTINUATION and self._block >= 0):
            self._block = max(self._block, 0) + self._left
            if self._block > self._header_bytes:
                raise Flood("a header block is too long")
            if flags & _END_HEADERS:
                self._block = -1
            self.cost += kind == _CONTINUATION
        else:
            self.cost += _COST_OF_RESET if kind == _RST_STREAM else 1
