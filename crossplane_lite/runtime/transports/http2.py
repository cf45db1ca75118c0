"""HTTP/2 by h2, as a server of gRPC uses it: settings, windows, and frames that cost less."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ..._base.extras import load

if TYPE_CHECKING:
    from .limits import Limits

__all__ = ["FRAME_BYTES", "protocol"]

_h2: Final = load("h2.connection", "h2")
_config: Final = load("h2.config", "h2")
_frame_buffer: Final = load("h2.frame_buffer", "h2")
_settings: Final = load("h2.settings", "h2")
_frame: Final = load("hyperframe.frame", "h2")

_SETTINGS: Final = _settings.SettingCodes

FRAME_BYTES: Final = 256 << 10
"""The largest frame that peers may send. grpcio and Go send smaller ones; each frame has a price in Python."""

# How much of a stream may be on its way; a whole request of the default limit, and no more than this.
_MOST_WINDOW: Final = 16 << 20
_MAX_WINDOW: Final = 2**31 - 1


class _Protocol(_h2.H2Connection):  # type: ignore[name-defined, misc]
    # h2 remembers how streams were closed, and would keep 65,536 of them for each connection.
    MAX_CLOSED_STREAMS = 256


def _quiet(cls: Any) -> Any:
    """Return a class of frames like another one, but with a short `repr`, which h2 writes into a trace nobody reads.

    h2 makes that text for each frame, with the content as hexadecimal digits: a third of the time of a large call. It
    looks up `__class__` to see what a frame is.
    """
    return type(cls.__name__, (cls,), {"__repr__": lambda self: cls.__name__, "__class__": property(lambda self: cls)})


_QUIET: Final = {cls: _quiet(cls) for cls in (_frame.DataFrame, _frame.HeadersFrame, _frame.WindowUpdateFrame)}


class _Buffer(_frame_buffer.FrameBuffer):  # type: ignore[name-defined, misc]
    def __next__(self) -> Any:
        frame = super().__next__()
        quiet = _QUIET.get(type(frame))
        if quiet is not None:
            frame.__class__ = quiet
        return frame


def protocol(limits: Limits) -> Any:
    """Return h2's side of a new connection, set up for a server of gRPC; its first frames wait to be sent."""
    conn = _Protocol(
        _config.H2Configuration(
            client_side=False,
            header_encoding=None,
            # Ours are as they must be.
            validate_outbound_headers=False,
            normalize_outbound_headers=False,
        )
    )
    window = min(max(limits.receive_bytes + (64 << 10), 64 << 10), _MOST_WINDOW)
    values = {
        _SETTINGS.MAX_CONCURRENT_STREAMS: limits.streams,
        _SETTINGS.MAX_HEADER_LIST_SIZE: limits.header_bytes,
        _SETTINGS.INITIAL_WINDOW_SIZE: window,
        _SETTINGS.MAX_FRAME_SIZE: FRAME_BYTES,
        _SETTINGS.ENABLE_CONNECT_PROTOCOL: 0,
    }
    conn.local_settings = _settings.Settings(client=False, initial_values=values)
    conn.initiate_connection()
    # h2 closes the connection of a peer that opens too many streams, as a peer may that hasn't read our settings
    # yet. It gets the one stream refused here, so h2's own limit is only for peers that don't care.
    values[_SETTINGS.MAX_CONCURRENT_STREAMS] = 10 * limits.streams
    conn.local_settings = _settings.Settings(client=False, initial_values=values)
    conn.incoming_buffer = _Buffer(server=True)
    conn.max_inbound_frame_size = FRAME_BYTES
    conn.decoder.max_header_list_size = limits.header_bytes
    conn.increment_flow_control_window(_MAX_WINDOW - 65535)
    return conn
