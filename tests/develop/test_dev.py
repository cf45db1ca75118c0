"""`crossplane-lite dev`: two lines for each call, a recording for others, and a start after each change."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import grpc
import pytest

from crossplane_lite import testing
from crossplane_lite._tools.develop.told import two_lines
from crossplane_lite._tools.programs.watch import sources
from crossplane_lite.cli import main
from examples.storage_bucket.function import compose
from tests.runtime.serving import PREFIX, ROOT

XR = {
    "apiVersion": "platform.example.com/v1alpha1",
    "kind": "XStorageBucket",
    "metadata": {"name": "photos"},
    "spec": {"parameters": {"location": "EU", "acl": "publicRead"}},
}
SECRET = "a-very-secret-value"


def asked(**more: object) -> bytes:
    """Return a request with the composite."""
    return testing.request(XR, **more)  # type: ignore[arg-type]


def test_two_lines() -> None:
    """What was asked has the composite and what came with it; what was answered what is emitted, waits and is said."""
    request = asked(input={"a": 1}, required={"nets": [{"apiVersion": "a/v1", "kind": "A", "metadata": {"name": "n"}}]})
    first, second = two_lines(request, compose.run(request), 1.23)
    assert re.fullmatch(r"XStorageBucket/photos: 0 observed, 1 required as nets, input \(1\.2 ms, \d+\.\d kB\)", first)
    assert second.startswith("  -> bucket emitted; acl held back; normal: ")
    assert "\n" not in first + second


def test_secrets_are_not_shown() -> None:
    """Values of credentials are masked in both lines, wherever they stand, but for names."""
    xr = {**XR, "metadata": {"name": "photos", "namespace": f"{SECRET}-b"}}
    request = testing.request(xr, credentials={"c": {"key": SECRET, "user": "photos"}})
    first, second = two_lines(request, compose.run(request), 1.0)
    assert first.startswith("XStorageBucket/[secret]-b/photos: ")
    assert SECRET not in first + second


def test_sources(tmp_path: Path) -> None:
    """Python files count; hidden folders, virtual environments and byte code don't."""
    for name in ("a.py", "b/c.py", ".git/x.py", "env/pyvenv.cfg", "env/y.py", "__pycache__/z.py", "d.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    assert sorted(os.path.relpath(path, tmp_path) for path in sources(str(tmp_path))) == ["a.py", "b/c.py"]


FUNCTION = """\
from crossplane_lite import Unstructured, composition

@composition.function(name="a")
def compose(ctx):
    ctx.composite(Unstructured)
    ctx.resource("NAME", Unstructured("v1", "ConfigMap")).data.a = "b"
"""


class Dev:
    """`crossplane-lite dev` in a process of its own."""

    def __init__(self, folder: Path, *flags: str) -> None:
        command = [sys.executable, "-m", "crossplane_lite", "dev", "fn:compose", "--address", "127.0.0.1:0", *flags]
        self._out = folder / "stderr.txt"
        with open(self._out, "wb") as out:
            environment = {**os.environ, "PYTHONPATH": str(ROOT)}
            self.process = subprocess.Popen(command, cwd=folder, stderr=out, stdout=out, env=environment)

    def wait_for(self, pattern: str, times: int = 1) -> re.Match[str]:
        """Wait until the output matches so many times, and return the last match."""
        until = time.monotonic() + 60
        while time.monotonic() < until:
            found = list(re.finditer(pattern, self._out.read_text()))
            if len(found) >= times:
                return found[times - 1]
            assert self.process.poll() is None, self._out.read_text()
            time.sleep(0.05)
        raise AssertionError(self._out.read_text())


@contextmanager
def dev(folder: Path, *flags: str) -> Iterator[Dev]:
    """Run it until the end of the block."""
    running = Dev(folder, *flags)
    try:
        yield running
        running.process.send_signal(signal.SIGTERM)
        assert running.process.wait(30) == 143
    finally:
        running.process.kill()
        running.process.wait()


def call(address: str, **more: object) -> None:
    """Call the function once."""
    with grpc.insecure_channel(address) as channel:
        channel.unary_unary(f"{PREFIX}RunFunction")(asked(**more), timeout=60, wait_for_ready=True)


@pytest.mark.slow
def test_a_change(tmp_path: Path) -> None:
    """A changed file is served anew, a broken one is told and waited for, and each call is shown."""
    (tmp_path / "fn.py").write_text(FUNCTION.replace("NAME", "first"))
    with dev(tmp_path) as running:
        running.wait_for(r"waiting for calls, such as those of crossplane-lite render")
        call(running.wait_for(r"serving.*address='([^']+)'")[1])
        running.wait_for(r"XStorageBucket/photos: 0 observed \(.*\)\n  -> first emitted\n")
        (tmp_path / "fn.py").write_text("def compose(\n")
        running.wait_for(r"fn\.py changed: starting again")
        running.wait_for(r"crossplane-lite dev: module fn can't be imported: SyntaxError.*\nwaiting for a change")
        (tmp_path / "fn.py").write_text(FUNCTION.replace("NAME", "second"))
        call(running.wait_for(r"serving.*address='([^']+)'", 2)[1])
        running.wait_for(r"  -> second emitted\n")


@pytest.mark.slow
def test_a_recording(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """What is recorded can be rendered and is a request for tests; secret values are masked in it."""
    (tmp_path / "fn.py").write_text(FUNCTION)
    with dev(tmp_path, "--record", "recording") as running:
        call(running.wait_for(r"serving.*address='([^']+)'")[1], credentials={"c": {"key": SECRET}})
        running.wait_for(r"  -> NAME emitted\n")
    monkeypatch.chdir(ROOT)
    recording = str(tmp_path / "recording")
    target = "examples.storage_bucket.function:compose"
    assert main(["render", "--from", f"{recording}#photos", "--function", target]) == 0
    assert "kind: Bucket" in capsys.readouterr().out
    (found,) = testing.recorded(recording)
    assert testing.run(compose, found.request).desired == testing.run(compose, asked()).desired
    assert not [path for path in (tmp_path / "recording").rglob("*") if path.is_file() and SECRET in path.read_text()]


@pytest.mark.slow
def test_an_address_that_cannot_be_used(tmp_path: Path) -> None:
    """A wrong address, and one that is taken, end the command at once: no change of the code would help."""
    (tmp_path / "function.py").write_text(
        "from crossplane_lite import composition\n\n@composition.function(name='a')\ndef compose(ctx): ...\n"
    )
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        for address, problem in (
            ("x", "'x' is not an address"),
            (f"127.0.0.1:{taken.getsockname()[1]}", "can't listen"),
        ):
            command = [sys.executable, "-m", "crossplane_lite", "dev", "function:compose", "--address", address]
            environment = {**os.environ, "PYTHONPATH": str(ROOT)}
            done = subprocess.run(
                command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60, check=False
            )
            assert done.returncode == 2
            assert problem in done.stderr
            assert "waiting for a change" not in done.stderr
