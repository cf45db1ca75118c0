"""Images and packages in real programs: skopeo, umoci, a chroot on Debian, and Crossplane's own parser of packages.

What takes long to get is kept in the user's cache folder: a Debian that debootstrap made, and the parser, which Go
builds.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import grpc
import pytest

from crossplane_lite._tools.packaging.lint import constraint_problem
from crossplane_lite.cli import main
from crossplane_lite.proto import _view
from tests import support
from tests.packaging.support import CACHE, CRD, package_folder, project, run, tool
from tests.packaging.test_constraint import RIGHT, WRONG
from tests.packaging.test_xpkg import VARIANTS
from tests.runtime.certificates import Authority, write
from tests.runtime.serving import PREFIX

pytestmark = [pytest.mark.real, pytest.mark.slow]


@pytest.fixture(scope="module")
def debian() -> Path:
    """A root folder of Debian with its Python."""
    debootstrap = tool("debootstrap")
    if os.getuid():
        pytest.skip("debootstrap and chroot need root")
    root = CACHE / "debian-bookworm"
    if not (root / "usr" / "bin" / "python3.11").exists():
        part = CACHE / "debian-bookworm.part"
        shutil.rmtree(part, ignore_errors=True)
        CACHE.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(
            [debootstrap, "--variant=minbase", "--include=python3", "bookworm", str(part)],
            capture_output=True,
            text=True,
            timeout=1200,
            check=False,
        )
        if done.returncode:
            pytest.skip(f"debootstrap can't make a Debian here: {done.stdout[-300:]}")
        part.rename(root)
    return root


@pytest.fixture(scope="module")
def debian_arm() -> Path:
    """A root folder of Debian for 64-bit ARM with its Python: the files of its packages, which nothing has set up."""
    debootstrap, unpack = tool("debootstrap"), tool("dpkg-deb")
    if os.getuid():
        pytest.skip("chroot needs root")
    root = CACHE / "debian-bookworm-arm64"
    if not (root / "usr" / "bin" / "python3.11").exists():
        part = CACHE / "debian-bookworm-arm64.part"
        shutil.rmtree(part, ignore_errors=True)
        CACHE.mkdir(parents=True, exist_ok=True)
        flags = ["--arch=arm64", "--foreign", "--variant=minbase", "--include=python3"]
        done = subprocess.run(
            [debootstrap, *flags, "bookworm", str(part)], capture_output=True, text=True, timeout=1200, check=False
        )
        if done.returncode:
            pytest.skip(f"debootstrap can't make a Debian for arm64 here: {done.stdout[-300:]}")
        for archive in sorted((part / "var" / "cache" / "apt" / "archives").glob("*.deb")):
            run(unpack, "-x", str(archive), str(part))
            archive.unlink()
        part.rename(root)
    return root


def build(folder: Path, debian: Path, sdk: Path, *flags: str) -> Path:
    """Return a folder with a function's image on Debian, `function.tar`, and its package, `a.xpkg`."""
    where = str(project(folder / "project"))
    tar = str(folder / "function.tar")
    assert main(["image", where, "--base", str(debian), "--sdk-from", str(sdk), "-o", tar, *flags]) == 0
    package = str(package_folder(folder / "package", input=CRD))
    flags = ("--package-root", package, "--embed-runtime-image-tarball", tar, "-o", str(folder / "a.xpkg"))
    assert main(["xpkg", "build", *flags]) == 0
    return folder


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, debian: Path, sdk: Path) -> Path:
    """What `build` makes without flags."""
    return build(tmp_path_factory.mktemp("built"), debian, sdk)


@pytest.fixture(scope="module")
def built_with_grpcio(tmp_path_factory: pytest.TempPathFactory, debian: Path, sdk: Path) -> Path:
    """The same with grpcio."""
    return build(tmp_path_factory.mktemp("built-with-grpcio"), debian, sdk, "--transport", "grpcio")


@pytest.mark.parametrize("name", ["function.tar", "a.xpkg"])
def test_skopeo(built: Path, name: str, tmp_path: Path) -> None:
    """skopeo inspects what is written, and copies it to an OCI layout with the same layers."""
    skopeo = tool("skopeo")
    seen = json.loads(run(skopeo, "inspect", f"docker-archive:{built / name}"))
    assert (seen["Architecture"], seen["Os"]) == ("amd64", "linux")
    config = json.loads(run(skopeo, "inspect", "--config", f"docker-archive:{built / name}"))
    assert config["config"]["User"] == "65534:65534"
    run(skopeo, "copy", "--quiet", f"docker-archive:{built / name}", f"oci:{tmp_path / 'layout'}:a")
    copied = json.loads(run(skopeo, "inspect", "--config", f"oci:{tmp_path / 'layout'}:a"))
    assert copied["rootfs"] == config["rootfs"]


def test_our_layout(built: Path, tmp_path: Path) -> None:
    """skopeo reads the OCI layout as well, and both have the same digests; it is a base for the next image."""
    skopeo = tool("skopeo")
    from crossplane_lite._tools.packaging import images

    (tmp_path / "work").mkdir()
    (read,) = images.read(str(built / "function.tar"), tmp_path / "work")
    digest = images.write(read, str(tmp_path / "layout"), "oci", "a")
    assert json.loads(run(skopeo, "inspect", f"oci:{tmp_path / 'layout'}:a"))["Digest"] == digest
    (again,) = images.read(str(tmp_path / "layout"), tmp_path / "work")
    assert again.config == read.config


@contextmanager
def in_chroot(root: Path, arguments: list[str], user: str, folder: str) -> Iterator[dict[str, str]]:
    """Run an image's program in its root, read-only, as its user, and yield its log line about serving."""
    script = (
        'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && mount --bind /dev "$1/dev" && '
        'mount -t tmpfs none "$1/run" && '
        'cp -r "$2" "$1/run/certs" && chmod -R a+rX "$1/run/certs" && mount -o remount,ro "$1/run" && '
        'root=$1 && user=$3 && shift 3 && exec chroot --userspec="$user" "$root" "$@"'
    )
    command = ["unshare", "--mount", "sh", "-c", script, "sh", str(root), folder, user, *arguments]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={"PATH": os.environ["PATH"]})
    try:
        assert process.stderr is not None
        line = process.stderr.readline()
        assert line.startswith("{"), line + process.stderr.read()
        yield json.loads(line)
    finally:
        process.terminate()
        assert process.wait(60) == 0


@pytest.mark.parametrize(("fixture", "transport"), [("built", "h2"), ("built_with_grpcio", "grpcio")])
def test_the_function_in_a_chroot(fixture: str, transport: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """umoci unpacks the package; as nobody, with a read-only root and TLS, the function answers a call."""
    skopeo, umoci = tool("skopeo"), tool("umoci")
    tool("unshare")
    built = request.getfixturevalue(fixture)
    run(skopeo, "copy", "--quiet", f"docker-archive:{built / 'a.xpkg'}", f"oci:{tmp_path / 'layout'}:a")
    run(umoci, "unpack", "--image", f"{tmp_path / 'layout'}:a", str(tmp_path / "bundle"))
    process = json.loads((tmp_path / "bundle" / "config.json").read_text())["process"]
    assert process["user"] == {"uid": 65534, "gid": 65534}
    root = tmp_path / "bundle" / "rootfs"
    assert (root / "package.yaml").read_text().count("\nkind: ") == 2
    authority = Authority()
    certificates = write(tmp_path / "certs", authority.issue("localhost"), authority)
    flags = ["--tls-certs-dir", "/run/certs", "--address", "localhost:0"]
    assert (root / "function" / "grpc").exists() is (transport == "grpcio")
    with in_chroot(root, [*process["args"], *flags], "65534:65534", str(certificates)) as line:
        assert (line["transport"], line["tls"]) == (transport, True)
        assert called(line, authority) == ["config"]
    assert not [one for one in root.rglob("*") if one.stat(follow_symlinks=False).st_uid == 65534]


def called(line: dict[str, str], authority: Authority) -> list[str]:
    """Call the function with mutual TLS, and return the names of what it composes."""
    client = authority.issue("crossplane")
    credentials = grpc.ssl_channel_credentials(authority.certificate, client.key, client.certificate)
    with grpc.secure_channel(line["address"], credentials) as channel:
        xr = {"apiVersion": "example.org/v1", "kind": "XR", "metadata": {"name": "x"}}
        call = channel.unary_unary(f"{PREFIX}RunFunction")
        answer = _view.RunFunctionResponse.FromString(call(support.request(xr=xr), timeout=60, wait_for_ready=True))
    return list(answer.desired.resources)


def test_the_function_on_arm(debian_arm: Path, sdk: Path, tmp_path: Path) -> None:
    """The image for 64-bit ARM runs there (by an emulator), as nobody, with a read-only root and TLS."""
    skopeo, umoci, emulator = tool("skopeo"), tool("umoci"), tool("qemu-aarch64-static")
    built = build(tmp_path, debian_arm, sdk)
    assert json.loads(run(skopeo, "inspect", f"docker-archive:{built / 'a.xpkg'}"))["Architecture"] == "arm64"
    copy = ["copy", "--quiet", "--override-arch", "arm64", f"docker-archive:{built / 'a.xpkg'}"]
    run(skopeo, *copy, f"oci:{tmp_path / 'layout'}:a")
    run(umoci, "unpack", "--image", f"{tmp_path / 'layout'}:a", str(tmp_path / "bundle"))
    process = json.loads((tmp_path / "bundle" / "config.json").read_text())["process"]
    root = tmp_path / "bundle" / "rootfs"
    shutil.copy(emulator, root / "emulator")
    authority = Authority()
    certificates = write(tmp_path / "certs", authority.issue("localhost"), authority)
    flags = ["--tls-certs-dir", "/run/certs", "--address", "localhost:0"]
    user = f"{process['user']['uid']}:{process['user']['gid']}"
    assert user == "65534:65534"
    with in_chroot(root, ["/emulator", *process["args"], *flags], user, str(certificates)) as line:
        assert called(line, authority) == ["config"]


def test_the_parser_takes_the_package(parser: str, built: Path, tmp_path: Path) -> None:
    """Crossplane's parser and linter take the package, and its image is valid by its digests, annotated or not."""
    assert run(parser, str(built / "a.xpkg")) == f"{built / 'a.xpkg'}: ok Function CustomResourceDefinition\n"
    package = package_folder(tmp_path / "package")
    (tmp_path / "examples").mkdir()
    (tmp_path / "examples" / "a.yaml").write_text("apiVersion: a/v1\nkind: A\n")
    flags = ["--package-root", str(package), "--examples-root", str(tmp_path / "examples"), "-o", str(tmp_path / "b")]
    assert main(["xpkg", "build", *flags]) == 0
    assert run(parser, str(tmp_path / "b")) == f"{tmp_path / 'b'}: ok Function\n"


# What we refuse and Crossplane's own parser doesn't see, or mends: it compares no digests of a docker-archive.
OURS_ALONE = {
    *("more than package.yaml", "a mode", "an escaping path", "no mark", "a label of no layer"),
    *("a layer's digest", "the configuration's digest"),
}


@pytest.mark.parametrize("name", sorted(VARIANTS.keys() - OURS_ALONE))
def test_the_parser_refuses_the_same(parser: str, tmp_path: Path, name: str) -> None:
    """Broken variants that verify refuses are refused by Crossplane's parser as well."""
    (tmp_path / "a.xpkg").write_bytes(VARIANTS[name][0])
    assert "ok" not in run(parser, str(tmp_path / "a.xpkg"), status=1).split()


def made_up(random: random.Random) -> str:
    """Return a text that may be a constraint."""
    signs = [
        "",
        "",
        "",
        "<",
        ">",
        "=",
        "!=",
        ">=",
        "=>",
        "<=",
        "=<",
        "~",
        "~>",
        "^",
        ",",
        " ",
        " ",
        "||",
        " - ",
        "-",
        "!",
        "a",
    ]
    text = ""
    for _ in range(random.randint(1, 4)):
        text += random.choice(signs) + random.choice(["", " "])
        numbers = [random.choice(["0", "1", "12", "x", "*", "X"]) for _ in range(random.randint(1, 4))]
        text += random.choice(["", "", "v"]) + ".".join(numbers)
        text += random.choice(["", "", "", "-rc.1", "-0", "-", "+b.2", "-a+b", "+"]) + random.choice(["", " ", ", "])
    return text


def test_constraints(parser: str) -> None:
    """Thousands of constraints are taken or refused as Crossplane's library does."""
    chance = random.Random(19)
    texts = [text for text in [*RIGHT, *WRONG] if text.isascii()] + [made_up(chance) for _ in range(5000)]
    lines = "".join(f"{text}\n" for text in texts)
    done = subprocess.run([parser, "constraints"], input=lines, capture_output=True, text=True, check=True, timeout=60)
    theirs = done.stdout.split()
    assert 500 < theirs.count("ok") < 4500
    different = [
        (text, verdict)
        for text, verdict in zip(texts, theirs, strict=True)
        if verdict != ("wrong" if constraint_problem(text) else "ok")
    ]
    assert different == []


def test_an_image_of_another_maker(built: Path, tmp_path: Path) -> None:
    """What skopeo writes as a docker-archive and as an OCI layout is a base, with the Python found in it."""
    skopeo = tool("skopeo")
    from crossplane_lite._tools.packaging import images
    from crossplane_lite._tools.packaging.base import python_of

    for number, target in enumerate(
        (f"docker-archive:{tmp_path / 'a.tar'}:a:1", f"oci-archive:{tmp_path / 'b.tar'}:a")
    ):
        run(skopeo, "copy", "--quiet", f"docker-archive:{built / 'function.tar'}", target)
        (tmp_path / str(number)).mkdir()
        (read,) = images.read(str(tmp_path / f"{'ab'[number]}.tar"), tmp_path / str(number))
        assert python_of(read)[:3] == ("/usr/bin/python3.11", (3, 11), "linux/amd64")
