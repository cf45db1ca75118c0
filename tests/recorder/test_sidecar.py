"""The sidecar as its manifest says: the image is built, and its program runs as the recorder."""

from __future__ import annotations

import json
import os
import subprocess
import tarfile
from pathlib import Path

import pytest
import yaml

from crossplane_lite._tools.recorder.recording import Recording
from crossplane_lite.cli import main
from tests import wheels
from tests.packaging.support import project, root_folder, tool
from tests.recorder.recordings import event
from tests.recorder.sending import Sender

pytestmark = [pytest.mark.real, pytest.mark.slow]

# What a base image has is this machine's. `$1` is the root, `$2` the user, `$3` the folder to start in.
SCRIPT = """
cd "$1" && mkdir -p usr lib lib64 dev && mount --bind "$1" "$1" && cd "$1" || exit
for part in usr lib lib64 dev; do mount --rbind "/$part" "$1/$part" || exit; done
mount -o remount,ro,bind "$1" || exit
for one in {volumes}; do mount --bind "$1/../${{one##*/}}" "$1$one" || exit; done
root=$1 user=$2 folder=$3; shift 3
exec chroot --userspec="$user" "$root" sh -c 'cd "$0" && exec "$@"' "$folder" "$@"
"""


def _unpacked(image: Path, to: Path) -> Path:
    """Unpack the layers of a docker-archive, the lowest first."""
    with tarfile.open(image) as archive:
        manifest = json.load(archive.extractfile("manifest.json"))  # type: ignore[arg-type]
        for name in manifest[0]["Layers"]:
            with tarfile.open(fileobj=archive.extractfile(name)) as layer:
                layer.extractall(to, filter="tar")
    return to


@pytest.mark.parametrize("transport", ["h2", "grpcio"])
def test_the_sidecar_records(transport: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command of the manifest records in the image: as its user, with a read-only root, in its volumes."""
    unshare = tool("unshare")
    if os.getuid() or not Path("/usr/bin/python3.11").exists():
        pytest.skip("this needs root, and a Python 3.11 of the system in the place of a base image's")
    base, tar = root_folder(tmp_path / "base"), tmp_path / "recorder.tar"
    flags = ("--base", base, "--sdk-from", wheels.build(tmp_path / "wheel"), "--no-prune", "-o", tar)
    assert main(["image", *map(str, (project(tmp_path / "project"), *flags)), "--transport", transport]) == 0
    root = _unpacked(tar, tmp_path / "root")
    capsys.readouterr()
    assert main(["record", "--sidecar", "registry.example.com/recorder:v1"]) == 0
    sidecar = yaml.safe_load(capsys.readouterr().out)["sidecarsCrossplane"][0]
    volumes = [one["mountPath"] for one in sidecar["volumeMounts"]]
    for volume in volumes:
        (root / volume.lstrip("/")).mkdir(parents=True)
        here = tmp_path / Path(volume).name
        here.mkdir()
        here.chmod(0o777)  # an emptyDir is for everybody
    context = sidecar["securityContext"]
    user = f"{context['runAsUser']}:{context['runAsGroup']}"
    command = [str(root), user, sidecar["workingDir"], *sidecar["command"]]
    script = SCRIPT.format(volumes=" ".join(volumes))
    process = subprocess.Popen([unshare, "--mount", "sh", "-c", script, "sh", *command], stderr=subprocess.PIPE)
    try:
        assert process.stderr is not None
        line = process.stderr.readline()
        assert b'"msg": "recording"' in line, line + process.stderr.read()
        with Sender(tmp_path / "pipeline-inspector" / "socket") as sender:
            sender.call(event("request"), b'{"n": 1}', b"{}", timeout=30)
    finally:
        process.terminate()
        process.communicate(timeout=60)
    assert process.returncode == 0
    (call,) = Recording(tmp_path / "recordings").calls
    assert call.request == {"n": 1}
    (file,) = (tmp_path / "recordings").iterdir()
    assert (file.stat().st_uid, file.stat().st_mode & 0o777) == (context["runAsUser"], 0o600)
