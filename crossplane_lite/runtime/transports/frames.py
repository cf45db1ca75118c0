"""Limits the frames that a peer sends, by the headers of the frames, before the package h2 reads them.

h2 answers each correct frame. So a peer (a client) could keep a server busy with nothing but small correct frames, such
as pings. Therefore each frame that doesn't advance a call costs the peer one or two credits.
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

# The longest GOAWAY frame that is read. A peer may add a text for people to it.
_LONGEST_GOAWAY: Final = 1024

# A data frame with fewer bytes costs a credit, unless it is a call's last frame.
_SMALL: Final = 1024
# A reset costs more, because the server may have begun with the call.
_COST_OF_RESET: Final = 2


class Flood(Exception):
    """A peer has exceeded a limit, which the exception's text names.

    Attributes:
        code: The error code of HTTP/2 to send to the peer.
    """

    def __init__(self, text: str, code: int = ENHANCE_YOUR_CALM) -> None:
        super().__init__(text)
        self.code = code


class Credits:
    """The credits of a connection, which the peer spends on frames that don't advance a call.

    A connection begins with 1,000 credits, and never has more. It gets 100 back each second, and some for each useful
    frame.
    """

    MOST: Final = 1000
    PER_SECOND: Final = 100

    __slots__ = ("_left", "_since")

    def __init__(self, now: float) -> None:
        self._left = float(self.MOST)
        self._since = now

    def spend(self, cost: int, now: float) -> None:
        """Add the credits for the time since `spend` was last called, and take `cost` credits away.

        Raises:
            Flood: The peer had fewer than `cost` credits.
        """
        self._left += (now - self._since) * self.PER_SECOND - cost
        self._since = now
        if self._left > self.MOST:
            self._left = self.MOST
        if self._left < 0:
            raise Flood("too many frames that bring no call forward, such as PING, SETTINGS, RST_STREAM and small DATA")

    def earn(self, credits: int) -> None:
        """Add credits for useful frames."""
        self._left += credits


class Frames:
    """Finds the frames in a peer's bytes, which may come in pieces of any size.

    Args:
        frame_bytes: The largest content of a frame, in bytes. h2 would check this only after all of the frame has come.
        header_bytes: The largest header block as it is sent, in bytes, in all of its frames together.

    Attributes:
        begun: The number of frames that have begun. The frames of a header block count as one.
        cost: The credits that the frames in the last piece cost.
        departing: Whether the peer has sent a GOAWAY frame, so that it will begin no more calls.
        inside: Whether the last piece ended inside of a frame, or between two frames of a header block.
    """

    __slots__ = (
        *("_block", "_dropping", "_frame_bytes", "_head", "_header_bytes", "_left", "_preface"),
        *("begun", "cost", "departing", "inside"),
    )

    def __init__(self, frame_bytes: int, header_bytes: int) -> None:
        self._frame_bytes = frame_bytes
        self._header_bytes = header_bytes
        self._preface = len(PREFACE)
        self._head = b""  # the first bytes of a frame's head, if the rest hasn't come yet
        self._left = 0  # how many bytes of the current frame's content haven't come yet
        self._dropping = False  # whether the current frame isn't passed on
        self._block = -1  # how many bytes the open header block has; -1 if none is open
        self.begun = 0
        self.cost = 0
        self.departing = False
        self.inside = True

    def pass_on(self, data: bytes) -> bytes:
        """Check the frames in a piece of the peer's bytes, and return the bytes to pass to h2.

        A GOAWAY frame is left out, and sets `departing`: after this frame, h2 would refuse to send the answers for
        which the peer still waits.

        Raises:
            Flood: A frame or a header block has more bytes than its limit.
        """
        self.cost = 0
        end = len(data)
        at = min(self._preface, end)
        self._preface -= at
        start = 0  # where the bytes begin that aren't in `parts` yet
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
                text = f"a frame has {self._left:,} bytes; at most {self._frame_bytes:,} are accepted"
                raise Flood(text, _FRAME_SIZE_ERROR)
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
        """Return whether a frame with the header `head` is a correct GOAWAY frame. h2 handles wrong GOAWAY frames."""
        return head[3] == _GOAWAY and self._block < 0 and not any(head[5:]) and 8 <= self._left <= _LONGEST_GOAWAY

    def _count(self, kind: int, flags: int) -> None:
        self.begun += self._block < 0
        if kind == _DATA:
            self.cost += self._left < _SMALL and not flags & _END_STREAM
        elif kind == _HEADERS or (kind == _CONTINUATION and self._block >= 0):
            self._block = max(self._block, 0) + self._left
            if self._block > self._header_bytes:
                raise Flood(f"a header block has more than {self._header_bytes:,} bytes")
            if flags & _END_HEADERS:
                self._block = -1
            self.cost += kind == _CONTINUATION
        else:
            self.cost += _COST_OF_RESET if kind == _RST_STREAM else 1
