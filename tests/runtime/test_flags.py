"""Flags and environment variables of the functions specification, and refusing to start."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from crossplane_lite.errors import InputError
from crossplane_lite.runtime import flags
from tests.helpers.ports import free_ports
from tests.runtime.certificates import Authority, write
from tests.runtime.serving import ROOT, Serving, channel, raw_call, run_command, serving, stub
from tests.support import build

ECHO = "tests.runtime.functions:echo"
XR = {"apiVersion": "example.org/v1alpha1", "kind": "XStorageBucket", "metadata": {"name": "photos"}}


def refused(*arguments: str, env: dict[str, str] | None = None) -> str:
    """Return the one line with which `serve` refuses to start."""
    done = run_command("serve", *arguments, env=env)
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    prefix = "crossplane-lite serve: "
    assert line.startswith(prefix)
    return line.removeprefix(prefix)


@pytest.fixture
def certificates(tmp_path: Path) -> str:
    """A directory of certificates."""
    authority = Authority()
    return str(write(tmp_path / "certs", authority.issue("server"), authority))


def test_refuses_without_certificates() -> None:
    """Without certificates and without --insecure it doesn't start, and says what to do."""
    line = refused(ECHO, env={"TLS_SERVER_CERTS_DIR": ""})
    assert "--tls-certs-dir" in line
    assert "TLS_SERVER_CERTS_DIR" in line
    assert "--insecure" in line


def test_refuses_unreadable_certificates(tmp_path: Path) -> None:
    """A directory without the files is named with the file that is missing."""
    line = refused(ECHO, "--tls-certs-dir", str(tmp_path))
    assert line == f"can't read {tmp_path}/tls.crt: No such file or directory"


@pytest.mark.slow
@pytest.mark.sample(1)
def test_certificates_from_the_flag(certificates: str) -> None:
    """The flag of the specification makes the server serve with TLS."""
    with serving(ECHO, "--tls-certs-dir", certificates) as server:
        assert server.records[-1]["tls"] is True


@pytest.mark.slow
def test_certificates_from_the_environment(certificates: str) -> None:
    """TLS_SERVER_CERTS_DIR stands for the flag, which wins over it."""
    with serving(ECHO, env={"TLS_SERVER_CERTS_DIR": certificates}) as server:
        assert server.records[-1]["tls"] is True
    with serving(ECHO, "--tls-certs-dir", certificates, env={"TLS_SERVER_CERTS_DIR": "/nonexistent"}) as server:
        assert server.records[-1]["tls"] is True


def test_insecure_wins(certificates: str) -> None:
    """With both, the server is insecure."""
    with serving(ECHO, "--insecure", "--tls-certs-dir", certificates) as server:
        assert server.records[-1]["tls"] is False
        with channel(server.address) as opened:
            stub(opened).RunFunction(build(xr=XR), timeout=60)


def test_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without flags: port 9443, 4 MB, mutual TLS with certificates from nowhere, no debugging."""
    monkeypatch.delenv("TLS_SERVER_CERTS_DIR", raising=False)
    assert flags.parse([]) == (
        {
            "debug": False,
            "insecure": False,
            "tls-certs-dir": None,
            "address": "0.0.0.0:9443",
            "max-recv-message-size": 4 << 20,
            "threads": 32,
            "health-address": None,
            "metrics-address": None,
            "record": None,
            "transport": None,
            "h": False,
        },
        [],
    )


def test_spellings() -> None:
    """A value follows its flag as the next argument or after =, the last one counts, order is free."""
    for arguments in (["--threads", "7", "a:b", "--debug"], ["a:b", "--debug", "--threads=9", "--threads=7"]):
        parsed, others = flags.parse(arguments)
        assert (parsed["threads"], parsed["debug"], others) == (7, True, ["a:b"])


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--no-such-flag"], "the flags can't be read: option --no-such-flag not recognized; --help lists all flags"),
        (
            ["--tls-server-certs-dir", "/tls"],
            "the flags can't be read: option --tls-server-certs-dir not recognized; did you mean '--tls-certs-dir'?",
        ),
        (["--insecure=true"], "the flags can't be read: option --insecure must not have an argument"),
        (["--address"], "the flags can't be read: option --address requires argument"),
        (["--address="], "--address needs a value: --address HOST:PORT"),
        (["--threads", "0"], "--threads: '0' is not a whole number from 1 to 10000"),
        (["--transport", "tcp"], "--transport: 'tcp' is not one of grpcio, h2"),
        (["--threads=many"], "--threads: 'many' is not a whole number from 1 to 10000"),
        *(
            (["--max-recv-message-size", size], f"--max-recv-message-size: '{size}' is not a whole number of megabytes")
            for size in ("0", "-1", "4.5", "2048", "four")
        ),
        ([], "no function was given: give it as module:function"),
        (["a:b", "c:d"], "there is an argument too many: 'c:d'"),
    ],
)
def test_wrong_command_line(arguments: list[str], text: str) -> None:
    """A wrong command line is one line that says what is wrong with it."""
    with pytest.raises(InputError) as caught:
        flags.command(arguments)
    assert str(caught.value).startswith(text)


def test_debug_logs_calls_as_text() -> None:
    """--debug logs for people, and every call with its duration."""
    with serving(ECHO, "--insecure", "--debug") as server:
        with channel(server.address) as opened:
            stub(opened).RunFunction(build(xr=XR), timeout=60)
        assert server.stop() == 0
    assert not server.records
    (line,) = [line for line in server.lines if "crossplane_lite.runtime.calls: call" in line]
    assert "DEBUG" in line
    assert "milliseconds=" in line
    assert "response_bytes=" in line


@pytest.mark.slow
def test_info_does_not_log_calls() -> None:
    """Without --debug a call leaves no line."""
    with serving(ECHO, "--insecure") as server:
        with channel(server.address) as opened:
            stub(opened).RunFunction(build(xr=XR), timeout=60)
        assert server.stop() == 0
    assert [record["msg"] for record in server.records] == ["serving", "stopping", "stopped"]


NOISY = "tests.runtime.functions:noisy"


def _call_noisy(server: Serving) -> str:
    """Call it, wait until all of it is in the log, and return what it says of gRPC's verbosity."""
    said = build(xr=XR, credentials={"c": {"password": b"hunter2hunter2"}}, tag="t1")
    with channel(server.address) as opened:
        answer = stub(opened).RunFunction(said, timeout=60)
    for part in ("LookupError: Thread with", "LookupError: _thread with"):
        server.line(lambda line, part=part: part in line)  # type: ignore[misc]
    (result,) = answer.results
    return str(result.message)


@pytest.mark.slow
def test_all_lines_are_json() -> None:
    """Exceptions of threads, those that Python ignores, and warnings are JSON lines without secrets."""
    with serving(NOISY, "--insecure") as server:
        _call_noisy(server)
        assert server.stop() == 0
    assert [line for line in server.lines if not line.startswith("{")] == []
    assert "hunter2" not in "".join(server.lines)
    records = server.records
    beginnings = {str(one["msg"]).partition(":")[0] for one in records if one["level"] == "error"}
    assert "an exception ended the thread lookup" in beginnings
    assert any(one.startswith("Exception ignored in thread started by") for one in beginnings)
    assert len(beginnings) == 3  # the words about __del__ depend on the version of Python
    (ended,) = [one for one in records if one["msg"] == "an exception ended the thread lookup"]
    assert ended["exception"].endswith("LookupError: Thread with [secret]")
    (warned,) = [one for one in records if one["level"] == "warning"]
    assert "UserWarning: an old name of [secret]" in warned["msg"]
    assert (warned["tag"], warned["composite"]) == ("t1", "photos")


@pytest.mark.slow
def test_exceptions_of_threads_as_text() -> None:
    """With --debug, the traceback of a thread belongs to a record, too."""
    with serving(NOISY, "--insecure", "--debug") as server:
        _call_noisy(server)
    at = next(number for number, line in enumerate(server.lines) if "ended the thread lookup" in line)
    assert server.lines[at + 1] == "    Traceback (most recent call last):\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("flags_given", "given", "expected"),
    [([], None, "ERROR"), ([], "INFO", "INFO"), (["--debug"], None, "unset")],
)
def test_verbosity_of_grpc(
    flags_given: list[str], given: str | None, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The core of grpcio logs errors alone, unless the user has said something else."""
    monkeypatch.delenv("GRPC_VERBOSITY", raising=False)
    env = {} if given is None else {"GRPC_VERBOSITY": given}
    with serving(NOISY, "--insecure", *flags_given, env=env) as server:
        assert _call_noisy(server) == expected


@pytest.mark.slow
def test_failed_handshakes_are_no_lines(certificates: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What isn't TLS, as of a port scan, leaves no line of gRPC's core."""
    monkeypatch.delenv("GRPC_VERBOSITY", raising=False)
    with serving(ECHO, "--tls-certs-dir", certificates, "--transport", "grpcio") as server:
        host, _, port = server.address.rpartition(":")
        with socket.create_connection((host, int(port))) as scan:
            scan.sendall(b"GET / HTTP/1.1\r\n\r\n")
            with contextlib.suppress(ConnectionError):
                while scan.recv(1000):
                    pass
        assert server.stop() == 0
    assert [line for line in server.lines if not line.startswith("{")] == []


@pytest.mark.slow
def test_address_that_is_none() -> None:
    """An address that can't be listened on is one line."""
    assert "'nowhere' is not an address" in refused(ECHO, "--insecure", "--address", "nowhere")


def test_a_port_in_use() -> None:
    """A port that something listens on is one line, with what to do, and no other line comes before it."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        text = refused(ECHO, "--insecure", "--address", address)
    assert text == (
        f"can't listen on {address}: another process, or another address of this server, has the port; choose another "
        "port (0 takes a free one), or end that process"
    )


@pytest.mark.slow
def test_function_that_is_none() -> None:
    """A function that can't be loaded is one line."""
    assert "not a composition function" in refused("tests.runtime.functions:plain", "--insecure")


@pytest.mark.slow
def test_own_entry_point(tmp_path: Path) -> None:
    """`fn.main()` in a function's own program takes the same flags and drains the same way."""
    program = tmp_path / "main.py"
    program.write_text(
        "from crossplane_lite import composition\n\n"
        "@composition.function\n"
        "def compose(ctx):\n"
        "    ctx.results.warning('hello')\n\n"
        "if __name__ == '__main__':\n"
        "    compose.main()\n"
    )
    server = Serving([sys.executable, str(program), "--insecure", "--address", "127.0.0.1:0"])
    with channel(server.address) as opened:
        response = stub(opened).RunFunction(build(xr=XR), timeout=60)
    assert [result.message for result in response.results] == ["hello"]
    assert server.stop() == 0
    done = _program(program, "--help")
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, "usage: main.py [flags]")
    done = _program(program)
    assert done.returncode == 2
    assert done.stderr.startswith("main.py: no certificates: ")


def _program(program: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(program), *arguments],
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.slow
def test_without_stdout_and_stderr(transport: str) -> None:
    """A server whose stdout and stderr are closed when it starts answers, and its exit status is 0."""
    (port,) = free_ports(1)
    address = f"127.0.0.1:{port}"
    command = [sys.executable, "-m", "crossplane_lite", "serve", ECHO, "--insecure", "--address", address]
    closed = ["sh", "-c", 'exec "$0" "$@" >&- 2>&-', *command, "--transport", transport]
    process = subprocess.Popen(closed, cwd=ROOT, stdin=subprocess.DEVNULL)
    try:
        with channel(address) as opened:
            assert raw_call(opened, b"")
        process.terminate()
        assert process.wait(60) == 0
    finally:
        process.kill()
        process.wait(60)
