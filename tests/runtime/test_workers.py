"""Functions in processes of their own: calls that hang, processes that end, and what becomes of the other calls."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grpc
import pytest

from tests.runtime.health import health_of
from tests.runtime.scraping import scraped
from tests.runtime.serving import PREFIX, ROOT, Serving, channel, code_of, raw_call, serving
from tests.support import Response, request

pytestmark = pytest.mark.slow

XR = {"apiVersion": "example.org/v1", "kind": "X", "metadata": {"name": "photos"}}
ENDING = "tests.runtime.functions:ending"
HOLDING = "tests.runtime.functions:holding"
HANGING = "tests.runtime.functions:hanging"
LOST = (
    "a call is lost: 2 workers ended while they ran it, so compose() has begun 2 times; see 'a worker has ended' in "
    "the function's log"
)


def asking(**spec: Any) -> bytes:
    """Return a request with that spec."""
    return request(xr={**XR, "spec": {"location": "EU", **spec}}, tag="t")


def process_of(answer: bytes) -> int:
    """Return the process that `ending` ran in."""
    ((_, text),) = Response(answer).results
    return int(text.removeprefix("process "))


def location(answer: bytes) -> Any:
    """Return where the bucket of an answer is to be."""
    return Response(answer).resources["bucket"]["spec"]["forProvider"]["location"]


def exists(process: int) -> bool:
    """Say whether a process runs."""
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.fixture
def workers(transport: str) -> Any:
    """Return flags for two workers."""
    return ("--insecure", "--transport", transport, "--workers", "2")


def test_calls_run_elsewhere(workers: Any) -> None:
    """Calls run in other processes than the one that serves, which end with it; the line `serving` says how many."""
    with serving(ENDING, *workers) as server:
        assert server.record("serving")["workers"] == 2
        with channel(server.address) as opened:
            process = process_of(raw_call(opened, asking()))
        assert process != server.process.pid
        assert exists(process)
        assert server.stop() == 0
    assert not exists(process)


def test_malformed_requests(workers: Any) -> None:
    """A request that the function can't read has the same status as without workers, and ends none of them."""
    with serving(ENDING, *workers) as server, channel(server.address) as opened:
        before = process_of(raw_call(opened, asking()))
        with pytest.raises(grpc.RpcError) as caught:
            raw_call(opened, b"\xff")
        assert caught.value.code() == grpc.StatusCode.INVALID_ARGUMENT
        assert before in {process_of(raw_call(opened, asking())) for _ in range(4)}
    assert not [record for record in server.records if record["msg"] == "a worker has ended"]


def test_large_messages(workers: Any) -> None:
    """A request and an answer of some MB come through whole, also while others are on their way."""
    texts = [letter * 1_500_000 for letter in "abcd"]
    with serving("tests.runtime.functions:echo", *workers) as server, channel(server.address) as opened:
        with ThreadPoolExecutor(4) as pool:
            answers = pool.map(lambda text: location(raw_call(opened, asking(location=text))), texts)
            assert list(answers) == texts


def test_a_worker_that_ends(workers: Any, tmp_path: Path) -> None:
    """A call whose worker ends under it runs again in another one; its caller sees nothing of it, the log names it."""
    with serving(ENDING, *workers) as server, channel(server.address) as opened:
        assert location(raw_call(opened, asking(end="once", file=str(tmp_path / "ended")))) == "EU"
        record = server.record("a worker has ended")
        assert (record["how"], record["level"]) == ("status 3", "error")
        assert (record["running"], record["calls"]) == (1, [{"tag": "t", "composite": "photos"}])
        assert (tmp_path / "ended").exists()


def test_a_call_that_ends_every_worker(workers: Any) -> None:
    """A call that ends its worker twice is UNAVAILABLE, logged with its composite; all others go on."""
    with serving(ENDING, *workers) as server, channel(server.address) as opened:
        with pytest.raises(grpc.RpcError) as caught:
            raw_call(opened, asking(end="always"))
        assert caught.value.code() == grpc.StatusCode.UNAVAILABLE
        assert "2 workers ended while they ran it" in str(caught.value.details())
        assert server.record(LOST)["composite"] == "photos"
        for _ in range(10):
            assert location(raw_call(opened, asking())) == "EU"


def test_a_crash_in_c(workers: Any) -> None:
    """A worker that a signal has ended is logged, and stderr has the stack of the call in which it crashed."""
    with serving(ENDING, *workers) as server, channel(server.address) as opened:
        with pytest.raises(grpc.RpcError):
            raw_call(opened, asking(end="crash"))
        record = server.record("a worker has ended")
        assert (record["how"], record["calls"]) == ("SIGSEGV", [{"tag": "t", "composite": "photos"}])
        server.line(lambda line: f'functions.py", line {_line_of("string_at(0)")} in ending\n' in line)


def _line_of(text: str) -> int:
    """Return the number of the line of the served functions that has that text."""
    lines = (Path(__file__).parent / "functions.py").read_text().splitlines()
    (number,) = [number for number, line in enumerate(lines, 1) if text in line]
    return number


def test_a_call_that_hangs_in_c(workers: Any) -> None:
    """If C code lets no thread of the worker run, the line about its end has the call, and stderr its stack."""
    with serving(HOLDING, *workers, "--stuck-after", "1") as server, channel(server.address) as opened:
        with pytest.raises(grpc.RpcError) as caught:
            raw_call(opened, asking(hang=True), timeout=1)
        # grpcio's server cancels the call at the same moment at which the client gives it up.
        assert code_of(caught.value) == "DEADLINE_EXCEEDED"
        record = server.record(
            "a worker is replaced: calls in it still run more than 1 seconds after their deadline; its stacks on "
            "stderr show what blocks the function"
        )
        assert record["calls"] == [{"tag": "t", "composite": "photos"}]
        server.line(lambda line: f'functions.py", line {_line_of("PyDLL(None).sleep")} in holding\n' in line)
        assert location(raw_call(opened, asking())) == "EU"
        assert server.stop() == 0


OWN_HANDLER = """
import signal
from tests.runtime.functions import holding
signal.signal(signal.SIGQUIT, lambda *_: None)
"""


def test_a_handler_of_the_functions_module(tmp_path: Path) -> None:
    """A handler of the function's module for the signal that shows stacks stays; then there are no stacks."""
    (tmp_path / "handles.py").write_text(OWN_HANDLER)
    flags = ("--insecure", "--workers", "1", "--stuck-after", "0.5")
    env = {"PYTHONPATH": f"{tmp_path}:{ROOT}"}
    with serving("handles:holding", *flags, env=env) as server, channel(server.address) as opened:
        with pytest.raises(grpc.RpcError):
            raw_call(opened, asking(hang=True), timeout=0.5)
        replaced = json.loads(server.line(lambda line: "a worker is replaced" in line))
        assert replaced["calls"] == [{"tag": "t", "composite": "photos"}]
        assert location(raw_call(opened, asking())) == "EU"
    assert not [line for line in server.lines if " in holding" in line]


def test_a_call_that_hangs(workers: Any) -> None:
    """A worker in which a call hangs is replaced, and its stack is logged; a call that runs in it is answered."""
    with serving(HANGING, *workers[:-1], "1", "--stuck-after", "1") as server, channel(server.address) as opened:
        with pytest.raises(grpc.RpcError) as caught:
            raw_call(opened, asking(hang=True), timeout=1)
        assert code_of(caught.value) == "DEADLINE_EXCEEDED"
        record = server.record("the function still runs after the call's deadline; the stack shows where")
        assert "in hanging\n    _sleep_on()" in record["stack"]
        old = int(record["worker"])
        replaced = json.loads(server.line(lambda line: "a worker is replaced" in line))
        assert replaced["calls"] == [{"tag": "t", "composite": "photos"}]
        server.line(lambda line: line.endswith(" in hanging\n"))
        assert location(raw_call(opened, asking())) == "EU"
        while exists(old):
            time.sleep(0.05)
        assert server.stop() == 0  # what hung doesn't keep the end


SLOWLY = """
import os, sys, time
from crossplane_lite import composition
from tests.runtime.functions import hanging
from crossplane_lite.runtime import log, server
from crossplane_lite.runtime.transports.budget import Limits

def run(data):
    if b"wait" in data:
        with open(sys.argv[2] + ".ran", "a") as ran:
            ran.write("x")
        while not os.path.exists(sys.argv[2]):
            time.sleep(0.01)
    return hanging.run(data)

log.configure()
served = server.Server(run, transport=sys.argv[1], workers=1, limits=Limits(stuck_seconds=0.5))
served.listen("127.0.0.1:0")
served.serve(grace=5)
"""


def test_other_calls_of_a_worker_that_is_replaced(transport: str, tmp_path: Path) -> None:
    """A worker that is replaced ends after the calls that run in it, which are answered from it."""
    file = tmp_path / "go"
    server = Serving([sys.executable, "-c", SLOWLY, transport, str(file)])
    try:
        with channel(server.address) as opened, ThreadPoolExecutor(1) as pool:
            other = pool.submit(raw_call, opened, asking(location="wait"))
            with pytest.raises(grpc.RpcError):
                raw_call(opened, asking(hang=True), timeout=0.5)
            server.line(lambda line: "a worker is replaced" in line)
            assert location(raw_call(opened, asking())) == "EU"  # from the new one
            assert not other.done()
            file.touch()
            assert location(other.result(timeout=60)) == "wait"
    finally:
        assert server.stop() == 0
    assert Path(f"{file}.ran").read_text() == "x"  # it ran once
    said = [record["msg"] for record in server.records]
    assert not [text for text in said if text.startswith(("a worker has ended", "a call is lost"))]


def test_when_the_server_is_killed(workers: Any) -> None:
    """No worker is left behind where the process that serves is killed, not even one that hangs."""
    with serving(HOLDING, *workers) as server:
        (nursery,) = children(server.process.pid)
        with channel(server.address) as opened:
            with pytest.raises(grpc.RpcError):
                raw_call(opened, asking(hang=True), timeout=0.5)
            assert location(raw_call(opened, asking())) == "EU"
        processes = children(nursery)
        assert len(processes) == 2
        server.stop(signal.SIGKILL)
    until = time.monotonic() + 60
    while any(map(exists, processes)):
        assert time.monotonic() < until
        time.sleep(0.05)


def test_when_no_workers_can_be_made(workers: Any) -> None:
    """Where the process that makes workers has ended, the health check says so, and calls go on as long as they can."""
    with serving(ENDING, *workers, "--health-address", "127.0.0.1:0") as server:
        (nursery,) = children(server.process.pid)
        with channel(server.address) as opened:
            raw_call(opened, asking())
            os.kill(nursery, signal.SIGKILL)
            server.line(lambda line: "the process that starts workers has ended" in line)
            assert health_of(server) == "NOT_SERVING"
            assert location(raw_call(opened, asking())) == "EU"


def children(process: int) -> list[int]:
    """Return the processes that a process has started."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
            if parent == process:
                found.append(int(entry.name))
    return found


@pytest.mark.parametrize("kills", [20])
def test_workers_killed_under_load(transport: str, kills: int) -> None:
    """While workers are killed at random, no call is answered wrongly, and each that is lost is counted."""
    over = threading.Event()
    counted: Counter[str] = Counter()
    lock = threading.Lock()

    def client(number: int) -> None:
        call = 0
        with channel(server.address) as opened:
            while not over.is_set():
                call += 1
                wanted = f"{number}-{call}"
                try:
                    what = "right" if location(raw_call(opened, asking(location=wanted))) == wanted else "wrong"
                except grpc.RpcError as e:
                    what = e.code().name
                with lock:
                    counted[what] += 1

    chance = random.Random(4)
    flags = ("--insecure", "--transport", transport, "--workers", "3", "--metrics-address", "127.0.0.1:0")
    with serving(ENDING, *flags) as server:
        (nursery,) = children(server.process.pid)
        killed = 0
        with ThreadPoolExecutor(8) as pool:
            running = [pool.submit(client, number) for number in range(8)]
            while killed < kills:
                time.sleep(0.1)
                victims = [one for one in children(nursery) if exists(one)]
                if victims:
                    os.kill(chance.choice(victims), signal.SIGKILL)
                    killed += 1
            over.set()
            for one in running:
                one.result(timeout=60)
        while len([record for record in server.records if record["msg"] == "a worker has ended"]) < killed:
            time.sleep(0.05)
        metrics = scraped(server)
        assert server.stop() == 0
    lost = counted["UNAVAILABLE"]
    retried = metrics["crossplane_lite_calls_retried_total"]
    print({**counted, "killed": killed, "run again": retried})
    assert counted["right"] > 100
    assert set(counted) <= {"right", "UNAVAILABLE"}
    assert metrics["crossplane_lite_calls_lost_total"] == lost
    assert sum(record["msg"].startswith("a call is lost: ") for record in server.records) == lost
    assert metrics["crossplane_lite_workers_ended_total"] == killed


def test_a_worker_that_reads_nothing() -> None:
    """Code that lets no thread of its worker run is replaced, however many calls are sent to it meanwhile."""
    flags = ("--insecure", "--transport", "grpcio", "--workers", "1", "--threads", "400", "--stuck-after", "1")
    with serving(HOLDING, *flags) as server, channel(server.address) as opened:
        method = opened.unary_unary(PREFIX + "RunFunction")
        calls = [method.future(asking(hang=True), timeout=2) for _ in range(350)]
        codes = {code_of(one.exception(timeout=60)) for one in calls}
        assert codes <= {"DEADLINE_EXCEEDED", "UNAVAILABLE"}
        server.line(lambda line: "a worker is replaced" in line)
        assert location(raw_call(opened, asking())) == "EU"


# A pool without a server, in a process of its own: `made` has one worker, which echoes, and ends where it is asked to.
POOL = """
import errno, os, signal, socket, sys, time
from crossplane_lite.runtime.transports.budget import Limits
from crossplane_lite.runtime.transports.status import Refused
from crossplane_lite.runtime.workers import frames, pool

def ask(request):
    try:
        return made.handle(request, time.monotonic() + 60)
    except Refused as refused:
        return refused.code, refused.text

def until(wanted):
    stop = time.monotonic() + 60
    while not wanted():
        assert time.monotonic() < stop
        made.look()
        time.sleep(0.01)

def fail(*_, **__):
    raise OSError(errno.EMFILE, "too many files")

def make():
    return pool.Pool(lambda request: request, 1, Limits())
"""

NO_SOCKETS = """
made = make()
until(lambda: [one.process for one in made._workers.values()] != [None])
real, socket.socketpair = socket.socketpair, fail
code, text = ask(b"a")
assert code == 14 and "no socket to a worker can be opened (too many files): raise the limit of open files" in text
(worker,) = made._workers.values()
os.kill(worker.process, signal.SIGKILL)
until(lambda: made._missing)
socket.socketpair = real
pool._PATIENCE_SECONDS = 0.1
expected = (
    "no worker accepted it within 0.1 seconds, or before its deadline; see the function's log for what "
    "happened to the workers"
)
assert ask(b"a") == (14, f"the call is lost: {expected}")
until(lambda: made.processes)
assert ask(b"b") == b"b"
assert (made.lost, made.ended) == (2, 1)
"""

NO_PROCESSES = """
real, left = os.fork, [-2]

def fork():
    left[0] += 1
    if left[0] == 0:  # the first one is for the process that makes workers
        raise BlockingIOError(errno.EAGAIN, "no more processes")
    return real()

os.fork = fork
made = make()
until(lambda: made._begun == 2 and made.processes)
assert ask(b"a") == b"a"
assert (made.ended, made.healthy) == (0, True)
"""

NO_DESCRIPTORS_WHERE_WORKERS_ARE_MADE = """
import resource
real, left = frames.receive_command, [True]

def receive(sock, most):
    if left.pop() if left else False:
        resource.setrlimit(resource.RLIMIT_NOFILE, (sock.fileno(), 4096))
        found = real(sock, most)
        resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
        return found
    return real(sock, most)

frames.receive_command = receive
made = make()
until(lambda: made._begun == 2 and made.processes)
left.clear()
assert ask(b"a") == b"a"
assert (made.ended, made.healthy) == (0, True)
"""

NO_MEMORY_IN_A_WORKER = """
real = frames.receive

def receive(sock):
    message = real(sock)
    if message.content == b"much":
        raise MemoryError
    return message

frames.receive = receive
made = make()
assert ask(b"a") == b"a"
why = "2 workers ended while they ran it, so compose() has begun 2 times"
expected = f"{why}; see 'a worker has ended' in the function's log"
assert ask(b"much") == (14, f"the call is lost: {expected}")
until(lambda: made.ended == 2 and made.processes)
assert ask(b"b") == b"b"
assert (made.retried, made.lost, made.processes) == (1, 1, 1)
"""

NO_MEMORY_IN_THE_SERVER = """
made = make()
real = frames.ask

def ask_without_digests(*_):
    raise MemoryError

frames.ask = ask_without_digests
assert ask(b"a") == (13, "the server failed; its log says why")
frames.ask = real
assert ask(b"b") == b"b"
assert (made.running, [one.load for one in made._workers.values()]) == (0, [0])
"""


ENDS_AT_ONCE = """
pool._YOUNG_SECONDS = 1000
made = make()
until(lambda: [one.process for one in made._workers.values()] != [None])
(worker,) = made._workers.values()
os.kill(worker.process, signal.SIGKILL)  # before it has answered anything
while not made.ended:
    time.sleep(0.01)
time.sleep(0.3)
assert not made._workers and made._missing == 1  # the next look makes another one
until(lambda: made.processes)
assert ask(b"a") == b"a"
(worker,) = made._workers.values()
os.kill(worker.process, signal.SIGKILL)
while not made.processes:  # without a look
    time.sleep(0.01)
"""

FORK_WHERE_WORKERS_ARE_MADE = """
import select
real, left = select.select, [True]
told, tell = os.pipe()

def forking(*waited):  # as a signal handler may
    found = real(*waited)
    if waited[0][1] in found[0] and left:
        left.clear()
        child = os.fork()
        if child:
            os.write(tell, str(child).encode())
    return found

select.select = forking
made = pool.Pool(lambda request: request, 2, Limits())
until(lambda: all(one.process for one in made._workers.values()))
os.kill(list(made._workers.values())[0].process, signal.SIGKILL)
child = os.read(told, 100).decode()
until(lambda: not os.path.exists(f"/proc/{child}"))
until(lambda: made.processes == 2 and all(one.process for one in made._workers.values()))
time.sleep(0.3)
assert ask(b"a") == b"a"
assert (made.ended, made.processes) == (1, 2)
"""

WRONG_ANSWERS = """
import logging
said = []
handler = logging.Handler()
handler.emit = said.append
logging.getLogger().addHandler(handler)
real, server = frames.send, os.getpid()

def send(sock, message, *files):
    real(sock, message, *files)
    if message.content == b"twice" and os.getpid() != server:
        real(sock, message)

frames.send = send
made = make()
for asked in (b"a", b"twice", b"b", b"c", b"twice", b"d"):
    assert ask(asked) == asked, asked
until(lambda: made.ended == 2)
killed = [record for record in said if "sent something else than the answer to a call" in record.getMessage()]
assert len(killed) == 2 and killed[1].worker  # that the first one has started may be heard later than its answers
assert (made.retried, made.lost) == (2, 0)
"""

THREADS_FROM_BEFORE = """
import logging, threading
said = []
handler = logging.Handler()
handler.emit = lambda record: said.append(record.getMessage())
logging.getLogger().addHandler(handler)
go = threading.Event()
threading.Thread(target=go.wait, name="mine").start()
made = make()
go.set()
assert said[0] == "threads that were started before the workers don't run in them: mine; start them in compose()", said
assert ask(b"a") == b"a"
"""


@pytest.mark.parametrize(
    "case",
    [
        *("ENDS_AT_ONCE", "FORK_WHERE_WORKERS_ARE_MADE", "THREADS_FROM_BEFORE", "WRONG_ANSWERS"),
        *("NO_SOCKETS", "NO_PROCESSES", "NO_DESCRIPTORS_WHERE_WORKERS_ARE_MADE"),
        *("NO_MEMORY_IN_A_WORKER", "NO_MEMORY_IN_THE_SERVER"),
    ],
)
def test_what_the_system_lacks(case: str) -> None:
    """Whatever the system lacks for a while, a call has a status meanwhile, and is answered afterwards."""
    program = f"{POOL}{globals()[case]}\nmade.close()\n"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
