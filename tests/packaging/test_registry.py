"""Pushing to a registry: a real one in Go, with and without a login, and the digests that other tools get there."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from crossplane_lite._tools.manifests.sources import read_sources
from crossplane_lite._tools.packaging import images, registry, sbom
from crossplane_lite._tools.packaging.layers import Entry
from crossplane_lite._tools.registry.client import Client
from crossplane_lite._tools.registry.logins import saved_login
from crossplane_lite._tools.registry.references import reference_of
from crossplane_lite.cli import main
from crossplane_lite.errors import InputError
from tests.packaging.support import CRD, image, package_folder, run

ODD = {"description": "<a> & \u2028 ö", "io.example/z": "", "a": "1"}


@contextmanager
def served(program: str, login: str) -> Iterator[str]:
    """Run the registry, and yield its address."""
    process = subprocess.Popen([program, "registry", "serve", login], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait(10)


@pytest.fixture
def logins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of logins of this test, which doesn't exist yet."""
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path / "docker"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name in ("REGISTRY_AUTH_FILE", "XDG_RUNTIME_DIR"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "docker").mkdir()
    return tmp_path / "docker" / "config.json"


def built(folder: Path, architecture: str = "amd64", *layers: list[Entry]) -> Path:
    """Return a package with a runtime that has an odd configuration, as bases of others have."""
    folder.mkdir(exist_ok=True)
    runtime = image(
        folder / f"work-{architecture}",
        [Entry("etc/motd", b"hello\n")],
        [Entry("etc/other", architecture.encode())],
        *layers,
        architecture=architecture,
        Entrypoint=["/f", "&&"],
        Labels=ODD,
        Healthcheck={"Retries": 3, "Test": ["NONE"]},
        ExposedPorts={"9443/tcp": {}, "80/tcp": {}},
        Unknown=1,
    )
    runtime.config["history"] = [{"created_by": "a && b <c>", "empty_layer": True}, {"created_by": "d"}]
    runtime.config["container_config"] = {"Cmd": ["a"]}
    images.write(runtime, str(folder / f"{architecture}.tar"), "docker")
    package = package_folder(folder / "package", input=CRD)
    output = folder / f"a-{architecture}.xpkg"
    flags = ["--package-root", str(package), "--embed-runtime-image-tarball", str(folder / f"{architecture}.tar")]
    assert main(["xpkg", "build", *flags, "-o", str(output)]) == 0
    return output


@pytest.mark.real
@pytest.mark.slow
@pytest.mark.parametrize("login", ["none", "basic", "bearer"])
def test_a_package(tmp_path: Path, capsys: pytest.CaptureFixture[str], parser: str, logins: Path, login: str) -> None:
    """build, push, Crossplane's push and what its package manager reads have one digest; a login is asked for.

    The package is read again by its name.
    """
    package = built(tmp_path / "built")
    printed = capsys.readouterr().out.split("digest ")[-1].strip()
    with served(parser, login) as address:
        name = f"{address}/team/function-a:v1"
        if login != "none":
            assert main(["xpkg", "push", "-f", str(package), name]) == 2
            assert f"docker login {address}" in capsys.readouterr().err
            entry = {"auth": base64.b64encode(b"user:secret").decode()}
            logins.write_text(json.dumps({"auths": {address: entry}}))
        assert main(["xpkg", "push", "-f", str(package), name]) == 0
        assert capsys.readouterr().out == f"{address}/team/function-a@{printed}\n"
        assert run(parser, "registry", "read", name, "linux/amd64") == f"{printed} Function CustomResourceDefinition\n"
        assert run(parser, "registry", "xpkg", str(package), f"{address}/other:v1").strip() == printed
        assert main(["xpkg", "push", "-f", str(package), name]) == 0  # again, with all of it there
        read = [one.content["kind"] for one in read_sources([f"xpkg://{name}"])]
        assert read == ["Function", "CustomResourceDefinition"]


@pytest.mark.real
@pytest.mark.slow
def test_two_platforms(tmp_path: Path, capsys: pytest.CaptureFixture[str], parser: str, logins: Path) -> None:
    """Packages of two platforms are one name, under which each platform finds its own."""
    packages = [built(tmp_path / "built", one) for one in ("amd64", "arm64")]
    digests = [line.split()[1] for line in capsys.readouterr().out.splitlines() if line.startswith("  digest")]
    with served(parser, "none") as address:
        name = f"{address}/team/function-a:v1"
        assert main(["xpkg", "push", "-f", ",".join(map(str, packages)), name]) == 0
        assert len(list(read_sources([f"xpkg://{name}"]))) == 2
        for platform, digest in zip(("linux/amd64", "linux/arm64"), digests, strict=True):
            assert run(parser, "registry", "read", name, platform).startswith(digest)
        assert main(["xpkg", "push", "-f", str(packages[0]), "-f", str(packages[0]), name]) == 2
        assert "two packages are for linux/amd64" in capsys.readouterr().err


@pytest.mark.real
@pytest.mark.slow
@pytest.mark.parametrize("login", ["none", "referrers"])
def test_the_sbom(tmp_path: Path, capsys: pytest.CaptureFixture[str], parser: str, logins: Path, login: str) -> None:
    """The SBOM of each platform's image is a referrer of its package once, with a registry's own lists and without."""
    texts = {one: json.dumps({"bomFormat": "CycloneDX", "for": one}) for one in ("amd64", "arm64")}
    files = [str(built(tmp_path / one, one, [Entry("function/sbom.cdx.json", texts[one].encode())])) for one in texts]
    digests = [line.split()[1] for line in capsys.readouterr().out.splitlines() if line.startswith("  digest")]
    with served(parser, login) as address:
        for some in (files, files[1:], files[1:]):
            assert main(["xpkg", "push", "-f", ",".join(some), f"{address}/team/function-a:v1"]) == 0
        for digest, text in zip(digests, texts.values(), strict=True):
            found = run(parser, "registry", "referrers", f"{address}/team/function-a@{digest}")
            assert found == f"application/vnd.cyclonedx+json {text}\n"


@pytest.mark.real
@pytest.mark.slow
def test_a_registry_that_takes_no_referrers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], parser: str, logins: Path
) -> None:
    """The package is pushed, and a warning says that its SBOM isn't there."""
    package = built(tmp_path, "amd64", [Entry("function/sbom.cdx.json", b"{}")])
    capsys.readouterr()
    with served(parser, "old") as address:
        assert main(["xpkg", "push", "-f", str(package), f"{address}/team/a:v1"]) == 0
        shown = capsys.readouterr()
        assert shown.err.startswith(f"warning: the SBOM is not attached: {address} refuses PUT ")
        assert run(parser, "registry", "read", f"{address}/team/a:v1", "linux/amd64").startswith(
            shown.out.strip()[-71:]
        )


def test_a_list_of_referrers_that_is_none(logins: Path) -> None:
    """What stands in the place of the list of referrers, and is no such list, is left alone."""
    subject = {"digest": f"sha256:{'0' * 64}"}
    empty, listed = (images.descriptor(one, b"{}") for one in ("application/vnd.oci.empty.v1+json", sbom.MEDIA_TYPE))
    made, _ = images.artifact(sbom.MEDIA_TYPE, empty, listed, subject)
    put = (201, {"Docker-Content-Digest": images.digest_of(made)}, b"")
    with hostile(HEAD=(200, {}, b""), PUT=put, GET=(200, {}, b"[1]")) as (address, _):
        pushed = registry.Registry(reference_of(f"{address}/a:v1"))
        with pytest.raises(InputError, match=f"sha256-{'0' * 64} must be a list of referrers, and is something else"):
            pushed.attach(subject, b"{}")


@pytest.mark.real
@pytest.mark.slow
def test_digests_of_images(tmp_path: Path, parser: str, logins: Path) -> None:
    """The digest of a docker-archive is crane's, and that of an OCI layout skopeo's."""
    skopeo = shutil.which("skopeo")
    made = image(tmp_path / "work", Labels=ODD)
    digests = {
        layout: images.write(made, str(tmp_path / name), layout)
        for layout, name in (("docker", "a.tar"), ("oci", "layout"))
    }
    with served(parser, "none") as address:
        assert (
            run(parser, "registry", "crane", str(tmp_path / "a.tar"), f"{address}/team/a:v1").strip()
            == digests["docker"]
        )
        if skopeo is None:
            pytest.skip("skopeo is not installed")
        copy = [
            skopeo,
            "copy",
            "-q",
            "--dest-tls-verify=false",
            f"oci:{tmp_path / 'layout'}",
            f"docker://{address}/team/b:v1",
        ]
        run(*copy)
        told = json.loads(run(skopeo, "inspect", "--tls-verify=false", f"docker://{address}/team/b:v1"))
        assert told["Digest"] == digests["oci"]


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ("registry.example.com/a/b:v1", "registry.example.com"),
        ("localhost:5000/a:v1", "localhost:5000"),
        ("[::1]:5000/a:v1", "[::1]:5000"),
        ("kind:5000/a:v1", "kind:5000"),
    ],
)
def test_references(text: str, host: str) -> None:
    """A reference begins with a host and ends with a tag."""
    assert reference_of(text).host == host


@pytest.mark.parametrize(
    "text", ["a:v1", "team/a:v1", "registry.example.com/a", "example.com/A:v1", "e.com/../a:v1", ""]
)
def test_references_that_are_none(text: str) -> None:
    """Anything else is refused, and the message shows the form."""
    with pytest.raises(InputError, match="give HOST/REPOSITORY:TAG, such as"):
        reference_of(text)


class Hostile(BaseHTTPRequestHandler):
    """A registry that answers as `answers` says, and notes the logins that it gets."""

    answers: dict[str, tuple[int, dict[str, str], bytes]] = {}
    seen: list[str] = []

    def do_HEAD(self) -> None:
        status, headers, body = self.answers.get(self.command, (404, {}, b""))
        self.seen.append(self.headers.get("Authorization") or "")
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.send_response(status)
        for key, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(key, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_GET = do_POST = do_PUT = do_HEAD

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def hostile(**answers: tuple[int, dict[str, str], bytes]) -> Iterator[tuple[str, type[Hostile]]]:
    """Run such a registry, and yield its address and its class."""
    made = type("Made", (Hostile,), {"answers": answers, "seen": []})
    server = ThreadingHTTPServer(("127.0.0.1", 0), made)
    # It looks as often whether it shall end.
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield f"127.0.0.1:{server.server_port}", made
    finally:
        server.shutdown()
        server.server_close()


def test_another_digest(logins: Path) -> None:
    """A registry that has something else than what was pushed is an error with both digests."""
    with hostile(PUT=(201, {"Docker-Content-Digest": "sha256:1"}, b"")) as (address, _):
        pushed = registry.Registry(reference_of(f"{address}/a:v1"))
        with pytest.raises(InputError, match="has the digest sha256:1, and sha256:[0-9a-f]{64} was"):
            pushed.put("v1", b"{}", "application/json")


def test_a_login_stays_with_its_registry(logins: Path) -> None:
    """An upload that the registry wants elsewhere goes there without the login, and no realm without TLS gets one."""
    with hostile(PUT=(201, {}, b"")) as (other, elsewhere):
        location = {"Location": f"http://{other}/here?x=1"}
        with hostile(HEAD=(404, {}, b""), POST=(202, location, b"")) as (address, _):
            logins.write_text(json.dumps({"auths": {address: {"auth": base64.b64encode(b"u:p").decode()}}}))
            pushed = registry.Registry(reference_of(f"{address}/a:v1"))
            pushed._authorization = "Basic dTpw"
            pushed.push("sha256:0", b"x")
        assert elsewhere.seen == [""]
    challenge = {"WWW-Authenticate": f'Bearer realm="ftp://{other}/token"'}
    with hostile(HEAD=(401, challenge, b"")) as (address, _):
        logins.write_text(json.dumps({"auths": {address: {"auth": base64.b64encode(b"u:p").decode()}}}))
        with pytest.raises(InputError, match="which has no TLS: not done"):
            registry.Registry(reference_of(f"{address}/a:v1")).push("sha256:0", b"x")


def test_a_proxy_is_for_other_machines(logins: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A registry on this machine is asked directly, also where the environment names a proxy."""
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    monkeypatch.delenv("no_proxy", raising=False)
    with hostile(HEAD=(200, {}, b"")) as (address, seen):
        registry.Registry(reference_of(f"{address}/a:v1")).push("sha256:0", b"x")
    assert seen.seen == [""]


def test_messages_of_a_registry(logins: Path) -> None:
    """A registry's reason is shown in one line, without control characters."""
    body = json.dumps({"errors": [{"message": "full\x1b[2J\nup"}]}).encode()
    with hostile(HEAD=(404, {}, b""), POST=(507, {}, body)) as (address, _):
        with pytest.raises(InputError) as caught:
            registry.Registry(reference_of(f"{address}/a:v1")).push("sha256:0", b"x")
    assert str(caught.value) == f"{address} refuses POST /v2/a/blobs/uploads/: 507 full [2J up"
    with pytest.raises(InputError, match=f"can't reach {address}"):
        registry.Registry(reference_of(f"{address}/a:v1")).push("sha256:0", b"x")


def test_docker_hub(logins: Path) -> None:
    """Images of docker.io lie in a registry of another name, and the login that docker saves has a third one."""
    auth = base64.b64encode(b"u:p").decode()
    logins.write_text(json.dumps({"auths": {"https://index.docker.io/v1/": {"auth": auth}}}))
    made = Client(reference_of("docker.io/a/b:v1"))
    assert made.base == "https://registry-1.docker.io/v2/a/b"
    assert made._login == ("u", "p")


@pytest.mark.parametrize("form", ["auth", "plain", "identity", "helper", "podman", "broken"])
def test_saved_logins(tmp_path: Path, logins: Path, monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    """Logins are read from docker's file, podman's, and helper programs."""
    auth = base64.b64encode(b"u:p:q").decode()
    forms: dict[str, dict[str, Any]] = {
        "auth": {"auths": {"a.io": {"auth": auth}}},
        "plain": {"auths": {"https://a.io": {"username": "u", "password": "p:q"}}},
        "identity": {"auths": {"a.io": {"auth": auth, "identitytoken": "t"}}},
        "helper": {"credHelpers": {"a.io": "test"}},
        "podman": {"auths": {"a.io": {"auth": auth}}},
    }
    if form == "broken":
        for text in ("no JSON", "[]", '{"auths": [1]}', '{"auths": {"a.io": {"auth": "?"}}}', '{"auths": {"a.io": 3}}'):
            logins.write_text(text)
            with pytest.raises(InputError, match=r"config\.json can't be read"):
                saved_login("a.io")
        return
    place = logins
    if form == "podman":
        place = tmp_path / "containers" / "auth.json"
        place.parent.mkdir()
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    if form == "helper":
        program = tmp_path / "docker-credential-test"
        program.write_text('#!/bin/sh\n[ "$1 $(cat)" = "get a.io" ] && echo \'{"Username": "u", "Secret": "p:q"}\'\n')
        program.chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    place.write_text(json.dumps(forms[form]))
    assert saved_login("a.io") == (("<token>", "t") if form == "identity" else ("u", "p:q"))
    assert saved_login("b.io") is None


def test_what_is_pushed(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a name the packages of the folder are pushed; what is no package isn't."""
    monkeypatch.chdir(tmp_path)
    assert main(["xpkg", "push", "localhost:1/a:v1"]) == 2
    assert "there is no .xpkg in this folder" in capsys.readouterr().err
    images.write(image(tmp_path / "work"), "a.xpkg", "docker")
    assert main(["xpkg", "push", "localhost:1/a:v1"]) == 2
    assert "nothing was pushed: " in capsys.readouterr().err
