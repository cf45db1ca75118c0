"""The README: short, with a function that is a program, a picture of it, and figures that one command makes."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
import yaml as pyyaml  # type: ignore[import-untyped]
from crossplane.function.proto.v1 import run_function_pb2 as fnv1

from benchmarks.comparison import BEGIN, END, HEADS, rst
from tests.docs.blocks import ROOT, blocks
from tests.runtime.serving import Serving, channel, run_command, stub
from tests.support import Response, build

README = ROOT / "README.rst"
PICTURE = ROOT / "docs" / "_static" / "waves.svg"
FILES = {block.more: block.text for block in blocks(README) if block.mark == "file"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder that has nothing but the README's function and its composite."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_length() -> None:
    """It is no longer than people read before they try something."""
    assert len(README.read_text(encoding="utf-8").splitlines()) <= 130


def test_as_a_program(folder: Path) -> None:
    """The file is a program that serves the function."""
    server = Serving([sys.executable, "function.py", "--insecure", "--address", "127.0.0.1:0"], cwd=folder)
    try:
        with channel(server.address) as opened:
            request = build(xr=pyyaml.safe_load(FILES["xr.yaml"]))
            answer: fnv1.RunFunctionResponse = stub(opened).RunFunction(request, timeout=60, wait_for_ready=True)
    finally:
        status = server.stop()
    assert status == 0
    assert Response(answer.SerializeToString()).resources == {
        "vpc": {
            "apiVersion": "ec2.aws.m.upbound.io/v1beta1",
            "kind": "VPC",
            "spec": {"forProvider": {"region": "eu-central-1", "cidrBlock": "10.0.0.0/16"}},
        }
    }


@pytest.mark.slow
def test_the_picture(folder: Path) -> None:
    """The picture has what `graph` draws of the function: its names, its waves, and its arrows."""
    flags = ["--function", "function:compose", "--simulate", "--format", "dot"]
    drawn = run_command("graph", "xr.yaml", *flags, cwd=folder)
    assert drawn.returncode == 0, drawn.stderr
    tips = set(re.findall(r'[\[ ]tooltip="([^"]+)"', drawn.stdout))
    assert len(tips) > 10
    assert tips == set(re.findall(r'xlink:title="([^"]+)"', PICTURE.read_text(encoding="utf-8")))


def test_the_table() -> None:
    """Table and sentence are those that the command makes, with other figures."""
    text = README.read_text(encoding="utf-8")
    assert "``python -m benchmarks.comparison``" in text
    shown = text.partition(BEGIN)[2].partition(END)[0]
    rounds = [{"memory": 1e8, "share": 0.03, "start": 0.1}] * 2
    side = {"size": 2e6, "deleted": 0, "python": "3.11.2 with PGO", "version": "0.1.0", "rounds": rounds}
    made = rst({"day": "2026-01-01", "sides": dict.fromkeys(HEADS[1:], side)})
    assert shape(shown) == shape(made)


def shape(text: str) -> list[str]:
    """Return the cells and the words of a table and the sentence below it, with no figures and no machine."""
    table, _, sentence = text.strip().replace("=", "").rpartition("\n\n")
    cells = [cell for line in table.splitlines() for cell in re.split(" {2,}", line.strip()) if cell]
    words = " ".join(sentence.split())
    words = re.sub(r"rounds? on|cores \(.*?\), \w+,|;.*", "", words)
    return [re.sub(r" \(\S+ to \S+\)", "", re.sub(r"\d[\d.]*", "0", one)) for one in [*cells, words]]


def test_links() -> None:
    """Each file that it links to is there."""
    links = re.findall(r"<([\w./-]+)>`_", README.read_text(encoding="utf-8"))
    assert len(links) > 8
    assert [link for link in links if not (ROOT / link).exists()] == []
