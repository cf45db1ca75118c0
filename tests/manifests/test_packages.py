"""Packages in registries: what is fetched, what the cache keeps, and what a hostile registry can't do."""

from __future__ import annotations

import base64
import gzip
import io
import json
import tarfile
from pathlib import Path

import pytest

from crossplane_lite._tools.manifests.sources import read_sources
from crossplane_lite.errors import InputError
from tests.manifests.packages import PACKAGE, Oci, digest, layer, tar
from tests.manifests.registry import Registry, packaged, registry, serving

__all__ = ["registry"]


def kinds(registry: Registry, name: str = "v1") -> list[str]:
    """Return the kinds of the objects in a package."""
    sign = "@" if name.startswith("sha256:") else ":"
    return [document.content["kind"] for document in read_sources([f"xpkg://{registry.address}/team/a{sign}{name}"])]


def failure(registry: Registry, name: str = "v1") -> str:
    """Return the message about a package that can't be read."""
    with pytest.raises(InputError) as caught:
        kinds(registry, name)
    message = str(caught.value)
    assert "\n" not in message
    return message.replace(registry.address, "HOST")


def login(registry: Registry, user: str = "u") -> None:
    """Save a login for the registry."""
    entry = {"auth": base64.b64encode(f"{user}:p".encode()).decode()}
    Path("config.json").write_text(json.dumps({"auths": {registry.address: entry}}))


def test_only_the_package_is_fetched(registry: Registry) -> None:
    """The manifest, the configuration and the layer with package.yaml are fetched, and no other layer, and once."""
    image, entry = packaged(content=PACKAGE)
    found = registry.add("v1", image, entry)
    documents = list(read_sources([f"xpkg://{registry.address}/team/a:v1"]))
    assert [one.content["kind"] for one in documents] == ["Provider", "CustomResourceDefinition"]
    assert documents[1].where.startswith(f"{registry.address}/team/a:v1:package.yaml, document 2 (line ")
    manifest = json.loads(image.files[f"blobs/{found.replace(':', '/')}"])
    base = manifest["layers"][1]["digest"]
    assert registry.paths() == ["manifests/v1", f"blobs/{manifest['config']['digest']}", f"blobs/{base}"]
    assert kinds(registry, found) == ["Provider", "CustomResourceDefinition"]
    assert registry.paths() == []


@pytest.mark.parametrize("form", ["index", "nested", "label", "unmarked"])
def test_forms_of_packages(registry: Registry, form: str) -> None:
    """An index is read by its first image, attestations aside; the mark may be a label, or missing."""
    image = Oci()
    base = layer()
    mark = {} if form in ("label", "unmarked") else {"io.crossplane.xpkg": "base"}
    labels = {f"io.crossplane.xpkg:{digest(base)}": "base"} if form == "label" else {}
    layers = [(base, mark), (layer(b"x", "bin/run"), {})]
    entry = image.image(*layers, config={"architecture": "arm64", "config": {"Labels": labels}})
    if form in ("index", "nested"):
        statement = image.image(annotations={"vnd.docker.reference.type": "attestation-manifest"})
        other = {"digest": digest(b"other"), "size": 1}
        entry = image.index_entry({"schemaVersion": 2, "manifests": [statement, entry, other]})
    if form == "nested":
        entry = image.index_entry({"schemaVersion": 2, "manifests": [entry]})
    registry.add("v1", image, entry)
    assert kinds(registry) == ["Provider", "CustomResourceDefinition"]
    assert f"manifests/{digest(b'other')}" not in registry.paths()


def test_a_plain_name(registry: Registry) -> None:
    """A name with a registry and a tag needs nothing in front of it, unless there is such a file."""
    registry.add("v1", *packaged(content=PACKAGE))
    name = f"{registry.address}/team/a:v1"
    assert len(list(read_sources([name]))) == 2
    Path(registry.address, "team").mkdir(parents=True)
    Path(name).write_text("kind: Own\n")
    assert [one.content for one in read_sources([name])] == [{"kind": "Own"}]


def test_the_pin_of_a_project(registry: Registry) -> None:
    """A name without a digest means the one that the project's file has for it, and no network is needed then."""
    image, entry = packaged(content=PACKAGE)
    name = f"xpkg://{registry.address}/team/a:v1"
    pinned = f"{name}@{registry.add('v1', image, entry)}"
    kinds(registry)
    registry.add("v1", *packaged(content=b"kind: Other\n"))
    assert kinds(registry) == ["Other"]
    registry.clear()
    Path("crossplane-lite.toml").write_text(f'[generate]\nsources = ["{name}"]\n[preview]\ncrds = ["{pinned}"]\n')
    assert kinds(registry) == ["Provider", "CustomResourceDefinition"]
    assert "404" in failure(registry, "v2")


def test_a_damaged_cache(registry: Registry, tmp_path: Path) -> None:
    """What lies in the cache and isn't what its name says is fetched again."""
    found = registry.add("v1", *packaged(content=PACKAGE))
    kinds(registry)
    for file in (tmp_path / "cache").rglob("blobs/sha256/*"):
        file.write_bytes(b"damaged")
    assert kinds(registry, found) == ["Provider", "CustomResourceDefinition"]


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("xpkg://provider:v1", "give xpkg://HOST/REPOSITORY:TAG"),
        ("xpkg://example.org/a/b", "give xpkg://HOST/REPOSITORY:TAG"),
        ("xpkg://example.org/../b:v1", "give xpkg://HOST/REPOSITORY:TAG"),
        ("xpkg://example.org/a:v1@sha256:1", "give xpkg://HOST/REPOSITORY:TAG"),
        ("xpkg://localhost:1/a:v1", "can't reach localhost:1: "),
    ],
)
def test_names_that_can_not_be_read(registry: Registry, name: str, problem: str) -> None:
    """A name without a registry or a tag is told the form, and so is a registry that isn't there."""
    with pytest.raises(InputError, match=problem):
        list(read_sources([name]))


def test_refusals(registry: Registry) -> None:
    """A tag that isn't there, and a login that is needed, are told with what the registry says."""
    assert failure(registry) == "HOST refuses GET /v2/team/a/manifests/v1: 404 unknown"
    registry["/v2/team/a/manifests/v1"] = (401, {"WWW-Authenticate": "Basic"}, b"")
    assert failure(registry).endswith("401 Unauthorized (no login was used; log in with docker login HOST)")
    login(registry)
    assert failure(registry).endswith("401 Unauthorized (the login of u was used; log in with docker login HOST)")
    assert registry.asked[-1][1] == f"Basic {base64.b64encode(b'u:p').decode()}"


def test_a_token_is_asked_for_reading_only(registry: Registry) -> None:
    """The registry's challenge is answered with the login, for a token that doesn't allow to push."""
    realm = f'Bearer realm="http://{registry.address}/token",service="s"'
    registry["/v2/team/a/manifests/v1"] = (401, {"WWW-Authenticate": realm}, b"")
    asked = "/token?service=s&scope=repository%3Ateam%2Fa%3Apull"
    registry[asked] = (200, {}, b'{"token": "t"}')
    login(registry)
    failure(registry)
    assert registry.asked[1] == (asked, f"Basic {base64.b64encode(b'u:p').decode()}")
    assert registry.asked[2][1] == "Bearer t"


def test_a_login_does_not_follow_redirects(registry: Registry) -> None:
    """A blob may lie elsewhere, and that place doesn't get the login."""
    image, entry = packaged(content=PACKAGE)
    registry.add("v1", image, entry)
    base = f"/v2/team/a/blobs/{json.loads(registry['/v2/team/a/manifests/v1'][2])['layers'][1]['digest']}"
    challenge = {"WWW-Authenticate": "Basic"}
    login(registry)
    with serving() as other:
        other["/there"] = registry[base]
        registry[base] = (307, {"Location": f"http://{other.address}/there", **challenge}, b"")
        whole = registry["/v2/team/a/manifests/v1"]
        registry["/v2/team/a/manifests/v1"] = (401, challenge, b"")
        failure(registry)
        assert registry.asked[-1][1]
        registry["/v2/team/a/manifests/v1"] = whole
        assert len(kinds(registry)) == 2
        assert other.asked == [("/there", "")]


def test_redirects_that_lead_nowhere(registry: Registry) -> None:
    """Redirects in a circle end, and none leads to a file of this machine."""
    secret = Path("secret").absolute()
    secret.write_bytes(PACKAGE)
    registry["/v2/team/a/manifests/v1"] = (302, {"Location": "v1"}, b"")
    assert "leads to other places without an end for manifests/v1" in failure(registry)
    for place in (f"file://{secret}", "ftp://example.org/x"):
        registry["/v2/team/a/manifests/v1"] = (302, {"Location": place}, b"")
        assert "wants the download without TLS, at" in failure(registry)
    registry["/v2/team/a/manifests/v1"] = (302, {"Location": "http://[1"}, b"")
    assert "can't reach HOST: Invalid IPv6 URL" in failure(registry)


@pytest.mark.parametrize("what", ["other", "cut", "longer", "endless", "no answer"])
def test_other_bytes(registry: Registry, tmp_path: Path, what: str) -> None:
    """A layer that isn't what the manifest says is an error, and the cache doesn't get it."""
    registry.add("v1", *packaged(content=PACKAGE))
    base = json.loads(registry["/v2/team/a/manifests/v1"][2])["layers"][1]
    place = f"/v2/team/a/blobs/{base['digest']}"
    whole, size = registry[place][2], base["size"]
    answers = {
        "other": (whole[:-1] + b"x", {}, "sends something else for"),
        "cut": (whole[:-5], {"Content-Length": str(size)}, f"sends {size - 5:,} of {size:,} bytes for"),
        "longer": (whole + b"x", {}, f"sends more than {size:,} bytes"),
        "endless": (b"0" * 50_000_000, {"Content-Length": str(1 << 60)}, f"sends more than {size:,} bytes"),
        "no answer": (b"", {"Transfer-Encoding": "chunked"}, "HOST"),
    }
    body, headers, problem = answers[what]
    registry[place] = (200, headers, body)
    assert problem in failure(registry)
    assert not [file for file in (tmp_path / "cache").rglob("*") if base["digest"][7:] in file.name]
    assert not [*(tmp_path / "cache").rglob("*.tmp")]


def test_another_manifest(registry: Registry) -> None:
    """A registry that has something else under a digest is an error, and so are manifests without an end."""
    found = registry.add("v1", *packaged(content=PACKAGE))
    registry[f"/v2/team/a/manifests/{found}"] = (200, {}, b"{}")
    assert f"HOST sends something else for {found}" in failure(registry, found)
    image = Oci()
    entry = image.image()
    for _ in range(12):
        entry = image.index_entry({"schemaVersion": 2, "manifests": [entry]})
    registry.add("v2", image, entry)
    assert "has more than 10 manifests, one in the other" in failure(registry, "v2")


def bomb() -> bytes:
    """Return a gzipped layer whose package.yaml is larger than Crossplane reads."""
    out = io.BytesIO()
    with gzip.GzipFile(fileobj=out, mode="wb", compresslevel=9) as packed:
        member = tarfile.TarInfo("package.yaml")
        member.size = 300 << 20
        packed.write(member.tobuf())
        for _ in range(300):
            packed.write(bytes(1 << 20))
    return out.getvalue()


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"\x28\xb5\x2f\xfd" + b"x" * 600, "is compressed with zstd, which can't be read"),
        (b"no archive", "can't be read"),
        (tar({"../package.yaml": PACKAGE, "/etc/package.yaml": PACKAGE}), "has no package.yaml: it is not a"),
        pytest.param(bomb, "is larger than 200 MB", marks=pytest.mark.slow),
    ],
)
def test_layers_that_are_none(registry: Registry, content: object, problem: str) -> None:
    """A layer of another form, of a path outside, or that unpacks without an end, is told."""
    data = content() if callable(content) else content
    assert isinstance(data, bytes)
    image = Oci()
    registry.add("v1", image, image.image((data, {"io.crossplane.xpkg": "base"})))
    assert problem in failure(registry)


@pytest.mark.parametrize("manifest", [b"[]", b"no JSON", b'{"layers": 1}', b'{"layers": [1], "config": 2}', b"{}"])
def test_manifests_that_are_none(registry: Registry, manifest: bytes) -> None:
    """A manifest of another form is an error with its place."""
    registry["/v2/team/a/manifests/v1"] = registry[f"/v2/team/a/manifests/{digest(manifest)}"] = (200, {}, manifest)
    assert "HOST/team/a:v1: blobs/sha256/" in failure(registry)


def test_without_a_cache(registry: Registry, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A cache that can't be written is told."""
    registry.add("v1", *packaged(content=PACKAGE))
    (tmp_path / "cache").write_text("in the way")
    assert "can't write" in failure(registry)
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    monkeypatch.setenv("HOME", "relative")
    assert "set XDG_CACHE_HOME, or HOME" in failure(registry)
