"""The front page, index.rst: two columns with code of the examples, and what simulations of them print."""

from __future__ import annotations

import textwrap

import pytest

from crossplane_lite.cli import main
from tests.docs.blocks import ROOT, blocks

NETWORK = ROOT / "examples" / "lost_field"


@pytest.mark.parametrize(("side", "number", "status"), [("official", 0, 1), ("ours", 2, 0)])
def test_columns(
    side: str, number: int, status: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each column has lines of its side's function, and a part of the simulation's output."""
    if side == "official":
        pytest.importorskip("crossplane.function", reason="the official SDK needs Python 3.11")
    code, printed = [one.text for one in blocks(ROOT / "docs" / "index.rst") if one.mark == "compared"][number:][:2]
    assert textwrap.indent(code, "    ") in (NETWORK / f"{side}.py").read_text(encoding="utf-8")
    monkeypatch.chdir(NETWORK)
    flags = ["--function", f"examples.lost_field.{side}:compose", "--degrade", "vpc.status.atProvider.id"]
    assert main(["simulate", *flags]) == status
    assert printed in capsys.readouterr().out
