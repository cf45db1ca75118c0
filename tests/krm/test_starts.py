"""What the process of a KRM function has imported by its end."""

from __future__ import annotations

import json
from pathlib import Path

from tests.krm.processes import LIST, program, run

END = "import sys, json, atexit\natexit.register(lambda: print(json.dumps(sorted(sys.modules)), file=sys.stderr))\n"

EMPTY = b"apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\n"

# What takes long to import, and a function without a config class needs none of.
UNWANTED = (
    *("typing", "typing_extensions", "argparse", "attr", "attrs", "cattr", "cattrs", "asyncio", "inspect", "traceback"),
    *("difflib", "subprocess", "logging", "pathlib", "hashlib", "google.protobuf", "grpc", "dataclasses", "tempfile"),
    *(
        "crossplane_lite.composition",
        "crossplane_lite._tools.codegen",
        "crossplane_lite.render",
        "crossplane_lite.testing",
    ),
    *("crossplane_lite.krm.command", "crossplane_lite.krm.compose", "crossplane_lite.krm.config"),
    *("crossplane_lite.krm.files", "crossplane_lite.krm.testing", "crossplane_lite.krm.views"),
)


def imported(folder: Path, body: str, data: bytes = LIST, command: tuple[str, ...] = ()) -> set[str]:
    """Return the modules that a function's process has imported."""
    file = program(folder, body)
    file.write_text(END + file.read_text())
    done = run(command or file, data, cwd=folder)
    return set(json.loads(done.stderr.splitlines()[-1]))


def beyond_yaml(folder: Path, modules: set[str]) -> set[str]:
    """Return the modules that aren't ours and that a process with yaml has not imported as well."""
    file = folder / "bare.py"
    file.write_text(f"{END}import yaml\n")
    bare = set(json.loads(run(file).stderr.splitlines()[-1]))
    return {name for name in modules - bare if not name.startswith("crossplane_lite")}


def test_raw_config(tmp_path: Path) -> None:
    """A function without a config class imports next to nothing beside yaml, also when it edits and reports."""
    body = "rl.items[0].labels['a'] = 'b'\nrl.results.warning('hm', rl.items[0], 'spec.type')"
    modules = imported(tmp_path, body)
    assert "crossplane_lite.krm._text._splice" in modules
    assert sorted(name for name in modules if any(f"{name}.".startswith(f"{root}.") for root in UNWANTED)) == []
    extra = {name for name in beyond_yaml(tmp_path, modules) if not name.startswith("importlib.")}
    assert extra <= {"__future__", "importlib", "warnings", "encodings.utf_8_sig", "gc"}


def test_nothing_to_edit(tmp_path: Path) -> None:
    """What edits text is imported with the first edit only."""
    modules = imported(tmp_path, "pass", EMPTY)
    names = ("_edit", "_entries", "_splice", "_write")
    editing = {f"crossplane_lite.krm._text.{name}" for name in names}
    assert sorted(editing & modules) == []


def test_krm_run(tmp_path: Path) -> None:
    """`crossplane-lite krm run` needs no argparse for a plain run, and nothing of composition functions."""
    modules = imported(tmp_path, "pass", command=("-m", "crossplane_lite", "krm", "run", "function:transform"))
    unwanted = {"argparse", "attr", "cattrs", "logging", "inspect", "google.protobuf", "crossplane_lite.composition"}
    assert sorted(unwanted & modules) == []


def test_typed_config(tmp_path: Path) -> None:
    """A config class brings in attrs, and still neither cattrs, argparse, gRPC nor composition functions."""
    file = tmp_path / "function.py"
    file.write_text(
        f"{END}import attrs\nfrom crossplane_lite import krm\n\n@attrs.define\nclass Config:\n    team: str\n"
        "    replicas: int\n\n"
        "@krm.function\ndef transform(rl: krm.ResourceList[Config]):\n"
        "    rl.items[0].labels['team'] = rl.config.team\n\ntransform.main()\n"
    )
    done = run(file, LIST + b"functionConfig: {apiVersion: v1, kind: ConfigMap, data: {team: a, replicas: '3'}}\n")
    assert (done.status, done.value["items"][0]["metadata"]["labels"]) == (0, {"team": "a"})
    modules = set(json.loads(done.stderr.splitlines()[-1]))
    assert "attr" in modules
    assert sorted({"argparse", "grpc", "google.protobuf", "asyncio", "crossplane_lite.composition"} & modules) == []
