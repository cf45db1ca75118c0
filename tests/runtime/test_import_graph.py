"""What a process that serves a function has imported."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.runtime.serving import ROOT, channel, raw_call
from tests.support import Response, request

_TOOLS = ROOT / "crossplane_lite" / "_tools"
# Packages of the outer ring, of extras, and those that only a call or a development tool needs.
UNWANTED = (
    *("pydantic", "yaml", "attr", "attrs", "cattr", "cattrs", "unittest"),
    # protobuf's implementation in Python, which is not used where there is one in C.
    *("google.protobuf.descriptor_pool", "google.protobuf.message_factory", "google.protobuf.internal.python_message"),
    *(f"crossplane_lite.{part}" for part in ("krm", "render", "testing")),
    *(f"crossplane_lite._tools.{path.name}" for path in _TOOLS.glob("[a-z]*") if path.name != "commands"),
    # What only flags ask for.
    *("prometheus_client", "opentelemetry", "grpc_health.v1"),
    *("http", "wsgiref", "multiprocessing"),
    "crossplane_lite.runtime.metrics",
    # What only servers with certificates need.
    *(f"crossplane_lite.runtime.{part}" for part in ("same_name", "tls")),
    "ctypes",
)

# Serves until a line comes in, and prints what is imported by then.
PROGRAM = """
import json, sys
from crossplane_lite.runtime import server

def serve(self):
    self.start()
    print(self._bound[0], flush=True)
    sys.stdin.readline()
    self.stop(0)

server.Server.serve = serve
from crossplane_lite.cli import main
flags = ["--insecure", "--transport", sys.argv[2], "--address", "127.0.0.1:0", *sys.argv[3:]]
assert main(["serve", sys.argv[1], *flags]) == 0
print(json.dumps(sorted(sys.modules)))
"""


def imported_to_answer(function: str, transport: str, *flags: str) -> set[str]:
    """Return the modules that a server has imported after it has answered a call."""
    command = [sys.executable, "-c", PROGRAM, function, transport, *flags]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        with channel(address) as opened:
            answer = raw_call(opened, request(xr={"apiVersion": "a/v1", "kind": "K", "metadata": {"name": "x"}}))
        assert Response(answer).results or Response(answer).resources or Response(answer).conditions
        rest, _ = process.communicate("\n", timeout=60)
    assert process.returncode == 0
    return set(json.loads(rest))


def imported(program: str, *arguments: str) -> set[str]:
    """Return the modules that a program has imported at its end."""
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
    )
    return set(json.loads(done.stdout))


def unwanted(modules: set[str]) -> list[str]:
    """Return those that a served function must not have."""
    return sorted(name for name in modules if any((name + ".").startswith(root + ".") for root in UNWANTED))


# What grpcio and other clients of sockets bring with them.
NOT_WITH_H2 = {"grpc", "asyncio", "email", "ssl", "concurrent", "encodings.idna", "zlib", "argparse"}

FUNCTIONS = ["tests.runtime.functions:warning", "examples.storage_bucket.function:compose"]


@pytest.mark.sample(1)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_served_function(function: str, transport: str) -> None:
    """A served function that answered a call has loaded none of what only others need."""
    modules = imported_to_answer(function, transport)
    assert f"crossplane_lite.runtime.transports.{transport}" in modules
    assert unwanted(modules) == []
    if transport == "h2":
        assert sorted(NOT_WITH_H2 & modules) == []
        assert "crossplane_lite.runtime.transports.grpcio" not in modules
    else:
        assert "h2" not in modules


@pytest.mark.slow
@pytest.mark.parametrize("flags", [(), ("--metrics-address", "127.0.0.1:0")])
def test_metrics_are_loaded_with_their_flag(flags: tuple[str, ...], transport: str) -> None:
    """What serves metrics is loaded where they are asked for, and only there."""
    modules = imported_to_answer("tests.runtime.functions:warning", transport, *flags)
    assert ("prometheus_client" in modules) == bool(flags)


@pytest.mark.slow
@pytest.mark.sample(1)
def test_threads_of_a_server(transport: str) -> None:
    """A server has one thread more than its transport, which looks at the calls once a second, and no lock for it."""
    program = (
        "import json, sys, threading\n"
        "from crossplane_lite.runtime.server import Server\n"
        "before = set(threading.enumerate())\n"
        "server = Server(lambda data: data, transport=sys.argv[1])\n"
        "server.listen('127.0.0.1:0')\n"
        "server.start()\n"
        "print(json.dumps(sorted(one.name for one in set(threading.enumerate()) - before)), flush=True)\n"
        "server.stop(0)\n"
    )
    names = imported(program, transport)
    assert names == {"look", "call_1"} if transport == "h2" else names == {"look", "Thread-1 (_serve)"}


@pytest.mark.slow
def test_server_adds_little() -> None:
    """The serving modules bring in nothing beyond what gRPC and protobuf import, but our core."""
    end = "; print(json.dumps(sorted(sys.modules)))"
    dependencies = (
        "grpc, attr, concurrent.futures.thread, google.protobuf.descriptor_pool, google.protobuf.message_factory"
    )
    modules = "crossplane_lite.runtime.flags, crossplane_lite.runtime.server, crossplane_lite.runtime.transports.grpcio"
    bare = imported(f"import json, sys, {dependencies}{end}")
    ours = imported(f"import json, sys, {modules}{end}")
    added = {name for name in ours - bare if not name.startswith("crossplane_lite")}
    assert added <= {"gc", "getopt", "gettext"}  # the last two are 0.6 ms and 0.25 MB for the flags


@pytest.mark.slow
def test_h2_adds_little() -> None:
    """The transport of h2 loads neither grpcio nor asyncio, email, ssl and other parts that it has no use for."""
    end = "; print(json.dumps(sorted(sys.modules)))"
    modules = "crossplane_lite.runtime.flags, crossplane_lite.runtime.server, crossplane_lite.runtime.transports.h2"
    # dataclasses, which h2 needs, brings inspect.
    bare = imported(f"import json, sys, dataclasses, crossplane_lite.composition, crossplane_lite.runtime.server{end}")
    ours = imported(f"import json, sys, crossplane_lite.composition, {modules}{end}")
    wanted = ("crossplane_lite", "h2", "hpack", "hyperframe")
    added = {name for name in ours - bare if name.partition(".")[0] not in wanted and not name.startswith("_")}
    of_h2 = {"array", "base64", "binascii", "copy"}
    of_flags = {"getopt", "gettext"}
    assert added <= {*of_h2, *of_flags, "errno", "fcntl", "gc", "select", "selectors", "socket", "stat"}


# Prints what is imported when the socket listens.
LISTENING = """
import json, sys
from crossplane_lite.runtime import addresses
bound = addresses.listening

def listen(where):
    found = bound(where)
    print(json.dumps(sorted(sys.modules)))
    return found

addresses.listening = listen
from crossplane_lite.runtime.server import Server
Server(bytes, transport="h2").listen("127.0.0.1:0")
assert "h2.connection" in sys.modules
"""


@pytest.mark.slow
def test_h2_listens_before_it_is_loaded() -> None:
    """When a server over h2 begins to listen, most of what serves isn't loaded yet; it is when that is done."""
    modules = imported(LISTENING)
    assert "crossplane_lite.runtime.transports.h2" in modules
    parts = {"h2.connection", "hpack", "hyperframe", "dataclasses", "crossplane_lite.runtime.transports.connection"}
    parts -= imported("import json, logging, sys; print(json.dumps(sorted(sys.modules)))")  # dataclasses, from 3.14 on
    assert sorted(parts & modules) == []


def test_import_of_the_package() -> None:
    """`import crossplane_lite` loads none of gRPC, asyncio, argparse, YAML and cattrs, nor any outer ring."""
    modules = imported("import json, sys, crossplane_lite; print(json.dumps(sorted(sys.modules)))")
    assert unwanted(modules) == []
    outer = {"grpc", "asyncio", "argparse", "logging", "crossplane_lite.runtime", "crossplane_lite.cli"}
    assert sorted(outer & modules) == []


def test_help_loads_no_command() -> None:
    """`crossplane-lite --help` needs neither gRPC nor YAML."""
    modules = imported(
        "import json, sys, io, contextlib\n"
        "from crossplane_lite.cli import main\n"
        "with contextlib.redirect_stdout(io.StringIO()):\n    main(['--help'])\n"
        "print(json.dumps(sorted(sys.modules)))"
    )
    assert not {"grpc", "yaml", "argparse"} & modules
