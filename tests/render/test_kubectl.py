"""A live API server is read through the real kubectl."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from crossplane_lite._tools.programs import process
from crossplane_lite._tools.render.kubectl import Kubectl
from crossplane_lite._tools.render.pipeline import Selector
from crossplane_lite._tools.render.rendered import RenderError
from crossplane_lite.errors import InputError
from tests.codegen.generated import component, openapi
from tests.programs.api_server import ApiServer, Kind, needs_kubectl, serving

Json = dict[str, Any]

pytestmark = [needs_kubectl, pytest.mark.slow]

BUCKET, THING = ("s3.example.org/v1beta1", "Bucket"), ("example.org/v1", "Thing")
THINGS = "apis/example.org/v1"


@pytest.fixture
def api(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ApiServer]:
    """Serve a few kinds to the context `dev`."""
    api = ApiServer(
        [
            Kind("v1", "Secret", "secrets"),
            Kind("v1", "ConfigMap", "configmaps"),
            Kind(*BUCKET, "buckets", namespaced=False),
            Kind(*THING, "things"),
            Kind("example.org/v1", "XNetwork", "xnetworks", namespaced=False),
            # The same name of a kind in another group.
            Kind("other.org/v1", "Bucket", "buckets", namespaced=False),
        ]
    )
    with serving(tmp_path, monkeypatch, api):
        yield api


def obj(kind: tuple[str, str], name: str, namespace: str | None = None, **fields: Any) -> Json:
    """Return an object."""
    place = {"namespace": namespace} if namespace else {}
    labels = {"labels": fields.pop("labels")} if "labels" in fields else {}
    return {"apiVersion": kind[0], "kind": kind[1], "metadata": {"name": name, **place, **labels}, **fields}


def document(**properties: Any) -> bytes:
    """Return the OpenAPI document with Thing."""
    schema = {"type": "object", "properties": {name: {"type": type_} for name, type_ in properties.items()}}
    content = openapi(Thing=component(schema, "example.org", "v1", "Thing"))
    mark = {"group": "example.org", "version": "v1", "kind": "Thing"}
    operation = {"get": {"x-kubernetes-group-version-kind": mark}}
    content["paths"] = {"/apis/example.org/v1/namespaces/{namespace}/things": operation}
    return json.dumps(content).encode()


def names(found: Any) -> list[tuple[str | None, str]]:
    """Return namespace and name of objects."""
    return [(one["metadata"].get("namespace"), one["metadata"]["name"]) for one in found]


# --- Resources ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("aggregated", [True, False])
def test_by_name(api: ApiServer, aggregated: bool) -> None:
    """A resource is found by kind and name, whichever way the server tells of its kinds; managed fields come along."""
    api.aggregated = aggregated
    bucket = obj(BUCKET, "photos", spec={"n": 1})
    bucket["metadata"]["managedFields"] = [{"manager": "me", "operation": "Apply"}]
    api.objects += [bucket, obj(("other.org/v1", "Bucket"), "photos")]
    live = Kubectl("dev")
    assert live.resources(Selector(*BUCKET, name="photos")) == [bucket]
    assert live.resources(Selector(*BUCKET, name="videos")) == []


def test_of_the_core_group(api: ApiServer) -> None:
    """A Secret is found in its namespace, with its data as it is."""
    secret = obj(("v1", "Secret"), "login", "team", data={"password": "eA=="})
    api.objects += [secret, obj(("v1", "Secret"), "login", "default")]
    live = Kubectl("dev")
    assert live.resources(Selector("v1", "Secret", name="login", namespace="team")) == [secret]
    assert live.resources(Selector("v1", "Secret", name="login", namespace="empty")) == []


def test_without_a_namespace(api: ApiServer) -> None:
    """The namespace of the context counts for nothing: what is in it isn't found without a namespace."""
    api.objects += [obj(THING, "a", "default")]
    assert Kubectl("dev").resources(Selector(*THING, name="a")) == []


def test_by_labels(api: ApiServer) -> None:
    """Labels match in one namespace, or in all of them; no label matches everything; the order is that of names."""
    api.objects += [
        obj(THING, "c", "one", labels={"env": "prod", "app": "x"}),
        obj(THING, "b", "two", labels={"env": "prod"}),
        obj(THING, "a", "two", labels={"env": "prod", "empty": ""}),
        obj(THING, "d", "one", labels={"env": "dev"}),
    ]
    live = Kubectl("dev")

    def found(namespace: str | None = None, **labels: str) -> list[tuple[str | None, str]]:
        return names(live.resources(Selector(*THING, labels=labels, namespace=namespace)))

    assert found(env="prod") == [("one", "c"), ("two", "a"), ("two", "b")]
    assert found("two", env="prod") == [("two", "a"), ("two", "b")]
    assert found(env="prod", app="x") == [("one", "c")]
    assert found(empty="") == [("two", "a")]
    assert found(env="test") == []
    assert len(found()) == 4


# --- What a composite is composed of -----------------------------------------------------------------------------


def network(refs: list[Json], *, legacy: bool = False) -> Json:
    """Return a composite with references."""
    spec = {"resourceRefs": refs} if legacy else {"crossplane": {"resourceRefs": refs}}
    return obj(("example.org/v1", "XNetwork"), "net", spec=spec)


def ref(kind: tuple[str, str], name: str | None, namespace: str | None = None) -> Json:
    """Return a reference."""
    fields = {"apiVersion": kind[0], "kind": kind[1], "name": name, "namespace": namespace}
    return {key: value for key, value in fields.items() if value is not None}


@pytest.mark.parametrize("legacy", [False, True])
def test_observed(api: ApiServer, legacy: bool) -> None:
    """What the references name is read, and nothing else; what isn't there yet is left out."""
    things = [obj(THING, "t", "team"), obj(THING, "t", "x")]
    api.objects += [obj(BUCKET, "a"), obj(BUCKET, "b"), obj(BUCKET, "c"), *things]
    refs = [ref(BUCKET, "b"), ref(THING, "t", "team"), ref(BUCKET, "a"), ref(BUCKET, "gone"), ref(THING, None)]
    found = Kubectl("dev").observed(network(refs, legacy=legacy))
    assert found == [obj(BUCKET, "a"), obj(BUCKET, "b"), obj(THING, "t", "team")]


def test_observed_in_a_namespace(api: ApiServer) -> None:
    """What a namespaced composite is composed of is in its own namespace."""
    composite = obj(
        ("example.org/v1", "Thing"), "net", "team", spec={"crossplane": {"resourceRefs": [ref(THING, "t")]}}
    )
    api.objects += [obj(THING, "t", "team"), obj(THING, "t", "default")]
    assert names(Kubectl("dev").observed(composite)) == [("team", "t")]


def test_observed_by_the_live_composite(api: ApiServer) -> None:
    """Where the file says nothing of references, those of the live composite count; it needn't exist."""
    given = obj(("example.org/v1", "XNetwork"), "net", spec={"region": "eu"})
    live = Kubectl("dev")
    assert live.observed(given) == []
    assert live.live(given) is None
    api.objects += [network([ref(BUCKET, "a")]), obj(BUCKET, "a")]
    assert live.observed(given) == [obj(BUCKET, "a")]
    assert live.live(given) == network([ref(BUCKET, "a")])
    assert live.observed(network([])) == []


@pytest.mark.parametrize(
    ("refs", "problem"),
    [
        ({}, "the composite's spec.crossplane.resourceRefs must be a list of mappings, each with"),
        (["a"], "the composite's spec.crossplane.resourceRefs must be a list of mappings, each with"),
        ([{}], "the composite's spec.crossplane.resourceRefs[0].apiVersion must be a non-empty string (it is missing)"),
        (
            [{"apiVersion": "v1", "kind": 3}],
            "spec.crossplane.resourceRefs[0].kind must be a non-empty string (got 3)",
        ),
        (
            [{"apiVersion": "v1", "kind": "A", "name": 3}],
            "spec.crossplane.resourceRefs[0].name must be a string (got 3)",
        ),
        (
            [{"apiVersion": "v1", "kind": "A", "name": "-o"}],
            "spec.crossplane.resourceRefs[0] is wrong: '-o' can't be a name",
        ),
        (
            [ref(BUCKET, "a"), {"apiVersion": "a/b/c", "kind": "A"}],
            "spec.crossplane.resourceRefs[1] is wrong: cannot parse apiVersion 'a/b/c'",
        ),
        ([{"apiVersion": "v1", "kind": "", "name": "a"}], "resourceRefs[0].kind must be a non-empty string (got '')"),
        ([{"apiVersion": "v1", "kind": "A" * 10_000 + "!"}], "A!' can't be a kind"),
    ],
)
def test_wrong_references(refs: Any, problem: str) -> None:
    """References that can't be followed are told with their place."""
    with pytest.raises(InputError) as caught:
        Kubectl("dev").observed(network(refs))
    assert problem in str(caught.value)
    assert len(str(caught.value)) < 500


# --- Failures ----------------------------------------------------------------------------------------------------


def failure(live: Kubectl, selector: Selector | None = None) -> str:
    """Return the one line with which reading resources fails."""
    with pytest.raises(RenderError) as caught:
        live.resources(selector or Selector(*BUCKET, name="photos"))
    line = str(caught.value)
    assert "\n" not in line
    return line


def test_what_may_not_be_read(api: ApiServer) -> None:
    """What the server forbids is an error with its own words, and not the same as what isn't there."""
    api.forbidden.add("buckets")
    line = failure(Kubectl("dev"))
    assert line.startswith("kubectl can't read s3.example.org/v1beta1 Bucket named 'photos' from the context dev: ")
    assert 'buckets is forbidden: User "me" cannot get them' in line
    with pytest.raises(InputError, match="is forbidden"):
        Kubectl("dev").observed(network([ref(BUCKET, "photos")]))


def test_an_unknown_kind(api: ApiServer) -> None:
    """A kind that the server doesn't have is an error, as it is for Crossplane."""
    line = failure(Kubectl("dev"), Selector("example.org/v1", "Nothing", labels={}))
    assert "example.org/v1 Nothing with labels (any)" in line
    assert "the server doesn't have a resource type" in line


def test_an_unknown_context(api: ApiServer) -> None:
    """A context that isn't in the configuration is named by kubectl."""
    for context in ("prod", "--help"):
        line = failure(Kubectl(context))
        assert line.startswith(
            f"kubectl can't read s3.example.org/v1beta1 Bucket named 'photos' from the context {context}"
        )
        assert re.search(f"context.* {context}$|context.*{context}. does not exist$", line)


def test_a_dead_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that isn't there is named, without kubectl's log."""
    with serving(tmp_path, monkeypatch, ApiServer([])):
        pass
    line = failure(Kubectl("dev"))
    assert "refused" in line
    assert "memcache.go" not in line


def test_a_silent_server(api: ApiServer) -> None:
    """A server that doesn't answer is given up after the time that there is."""
    api.silent.add("/apis/s3.example.org/v1beta1/buckets")
    assert "within 1 s" in failure(Kubectl("dev", timeout=1))


def test_without_kubectl(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where kubectl is missing, or can't be run, this is said."""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "kubectl isn't installed" in failure(Kubectl("dev"))
    (tmp_path / "kubectl").write_text("")
    assert "kubectl" in failure(Kubectl("dev"))


def script_for_kubectl(monkeypatch: pytest.MonkeyPatch, folder: Path, script: str) -> None:
    """Put a shell script in the place of kubectl."""
    kubectl = folder / "kubectl"
    kubectl.write_text(f"#!/bin/sh\n{script}\n")
    kubectl.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


@pytest.mark.parametrize("script", ["echo oops", "echo '[1]'", 'echo \'{"kind": "List", "items": [3]}\''])
def test_nonsense(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, script: str) -> None:
    """What isn't an object or a list of objects is refused."""
    script_for_kubectl(monkeypatch, tmp_path, script)
    assert re.match("kubectl('s output| printed)", failure(Kubectl("dev")))


@pytest.mark.parametrize(
    "printed",
    [
        {"apiVersion": "v1"},
        {"kind": "Bucket", "apiVersion": 3},
        {"kind": "List", "items": [{"apiVersion": "v1", "kind": "A"}, {"apiVersion": "v1"}]},
    ],
)
def test_objects_without_a_kind(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, printed: Json) -> None:
    """A live object that doesn't say what it is is refused, with what was asked for."""
    script_for_kubectl(monkeypatch, tmp_path, f"echo '{json.dumps(printed)}'")
    asked = "s3.example.org/v1beta1 Bucket named 'photos'"
    assert failure(Kubectl("dev")).startswith(f"kubectl's output for {asked} isn't an object, or a List of objects")
    with pytest.raises(InputError, match="kubectl's output for .* isn't an object"):
        Kubectl("dev").live(network([]))


def test_a_kubectl_that_is_killed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A signal that ends kubectl is named, beside what it said."""
    script_for_kubectl(monkeypatch, tmp_path, "echo help >&2; kill -KILL $$")
    assert failure(Kubectl("dev")).endswith(" dev: it was ended by the signal SIGKILL; help")


def test_a_kubectl_that_prints_too_much(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Output without an end is given up long before it fills the memory."""
    monkeypatch.setattr(process, "_LARGEST", 4 << 20)
    script_for_kubectl(monkeypatch, tmp_path, "yes")
    assert failure(Kubectl("dev")).endswith(" dev: it printed more than 4 MiB, the most that crossplane-lite reads")


def test_a_failure_without_words(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where kubectl fails and says nothing, its exit status is told."""
    kubectl = tmp_path / "kubectl"
    kubectl.write_text("#!/bin/sh\nexit 7\n")
    kubectl.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert failure(Kubectl("dev")).endswith(": its exit status is 7")


@pytest.mark.parametrize(
    "selector",
    [
        Selector("v1", "Secret", name="--all-namespaces"),
        Selector("v1", "Secret", name="a/b"),
        Selector("v1", "Secret", name=""),
        Selector("v1", "Secret", name="a\0"),
        Selector("v1", "Secret,ConfigMap", name="a"),
        Selector("v1", "-A", name="a"),
        Selector("v1", "Secret/x", labels={}),
        Selector("", "Secret", name="a"),
        Selector("a,b/v1", "Secret", name="a"),
        Selector("/v1,pods", "Secret", name="a"),
        Selector("v1", "Secret", name="a", namespace="--help"),
        Selector("v1", "Secret", labels={"a": "b,c!=d"}),
        Selector("v1", "Secret", labels={"a in (b)": ""}),
        Selector("v1", "Secret", labels={"a": "\ud800"}),
    ],
)
def test_what_kubectl_would_take_for_something_else(api: ApiServer, selector: Selector) -> None:
    """What a function asks for can't become an option, another kind or another selector: the server isn't asked."""
    line = failure(Kubectl("dev"), selector)
    assert line.startswith("kubectl can't be asked for ")
    assert re.search(r": '.*' can't be ", line)
    assert api.asked == []


# --- Schemas -----------------------------------------------------------------------------------------------------


def cached(folder: Path) -> list[Path]:
    """Return the files of the cache."""
    return sorted(path for path in (folder / "cache").rglob("*") if path.is_file())


def asked_for_documents(api: ApiServer) -> list[str]:
    """Return what the server was asked below the index."""
    return [path for path in api.asked if path.startswith("/openapi/v3/")]


def test_schemas(api: ApiServer) -> None:
    """A schema is that of the server's document; an unknown kind or group has none; each is fetched once."""
    api.documents[THINGS] = "ABCDEF0123", document(a="string")
    live = Kubectl("dev")
    schema = live.schema(*THING)
    assert schema is not None
    assert schema["properties"] == {"a": {"type": "string"}}
    assert live.scope(*THING) == "Namespaced"
    assert live.schema("example.org/v1", "Other") is None
    assert live.schema("v1", "Pod") is None
    assert live.scope("v1", "Pod") is None
    assert len([path for path in api.asked if path.startswith("/openapi/v3")]) == 2


def test_cache(api: ApiServer, tmp_path: Path) -> None:
    """A document is fetched again only when its hash changes, and then the old one is removed."""
    api.documents[THINGS] = "ABCDEF0123", document(a="string")
    first = Kubectl("dev").schema(*THING)
    (file,) = cached(tmp_path)
    assert file.read_bytes() == document(a="string")
    assert Kubectl("dev").schema(*THING) == first
    assert len(asked_for_documents(api)) == 1
    api.documents[THINGS] = "FEDCBA9876", document(b="string")
    second = Kubectl("dev").schema(*THING)
    assert second is not None
    assert list(second["properties"]) == ["b"]
    (file,) = cached(tmp_path)
    assert file.name == "FEDCBA9876.json"


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"{}", b'{"openapi": "3.0.0", "components": 3}', b"\xff"])
def test_a_damaged_file(api: ApiServer, tmp_path: Path, data: bytes) -> None:
    """A file of the cache that isn't a document is fetched again."""
    api.documents[THINGS] = "ABCDEF0123", document(a="string")
    first = Kubectl("dev").schema(*THING)
    (file,) = cached(tmp_path)
    file.write_bytes(data)
    assert Kubectl("dev").schema(*THING) == first
    assert cached(tmp_path) == [file]
    assert file.read_bytes() == document(a="string")


def test_a_folder_that_cannot_be_written(api: ApiServer, tmp_path: Path) -> None:
    """Without a place to keep documents they are fetched each time, and that is no error."""
    api.documents[THINGS] = "ABCDEF0123", document(a="string")
    (tmp_path / "cache").write_text("not a folder")
    for _ in range(2):
        assert Kubectl("dev").schema(*THING) is not None
    assert len(asked_for_documents(api)) == 2


@pytest.mark.parametrize("digest", ["", "a/../../b", "..", "x" * 300])
def test_without_a_usable_hash(api: ApiServer, tmp_path: Path, digest: str) -> None:
    """A document without a hash, or with one that can't be a file's name, isn't kept."""
    api.documents[THINGS] = digest, document(a="string")
    assert Kubectl("dev").schema(*THING) is not None
    assert cached(tmp_path) == []


def test_contexts_have_documents_of_their_own(api: ApiServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another context's document for a path isn't removed."""
    api.documents[THINGS] = "ABCDEF0123", document(a="string")
    Kubectl("dev").schema(*THING)
    with serving(tmp_path, monkeypatch, api, context="prod"):
        Kubectl("prod").schema(*THING)
    assert len(cached(tmp_path)) == 2


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        (("ABCDEF0123", b"oops"), "^kubectl printed no JSON object for {}; run kubectl by itself"),
        (("ABCDEF0123", b"{}"), "{}.*OpenAPI v3"),
    ],
)
def test_a_wrong_document(api: ApiServer, tmp_path: Path, entry: tuple[str, bytes], problem: str) -> None:
    """A document that isn't one is an error that names its path, and isn't kept."""
    api.documents[THINGS] = entry
    document = f"/openapi/v3/{THINGS} of the kubectl context dev"
    with pytest.raises((InputError, RenderError), match=problem.format(document)):
        Kubectl("dev").schema(*THING)
    assert cached(tmp_path) == []


@pytest.mark.parametrize("index", ['{"paths": 3}', '{"paths": {"apis/example.org/v1": 3}}', "{}"])
def test_a_wrong_index(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, index: str) -> None:
    """An index that isn't one is an error."""
    kubectl = tmp_path / "kubectl"
    kubectl.write_text(f"#!/bin/sh\necho '{index}'\n")
    kubectl.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    with pytest.raises(RenderError, match="/openapi/v3 has no"):
        Kubectl("dev").schema(*THING)
