"""The README's first example: it runs as it is pasted."""

from __future__ import annotations

import re
import sys
import textwrap
from pathlib import Path

import pytest
import yaml as pyyaml  # type: ignore[import-untyped]
from crossplane.function.proto.v1 import run_function_pb2 as fnv1

from tests.runtime.serving import ROOT, Serving, channel, run_command, stub
from tests.support import Response, build

README = (ROOT / "README.rst").read_text(encoding="utf-8")
# What stands above the first section.
BLOCKS = [
    textwrap.dedent(block).strip("\n") + "\n"
    for block in re.findall(r"(?:::|:: \w+)\n\n((?: {4}[^\n]*\n|\n)+)", README.partition("\nTry it\n------\n")[0])
]
COMMAND = "crossplane-lite render xr.yaml --function function:compose"
BUCKET = """\
apiVersion: storage.gcp.upbound.io/v1beta2
kind: Bucket
metadata:
  name: photos-8b5fd5a14678
  annotations:
    crossplane.io/composition-resource-name: bucket
    crossplane.io/external-name: photos-in-gcp
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder that has nothing but the README's function and its composite."""
    code, composite, _, _ = BLOCKS
    (tmp_path / "function.py").write_text(code, encoding="utf-8")
    (tmp_path / "xr.yaml").write_text(composite, encoding="utf-8")
    return tmp_path


def render(folder: Path, *flags: str) -> tuple[dict[str, dict[str, object]], str]:
    """Return what the README's command prints, by kind, and what it writes to stderr."""
    done = run_command(*COMMAND.split()[1:], *flags, cwd=folder)
    assert done.returncode == 0, done.stderr
    return {one["kind"]: one for one in pyyaml.safe_load_all(done.stdout)}, done.stderr


def test_without_a_bucket(folder: Path) -> None:
    """The command prints the composite and the bucket, and on stderr what the README shows."""
    commands, shown = BLOCKS[2:]
    assert commands.splitlines()[1] == COMMAND
    printed, told = render(folder)
    assert list(printed) == ["XStorageBucket", "Bucket"]
    assert printed["Bucket"]["spec"] == {"forProvider": {"location": "EU"}}
    assert told == shown


def test_with_a_bucket(folder: Path) -> None:
    """Where the bucket has its external name, the access control is composed and the composite has the name."""
    (folder / "observed.yaml").write_text(BUCKET)
    printed, told = render(folder, "--observed-resources", "observed.yaml")
    assert list(printed) == ["XStorageBucket", "BucketACL", "Bucket"]
    assert printed["BucketACL"]["spec"] == {"forProvider": {"bucket": "photos-in-gcp"}}
    status = printed["XStorageBucket"]["status"]
    assert isinstance(status, dict)
    assert status["bucketName"] == "photos-in-gcp"
    assert "waits" not in told


def test_as_a_program(folder: Path) -> None:
    """The file is a program that serves the function."""
    server = Serving([sys.executable, "function.py", "--insecure", "--address", "127.0.0.1:0"], cwd=folder)
    try:
        with channel(server.address) as opened:
            request = build(xr={**pyyaml.safe_load(BLOCKS[1]), "spec": {"parameters": {"location": "US"}}})
            answer: fnv1.RunFunctionResponse = stub(opened).RunFunction(request, timeout=60, wait_for_ready=True)
    finally:
        status = server.stop()
    assert status == 0
    assert Response(answer.SerializeToString()).resources == {
        "bucket": {
            "apiVersion": "storage.gcp.upbound.io/v1beta2",
            "kind": "Bucket",
            "spec": {"forProvider": {"location": "US"}},
        }
    }
