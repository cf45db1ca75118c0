"""Sets up the package h2 for a gRPC server: settings, flow control windows, and frames that take less time."""

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
"""The largest frame that peers may send, in bytes. The limit is high, because each frame takes time in Python."""

# The largest flow control window of a stream. The window is a whole request of the largest size, up to this limit.
_MOST_WINDOW: Final = 16 << 20
_MAX_WINDOW: Final = 2**31 - 1


class _Protocol(_h2.H2Connection):  # type: ignore[name-defined, misc]
    # h2 remembers how streams were closed, by default for 65,536 streams of each connection.
    MAX_CLOSED_STREAMS = 256


def _quiet(cls: Any) -> Any:
    """Return a subclass of a frame class whose `repr` is only the class's name.

    h2 makes the repr of each frame for a trace that nobody reads. The usual repr has the content as hexadecimal digits,
    which takes a third of the time of a large call. `__class__` stays the original class, because h2 looks it up.
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
    """Return a new h2 connection with the settings of a gRPC server. Its SETTINGS frame is ready to be sent."""
    conn = _Protocol(
        _config.H2Configuration(
            client_side=False,
            header_encoding=None,
            # Our own headers are known to be correct.
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
    # If a peer opens too many streams, h2 closes the connection. But a peer may not have read our settings yet. So
    # Connection refuses the single stream, and h2's limit is higher, for peers that ignore our settings.
    values[_SETTINGS.MAX_CONCURRENT_STREAMS] = 10 * limits.streams
    conn.local_settings = _settings.Settings(client=False, initial_values=values)
    conn.incoming_buffer = _Buffer(server=True)
    conn.max_inbound_frame_size = FRAME_BYTES
    conn.decoder.max_header_list_size = limits.header_bytes
    conn.increment_flow_control_window(_MAX_WINDOW - 65535)
    return conn
