"""The programs of the control plane, and where they come from.

`python -m tests.cluster.programs FOLDER` builds them through the Go module proxy. That takes about 40 minutes on two
cores, once.
"""

from __future__ import annotations

import lzma
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

__all__ = ["MISSING", "NAMES", "VARIABLE", "build", "found", "unpacked"]

NAMES: Final = ("etcd", "kube-apiserver", "controllers", "crossplane")
VARIABLE: Final = "CROSSPLANE_CONTROL_PLANE"
"""The environment variable with the folder of the programs. An empty value says that there is none."""

MISSING: Final = (
    f"no control plane: `python -m tests.cluster.programs FOLDER` builds its programs; then set {VARIABLE}=FOLDER"
)
"""Why scenarios are skipped."""

KUBERNETES: Final = "1.35.4"
ETCD: Final = "v3.6.6"
CROSSPLANE: Final = "v2.4.0"

_BESIDE: Final = Path(__file__).resolve().parents[3] / "shared" / "cluster"
_PARTS: Final = ("crds", "crossplane/crds", "crossplane/webhookconfigurations")


def found() -> Path | None:
    """Return the folder with the programs, Crossplane's own manifests, and CRDs of providers; None if there is none.

    The folder has `crds/` (of providers), `crossplane/crds/` and `crossplane/webhookconfigurations/`, and the programs
    in `programs/`: each as it is, or packed as `NAME.xz`.

    Raises:
        FileNotFoundError: The environment variable names a folder that lacks some of these.
    """
    if not os.environ.get(VARIABLE, "-"):
        return None
    folder = Path(os.environ[VARIABLE]).expanduser() if VARIABLE in os.environ else _BESIDE
    lacking = [part for part in _PARTS if not any((folder / part).glob("*.yaml"))]
    lacking += [f"programs/{name}" for name in NAMES if _program(folder, name) is None]
    if VARIABLE in os.environ and lacking:
        raise FileNotFoundError(f"{VARIABLE}: {folder} lacks {', '.join(lacking)}")
    return None if lacking else folder


def _program(folder: Path, name: str) -> Path | None:
    places = (folder / "programs" / name, folder / "programs" / f"{name}.xz")
    return next((place for place in places if place.is_file()), None)


def unpacked(folder: Path, to: Path) -> Path:
    """Return a folder in which all programs can be run: `to`, where those that are packed are unpacked."""
    to.mkdir(parents=True, exist_ok=True)
    for name in NAMES:
        source, target = _program(folder, name), to / name
        assert source is not None
        if source.suffix != ".xz":
            target.symlink_to(source)
            continue
        with lzma.open(source) as packed, open(target, "wb") as plain:
            shutil.copyfileobj(packed, plain, 1 << 20)
        target.chmod(0o755)
    return to


def build(folder: Path) -> None:
    """Build the programs into a folder, and put Crossplane's own manifests there.

    The CRDs of providers aren't made: `crds/` needs those of package/crds in the sources of upjet's AWS providers, each
    with its stored version alone, because there is no webhook here that converts them.

    Raises:
        subprocess.CalledProcessError: Go can't build a program.
    """
    programs = folder / "programs"
    programs.mkdir(parents=True, exist_ok=True)
    folder, programs = folder.resolve(), programs.resolve()
    environment = {**os.environ, "GOFLAGS": "-mod=mod -buildvcs=false", "CGO_ENABLED": "0"}

    def go(*arguments: str, cwd: Path) -> str:
        print("go", *arguments, flush=True)
        done = subprocess.run(
            ["go", *arguments], cwd=cwd, env=environment, check=True, stdout=subprocess.PIPE, text=True
        )
        return done.stdout.strip()

    work = folder / "work"
    core, engine = work / "kubernetes", work / "crossplane"
    cache = Path(go("env", "GOMODCACHE", cwd=folder))
    for part in (core, engine):
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
    go("mod", "download", f"k8s.io/kubernetes@v{KUBERNETES}", cwd=folder)
    kubernetes = cache / f"k8s.io/kubernetes@v{KUBERNETES}"
    lines = (kubernetes / "go.mod").read_text().splitlines()
    # Kubernetes' own go.mod takes its staging modules from folders that its published source lacks.
    staging = [line.split()[0] for line in lines if "=> ./staging/" in line and line.strip().startswith("k8s.io/")]
    (core / "go.mod").write_text(
        "module controlplane\n\n"
        + next(line for line in lines if line.startswith("go "))
        + f"\n\nrequire (\n\tk8s.io/kubernetes v{KUBERNETES}\n\tgo.etcd.io/etcd/server/v3 {ETCD}\n)\n\nreplace (\n"
        + "".join(f"\t{name} => {name} v0.{KUBERNETES.partition('.')[2]}\n" for name in staging)
        + ")\n"
    )
    (core / "go.sum").write_bytes((kubernetes / "go.sum").read_bytes())
    shutil.copytree(Path(__file__).with_name("go"), core / "controllers")
    stamp = f"-X k8s.io/component-base/version.gitVersion=v{KUBERNETES}"
    for name, package in (
        ("etcd", "go.etcd.io/etcd/server/v3"),
        ("controllers", "controlplane/controllers"),
        ("kube-apiserver", "k8s.io/kubernetes/cmd/kube-apiserver"),
    ):
        go("build", "-trimpath", "-ldflags", f"-s -w {stamp}", "-o", str(programs / name), package, cwd=core)
    module = "github.com/crossplane/crossplane"
    (engine / "go.mod").write_text(
        f"module engine\n\ngo 1.25.0\n\nrequire (\n\t{module}/v2 {CROSSPLANE}\n\t{module}/apis/v2 {CROSSPLANE}\n)\n"
    )
    go("mod", "download", f"{module}/v2@{CROSSPLANE}", cwd=folder)
    source = cache / f"{module}/v2@{CROSSPLANE}"
    (engine / "go.sum").write_bytes((source / "go.sum").read_bytes())
    stamp = f"-s -w -X {module}-runtime/v2/pkg/version.version={CROSSPLANE}"
    package = f"{module}/v2/cmd/crossplane"
    go("build", "-trimpath", "-ldflags", stamp, "-o", str(programs / "crossplane"), package, cwd=engine)
    for part in ("crds", "webhookconfigurations"):
        shutil.copytree(source / "cluster" / part, folder / "crossplane" / part, dirs_exist_ok=True)


if __name__ == "__main__":
    build(Path(sys.argv[1]))
