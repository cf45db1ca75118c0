"""The pool of workers, in the server: gives calls to workers, and replaces workers that hang or have ended.

A worker is a process that runs calls. All workers are forked from the nursery, a process with a single thread.
"""

from __future__ import annotations

import contextlib
import errno
import gc
import itertools
import logging
import os
import select
import signal
import socket
import threading
import time
from typing import TYPE_CHECKING, Final

from ..._core.call import results
from ..._core.call.results import Tally
from ...errors import UsageError
from .. import log
from ..calls import subject_of
from ..transports import status
from ..transports.status import Refused
from . import frames
from . import worker as workers
from .frames import Late, Message, Worker

if TYPE_CHECKING:
    from ..calls import Run
    from ..transports.budget import Limits

__all__ = ["Pool"]

# A call whose worker ends is run once more. Then it is given up, because the call itself may be what ends workers.
_MOST_TRIES: Final = 2
# How long a call waits for a worker if none can take it.
_PATIENCE_SECONDS: Final = 5.0
# How often such a call tries again.
_ROOM_SECONDS: Final = 0.05
# A worker that ends sooner than this, without an answer, gets no successor before the next look, about a second later.
_YOUNG_SECONDS: Final = 1.0

_log = logging.getLogger(__name__)


class Pool:
    """Runs calls in a number of worker processes.

    Make the pool before the process starts a thread, and so before the transport: the pool forks this process. A worker
    that ends or hangs is replaced by a new worker.

    Args:
        run: The function, which takes request bytes and returns response bytes.
        count: The number of workers.
        limits: The server's limits.

    Attributes:
        late: The number of calls since the start that ran on after their deadline.
        retried: The number of calls that were run again, because their worker had ended.
        lost: The number of calls that were answered with UNAVAILABLE, because two workers ended while they ran the
            call, or because no worker could get it.
        ended: The number of workers that ended without being replaced first.
        replaced: The number of workers that were replaced, because calls hung in them.

    Raises:
        UsageError: The system has no `os.fork()`.
    """

    def __init__(self, run: Run, count: int, limits: Limits) -> None:
        if not hasattr(os, "fork"):
            raise UsageError("workers need os.fork(), which this system doesn't have: leave --workers out")
        self._limits = limits
        self._lock = threading.Condition()
        self._workers: dict[int, Worker] = {}
        self._begun = 0
        self._count = count
        self._missing = 0  # workers for the next look to start: others couldn't be started, or ended soon
        self._closing = False
        self._broken = False
        self._running: list[None] = []
        self._numbers = itertools.count(1)  # of requests to workers
        self.late = self.retried = self.lost = self.ended = self.replaced = 0
        self._nursery = self._make_nursery(run)
        with self._lock:
            for _ in range(count):
                self._start()
        threading.Thread(target=self._listen, name="workers", daemon=True).start()

    def _make_nursery(self, run: Run) -> int:
        if threading.active_count() > 1:
            names = ", ".join(thread.name for thread in threading.enumerate()[1:4])
            _log.warning(
                "threads that were started before the workers don't run in them: %s; start them in compose()", names
            )
        gc.freeze()  # so that garbage collection in workers doesn't copy the memory that they share
        self._sock, theirs = socket.socketpair()
        process = os.fork()
        if process:
            theirs.close()
            return process
        try:
            gc.enable()  # the server disables it while it starts
            self._sock.close()
            workers.keep(theirs, run, self._limits)
        except BaseException:
            _log.exception("the process that starts workers has failed")
        finally:
            os._exit(0)

    @property
    def running(self) -> int:
        """The number of running calls whose callers still wait."""
        return len(self._running)

    @property
    def stuck(self) -> int:
        """The number of calls that still run `Limits.stuck_seconds` after their deadline.

        Calls in workers that are being replaced don't count.
        """
        latest = time.monotonic() - self._limits.stuck_seconds
        with self._lock:
            kept = [worker for worker in self._workers.values() if not worker.retiring]
            return sum(late.since <= latest for worker in kept for late in worker.late.values())

    @property
    def processes(self) -> int:
        """The number of workers that take calls."""
        with self._lock:
            return sum(worker.takes_calls for worker in self._workers.values())

    @property
    def healthy(self) -> bool:
        """Whether a worker takes calls, and the nursery can still start workers."""
        return not self._broken and self.processes > 0

    def handle(self, request: bytes, until: float) -> bytes:
        """Answer a request: have a worker run it, and return the bytes of the response.

        If the worker ends, the call is run once more, by another worker.

        Raises:
            Refused: The worker refused the call; its deadline is over (DEADLINE_EXCEEDED), no worker could run it
                (UNAVAILABLE), or the server failed (INTERNAL).
        """
        self._running.append(None)
        try:
            outcome = self._ask(request, until)
        except Refused:
            raise
        except BaseException:  # MemoryError, for example
            log.exception_in_call(_log, "a call failed on its way to or from a worker", request)
            raise Refused(status.INTERNAL, "the server failed; its log says why") from None
        finally:
            self._running.pop()
        counts = results.counting.get()
        if counts is not None:
            counts.add(Tally(*outcome.counts))
        if outcome.value != status.OK:
            raise Refused(int(outcome.value), outcome.content.decode(errors="replace"))
        return outcome.content

    def _ask(self, request: bytes, until: float) -> Message:
        for attempt in range(1, _MOST_TRIES + 1):
            try:
                taken = self._take(request, until)
            except OSError as e:
                advice = ": raise the limit of open files (ulimit -n)" if e.errno == errno.EMFILE else ""
                raise self._lose(request, f"no socket to a worker can be opened ({e.strerror}){advice}") from None
            if taken is None:
                raise self._lose(
                    request,
                    f"no worker accepted it within {_PATIENCE_SECONDS:g} seconds, or before its deadline; see the "
                    "function's log for what happened to the workers",
                )
            worker, sock = taken
            outcome: Message | None = None
            late: Late | None = None
            cut: dict[str, str] | None = None
            try:
                outcome = frames.ask(sock, next(self._numbers), request, until)
                return outcome
            except TimeoutError:
                late = Late(time.monotonic(), subject_of(request))
                raise Refused(status.DEADLINE_EXCEEDED, "the call's deadline is over") from None
            except (EOFError, OSError) as e:
                cut = subject_of(request)
                if isinstance(e, frames.WrongAnswer):
                    _log.error(
                        "a worker is killed, because it sent something else than the answer to a call: see whether "
                        "compose() forks, or writes to or closes file descriptors that it hasn't opened",
                        extra={"worker": worker.process, **cut},
                    )
            finally:
                with self._lock:
                    worker.busy.pop(sock, None)
                    if outcome is not None:
                        worker.idle.append(sock)
                        worker.answered = True
                    elif late is not None:
                        worker.late[sock] = late
                        self.late += 1
                    else:
                        sock.close()
                    if cut is not None:
                        worker.cut.append(cut)
                        self._give_up(worker)
                        self.retried += attempt < _MOST_TRIES
                    self._end_if_over(worker)
        raise self._lose(
            request,
            f"{_MOST_TRIES} workers ended while they ran it, so compose() has begun {_MOST_TRIES} times; see 'a worker "
            "has ended' in the function's log",
        )

    def _lose(self, request: bytes, why: str) -> Refused:
        """Count and log a call that can't be answered. Return the exception for its caller, with UNAVAILABLE."""
        with self._lock:
            self.lost += 1
        _log.error("a call is lost: %s", why, extra=subject_of(request))
        return Refused(status.UNAVAILABLE, f"the call is lost: {why}")

    def _take(self, request: bytes, until: float) -> tuple[Worker, socket.socket] | None:
        """Choose a worker for a call, and a socket to this worker on which no call runs.

        `until` is the deadline, by `time.monotonic`. Returns the worker with the fewest calls, and the socket, which is
        now in `busy`; None if no worker can get a call within five seconds, or until the deadline. Raises OSError if
        the process can't open another socket.
        """
        patience = min(until, time.monotonic() + _PATIENCE_SECONDS)
        with self._lock:
            while True:
                found = [worker for worker in self._workers.values() if worker.takes_calls]
                for worker in sorted(found, key=lambda worker: worker.load):
                    sock = worker.idle.pop() if worker.idle else self._connected(worker)
                    if sock is not None:
                        worker.busy[sock] = request
                        return worker, sock
                left = patience - time.monotonic()
                if left <= 0:
                    return None
                # New workers notify this lock. A worker that reads again doesn't, so try again after a short time.
                self._lock.wait(min(left, _ROOM_SECONDS) if found else left)

    def _connected(self, worker: Worker) -> socket.socket | None:
        """Return a new socket to a worker; None if the worker has ended, or reads no commands because it hangs.

        Raises:
            OSError: The process can't open another socket.
        """
        sock, theirs = socket.socketpair()
        try:
            frames.send(worker.control, Message(frames.CALL, worker.number), theirs.fileno())
            return sock
        except ConnectionError:
            self._give_up(worker)
        except OSError:  # the worker's queue of commands is full: code in it lets none of its threads run
            pass
        finally:
            theirs.close()
        sock.close()
        return None

    def _give_up(self, worker: Worker) -> None:
        """Send no more calls to a worker that has closed a socket or sent a wrong answer, and kill it.

        A worker closes a socket only if it ends or has no more memory.
        """
        worker.gone = True
        self._command(frames.END, worker)

    def _command(self, kind: bytes, worker: Worker) -> None:
        with contextlib.suppress(OSError):  # the nursery has gone, and `_listen` notices that
            frames.send(self._sock, Message(kind, worker.number))

    def look(self) -> None:
        """Replace workers in which calls are stuck, and start missing workers. About once a second."""
        latest = time.monotonic() - self._limits.stuck_seconds
        with self._lock:
            for worker in list(self._workers.values()):
                self._forget_ended(worker)
                self._end_if_over(worker)
                stuck = [late.subject for late in worker.late.values() if late.since <= latest]
                if stuck and not worker.retiring:
                    worker.retiring = True
                    self.replaced += 1
                    self._start()
                    self._command(frames.DUMP, worker)  # the next look, or the end of its last call, has it killed
                    _log.error(
                        "a worker is replaced: calls in it still run more than %g seconds after their deadline; its "
                        "stacks on stderr show what blocks the function",
                        self._limits.stuck_seconds,
                        extra={"worker": worker.process, "running": len(worker.busy), "calls": stuck},
                    )
            missing, self._missing = self._missing, 0
            for _ in range(missing):
                self._start()

    def _forget_ended(self, worker: Worker) -> None:
        """Remove the late calls of a worker that have ended meanwhile, and close their sockets."""
        if worker.late:
            sockets = {sock.fileno(): sock for sock in worker.late}
            poll = select.poll()
            for number in sockets:
                poll.register(number, select.POLLIN)
            for number, _ in poll.poll(0):
                del worker.late[sockets[number]]
                sockets[number].close()

    def _end_if_over(self, worker: Worker) -> None:
        """Kill a worker if it is being replaced, and all its calls except the late ones are over."""
        if worker.retiring and not worker.busy and not worker.asked:
            worker.asked = True
            self._command(frames.END, worker)

    def _start(self) -> None:
        """Ask the nursery to start a worker. If no socket can be opened now, try again in a second.

        If the nursery has gone, the pool isn't healthy any more.
        """
        self._begun += 1
        try:
            control, theirs = socket.socketpair()
        except OSError as e:
            self._start_later(e.errno or 0)
            return
        try:
            frames.send(self._sock, Message(frames.START, self._begun), theirs.fileno())
        except OSError:
            self._broken = True
            return
        finally:
            theirs.close()
        self._workers[self._begun] = Worker(self._begun, control)
        self._lock.notify_all()

    def _listen(self) -> None:
        """Receive the nursery's events about workers, until the nursery has gone. This runs in its own thread."""
        while True:
            try:
                event = frames.receive(self._sock)
            except (EOFError, OSError):
                if not self._closing:
                    self._broken = True
                    _log.error(
                        "the process that starts workers has ended, so none is replaced any more; restart this server"
                    )
                return
            with self._lock:
                worker = self._workers.get(event.number)
                if worker is None:
                    continue
                if event.kind == frames.STARTED:
                    worker.process = int(event.value)
                    _log.debug("a worker has started", extra={"worker": worker.process})
                else:
                    self._forget(worker)
                    if event.kind == frames.NOT_STARTED:
                        self._start_later(int(event.value))
                    else:
                        self._take_end(worker, int(event.value))

    def _start_later(self, error: int) -> None:
        """Have `look` start a worker. `error` is the errno that says why it can't be started now."""
        _log.error("a worker can't be started: %s; the server tries again in a second", os.strerror(error))
        self._missing += 1

    def _forget(self, worker: Worker) -> None:
        """Remove a worker that has ended, and close its sockets. So the threads that wait for it ask other workers."""
        del self._workers[worker.number]
        worker.gone = True
        for sock in worker.busy:
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)  # a program that the worker has started may hold the other end open
        for sock in (*worker.idle, *worker.late, worker.control):
            sock.close()

    def _take_end(self, worker: Worker, code: int) -> None:
        """Count and log the end of a worker, unless the worker was being replaced. Then start missing workers.

        `code` is the exit status, or a signal as a negative number.

        If the worker has ended within a second and without an answer, `look` starts them.
        """
        if self._closing:
            return
        missing = self._count - sum(one.takes_calls for one in self._workers.values()) - self._missing
        if not worker.asked:
            self.ended += 1
            how = signal.Signals(-code).name if code < 0 else f"status {code}"
            calls = [*worker.cut, *map(subject_of, worker.busy.values())]
            calls += [late.subject for late in worker.late.values()]
            extra = {"worker": worker.process, "how": how, "running": len(calls), "calls": calls}
            _log.error("a worker has ended", extra=extra)
        young = time.monotonic() - worker.began < _YOUNG_SECONDS and not worker.asked and not worker.answered
        if young:
            self._missing += missing
        else:
            for _ in range(missing):
                self._start()

    def close(self) -> None:
        """End the nursery, which kills all workers, and wait for its end."""
        self._closing = True
        with contextlib.suppress(OSError):
            self._sock.shutdown(socket.SHUT_RDWR)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self._nursery, 0)
