"""The matrix of canaries: no secret value comes out anywhere, in any form."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from crossplane_lite._core.observed.secrets import Masker
from tests.behaviour import canaries
from tests.render.files import composition_of, function, step

ROOT = Path(__file__).resolve().parents[2]

# Secret values that compose() itself makes are known to its call alone, and no part of a request. A Secret in the
# answer is in a snapshot of it as it is.
_NOT_OF_ALL = {"records", "defects", "snapshots"}


@pytest.mark.parametrize(
    "way",
    [
        "PEM in JSON",
        *(pytest.param(name, marks=pytest.mark.slow) for name in canaries.WAYS_IN if name != "PEM in JSON"),
    ],
)
def test_no_canary_is_found(way: str) -> None:
    """Whatever place a secret value is from, none of its forms is in anything that people read."""
    counts = canaries.matrix([way])[way]
    assert {out: count for out, count in counts.items() if count} == {}
    assert set(canaries.WAYS_OUT) - set(counts) <= _NOT_OF_ALL


@pytest.mark.slow
def test_canaries_are_found_without_masking(monkeypatch: pytest.MonkeyPatch) -> None:
    """The matrix would show a leak: without masking, every way out has nearly every form."""

    def unmasked(self: Any, text: str, *_: Any) -> str:
        return text

    monkeypatch.setattr(Masker, "__call__", unmasked)
    counts = canaries.matrix(["credentials"])["credentials"]
    assert set(counts) == set(canaries.WAYS_OUT)
    few = {out: count for out, count in counts.items() if count < len(canaries.FORMS)}
    # Python has nothing to show of the first, and metrics have numbers alone.
    assert few == {"exception: one without a text": 0, "metrics": 0}


XR = """
apiVersion: example.org/v1
kind: XCanary
metadata: {name: cage, uid: "1"}
"""
CREDENTIALS = """\
credentials:
  - {name: cloud, source: Secret, secretRef: {namespace: default, name: creds}}
"""
COMPOSITION = composition_of("XCanary", "canary", step("one", "function-canary", CREDENTIALS))
FUNCTIONS = function("function-canary")


@pytest.mark.slow
@pytest.mark.parametrize("command", [["render", "-r"], ["simulate"], ["graph", "--format", "dot"], ["graph"]])
def test_commands_show_no_canary(command: list[str], tmp_path: Path) -> None:
    """Neither documents, results and graphs on stdout nor what is on stderr has a secret value of credentials."""
    secret = {**canaries.secret(data={"password": canaries.b64(canaries.VALUE)})}
    secret["metadata"] = {"name": "creds", "namespace": "default"}
    texts = {"xr": XR, "composition": COMPOSITION, "functions": FUNCTIONS, "creds": json.dumps(secret)}
    for name, text in texts.items():
        (tmp_path / f"{name}.yaml").write_text(text)
    files = [str(tmp_path / f"{name}.yaml") for name in ("xr", "composition", "functions")]
    flags = ["--function", "function-canary=tests.behaviour.canaries:told"]
    credentials = ["--function-credentials", str(tmp_path / "creds.yaml")]
    program = [sys.executable, "-m", "crossplane_lite", command[0], *files, *command[1:], *flags, *credentials]
    done = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode in (0, 1), done.stderr  # 1 where something waits for ever
    shown = done.stdout + done.stderr
    assert "[secret]" in shown
    found = [form for form, make in canaries.FORMS.items() if make(canaries.VALUE)[1] in shown]
    assert found == []
