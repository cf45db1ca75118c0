"""The server's side of workers: which call goes to which, and what becomes of those that hang or end."""

from __future__ import annotations

import contextlib
import gc
import logging
import os
import select
import signal
import socket
import threading
import time
from typing import TYPE_CHECKING, Final

from ..._call import tally
from ..._call.tally import Tally
from ...errors import UsageError
from .. import log
from ..subject import subject_of
from ..transports import seconds_left, status
from ..transports.status import Refused
from . import frames, nursery

if TYPE_CHECKING:
    from ..calls import Run
    from ..transports import Caller
    from ..transports.limits import Limits
    from .frames import Event, Outcome

__all__ = ["Pool"]

# A call whose worker ends runs in another one, and then no more: it may be what ends them, and must not end all.
_MOST_TRIES: Final = 2
# How long a call waits for a worker where there is none.
_PATIENCE_SECONDS: Final = 5.0
# How often a call looks whether a worker takes it, where those that there are take none.
_ROOM_SECONDS: Final = 0.05
# Where workers end sooner than this without an answer, the pause before each new one becomes longer.
_YOUNG_SECONDS: Final = 1.0
# When the next try follows one in which the system lacked something for a worker.
_RETRY_SECONDS: Final = 1.0
_LONGEST_PAUSE_SECONDS: Final = 30.0

_log = logging.getLogger(__name__)


class _Worker:
    """A worker, as the server sees it.

    Attributes:
        number: Its number, which no other worker has or gets.
        process: Its process's number, None before it is known.
        control: Sockets go to the worker through it. Sending never waits: a worker may read nothing any more.
        idle: Sockets on which no call runs.
        busy: Those on which a call runs, and somebody waits for it.
        late: Those on which a call runs that nobody waits for any more, with the time since when.
        retiring: Whether it gets no more calls, and ends after those that it has.
        gone: Whether it has ended, or is about to.
        asked: Whether it was asked to end.
        began: When it was started.
        answered: Whether it has answered a call.
    """

    def __init__(self, number: int, control: socket.socket) -> None:
        self.number = number
        self.process: int | None = None
        control.setblocking(False)
        self.control = control
        self.idle: list[socket.socket] = []
        self.busy: set[socket.socket] = set()
        self.late: dict[socket.socket, float] = {}
        self.retiring = self.gone = self.asked = self.answered = False
        self.began = time.monotonic()

    @property
    def load(self) -> int:
        """How much it has to do."""
        return len(self.busy) + len(self.late)

    @property
    def takes_calls(self) -> bool:
        """Whether it gets calls."""
        return not self.retiring and not self.gone


class Pool:
    """A number of worker processes that run calls.

    It must be made while the process has one thread, before the transport is made.

    Args:
        run: The function.
        count: How many workers.
        limits: How much of everything.

    Attributes:
        late: How many calls have gone on after their deadline, since the start.
        retried: How many calls were run again, because their worker had ended.
        lost: How many calls were answered UNAVAILABLE, because that happened twice, or because no worker took them.
        ended: How many workers have ended without being asked to.
        replaced: How many workers were replaced, because a call hung in them.

    Raises:
        UsageError: The system can't copy processes.
    """

    def __init__(self, run: Run, count: int, limits: Limits) -> None:
        if not hasattr(os, "fork"):
            raise UsageError("--workers needs a POSIX system, on which processes can be copied")
        self._limits = limits
        self._lock = threading.Condition()
        self._workers: dict[int, _Worker] = {}
        self._begun = 0
        self._count = count
        self._missing_until: list[float] = []  # when workers are started again that couldn't be, or ended soon
        self._quick_ends = 0
        self._closing = False
        self._broken = False
        self._running: list[None] = []
        self.late = self.retried = self.lost = self.ended = self.replaced = 0
        self._nursery = self._make_nursery(run)
        with self._lock:
            for _ in range(count):
                self._start()
        threading.Thread(target=self._listen, name="workers", daemon=True).start()

    def _make_nursery(self, run: Run) -> int:
        if threading.active_count() > 1:
            names = ", ".join(thread.name for thread in threading.enumerate()[1:4])
            _log.warning("workers don't have the threads that were started before: %s", names)
        gc.freeze()  # what is shared with the workers stays shared when they collect garbage
        self._sock, theirs = socket.socketpair()
        process = os.fork()
        if process:
            theirs.close()
            return process
        try:
            gc.enable()  # disabled until the server runs
            self._sock.close()
            nursery.keep(theirs, run, self._limits)
        except BaseException:
            _log.exception("the process that makes workers has failed")
        finally:
            os._exit(0)

    @property
    def running(self) -> int:
        """How many calls run that somebody waits for."""
        return len(self._running)

    @property
    def stuck(self) -> int:
        """How many calls have gone on for too long after their deadline, in workers that aren't replaced yet."""
        latest = time.monotonic() - self._limits.stuck_seconds
        with self._lock:
            kept = [worker for worker in self._workers.values() if not worker.retiring]
            return sum(since <= latest for worker in kept for since in worker.late.values())

    @property
    def processes(self) -> int:
        """How many workers take calls."""
        with self._lock:
            return sum(worker.takes_calls for worker in self._workers.values())

    @property
    def healthy(self) -> bool:
        """Whether there are workers, and new ones can be made."""
        return not self._broken and self.processes > 0

    def handle(self, request: bytes, caller: Caller) -> bytes:
        """Answer a request.

        Raises:
            Refused: There is a status instead of an answer.
        """
        self._running.append(None)
        try:
            outcome = self._ask(request, caller)
        except Refused:
            raise
        except BaseException:  # no memory, for example
            log.exception_in_call(_log, "a call failed on its way to or from a worker", request)
            raise Refused(status.INTERNAL, "the server failed; its log says why") from None
        finally:
            self._running.pop()
        counts = tally.current()
        if counts is not None:
            counts.add(Tally(*outcome.counts))
        if outcome.code != status.OK:
            raise Refused(outcome.code, outcome.content.decode(errors="replace"))
        return outcome.content

    def _ask(self, request: bytes, caller: Caller) -> Outcome:
        remaining = seconds_left(caller)
        until = time.monotonic() + (self._limits.call_seconds if remaining is None else remaining)
        for attempt in range(1, _MOST_TRIES + 1):
            try:
                taken = self._take(until)
            except OSError as e:
                raise self._lose(request, f"there is no connection to a worker: {e.strerror}") from None
            if taken is None:
                raise self._lose(request, "no worker takes it")
            worker, sock = taken
            try:
                outcome = frames.ask(sock, request, until)
            except TimeoutError:
                with self._lock:
                    self._release(worker, sock)
                    worker.late[sock] = time.monotonic()
                    self.late += 1
                raise Refused(status.DEADLINE_EXCEEDED, "the call's deadline is over") from None
            except (EOFError, OSError):
                with self._lock:
                    self._release(worker, sock)
                    self._give_up(worker)
                    self.retried += attempt < _MOST_TRIES
                sock.close()
                continue
            except BaseException:
                with self._lock:
                    self._release(worker, sock)
                sock.close()
                raise
            with self._lock:
                self._release(worker, sock)
                worker.idle.append(sock)
                worker.answered = True
            return outcome
        raise self._lose(request, f"{_MOST_TRIES} workers have ended while they ran it")

    def _release(self, worker: _Worker, sock: socket.socket) -> None:
        """Note that nobody waits on a socket any more."""
        worker.busy.discard(sock)
        self._end_if_over(worker)

    def _lose(self, request: bytes, why: str) -> Refused:
        """Count and log a call that can't be answered; return its status."""
        with self._lock:
            self.lost += 1
        _log.error("a call is lost: %s", why, extra=subject_of(request))
        return Refused(status.UNAVAILABLE, f"the call is lost: {why}; the function's log says more")

    def _take(self, until: float) -> tuple[_Worker, socket.socket] | None:
        """Return a worker and a socket to it on which no call runs, None where no worker takes a call for too long.

        Raises:
            OSError: The system lacks something for a socket.
        """
        patience = min(until, time.monotonic() + _PATIENCE_SECONDS)
        with self._lock:
            while True:
                found = [worker for worker in self._workers.values() if worker.takes_calls]
                for worker in sorted(found, key=lambda worker: worker.load):
                    sock = worker.idle.pop() if worker.idle else self._connected(worker)
                    if sock is not None:
                        worker.busy.add(sock)
                        return worker, sock
                left = patience - time.monotonic()
                if left <= 0:
                    return None
                # Of new workers it hears, and not of one that reads again.
                self._lock.wait(min(left, _ROOM_SECONDS) if found else left)

    def _connected(self, worker: _Worker) -> socket.socket | None:
        """Return another socket to a worker, None where the worker reads no commands."""
        sock, theirs = socket.socketpair()
        try:
            frames.command(worker.control, frames.START, worker.number, theirs)
            return sock
        except ConnectionError:
            self._give_up(worker)
        except OSError:  # its socket is full of commands: code in it lets none of its threads run
            pass
        finally:
            theirs.close()
        sock.close()
        return None

    def _give_up(self, worker: _Worker) -> None:
        """Send no more calls to a worker that has broken off a connection, and end it if it hasn't ended.

        It has no other reason to do that than its end, or the lack of memory.
        """
        worker.gone = True
        with contextlib.suppress(OSError):
            frames.command(self._sock, frames.END, worker.number)

    def look(self) -> None:
        """Replace workers in which calls hang, and start those that are missing."""
        now = time.monotonic()
        with self._lock:
            for worker in list(self._workers.values()):
                self._forget_ended(worker)
                stuck = [since for since in worker.late.values() if now - since >= self._limits.stuck_seconds]
                if stuck and not worker.retiring:
                    worker.retiring = True
                    self.replaced += 1
                    _log.error(
                        "a worker is replaced: calls have gone on in it for more than %g seconds after their deadline",
                        self._limits.stuck_seconds,
                        extra={"worker": worker.process, "hanging": len(stuck), "running": len(worker.busy)},
                    )
                    self._start()
                self._end_if_over(worker)
            for due in [due for due in self._missing_until if due <= now]:
                self._missing_until.remove(due)
                self._start()

    def _forget_ended(self, worker: _Worker) -> None:
        """Forget calls that nobody waits for, and that have come to their end."""
        if worker.late:
            sockets = {sock.fileno(): sock for sock in worker.late}
            poll = select.poll()
            for number in sockets:
                poll.register(number, select.POLLIN)
            for number, _ in poll.poll(0):
                del worker.late[sockets[number]]
                sockets[number].close()

    def _end_if_over(self, worker: _Worker) -> None:
        """Let a worker that is replaced end once it has no calls that somebody waits for."""
        if worker.retiring and not worker.busy and not worker.asked:
            worker.asked = True
            with contextlib.suppress(OSError):
                frames.command(self._sock, frames.END, worker.number)

    def _start(self) -> None:
        """Start a worker, now or, where the system lacks something for it, later."""
        self._begun += 1
        try:
            control, theirs = socket.socketpair()
        except OSError as e:
            self._start_later(e.errno or 0)
            return
        try:
            frames.command(self._sock, frames.START, self._begun, theirs)
        except OSError:
            control.close()
            self._broken = True
            return
        finally:
            theirs.close()
        self._workers[self._begun] = _Worker(self._begun, control)
        self._lock.notify_all()

    def _listen(self) -> None:
        """Hear of workers that start and end."""
        while True:
            try:
                event = frames.receive_event(self._sock)
            except (EOFError, OSError):
                if not self._closing:
                    self._broken = True
                    _log.error("the process that makes workers has ended; this process has to be started again")
                return
            with self._lock:
                worker = self._workers.get(event.worker)
                if worker is None:
                    continue
                if event.kind == frames.STARTED:
                    worker.process = event.value
                    _log.debug("a worker has started", extra={"worker": event.value})
                else:
                    self._forget(worker)
                    if event.kind == frames.NOT_STARTED:
                        self._start_later(event.value)
                    else:
                        self._take_end(worker, event)

    def _start_later(self, error: int) -> None:
        """Let `look` start a worker for which the system lacks something now."""
        _log.error("a worker can't be started, which is tried again: %s", os.strerror(error))
        self._missing_until.append(time.monotonic() + _RETRY_SECONDS)

    def _forget(self, worker: _Worker) -> None:
        """Let the calls of a worker that has ended be answered by others."""
        del self._workers[worker.number]
        worker.gone = True
        for sock in worker.busy:
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)  # a program that the worker has started may hold the other end open
        for sock in (*worker.idle, *worker.late, worker.control):
            sock.close()

    def _take_end(self, worker: _Worker, event: Event) -> None:
        """Count and log the end of a worker that nobody has asked for, and start those that are missing."""
        if self._closing:
            return
        missing = self._count - sum(one.takes_calls for one in self._workers.values()) - len(self._missing_until)
        if not worker.asked:
            self.ended += 1
            how = signal.Signals(-event.value).name if event.value < 0 else f"status {event.value}"
            extra = {"worker": worker.process, "how": how, "running": len(worker.busy)}
            _log.error("a worker has ended", extra=extra)
        young = time.monotonic() - worker.began < _YOUNG_SECONDS and not worker.asked and not worker.answered
        self._quick_ends = self._quick_ends + 1 if young else 0
        for _ in range(missing):
            if self._quick_ends > self._count:
                pause = min(_LONGEST_PAUSE_SECONDS, 0.1 * 2 ** min(self._quick_ends - self._count, 10))
                self._missing_until.append(time.monotonic() + pause)
            else:
                self._start()

    def close(self) -> None:
        """End all workers."""
        self._closing = True
        with contextlib.suppress(OSError):
            self._sock.shutdown(socket.SHUT_RDWR)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self._nursery, 0)
