"""`crossplane-lite graph` from the command line."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from crossplane_lite._tools.graph.mermaid import mermaid
from crossplane_lite._tools.graph.text import text
from crossplane_lite.cli import main
from crossplane_lite.runtime import log
from tests.graph.graphs import HERE, drawn, existing, needs_pictures
from tests.render.files import composition_of, step
from tests.runtime.serving import ROOT, run_command

XR = """\
apiVersion: example.org/v1
kind: App
metadata: {name: shop, uid: u}
spec: {}
"""

COMPOSITION = composition_of("App", "shops", step("step-0", "function-0"))

CYCLE = "      input: {apiVersion: example.org/v1, kind: Cycle}\n"

SETTINGS = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {region: eu}
"""

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(autouse=True)
def logging_as_before() -> Iterator[None]:
    """The root logger and the masker as they were, at the end."""
    root = logging.getLogger()
    handlers, level, masker = root.handlers[:], root.level, log._mask
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    log.set_masker(masker)


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """The arguments that name the input of the shop."""
    for name, content in {"xr": XR, "composition": COMPOSITION, "settings": SETTINGS}.items():
        (tmp_path / f"{name}.yaml").write_text(content)
    paths = {name: str(tmp_path / f"{name}.yaml") for name in ("xr", "composition", "settings")}
    return [paths["xr"], paths["composition"], "--function", f"{HERE}:shop", "-e", paths["settings"]]


def with_cycle(files: list[str]) -> None:
    """Change the composition so that there is a cycle."""
    Path(files[1]).write_text(COMPOSITION + CYCLE)


def test_mermaid_is_the_default(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Without a format the graph is written to stdout as Mermaid."""
    assert main(["graph", *files]) == 0
    assert capsys.readouterr() == (mermaid(drawn()), "")


def test_text(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """--format text writes plain text."""
    assert main(["graph", *files, "--format", "text"]) == 0
    assert capsys.readouterr().out == text(drawn())


def test_observed(files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What exists counts, given as for render."""
    observed = tmp_path / "observed.yaml"
    observed.write_text(json.dumps(existing("database", host="h")))
    assert main(["graph", *files, "-o", str(observed), "--format", "text"]) == 0
    assert capsys.readouterr().out == text(drawn(observed=[existing("database", host="h")]))


@pytest.mark.parametrize(
    ("name", "beginning"),
    [
        ("x.mmd", b"---\ntitle"),
        ("x.mermaid", b"---\ntitle"),
        ("x.txt", b"App shop: "),
        ("x.dot", b"digraph"),
        ("x.GV", b"digraph"),
        pytest.param("x.svg", b"<?xml", marks=needs_pictures),
        pytest.param("x.png", PNG, marks=needs_pictures),
    ],
)
def test_format_by_name(
    files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, beginning: bytes
) -> None:
    """A file's name says in which format it is written."""
    assert main(["graph", *files, "--output", str(tmp_path / name)]) == 0
    assert (tmp_path / name).read_bytes().startswith(beginning)
    assert capsys.readouterr().out == ""


def test_format_in_spite_of_name(files: list[str], tmp_path: Path) -> None:
    """--format wins over the name."""
    assert main(["graph", *files, "--output", str(tmp_path / "x.svg"), "--format", "dot"]) == 0
    assert (tmp_path / "x.svg").read_text().startswith("digraph")


@pytest.mark.parametrize("name", ["graph", "graph.pdf"])
def test_unknown_name(files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    """A name that says no format is refused before anything is read."""
    assert main(["graph", "missing.yaml", *files[1:], "--output", str(tmp_path / name)]) == 2
    assert "give --format" in capsys.readouterr().err


def test_file_that_can_not_be_written(files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A place that nothing can be written to is named."""
    assert main(["graph", *files, "--output", str(tmp_path / "no" / "x.dot")]) == 2
    assert f"{tmp_path / 'no' / 'x.dot'}: can't be written" in capsys.readouterr().err


def test_cycle(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """A cycle is drawn, said on stderr, and the exit status is 1."""
    with_cycle(files)
    assert main(["graph", *files]) == 1
    captured = capsys.readouterr()
    assert captured.out == mermaid(drawn(cycle=True))
    assert "dependency cycle: database, user, xr.status.login need each other" in captured.err
    assert "returned a fatal result" in captured.err


def test_simulate(files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--simulate draws the waves; what never resolves is said; fixtures give values."""
    sizes = tmp_path / "sizes.yaml"
    sizes.write_text(SETTINGS.replace("settings", "sizes").replace("region: eu", "size: big"))
    fixtures = tmp_path / "fixtures.yaml"
    fixtures.write_text("database:\n  status: {backups: 'yes'}\n")
    assert main(["graph", *files, "--simulate", "--format", "text"]) == 1
    captured = capsys.readouterr()
    assert "wave 1\ndatabase           Instance                ready\n" in captured.out
    assert "never resolved: replica waits for required.sizes[0].data.size" in captured.err
    assert "these wait for values that never come: record, replica" in captured.err
    arguments = [*files, "-e", str(sizes), "--simulate", "--fixtures", str(fixtures), "--format", "text"]
    assert main(["graph", *arguments]) == 0
    captured = capsys.readouterr()
    assert "no wave\n" in captured.out  # of fields and required resources
    assert "\nbackup             Backup                  ready\n" in captured.out
    assert captured.err == ""


def test_simulate_a_cycle(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """A simulation that fails is drawn as far as it came, with exit status 1."""
    with_cycle(files)
    assert main(["graph", *files, "--simulate", "--format", "text"]) == 1
    captured = capsys.readouterr()
    assert "\ndatabase           Instance                held back (in a cycle)\n" in captured.out
    assert "round 1: " in captured.err


def test_warnings(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """What a function warns of is said on stderr."""
    files[3] = f"{HERE}:warning"
    for option in ([], ["--simulate"]):
        assert main(["graph", *files, *option, "--format", "text"]) == 0
        captured = capsys.readouterr()
        assert captured.out == "App shop: no composed resources\n"
        assert captured.err.count("mind the step") == 1


@pytest.mark.slow
def test_too_many_edges_for_mermaid(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """A graph that Mermaid may refuse to draw is written all the same, and the limit is said."""
    files[3] = f"{HERE}:many"
    assert main(["graph", *files]) == 0
    captured = capsys.readouterr()
    assert captured.out.count(" -.->|") == 600
    assert captured.err.startswith("crossplane-lite graph: this graph has ")
    assert " arrows, and Mermaid draws at most 500: set maxEdges in Mermaid's configuration" in captured.err


def test_fixtures_without_simulation(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Fixtures for nothing are a wrong command line."""
    with pytest.raises(SystemExit) as caught:
        main(["graph", *files, "--fixtures", "x.yaml"])
    assert caught.value.code == 2
    assert "--simulate" in capsys.readouterr().err


def test_short_option_of_another_meaning(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """-o with a graph's file, which isn't observed state, is told from --output."""
    with pytest.raises(SystemExit) as caught:
        main(["graph", *files, "-o", "x.svg"])
    assert caught.value.code == 2
    assert "-o is short for --observed-resources; to write x.svg give --output x.svg" in capsys.readouterr().err


def test_files_that_are_wrong(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """A file that can't be used is named, with exit status 2."""
    assert main(["graph", "missing.yaml", *files[1:]]) == 2
    assert "missing.yaml" in capsys.readouterr().err


@needs_pictures
def test_picture_through_a_pipe(files: list[str]) -> None:
    """A picture goes to stdout where that is no terminal, and nothing but the picture does."""
    done = subprocess.run(
        [sys.executable, "-m", "crossplane_lite", "graph", *files, "--format", "png"],
        cwd=ROOT,
        capture_output=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.startswith(PNG)
    assert done.stdout.endswith(b"IEND\xaeB`\x82")
    assert done.stderr == b""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="there are no pseudo-terminals")
def test_picture_on_a_terminal(files: list[str]) -> None:
    """A picture is not written to a terminal, and one line says what to do."""
    import pty

    ours, theirs = pty.openpty()
    try:
        done = subprocess.run(
            [sys.executable, "-m", "crossplane_lite", "graph", *files, "--format", "png"],
            cwd=ROOT,
            stdout=theirs,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )
    finally:
        os.close(theirs)
        os.close(ours)
    assert done.returncode == 2
    assert done.stderr == "crossplane-lite graph: png is not for a terminal: give --output FILE, or redirect stdout\n"


@pytest.mark.slow
@pytest.mark.parametrize("option", [[], ["--format", "text"], ["--format", "dot"]])
def test_what_is_imported(files: list[str], option: list[str]) -> None:
    """A graph that no program draws needs neither graphviz, nor gRPC, nor what simulates."""
    program = (
        "import sys\nfrom crossplane_lite.cli import main\nmain(sys.argv[1:])\n"
        "print([name for name in ('graphviz', 'grpc', 'crossplane_lite._tools.simulate') "
        "if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "graph", *files, *option],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stderr == "[]\n"


@pytest.mark.slow
def test_example() -> None:
    """The network of the examples has its graph in a process of its own."""
    example = ROOT / "examples" / "vpc"
    names = ("xr.yaml", "composition.yaml", "functions.yaml")
    done = run_command("graph", *(str(example / name) for name in names), "--simulate", "--format", "text")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Network office: 30 ready\n")
    assert "wave 5\n" in done.stdout
