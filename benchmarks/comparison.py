"""The comparison with other SDKs:
`python -m benchmarks.comparison [--rounds 10] [--json FILE] [--readme]`.

It makes the table of the README, and the one of docs/explanation/comparison.rst that says what
share of a core each side takes.

Each side is a function in an image of its own, which `crossplane-lite image` makes, pruned and with
byte code. What is measured is what is in these images, with the settings that
`crossplane-lite image` gives them, and with mutual TLS as in a cluster. The official SDK has plain
dicts, its fastest and smallest use; ours has typed models. Ten rounds take 20 minutes on two cores
that do nothing else.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import json
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import grpc

from benchmarks import calls, data, images, models, processes, pythonic, transports
from crossplane_lite.proto.v1 import run_function_pb2 as pb

__all__ = ["HEADS", "PAGE", "README", "SERVERS", "main", "rst", "shares", "shown"]

PODS: Final = 10
_CALLS: Final = 1000  # of all pods, as many as 1,000 composites make in a minute
_WARM: Final = 10
_RESOURCES: Final = 20
_LOST: Final = 6  # the resources of examples/lost_field
# Outside of a virtual environment, so that a server finds nothing but what is in its image.
_PYTHON: Final = Path(getattr(sys, "_base_executable", sys.executable))
README: Final = processes.ROOT / "README.rst"
PAGE: Final = processes.ROOT / "docs" / "explanation" / "comparison.rst"
# The lines in front of the part of a file that this program writes, and behind it.
_AROUND: Final = {
    README: ("made by ``python -m benchmarks.comparison``:\n\n", "\nWhere next\n"),
    PAGE: (".. The shares begin.\n\n", "\n.. The shares end.\n"),
}
# As in the images of `crossplane-lite image`, for all sides.
_SETTINGS: Final = {"PYTHONPATH": "", "PYTHONDONTWRITEBYTECODE": "1", "MALLOC_ARENA_MAX": "1"}


class Side(NamedTuple):
    """One side: a function in an image.

    Attributes:
        name: Its name in the table.
        module: The module of its function in `benchmarks.functions`.
        needs: The requirement of its SDK; empty for ours, which is built here.
        flags: Flags for `crossplane-lite image`.
        arguments: The arguments of its program in front of those that all programs have.
        lost: How many resources are deleted in another use than the one that is measured.
        without_docker: How it is built without Docker.
    """

    name: str
    module: str
    needs: tuple[str, ...]
    flags: tuple[str, ...]
    arguments: tuple[str, ...]
    lost: str
    without_docker: str


SIDES: Final = (
    Side(
        "crossplane-lite",
        "ours",
        (),
        ("--function", "fn.function:compose"),
        ("--transport", "h2"),
        "",
        "yes",
    ),
    Side(
        "official SDK, dicts",
        "official_plain",
        ("crossplane-function-sdk-python>=0.15", "click"),
        ("--function", "fn.function:main", "--transport", "grpcio"),
        (),
        " (0 by hand)",
        "with other tools",
    ),
    Side(
        pythonic.NAME,
        "pythonic_buckets",
        (pythonic.PACKAGE,),
        ("--function", "crossplane.pythonic.main:main", "--transport", "grpcio"),
        ("grpc",),
        " (5 after an ``if``)",
        "nothing to build",
    ),
)
# Ours with the other transport: it has no column in the README.
_GRPCIO: Final = SIDES[0]._replace(
    name="crossplane-lite, grpcio",
    flags=("--function", "fn.function:compose", "--transport", "grpcio"),
    arguments=("--transport", "grpcio"),
)
# What takes a share of a core: the name of each row, and its side.
SERVERS: Final = {
    "crossplane-lite, h2": SIDES[0],
    "crossplane-lite, grpcio": _GRPCIO,
    "official SDK, dicts": SIDES[1],
    pythonic.NAME: SIDES[2],
}
HEADS: Final = ("figure", *(side.name for side in SIDES))
ROWS: Final = (
    "memory of ten function pods",
    "image above its base, as pulled",
    "start to first answer",
    "deleted when one status field is lost",
    "image and package without Docker",
)
_UNKNOWN: Final = "not measured"


class Built(NamedTuple):
    """A side's image: its interpreter on this machine, its unpacked folder, and the size of the
    layer as pulled.
    """

    python: Path
    folder: Path
    size: int


def _built(side: Side, python: Path, work: Path) -> Built:
    needs = side.needs or (f"crossplane-lite @ {images.wheel(work).as_uri()}",)
    code = (processes.ROOT / "benchmarks" / "functions" / f"{side.module}.py").read_text(
        encoding="utf-8"
    )
    name = side.name.replace(", ", "-").replace(" ", "-")
    project = images.project(work, name, needs, code)
    if not side.needs:
        shutil.copytree(models.models_dir() / "lite_models", project / "lite_models")
    file = images.image(work, project, name, *side.flags, python=python)
    return Built(python, *images.unpacked(file, work))


def _start(side: Side, built: Built, *flags: str) -> processes.Server:
    command = [str(built.python), str(built.folder), *side.arguments, *flags, "--address"]
    return processes.Server(command, settings=_SETTINGS)


def _request(side: Side) -> bytes:
    """Return the request; that for function-pythonic names the class in its input, as its
    Compositions do.
    """
    request = data.request(_RESOURCES, 0, _RESOURCES)
    if side.name != pythonic.NAME:
        return request
    more = pb.RunFunctionRequest()
    more.input.update({"composite": "fn.function.Buckets", "step": "buckets"})
    return request + more.SerializeToString()


def _round(
    side: Side,
    built: Built,
    certificates: str,
    credentials: grpc.ChannelCredentials,
    desired: list[Any],
) -> dict[str, float]:
    """Start ten servers one after the other, and have them answer 1,000 calls; return the figures
    of three rows.

    What the side desires is added to `desired`, and must be what the sides before it desire.
    """
    request = _request(side)
    with contextlib.ExitStack() as stack:
        servers, opened, starts = [], [], []
        for _ in range(PODS):
            server = _start(side, built, "--tls-certs-dir", certificates)
            stack.callback(server.stop)
            server.wait()
            call = stack.enter_context(processes.caller(server, credentials))
            answer = call(request)
            starts.append(time.perf_counter() - server.started)
            servers.append(server)
            opened.append(call)
        desired.append(data.answer_of(answer)["desired"])
        assert len(desired[-1]["resources"]) == _RESOURCES and desired[-1] == desired[0], side.name
        request = data.at_rest(request, opened[0])
        for call in opened:
            if not side.needs:
                calls.make_placeholder(call)
            for _ in range(_WARM):
                call(request)
        before = sum(map(_cpu_seconds, servers))
        for call in opened * (_CALLS // PODS):
            call(request)
        used = sum(map(_cpu_seconds, servers)) - before
        memory = sum(map(_proportional_bytes, servers))
    return {"memory": memory, "share": used / 60, "start": statistics.median(starts)}


def _cpu_seconds(server: processes.Server) -> float:
    """Return the processor time that a process has used, by Linux' clock of that process."""
    return time.clock_gettime((~server.process.pid << 3) | 2)


def _proportional_bytes(server: processes.Server) -> int:
    """Return a process's memory (PSS): pages that n processes share count as an nth."""
    text = Path(f"/proc/{server.process.pid}/smaps_rollup").read_text(encoding="ascii")
    return int(re.findall(r"^Pss: +(\d+) kB$", text, re.MULTILINE)[0]) << 10


def _deleted(side: Side, built: Built, work: Path) -> int:
    """Return how many of the resources of examples/lost_field a function loses with one status
    field.
    """
    folder = processes.ROOT / "examples" / "lost_field"
    command = [
        sys.executable,
        "-m",
        "crossplane_lite",
        "simulate",
        "--degrade",
        "vpc.status.atProvider.id",
    ]
    with contextlib.ExitStack() as stack:
        if side.name == pythonic.NAME:
            server = _start(side, built, "--insecure")
            stack.callback(server.stop)
            server.wait()
            command += _files(work, server.address)
        else:
            command += ["--function", f"{'official' if side.needs else 'ours'}:compose"]
        environment = {**os.environ, "PYTHONPATH": str(processes.ROOT)}
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
    assert done.returncode in (0, 1), done.stderr[-2000:]
    return len(re.findall("^ +deletes: ", done.stdout, re.MULTILINE))


def _files(work: Path, address: str) -> list[str]:
    """Write a Composition of one step that a running server of function-pythonic answers, and
    return the arguments.
    """
    annotations = {"runtime": "Development", "runtime-development-target": address}
    function = {
        "apiVersion": "pkg.crossplane.io/v1",
        "kind": "Function",
        "metadata": {
            "name": "function-pythonic",
            "annotations": {
                f"render.crossplane.io/{key}": value for key, value in annotations.items()
            },
        },
        "spec": {"package": "example.org/function-pythonic:v0.0.0"},
    }
    given = {"apiVersion": "pythonic.fn.crossplane.io/v1alpha1", "kind": "Composite"}
    given["composite"] = "fn.function.Network"
    step = {"step": "network", "functionRef": {"name": "function-pythonic"}, "input": given}
    composition = {
        "apiVersion": "apiextensions.crossplane.io/v1",
        "kind": "Composition",
        "metadata": {"name": "network"},
        "spec": {
            "compositeTypeRef": {"apiVersion": "platform.example.com/v1alpha1", "kind": "Network"},
            "mode": "Pipeline",
            "pipeline": [step],
        },
    }
    files = {"composition.json": composition, "functions.json": function}
    for name, content in files.items():
        (work / name).write_text(json.dumps(content), encoding="utf-8")
    return ["xr.yaml", *(str(work / name) for name in files), "--fixtures", "fixtures.yaml"]


def measured(rounds: int, python: Path, file: Path | None) -> dict[str, Any]:
    """Build all images, and measure; the result is plain data, with the figures of each round.

    Args:
        rounds: How often all sides are measured.
        python: The Python that runs the servers.
        file: Is written after each round, with what is known by then; None for no file.
    """
    found: dict[str, Any] = {
        "day": f"{datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d}",
        "sides": {},
    }
    with contextlib.ExitStack() as stack:
        work = Path(
            stack.enter_context(tempfile.TemporaryDirectory(prefix="benchmarks-comparison-"))
        )
        certificates, credentials = stack.enter_context(transports.certificates())
        built = {}
        for side in SERVERS.values():
            try:
                built[side] = _built(
                    side, pythonic.found(python) if side.name == pythonic.NAME else python, work
                )
            except models.SkipRow as reason:
                print(f"{side.name} is not measured: {reason}", file=sys.stderr)
        for side, one in built.items():
            told = {"size": one.size, "deleted": _deleted(side, one, work), **_versions(side, one)}
            found["sides"][side.name] = {**told, "rounds": []}
        desired: list[Any] = []
        for number in range(rounds):
            for side in list(built)[:: -1 if number % 2 else 1]:
                figures = _round(side, built[side], certificates, credentials, desired)
                found["sides"][side.name]["rounds"].append(figures)
                print(f"round {number + 1} of {rounds}, {side.name}: {figures}", file=sys.stderr)
            if file is not None:
                file.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return found


_TOLD: Final = """
import platform, sys, sysconfig
names = ("CONFIG_ARGS", "PY_CFLAGS", "PY_CFLAGS_NODIST")
flags = " ".join(str(sysconfig.get_config_var(name)) for name in names)
is_pgo = "--enable-optimizations" in flags or "-fprofile-use" in flags
# Debian's rules pass the flags of PGO on the command line of make, so no variable has them.
is_debian = sys.prefix == "/usr" and platform.freedesktop_os_release().get("ID") == "debian"
told = "with PGO" if is_pgo else "of Debian, with PGO" if is_debian else "without PGO"
print(platform.python_version(), told)
"""


def _versions(side: Side, built: Built) -> dict[str, str]:
    """Return the version of a side's SDK, and its Python's, with how that was built."""
    run = [str(built.python), "-c", _TOLD]
    told = subprocess.run(run, capture_output=True, text=True, check=True).stdout.strip()
    name = re.split("[>=]", side.needs[0])[0] if side.needs else "crossplane-lite"
    (metadata,) = built.folder.glob(f"{name.replace('-', '_')}-*.dist-info")
    return {"python": told, "version": metadata.stem.partition("-")[2]}


def _cell(values: Sequence[float], shown: Callable[[float], str]) -> str:
    """Return a median, and the quartiles if there are several values."""
    cell = shown(statistics.median(values))
    if len(values) > 1:
        first, _, third = statistics.quantiles(values, n=4, method="inclusive")
        cell += f" ({shown(first).split()[0]} to {shown(third).split()[0]})"
    return cell


def rst(found: Mapping[str, Any]) -> str:
    """Return the table of the README."""
    columns = [["", *ROWS]]
    for side in SIDES:
        one = found["sides"].get(side.name)
        if one is None:
            columns.append([side.name, *[_UNKNOWN] * (len(ROWS) - 1), side.without_docker])
            continue
        cells = [
            _cell([figures[key] for figures in one["rounds"]], shown)
            for key, shown in (
                ("memory", lambda value: f"{value / 1e6:.0f} MB"),
                ("start", lambda value: f"{value:.2f} s"),
            )
        ]
        cells.insert(1, f"{one['size'] / 1e6:.1f} MB")
        columns.append(
            [side.name, *cells, f"{one['deleted']} of {_LOST}{side.lost}", side.without_docker]
        )
    columns[0][0] = HEADS[0]
    return _table(columns)


def shares(found: Mapping[str, Any]) -> str:
    """Return the share of a core that each server takes, and where all was measured, as the page
    has them.
    """
    columns = [["server"], ["share of a core"]]
    for name, side in SERVERS.items():
        one = found["sides"].get(side.name)
        rounds = [figures["share"] for figures in one["rounds"]] if one else []
        columns[0].append(name)
        columns[1].append(
            _cell(rounds, lambda value: f"{value * 100:.1f} %") if rounds else _UNKNOWN
        )
    return f"{_table(columns)}\n{_circumstances(found)}\n"


def _table(columns: Sequence[Sequence[str]]) -> str:
    """Return a table of which the first row is the head."""
    widths = [max(map(len, column)) for column in columns]
    border = "  ".join("=" * width for width in widths)
    rows = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in zip(*columns, strict=True)
    ]
    return "\n".join([border, rows[0], border, *rows[1:], border]) + "\n"


def _circumstances(found: Mapping[str, Any]) -> str:
    """Return a sentence: the day, the machine, and the versions that were compared."""
    under: dict[str, list[str]] = {}
    for name, one in found["sides"].items():
        if name == _GRPCIO.name:
            continue  # the same version under the same Python as with h2
        under.setdefault(one["python"], []).append(f"{name} {one['version']}")
    sides = "; ".join(
        f"{' and '.join(names)} under Python {python}" for python, names in under.items()
    )
    (rounds,) = {len(one["rounds"]) for one in found["sides"].values()}
    text = (
        f"Medians and quartiles of {rounds} round{'s' if rounds != 1 else ''} on {found['day']},"
        f" with mutual TLS: {os.cpu_count()} cores ({_processor()}), {platform.system()}, pruned"
        f" images; {sides}."
    )
    return textwrap.fill(text, 145)


def _processor() -> str:
    """Return the processor's name, or its architecture where the system doesn't say more."""
    with contextlib.suppress(OSError):
        if names := re.findall(
            r"^model name\s*: (.*)$",
            Path("/proc/cpuinfo").read_text(encoding="utf-8"),
            re.MULTILINE,
        ):
            return str(names[0])
    return platform.machine()


def shown(file: Path) -> str:
    """Return the part of a file that this program has written."""
    begin, end = _AROUND[file]
    return file.read_text(encoding="utf-8").partition(begin)[2].partition(end)[0]


def main() -> None:
    """Measure, and print both tables; write them into the README and the page if that is asked
    for.
    """
    parser = argparse.ArgumentParser(
        description="Measure the comparison with other SDKs, and print its tables."
    )
    parser.add_argument("--rounds", type=int, default=10, help="(%(default)s)")
    parser.add_argument("--json", type=Path, help="write the figures of each round to this file")
    parser.add_argument(
        "--readme", action="store_true", help="put the tables into the README and the page"
    )
    parser.add_argument(
        "--python", type=Path, default=_PYTHON, help="the Python that runs the servers (this one)"
    )
    given = parser.parse_args()
    found = measured(given.rounds, given.python, given.json)
    for file, text in ((README, rst(found)), (PAGE, shares(found))):
        print(text)
        if given.readme:
            begin, end = _AROUND[file]
            before, _, rest = file.read_text(encoding="utf-8").partition(begin)
            after = rest.partition(end)[2]
            file.write_text(f"{before}{begin}{text}{end}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
