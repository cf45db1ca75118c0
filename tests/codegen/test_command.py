"""`crossplane-lite generate` from the command line: real files, real processes."""

from __future__ import annotations

import json
import os
import pty
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crossplane_lite.cli import main
from tests.manifests import packages
from tests.runtime.serving import ROOT

pytest.importorskip("yaml", reason="PyYAML is not installed")

MANIFEST = ".crossplane-lite.json"


def crd(
    kind: str = "Bucket", group: str = "storage.example.org", older: tuple[str, ...] = ("v1beta1",), **fields: Any
) -> dict[str, Any]:
    """Return a definition that stores v1, serves `older` too, and has v1alpha1; `fields` are those of its spec."""
    spec = {"type": "object", "properties": fields or {"location": {"type": "string", "description": "Where it is."}}}
    schema = {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}
    versions = [
        {"name": name, "served": served, "storage": storage, "schema": schema}
        for name, served, storage in (
            ("v1alpha1", False, False),
            *((one, True, False) for one in older),
            ("v1", True, True),
        )
    ]
    names = {"kind": kind, "plural": kind.lower() + "s"}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{names['plural']}.{group}"},
        "spec": {"group": group, "names": names, "scope": "Cluster", "versions": versions},
    }


def put(path: Path, *documents: Any) -> str:
    """Write documents to a file, as YAML that is JSON, and return its name."""
    path.write_text("\n---\n".join(json.dumps(document) for document in documents) + "\n", encoding="utf-8")
    return str(path)


def modules(folder: Path, suffix: str = ".py") -> list[str]:
    """Return the modules in a folder, without those that only make packages."""
    found = (path for path in folder.rglob(f"*{suffix}") if path.stem != "__init__")
    return sorted(path.relative_to(folder).as_posix() for path in found)


def test_a_definition(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each served version is a module with its stub, a summary says what was done, and a line warns of the older."""
    source = put(tmp_path / "crd.yaml", crd())
    assert main(["generate", source, "-o", str(tmp_path / "models")]) == 0
    assert modules(tmp_path / "models") == [f"org/example/storage/bucket/{version}.py" for version in ("v1", "v1beta1")]
    assert modules(tmp_path / "models", ".pyi") == [one + "i" for one in modules(tmp_path / "models")]
    stub = (tmp_path / "models/org/example/storage/bucket/v1.pyi").read_text()
    assert '    location: Leaf[str] = ...\n    """Where it is."""' in stub
    captured = capsys.readouterr()
    count, written, *imports = captured.out.splitlines()
    assert re.fullmatch(r"1 kind, 4 classes in \d+\.\d s", count)
    assert written == f"{tmp_path / 'models'}: 9 files written, 0 unchanged, 0 removed"
    assert imports == ["import them with", "    from models.org.example.storage.bucket import v1 as bucketv1"]
    assert len(captured.err.splitlines()) == 1


def test_models_that_are_not_of_the_stored_version(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line warns of models of other versions than the stored ones, and says which versions to take."""
    version = {"served": True, "schema": {"openAPIV3Schema": {"type": "object"}}}
    xrd = {
        "apiVersion": "apiextensions.crossplane.io/v2",
        "kind": "CompositeResourceDefinition",
        "metadata": {"name": "nets.example.org"},
        "spec": {
            "group": "example.org",
            "names": {"kind": "Net", "plural": "nets"},
            "versions": [{**version, "name": f"v{n}", "referenceable": n == 2} for n in (1, 2)],
        },
    }
    both = crd("Queue", older=("v1beta1", "v1beta2"))
    source = put(tmp_path / "crds.yaml", crd(), both, crd("Topic", older=()), xrd)
    command = ["generate", source, "-o", str(tmp_path / "models")]
    assert main(command) == 0
    (line,) = capsys.readouterr().err.splitlines()
    assert "storage.example.org Bucket (not v1beta1, but v1)" in line
    assert "storage.example.org Queue (not v1beta1 or v1beta2, but v1)" in line
    assert main([*command, "--check"]) == 0
    assert capsys.readouterr().err.splitlines() == [line]
    assert main([*command, "--versions", "storage"]) == 0
    assert main([*command, "--only", "*/Topic", "--only", "*/Net"]) == 0
    assert capsys.readouterr().err == ""


def test_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Generating again touches what changed, removes what is gone, keeps class names, and leaves others' files."""
    folder = tmp_path / "models"
    rules = {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}}
    source = put(tmp_path / "crd.yaml", crd(z={"type": "object", "properties": {"rules": rules}}), crd("Queue"))
    assert main(["generate", source, "-o", str(folder)]) == 0
    (folder / "own.py").write_text("mine = True\n")
    times = {path: path.stat().st_mtime_ns for path in folder.rglob("*.py")}
    # A field of the same name and another shape, which stands before the one that has the name.
    other = {
        "type": "object",
        "properties": {
            "rules": {"type": "array", "items": {"type": "object", "properties": {"age": {"type": "integer"}}}}
        },
    }
    put(tmp_path / "crd.yaml", crd(a=other, z={"type": "object", "properties": {"rules": rules}}))
    capsys.readouterr()
    assert main(["generate", source, "-o", str(folder), "--versions", "storage"]) == 0
    assert modules(folder) == ["org/example/storage/bucket/v1.py", "own.py"]
    text = (folder / "org/example/storage/bucket/v1.py").read_text()
    assert '"Z": "rules:[RulesItem"' in text
    assert '"A": "rules:[ARulesItem"' in text
    assert "2 files written, 5 unchanged, 7 removed\n" in capsys.readouterr().out
    kept = [path for path in times if path.name == "__init__.py" and path.exists()]
    assert kept
    assert all(path.stat().st_mtime_ns == times[path] for path in kept)


@pytest.mark.parametrize(
    ("flags", "wanted"),
    [
        (["--versions", "served"], ["bucket/v1", "bucket/v1beta1", "queue/v1", "queue/v1beta1"]),
        (["--versions", "storage"], ["bucket/v1", "queue/v1"]),
        (
            ["--versions", "all", "--only", "storage.example.org/Queue"],
            [f"queue/v1{x}" for x in ("", "alpha1", "beta1")],
        ),
        (["--only", "*.example.org/Q*", "--versions=storage"], ["queue/v1"]),
        (["--only", "*/Queue", "--only", "*/Bucket", "--versions=storage"], ["bucket/v1", "queue/v1"]),
    ],
)
def test_choosing(tmp_path: Path, flags: list[str], wanted: list[str]) -> None:
    """--only and --versions choose kinds and versions."""
    source = put(tmp_path / "crds.yaml", crd(), crd("Queue"))
    assert main(["generate", source, "-o", str(tmp_path / "models"), *flags]) == 0
    assert modules(tmp_path / "models") == [f"org/example/storage/{one}.py" for one in wanted]


@pytest.mark.slow
def test_standard_input(tmp_path: Path) -> None:
    """What `kubectl get crds -o yaml` prints is read from standard input."""
    found = {
        "apiVersion": "v1",
        "kind": "List",
        "items": [crd(older=()), crd("Queue", older=())],
        "metadata": {"resourceVersion": ""},
    }
    command = [sys.executable, "-m", "crossplane_lite", "generate", "-", "-o", str(tmp_path / "models")]
    done = subprocess.run(command, cwd=ROOT, input=json.dumps(found), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(modules(tmp_path / "models")) == 2


@pytest.mark.slow
def test_a_package_and_a_folder(tmp_path: Path) -> None:
    """Archives and folders can be mixed, and documents that define nothing are counted in the summary."""
    stream = "\n---\n".join(
        json.dumps(one)
        for one in (
            {"apiVersion": "meta.pkg.crossplane.io/v1", "kind": "Provider", "metadata": {"name": "p"}},
            crd(older=()),
        )
    )
    (tmp_path / "p.xpkg").write_bytes(packages.tar(packages.docker(packages.layer(stream.encode()))))
    (tmp_path / "crds").mkdir()
    put(tmp_path / "crds" / "queue.json", crd("Queue", older=()))
    sources = [str(tmp_path / "p.xpkg"), str(tmp_path / "crds")]
    command = [sys.executable, "-m", "crossplane_lite", "generate", *sources, "-o", str(tmp_path / "models")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(modules(tmp_path / "models")) == 2
    assert "\n1 document defines no API, so nothing was made of it: Provider\n" in done.stdout


def _dangling(tmp_path: Path) -> str:
    schema = {
        "x-kubernetes-group-version-kind": [{"group": "a.org", "version": "v1", "kind": "Thing"}],
        "type": "object",
        "properties": {"apiVersion": {"type": "string"}, "spec": {"$ref": "#/components/schemas/org.a.v1.Nothing"}},
    }
    return put(tmp_path / "api.json", {"openapi": "3.0.0", "components": {"schemas": {"org.a.v1.Thing": schema}}})


def _named(name: str, content: bytes) -> Callable[[Path], str]:
    def write(tmp_path: Path) -> str:
        (tmp_path / name).write_bytes(content)
        return str(tmp_path / name)

    return write


def _provider(tmp_path: Path) -> str:
    spec = {"package": "xpkg.example.org/acme/provider-x:v1.2"}
    return put(tmp_path / "a.yaml", {"apiVersion": "pkg.crossplane.io/v1", "kind": "Provider", "spec": spec})


BAD: dict[str, tuple[Callable[[Path], str], str]] = {
    "no YAML": (_named("a.yaml", b"a: [1\nb: 2\n"), r"a\.yaml, line 2: "),
    "no text": (_named("a.yaml", b"a: \xff\n"), r"a\.yaml is not UTF-8 text \(byte 3\)"),
    "no file": (lambda tmp_path: str(tmp_path / "nothing.yaml"), r"nothing\.yaml: No such file"),
    "an empty folder": (lambda tmp_path: str(tmp_path / "sources"), r"/sources"),
    "no definition": (
        lambda tmp_path: put(tmp_path / "a.yaml", {"apiVersion": "v1", "kind": "ConfigMap"}),
        r"a\.yaml defines no API \(it has ConfigMap\)",
    ),
    "nothing": (_named("a.yaml", b""), r"a\.yaml defines no API \(it is empty\)"),
    "a schema's type": (
        lambda tmp_path: put(tmp_path / "a.yaml", crd(), crd("Queue", a={"type": "strnig"})),
        r"a\.yaml, document 2 \(line 3\).*: v1beta1: spec\.a: 'type' must be one of .* \(got 'strnig'\)",
    ),
    "no schema": (
        lambda tmp_path: put(tmp_path / "a.yaml", {**crd(), "spec": {**crd()["spec"], "versions": [{"name": "v1"}]}}),
        r"a\.yaml, document 1 \(line 1\).*: spec\.versions\[0\]: schema is missing",
    ),
    "an old definition": (
        lambda tmp_path: put(tmp_path / "a.yaml", {**crd(), "apiVersion": "apiextensions.k8s.io/v1beta1"}),
        r"a\.yaml, document 1 \(line 1\).*: only CustomResourceDefinitions of apiextensions\.k8s\.io/v1",
    ),
    "a dangling reference": (
        _dangling,
        r"api\.json.*spec: '\$ref' must name a schema of the same OpenAPI document \(got '#/.*/org\.a\.v1\.Nothing'\)",
    ),
    "Swagger": (
        lambda tmp_path: put(tmp_path / "a.json", {"swagger": "2.0", "definitions": {}}),
        r"a\.json.*: only OpenAPI v3 documents can be read \(this one has the version '2\.0'\)",
    ),
    "an index": (
        lambda tmp_path: put(tmp_path / "a.json", {"paths": {"api/v1": {"serverRelativeURL": "/openapi/v3/api/v1"}}}),
        r"a\.json, .*: this is the index of an API server's OpenAPI documents.*`kubectl get --raw /openapi/v3/api/v1`",
    ),
    "a package's reference": (
        lambda tmp_path: "localhost:1/acme/provider-x:v1.2",
        r"can't reach localhost:1: ",
    ),
    "what installs a package": (
        _provider,
        r"a\.yaml defines no API \(it has Provider\).*; give xpkg://xpkg\.example\.org/acme/provider-x:v1",
    ),
    "a pattern": (lambda tmp_path: f"{tmp_path}/*.none", r"no file matches /.*/\*\.none"),
    "no archive": (_named("a.xpkg", b"\x1f\x8b\x08\x00" + b"\x00" * 40), r"a\.xpkg"),
    "a name's beginning": (_named("a", b"kind: ConfigMap\n"), r"/a defines no API"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    """Bad input is one line that names file and place, status 2, and the folder is as before, beside good input too."""
    (tmp_path / "sources").mkdir()
    make, pattern = BAD[name]
    good = put(tmp_path / "ab.yaml", crd("Good", "good.example.org"))
    assert main(["generate", good, "-o", str(tmp_path / "models")]) == 0
    before = {path: path.read_bytes() for path in (tmp_path / "models").rglob("*") if path.is_file()}
    capsys.readouterr()
    assert main(["generate", good, make(tmp_path), "-o", str(tmp_path / "models")]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert re.search(pattern, captured.err), captured.err
    assert captured.err.startswith("crossplane-lite generate: ")
    assert captured.err.count("\n") == 1
    assert {path: path.read_bytes() for path in (tmp_path / "models").rglob("*") if path.is_file()} == before


def test_a_pattern_that_chooses_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--only says what there is instead."""
    source = put(tmp_path / "crd.yaml", crd())
    assert main(["generate", source, "-o", str(tmp_path / "models"), "--only", "storage.example.org/Buckt"]) == 2
    assert (
        "--only storage.example.org/Buckt matches no kind; did you mean 'storage.example.org/Bucket'?"
        in capsys.readouterr().err
    )
    assert not (tmp_path / "models").exists()


def test_a_group_that_is_no_file_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A group that is too long for the file system is an error in one line, which says so."""
    source = put(tmp_path / "crd.yaml", crd(group=f"{'g' * 300}.org"))
    assert main(["generate", source, "-o", str(tmp_path / "models")]) == 2
    captured = capsys.readouterr()
    assert re.fullmatch(r"crossplane-lite generate: .*File name too long.*\n", captured.err)


@pytest.mark.slow  # it is about time
def test_very_many_empty_documents(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The time for empty documents grows with their number, and no faster."""
    times = []
    for count in (20_000, 200_000):
        (tmp_path / "empty.yaml").write_text("---\n" * count)
        start = time.process_time()
        assert main(["generate", str(tmp_path / "empty.yaml"), "-o", str(tmp_path / "models")]) == 2
        times.append(time.process_time() - start)
        assert "defines no API (it is empty)" in capsys.readouterr().err
    assert times[1] < 40 * max(times[0], 0.02)


def test_a_folder_of_others(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder that holds foreign files is refused, and stays as it is."""
    source = put(tmp_path / "crd.yaml", crd())
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "notes.txt").write_text("mine")
    assert main(["generate", source, "-o", str(tmp_path / "models")]) == 2
    assert f"{tmp_path / 'models' / 'notes.txt'} is in the way" in capsys.readouterr().err
    assert os.listdir(tmp_path / "models") == ["notes.txt"]


@pytest.mark.slow
def test_progress_on_a_terminal(tmp_path: Path) -> None:
    """On a terminal a line says what is being done, up to the last file that is written, and is gone at the end."""
    source = put(tmp_path / "crds.yaml", crd(older=()), crd("Queue", older=()))
    here, there = pty.openpty()
    command = [sys.executable, "-m", "crossplane_lite", "generate", source, "-o", str(tmp_path / "models")]
    with open(here, "rb", buffering=0) as terminal:
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=there, text=True, check=False)
        os.close(there)
        shown = b""
        try:
            while part := terminal.read(4096):
                shown += part
        except OSError:  # how Linux says that the other side is closed
            pass
    assert done.returncode == 0
    lines = shown.decode().split("\r\x1b[K")
    assert list(dict.fromkeys(line.split()[0] for line in lines if line)) == [
        "reading",
        "resolving",
        "making",
        "writing",
    ]
    assert "resolving 1/2 Bucket storage.example.org/v1" in lines
    assert "resolving 2/2 Queue storage.example.org/v1" in lines
    assert "making 2/2 org/example/storage/queue/v1" in lines
    assert lines[-2:] == ["writing 10/10 org/example/storage/queue/v1.pyi", ""]


@pytest.mark.slow
def test_output_that_finds_no_place(tmp_path: Path) -> None:
    """A summary that can't be printed is one line, and not a traceback."""
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    source = put(tmp_path / "crd.yaml", crd(older=()))
    command = [sys.executable, "-m", "crossplane_lite", "generate", source, "-o", str(tmp_path / "models")]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert re.fullmatch(r"crossplane-lite generate: .*No space left on device\n", done.stderr)


# --- an upgrade --------------------------------------------------------------------------------------------------

CONFIG = {"logFormat": {"type": "string"}, "logGroup": {"type": "string"}}


def function(kind: str = "Function", *, is_new: bool = False, **more: Any) -> dict[str, Any]:
    """Return a managed resource whose class LoggingConfig is shared, until forProvider's has a field more."""
    config = {"type": "object", "properties": CONFIG}
    written = {"type": "object", "properties": {**CONFIG, "systemLogLevel": {"type": "string"}}} if is_new else config
    made = crd(kind, "lambda.example.org")
    runtimes = ["python3.12", "python3.13"] if is_new else ["python3.11", "python3.12"]
    parts = {
        "forProvider": {"loggingConfig": written, "runtime": {"type": "string", "enum": runtimes}, **more},
        "initProvider": {"loggingConfig": written},
    }
    for version in made["spec"]["versions"]:
        version["schema"] = {
            "openAPIV3Schema": {
                "type": "object",
                "properties": {
                    "spec": {
                        "type": "object",
                        "properties": {name: {"type": "object", "properties": below} for name, below in parts.items()},
                    },
                    "status": {
                        "type": "object",
                        "properties": {"atProvider": {"type": "object", "properties": {"loggingConfig": config}}},
                    },
                },
            }
        }
    made["spec"]["versions"] = made["spec"]["versions"][2:]
    return made


def everything(folder: Path) -> dict[str, bytes]:
    """Return all files below a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_an_upgrade(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The report says what changed; --check says it before, writes nothing and exits with 1; a new folder agrees."""
    models, fresh = tmp_path / "models", tmp_path / "fresh"
    source = put(tmp_path / "crd.yaml", function(gone={"type": "string"}, timeout={"type": "integer"}))
    assert main(["generate", source, "-o", str(models)]) == 0
    assert " changed, " not in capsys.readouterr().out
    assert main(["generate", source, "-o", str(models), "--check"]) == 0
    assert f"\n{models} is up to date\n" in capsys.readouterr().out
    before = everything(models)

    put(tmp_path / "crd.yaml", function(is_new=True, timeout={"type": "string"}), crd("Queue"))
    assert main(["generate", source, "-o", str(models), "--check"]) == 1
    checked = capsys.readouterr().out
    assert f"\n{models} is out of date: run generate again\n" in checked
    assert everything(models) == before
    assert main(["generate", source, "-o", str(models)]) == 0
    told = capsys.readouterr().out
    changes = """\
2 modules added: Queue of storage.example.org/v1, Queue of storage.example.org/v1beta1
1 module changed, 1 in a way that may break code
  Function of lambda.example.org/v1
    field removed: ForProvider.gone at spec.forProvider
    type changed: ForProvider.runtime from Literal['python3.11', 'python3.12'] to \
Literal['python3.12', 'python3.13'] at spec.forProvider
    type changed: ForProvider.timeout from int to str at spec.forProvider
    class renamed: LoggingConfig to AtProviderLoggingConfig at status.atProvider.loggingConfig
    1 field added: LoggingConfig.systemLogLevel
import them with
"""
    assert changes in told
    assert changes in checked
    assert main(["generate", source, "-o", str(fresh)]) == 0
    assert everything(fresh) == everything(models)


def test_a_report_for_programs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--report json has all of it as one object, and nothing else is on stdout."""
    models = tmp_path / "models"
    source = put(tmp_path / "crd.yaml", function())
    assert main(["generate", source, "-o", str(models), "--report", "json"]) == 0
    first = json.loads(capsys.readouterr().out)
    assert (first["modules"], first["uses"], first["is_current"], first["kinds"], first["classes"]) == (
        *(None, None, False, 1),
        7,
    )
    assert first["folder"] == {"path": str(models), "written": 7, "unchanged": 0, "removed": 0}
    put(tmp_path / "crd.yaml", function(is_new=True))
    assert main(["generate", source, "-o", str(models), "--report", "json", "--check"]) == 1
    checked = json.loads(capsys.readouterr().out)
    assert checked["folder"] == {"path": str(models)}
    (module,) = checked["modules"]
    assert (module["module"], module["what"]) == ("org.example.lambda_.function.v1", "changed")
    assert {
        "what": "class renamed",
        "class": "AtProviderLoggingConfig",
        "place": "status.atProvider.loggingConfig",
        "before": "LoggingConfig",
        "after": "AtProviderLoggingConfig",
    } in module["changes"]


def test_many_additions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A provider whose kinds all gained something doesn't fill the screen: what only gained is cut, and it says so."""
    kinds = [f"Kind{number}" for number in range(25)]
    source = put(tmp_path / "crd.yaml", *(function(kind) for kind in kinds))
    assert main(["generate", source, "-o", str(tmp_path / "models")]) == 0
    capsys.readouterr()
    more = {f"f{number}": {"type": "string"} for number in range(15)}
    put(tmp_path / "crd.yaml", *(function(kind, **more) for kind in kinds))
    assert main(["generate", source, "-o", str(tmp_path / "models")]) == 0
    told = capsys.readouterr().out
    assert "\n25 modules changed, 0 in a way that may break code\n" in told
    assert told.count("    15 fields added: ForProvider.f0, ForProvider.f1, ForProvider.f10, ") == 20
    assert "f6 and 3 more\n  and 5 more with additions only; --report json lists them\n" in told


def test_names_of_history_in_the_manifest(tmp_path: Path) -> None:
    """Models that are made anew beside the manifest have the names of the upgraded ones; a check finds no change."""
    rule, other = ({"type": "object", "properties": {name: {"type": "string"}}} for name in ("deep", "high"))
    deep = {"type": "object", "properties": {"rule": rule}}
    models, again = tmp_path / "models", tmp_path / "again"
    source = put(tmp_path / "crd.yaml", crd(a=deep))
    assert main(["generate", source, "-o", str(models)]) == 0
    put(tmp_path / "crd.yaml", crd(a=deep, rule=other))
    assert main(["generate", source, "-o", str(models)]) == 0
    text = (models / "org/example/storage/bucket/v1.py").read_text()
    assert '"Rule": "deep:s"' in text
    names = json.loads((models / MANIFEST).read_text())["names"]
    assert names["org/example/storage/bucket/v1"] == {
        "Bucket.spec.a.rule": "Rule",
        "Bucket.spec.rule": "BucketSpecRule",
    }
    again.mkdir()
    (again / MANIFEST).write_bytes((models / MANIFEST).read_bytes())
    assert main(["generate", source, "-o", str(again)]) == 0
    assert everything(again) == everything(models)
    assert main(["generate", source, "-o", str(again), "--check"]) == 0


def test_a_damaged_list_of_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A manifest whose names aren't what they should be is one line."""
    source = put(tmp_path / "crd.yaml", crd())
    assert main(["generate", source, "-o", str(tmp_path / "models")]) == 0
    manifest = tmp_path / "models" / MANIFEST
    content = json.loads(manifest.read_text())
    for names in ([], {"a": []}, {"a": {"b": 3}}):
        manifest.write_text(json.dumps({**content, "names": names}))
        assert main(["generate", source, "-o", str(tmp_path / "models")]) == 2
        assert "must have class names by module and place in 'names'" in capsys.readouterr().err


def test_a_check_of_nothing(tmp_path: Path) -> None:
    """A folder that isn't there is not what the sources give, and isn't made."""
    source = put(tmp_path / "crd.yaml", crd())
    models = tmp_path / "models"
    assert main(["generate", source, "-o", str(models), "--check"]) == 1
    assert not models.exists()
    assert main(["generate", source, "-o", str(models)]) == 0
    edited = models / "org/example/storage/bucket/v1.py"
    edited.write_text(edited.read_text().replace("location", "elsewhere"))
    assert main(["generate", source, "-o", str(models), "--check"]) == 1


@pytest.mark.slow
def test_lines_that_break(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """--uses names the lines that no longer fit, exits with 1, and says where it finds none."""
    monkeypatch.chdir(tmp_path)
    source = put(tmp_path / "crd.yaml", function(gone={"type": "string"}))
    assert main(["generate", source, "-o", "models", "--uses", "fn.py"]) == 0  # there is nothing to compare with
    code = "from models.org.example.lambda_.function import v1\n\nv1.ForProvider(gone='x', runtime='python3.12')\n"
    (tmp_path / "fn.py").write_text(code)
    put(tmp_path / "crd.yaml", function(is_new=True))
    capsys.readouterr()
    for flags in (["--check"], []):
        assert main(["generate", source, "-o", "models", "--uses", "fn.py", *flags]) == 1
        told = capsys.readouterr().out
        assert "the new models break 1 line of the code:\n  fn.py:3:" in told
        assert 'Unexpected keyword argument "gone" for "ForProvider"' in told
    assert main(["generate", source, "-o", "models", "--uses", "fn.py", "--report", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["uses"] == []


# --- a project's file, patterns, git -----------------------------------------------------------------------------


def test_a_projects_file(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A project's file keeps what was said once: the command alone repeats it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "crds").mkdir()
    put(tmp_path / "crds" / "one.yaml", crd())
    put(tmp_path / "crds" / "two.yaml", crd("Queue"))
    (tmp_path / "crossplane-lite.toml").write_text(
        '[generate]\nsources = ["crds/*.yaml"]\noutput = "models"\nversions = "storage"\nonly = ["*/queue"]\n'
    )
    assert main(["generate"]) == 0
    assert modules(tmp_path / "models") == ["org/example/storage/queue/v1.py"]
    assert capsys.readouterr().out.startswith("1 kind, 2 classes in ")
    assert main(["generate", "--check"]) == 0
    assert main(["generate", "--check", "--only", "*/bucket"]) == 1


@pytest.mark.parametrize(
    ("sources", "is_read"),
    [
        ('"xrd.yaml"', False),
        ('"xrd.yaml", "crds"', True),
        ('"xrd.yaml", "crds/*.yaml"', True),
        ('"xrd.yaml", "crds/one.yaml"', True),
        ('"."', True),
    ],
)
def test_definitions_that_are_no_source(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, sources: str, is_read: bool
) -> None:
    """Definitions in the project's folder crds, of which no source is a part, are told as not read."""
    monkeypatch.chdir(tmp_path)
    put(tmp_path / "xrd.yaml", crd(older=()))
    (tmp_path / "crossplane-lite.toml").write_text(f'[generate]\nsources = [{sources}]\noutput = "models"\n')
    (tmp_path / "crds").mkdir()
    (tmp_path / "crds" / "README.md").touch()
    if not is_read:
        assert main(["generate"]) == 0
        assert capsys.readouterr().err == ""
    put(tmp_path / "crds" / "one.yaml", crd("Queue", older=()))
    told = (
        "warning: no models are made of the definitions in crds, because crossplane-lite.toml doesn't name them: "
        'add "crds" to its sources\n'
    )
    for flags in ([], ["--check"]):
        assert main(["generate", *flags]) == 0
        assert capsys.readouterr().err == ("" if is_read else told)
    assert main(["generate", "xrd.yaml", "-o", "models", "--check"]) == (1 if is_read else 0)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("name", "other"), [("1models", "models"), ("my-models", "my_models"), ("class", "class_models"), ("1", "models")]
)
def test_a_folder_that_python_cannot_import(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, name: str, other: str
) -> None:
    """An output folder with a name that can't be imported is warned of, with a name that can."""
    monkeypatch.chdir(tmp_path)
    source = put(tmp_path / "crd.yaml", crd(older=()))
    assert main(["generate", source, "-o", name]) == 0
    told = f"warning: Python can't import the models, because {name} isn't the name of a package: give --output another"
    assert capsys.readouterr().err == f"{told} one, such as {other}\n"
    assert main(["generate", source, "-o", other]) == 0
    assert capsys.readouterr().err == ""


def test_a_pattern(tmp_path: Path) -> None:
    """Of a quoted pattern, as of a folder, files that define nothing are passed over while others define something."""
    put(tmp_path / "one.yaml", crd())
    put(tmp_path / "two.yaml", {"apiVersion": "v1", "kind": "ConfigMap"})
    assert main(["generate", f"{tmp_path}/*.yaml", "-o", str(tmp_path / "models")]) == 0
    assert len(modules(tmp_path / "models")) == 2


@pytest.mark.parametrize(
    ("ignored", "pattern"),
    [
        (".gitignore", "# Flask\ninstance/\n"),
        ("package/.gitignore", "# Flask\ninstance/\n"),
        (".git/info/exclude", "\ninstance/\n"),
    ],
)
def test_a_warning_where_git_ignores_models(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], ignored: str, pattern: str
) -> None:
    """A list of ignored files that has a part of a model's path is named, with the line that keeps the models."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    output = tmp_path / "package" / "models"
    output.mkdir(parents=True)
    (tmp_path / ignored).write_text(pattern)
    source = put(tmp_path / "crd.yaml", crd("Instance", older=()))
    assert main(["generate", source, "-o", str(output)]) == 0
    told = re.fullmatch(
        rf"warning: git ignores .*/instance/.* and \d more, because {re.escape(ignored)} has 'instance/' in line 2: "
        r"add the line (.*) at the end of (.*), so that git keeps the models\n",
        capsys.readouterr().err,
    )
    assert told is not None
    with Path(told[2]).open("a") as file:
        file.write(f"{told[1]}\n")
    assert main(["generate", source, "-o", str(output)]) == 0
    assert capsys.readouterr().err == ""


def test_notes_on_definitions_that_differ(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where documents of two versions of Kubernetes differ a note says so, and -v which definitions were taken."""

    def document(**more: Any) -> dict[str, Any]:
        meta = {"$ref": "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"}
        pod = {
            "type": "object",
            "properties": {"metadata": meta, "a": {"type": "string"}, **more},
            "x-kubernetes-group-version-kind": [{"group": "", "version": "v1", "kind": "Pod"}],
        }
        schemas = {
            "io.k8s.api.core.v1.Pod": pod,
            "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta": {
                "type": "object",
                "properties": {"name": {"type": "string"}, "clusterName": {"type": "string"}},
            },
        }
        return {"openapi": "3.0.0", "components": {"schemas": schemas}}

    old, new = put(tmp_path / "1.24.json", document()), put(tmp_path / "1.35.json", document(b={"type": "string"}))
    assert main(["generate", old, new, "-o", str(tmp_path / "models")]) == 0
    told = capsys.readouterr().err
    assert told == (
        "note: the sources define 1 type of Kubernetes differently; the definition with more fields is used (-v lists "
        "them)\n"
    )
    assert main(["generate", old, new, "-o", str(tmp_path / "models"), "-v"]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert lines[1].startswith(f"note: Pod of v1 is taken from {new}, ")
    assert len(lines) == 2
