"""The previews with `--guard`, for a function of the official SDK in this process and for one on a server."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.runtime.serving import ROOT, Serving, run_command

_LOST = ROOT / "examples" / "lost_field"


@pytest.mark.slow
def test_simulate() -> None:
    """A lost field deletes five resources without the guard, and changes nothing with it."""
    flags = ["--function", "official:compose", "--degrade", "vpc.status.atProvider.id"]
    alone = run_command("simulate", *flags, cwd=_LOST)
    guarded = run_command("simulate", "--guard", *flags, cwd=_LOST)
    assert (alone.returncode, alone.stdout.count("deletes: ")) == (1, 5)
    assert (guarded.returncode, guarded.stdout.count("deletes: ")) == (0, 0)
    assert "nothing changes" in guarded.stdout


def test_this_sdk_needs_no_guard() -> None:
    """A function of this SDK has the protection already: the flag is refused."""
    done = run_command("simulate", "--guard", "--function", "ours:compose", cwd=_LOST)
    assert done.returncode == 2
    assert "leave it out" in done.stderr


@pytest.mark.slow
def test_a_function_on_a_server(tmp_path: Path) -> None:
    """Behind the guard a function on a server desires its resources with marks."""
    server = Serving([sys.executable, "-m", "tests.guard.served", "lost_field", "0"])
    try:
        files = {
            "xr.yaml": "apiVersion: example.org/v1\nkind: XNetwork\nmetadata: {name: net}\nspec: {region: eu}\n",
            "functions.yaml": "apiVersion: pkg.crossplane.io/v1\nkind: Function\nmetadata:\n  name: network\n"
            "  annotations:\n    render.crossplane.io/runtime: Development\n"
            f"    render.crossplane.io/runtime-development-target: {server.address}\n",
            "composition.yaml": "apiVersion: apiextensions.crossplane.io/v1\nkind: Composition\nmetadata: {name: c}\n"
            "spec:\n  compositeTypeRef: {apiVersion: example.org/v1, kind: XNetwork}\n  mode: Pipeline\n"
            "  pipeline:\n  - {step: network, functionRef: {name: network}}\n",
        }
        for name, text in files.items():
            (tmp_path / name).write_text(text)
        names = ["xr.yaml", "composition.yaml", "functions.yaml"]
        alone = run_command("render", *names, cwd=tmp_path)
        guarded = run_command("render", *names, "--guard", cwd=tmp_path)
    finally:
        server.stop()
    assert alone.returncode == guarded.returncode == 0, guarded.stderr
    assert "crossplane-lite/function: network" in guarded.stdout
    assert "crossplane-lite/function" not in alone.stdout
