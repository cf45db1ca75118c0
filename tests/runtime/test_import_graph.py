"""What a process that serves a function has imported."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.runtime.serving import ROOT

# Packages of the outer ring, of extras, and those that only a call or a development tool needs.
UNWANTED = (
    *("pydantic", "yaml", "attr", "attrs", "cattr", "cattrs", "unittest"),
    # protobuf's implementation in Python, which is not used where there is one in C.
    *("google.protobuf.descriptor_pool", "google.protobuf.message_factory", "google.protobuf.internal.python_message"),
    *(f"crossplane_lite.{part}" for part in ("codegen", "develop", "graph", "krm", "packaging", "render", "scaffold")),
    *(f"crossplane_lite.{part}" for part in ("simulate", "testing")),
)

# Serves in a thread, answers one call, and prints what is imported by then.
PROGRAM = """
import json, os, signal, sys, threading
from crossplane_lite.runtime import server

def serve(self):
    self.start()
    import grpc
    with grpc.insecure_channel(self._bound[0]["address"]) as channel:
        channel.unary_unary("/apiextensions.fn.proto.v1.FunctionRunnerService/RunFunction")(
            bytes.fromhex(sys.argv.pop()), timeout=60
        )
    self.stop(0)

server.Server.serve = serve
from crossplane_lite.cli import main
main(["serve", sys.argv.pop(), "--insecure", "--address", "127.0.0.1:0"])
print(json.dumps(sorted(sys.modules)))
"""


def imported(program: str, *arguments: str) -> set[str]:
    """Return the modules that a program has imported at its end."""
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
    )
    return set(json.loads(done.stdout))


def unwanted(modules: set[str]) -> list[str]:
    """Return those that a served function must not have."""
    return sorted(name for name in modules if any((name + ".").startswith(root + ".") for root in UNWANTED))


@pytest.mark.parametrize("function", ["tests.runtime.functions:echo", "examples.storage_bucket.function:compose"])
def test_served_function(function: str) -> None:
    """A served function that answered a call has loaded none of what only others need."""
    from tests.support import request

    xr = {"apiVersion": "a/v1", "kind": "K", "metadata": {"name": "x"}}
    modules = imported(PROGRAM, function, request(xr=xr).hex())
    assert "crossplane_lite.runtime.server" in modules
    assert unwanted(modules) == []


def test_server_adds_little() -> None:
    """The serving modules bring in nothing beyond what gRPC and protobuf import, but our core."""
    end = "; print(json.dumps(sorted(sys.modules)))"
    dependencies = "grpc, attr, concurrent.futures, google.protobuf.descriptor_pool, google.protobuf.message_factory"
    bare = imported(f"import json, sys, {dependencies}{end}")
    ours = imported(f"import json, sys, crossplane_lite.runtime.flags, crossplane_lite.runtime.server{end}")
    added = {name for name in ours - bare if not name.startswith("crossplane_lite")}
    assert added <= {"gc"}


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
