"""Composition functions as KRM functions: what they make of a package."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from crossplane_lite import NULL, Unstructured, composition, krm
from crossplane_lite.errors import UsageError
from crossplane_lite.requirements import ResourceSelector

ROOT = Path(__file__).resolve().parents[2]

XR = """\
apiVersion: example.org/v1
kind: XApp
metadata:
  name: photos # the composite
spec:
  size: 3
"""

XRD = """\
apiVersion: apiextensions.crossplane.io/v2
kind: CompositeResourceDefinition
metadata: {name: xapps.example.org}
spec:
  scope: Cluster
  group: example.org
  names: {kind: XApp, plural: xapps}
  versions:
  - name: v1
    served: true
    referenceable: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties: {size: {type: integer, default: 7}}
"""

NAME = "crossplane.io/composition-resource-name"
COMPOSITE = "crossplane.io/composite"
KIND = "crossplane-lite/composite"
FUNCTION = "crossplane-lite/function"


def package(*items: str, xr: str = XR) -> bytes:
    """Return a ResourceList of documents, with their text as it is."""
    text = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nfunctionConfig:\n" + textwrap.indent(xr, "  ")
    text += "items:\n" if items else "items: []\n"
    for item in items:
        text += textwrap.indent(textwrap.dedent(item).strip("\n") + "\n", "  ").replace("  ", "- ", 1)
    return text.encode()


def items_of(output: krm.Output) -> list[dict[str, Any]]:
    """Return the items of an answer."""
    found: list[dict[str, Any]] = yaml.safe_load(output.stdout)["items"]
    return found


def results_of(output: krm.Output) -> list[tuple[str, str]]:
    """Return severity and message of each result of an answer."""
    return [(one["severity"], one["message"]) for one in yaml.safe_load(output.stdout).get("results", [])]


def text_of(data: bytes) -> str:
    """Return the items' text, up to the results."""
    return data.decode().partition("\nitems:")[2].partition("\nresults:")[0]


def bucket_and_policy(ctx: composition.Context) -> None:
    """Compose a bucket, and a policy that needs its name."""
    xr = ctx.composite(Unstructured)
    bucket = ctx.resource("bucket", Unstructured("storage.example.org/v1", "Bucket"))
    bucket.spec.size = xr.observed.spec.size
    bucket.spec.region = "eu"
    policy = ctx.resource("policy", Unstructured("storage.example.org/v1", "Policy"))
    policy.spec.bucket = bucket.observed.external_name
    xr.status.bucketName = bucket.observed.external_name


COMPOSE = composition.function(name="buckets")(bucket_and_policy)
BUCKETS = krm.from_composition(COMPOSE)


def as_krm(compose: Any, **options: Any) -> krm.Function:
    """Return a plain function as a KRM function."""
    return krm.from_composition(composition.function(name="test", **options)(compose))


def two_or_one(ctx: composition.Context) -> None:
    """Compose one resource more for a large composite, and ask for a value that no file has."""
    bucket = ctx.resource("bucket", Unstructured("storage.example.org/v1", "Bucket"))
    bucket.spec.region = "eu"
    assert not bucket.observed.status.id
    if ctx.composite(Unstructured).observed.spec.size > 2:
        ctx.resource("policy", Unstructured("storage.example.org/v1", "Policy")).spec.region = "eu"


def test_a_smaller_composite() -> None:
    """What isn't desired any more goes, although compose() has asked for a value that files never have."""
    function = as_krm(two_or_one)
    output = function.run(package())
    assert [one["kind"] for one in items_of(output)] == ["Bucket", "Policy"]
    smaller = output.stdout.partition(b"results:")[0].replace(b"size: 3", b"size: 1")
    output = function.run(smaller)
    assert output.status == 0
    assert [one["kind"] for one in items_of(output)] == ["Bucket"]


def with_comment(data: bytes) -> bytes:
    """Return a package whose bucket has an external name, and a comment."""
    text = data.decode().replace("    region: eu\n", "    region: eu # as the contract says\n")
    text = text.replace(f"{NAME}: bucket\n", f"{NAME}: bucket\n      crossplane.io/external-name: photos-eu\n")
    return text.encode()


class TestItems:
    """What becomes of items."""

    def test_what_is_composed_first(self) -> None:
        """A new item has Crossplane's annotation, label and name; no owner reference, and no name to be generated."""
        output = BUCKETS.run(package())
        assert output.status == 0
        (bucket,) = items_of(output)
        assert list(bucket) == ["apiVersion", "kind", "metadata", "spec"]
        metadata = bucket.pop("metadata")
        assert bucket == {
            "apiVersion": "storage.example.org/v1",
            "kind": "Bucket",
            "spec": {"size": 3, "region": "eu"},
        }
        assert metadata.pop("name").startswith("photos-")
        assert metadata == {
            "labels": {COMPOSITE: "photos"},
            "annotations": {NAME: "bucket", FUNCTION: "buckets", KIND: "XApp.example.org"},
        }

    def test_function_config_stays(self) -> None:
        """The composite is the user's file: it goes out byte for byte, comments included."""
        assert textwrap.indent(XR, "  ") in BUCKETS.run(package()).stdout.decode()

    def test_a_value_that_has_come(self) -> None:
        """Once the bucket has its name the policy is added; the bucket keeps its text."""
        first = with_comment(BUCKETS.run(package()).stdout)
        second = BUCKETS.run(first)
        assert [item["kind"] for item in items_of(second)] == ["Bucket", "Policy"]
        assert items_of(second)[1]["spec"] == {"bucket": "photos-eu"}
        assert text_of(second.stdout).startswith(text_of(first))

    def test_again_and_again(self) -> None:
        """A run on a run's own output leaves every item as it is."""
        once = BUCKETS.run(with_comment(BUCKETS.run(package()).stdout)).stdout
        for _ in range(3):
            again = BUCKETS.run(once).stdout
            assert text_of(again) == text_of(once)
            once = again

    def test_only_what_differs_changes(self) -> None:
        """A changed parameter changes one line; what people added stays."""
        first = BUCKETS.run(package()).stdout.replace(
            b"    region: eu\n", b"    region: eu # contract\n    note: mine\n"
        )
        second = BUCKETS.run(first.replace(b"size: 3\nitems", b"size: 5 # more\nitems"))
        assert text_of(second.stdout) == text_of(first).replace("size: 3", "size: 5")

    def test_the_same_with_an_orchestrators_annotations(self) -> None:
        """Where an item came from stays with it, and the function isn't shown it."""
        seen = []

        def compose(ctx: composition.Context) -> None:
            seen.append(dict(ctx.composite(Unstructured).observed.metadata.annotations))
            thing = ctx.resource("thing", Unstructured("v1", "ConfigMap"))
            thing.data.a = "new"
            seen.append(dict(thing.observed.metadata.annotations))

        path = "internal.config.kubernetes.io/path"
        xr = XR.replace("spec:", f"  annotations: {{{path}: xr.yaml, own: b}}\nspec:")
        item = f"""
            apiVersion: v1
            kind: ConfigMap
            metadata:
              name: thing
              annotations: {{{NAME}: thing, {path}: 'app/thing.yaml', config.kubernetes.io/path: 'app/thing.yaml'}}
            data: {{a: old}}
            """
        output = as_krm(compose).run(package(item, xr=xr))
        assert output.status == 0, output.stderr
        annotations = items_of(output)[0]["metadata"]["annotations"]
        assert annotations[path] == annotations["config.kubernetes.io/path"] == "app/thing.yaml"
        assert items_of(output)[0]["data"] == {"a": "new"}
        assert seen == [{"own": "b"}, {NAME: "thing"}]

    def test_another_kind(self) -> None:
        """A resource can't become another kind, as in Crossplane; the item stays."""

        def compose(ctx: composition.Context) -> None:
            ctx.resource("thing", Unstructured("v1", "Secret"))

        item = f"{{apiVersion: v1, kind: ConfigMap, metadata: {{name: thing, annotations: {{{NAME}: thing}}}}}}"
        output = as_krm(compose).run(package(item))
        assert output.stdout.startswith(package(item))
        assert "is a ConfigMap of v1" in results_of(output)[0][1]

    def test_an_explicit_null(self) -> None:
        """NULL is written as null."""

        def compose(ctx: composition.Context) -> None:
            ctx.resource("thing", Unstructured("v1", "ConfigMap")).data = {"a": NULL}

        assert items_of(as_krm(compose).run(package()))[0]["data"] == {"a": None}


class TestRemoval:
    """What is not desired any more."""

    @staticmethod
    def nothing(ctx: composition.Context) -> None:
        """Compose nothing."""

    def run(self, annotations: str, labels: str = f"{COMPOSITE}: photos") -> krm.Output:
        item = f"""
            apiVersion: v1
            kind: ConfigMap
            metadata:
              name: thing
              labels: {{{labels}}}
              annotations: {{{NAME}: thing, {annotations}}}
            """
        return as_krm(self.nothing).run(package(item))

    def test_what_the_function_made(self) -> None:
        """An item that this function has made goes, and a result says so."""
        output = self.run(f"{FUNCTION}: 'test', {KIND}: XApp.example.org")
        assert items_of(output) == []
        assert results_of(output) == [("info", "thing is not desired any more: it was removed")]

    @pytest.mark.parametrize(
        ("annotations", "labels"),
        [
            ("a: b", f"{COMPOSITE}: photos"),
            (f"{FUNCTION}: another", f"{COMPOSITE}: photos"),
            (f"{FUNCTION}: test", f"{COMPOSITE}: others"),
            (f"{FUNCTION}: test, {KIND}: XDatabase.example.org", f"{COMPOSITE}: photos"),
        ],
        ids=["nobody's", "another function's", "another composite's", "another kind's"],
    )
    def test_what_others_made(self, annotations: str, labels: str) -> None:
        """An item that somebody else has made stays, though it looks composed."""
        output = self.run(annotations, labels)
        assert len(items_of(output)) == 1
        assert results_of(output) == []


class TestBelonging:
    """Which items are the composite's."""

    @staticmethod
    def thing(ctx: composition.Context) -> None:
        """Compose one ConfigMap, with what is observed of it."""
        thing = ctx.resource("thing", Unstructured("v1", "ConfigMap"))
        thing.data.seen = str(bool(thing.observed.metadata.name))

    def test_composites_of_one_name(self) -> None:
        """Two composites of different kinds with the same name, and the same resource names, keep their own items."""
        once = as_krm(self.thing).run(package())
        other = yaml.safe_load(once.stdout)
        data = package(*(yaml.safe_dump(item) for item in other["items"]), xr=XR.replace("XApp", "XDatabase"))
        twice = as_krm(self.thing).run(data)
        assert [item["metadata"]["annotations"][KIND] for item in items_of(twice)] == [
            "XApp.example.org",
            "XDatabase.example.org",
        ]
        assert len({item["metadata"]["name"] for item in items_of(twice)}) == 2

    @pytest.mark.parametrize(
        ("reference", "uid", "is_ours"),
        [
            ("kind: XApp, name: photos, uid: '1'", "", True),
            ("kind: XApp, name: photos, uid: '1'", "1", True),
            ("kind: XApp, name: photos, uid: '1'", "2", False),
            ("kind: XApp, name: films, uid: '1'", "", False),
        ],
    )
    def test_a_controller(self, reference: str, uid: str, is_ours: bool) -> None:
        """An item saved from a cluster belongs to the composite that its controller reference names."""
        item = f"""
            apiVersion: v1
            kind: ConfigMap
            metadata:
              name: saved
              annotations: {{{NAME}: thing}}
              ownerReferences: [{{controller: true, apiVersion: example.org/v1, {reference}}}]
            """
        xr = XR.replace("spec:", f"  uid: '{uid}'\nspec:") if uid else XR
        output = as_krm(self.thing).run(package(item, xr=xr))
        assert output.status == 0, output.stderr
        assert len(items_of(output)) == (1 if is_ours else 2)
        assert items_of(output)[-1]["data"] == {"seen": str(is_ours)}

    def test_a_namespace(self) -> None:
        """A namespaced composite has items in its own namespace only, and its new ones are there."""
        item = (
            f"{{apiVersion: v1, kind: ConfigMap, metadata: {{name: a, namespace: b, annotations: {{{NAME}: thing}}}}}}"
        )
        output = as_krm(self.thing).run(package(item, xr=XR.replace("spec:", "  namespace: a\nspec:")))
        assert [one["metadata"]["namespace"] for one in items_of(output)] == ["b", "a"]

    @staticmethod
    def named(ctx: composition.Context) -> None:
        """Compose a ConfigMap with a name of its own."""
        ctx.resource("thing", Unstructured("v1", "ConfigMap")).metadata.name = "settings"

    def test_an_object_that_is_there(self) -> None:
        """An item that is the desired object is taken over, as Crossplane does, and a result says so."""
        item = "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {a: b}}"
        output = as_krm(self.named).run(package(item))
        (found,) = items_of(output)
        assert found["data"] == {"a": "b"}
        assert found["metadata"]["annotations"][NAME] == "thing"
        assert results_of(output) == [("info", "this is the composed resource thing from now on")]

    def test_an_object_of_somebody_else(self) -> None:
        """An item that is the desired object and somebody else's is an error, and nothing changes."""
        metadata = f"{{name: settings, labels: {{{COMPOSITE}: other}}, annotations: {{{NAME}: thing}}}}"
        data = package(f"{{apiVersion: v1, kind: ConfigMap, metadata: {metadata}}}")
        output = as_krm(self.named).run(data)
        assert output.status == 1
        assert output.stdout.startswith(data)
        assert results_of(output) == [
            (
                "error",
                'composed resource "thing": the item ConfigMap settings has another owner, or is another composed '
                "resource; give this one another metadata.name",
            )
        ]

    def test_two_items_of_one_resource(self) -> None:
        """Two items that claim to be the same composed resource are an error."""
        items = [
            f"{{apiVersion: v1, kind: ConfigMap, metadata: {{name: {name}, annotations: {{{NAME}: thing}}}}}}"
            for name in "ab"
        ]
        output = as_krm(self.thing).run(package(*items))
        assert output.status == 1
        assert results_of(output) == [
            (
                "error",
                "observed resource 2 and observed resource 1 have the same annotation "
                "crossplane.io/composition-resource-name: 'thing'",
            )
        ]


class TestAnswers:
    """What the items tell the function."""

    def test_required_resources(self) -> None:
        """Items answer what the function asks for, by name and by labels."""

        def compose(ctx: composition.Context) -> None:
            ctx.requirements.resources["one"] = ResourceSelector(
                api_version="v1", kind="ConfigMap", match_name="zones", namespace="infra"
            )
            ctx.requirements.resources["all"] = ResourceSelector(
                api_version="v1", kind="ConfigMap", match_labels={"a": "b"}
            )
            made = ctx.resource("thing", Unstructured("v1", "ConfigMap"))
            made.data.zones = ctx.required_resources["one"][0].data.zones
            made.data.found = str(len(ctx.required_resources["all"]))

        item = """
            apiVersion: v1
            kind: ConfigMap
            metadata: {name: zones, namespace: infra, labels: {a: b}}
            data: {zones: ab}
            """
        output = as_krm(compose).run(package(item))
        assert items_of(output)[1]["data"] == {"zones": "ab", "found": "1"}
        missing = as_krm(compose).run(package())
        assert items_of(missing) == []
        assert results_of(missing) == [
            (
                "info",
                "thing is held back: it waits for required.one[0].data.zones (ConfigMap infra/zones doesn't exist)",
            )
        ]

    def test_connection_details(self) -> None:
        """The Secret that an item names holds its connection details."""

        def compose(ctx: composition.Context) -> None:
            database = ctx.resource("database", Unstructured("example.org/v1", "Database"))
            ctx.resource("copy", Unstructured("v1", "ConfigMap")).data.user = database.observed.connection_details[
                "user"
            ]

        items = [
            f"""
            apiVersion: example.org/v1
            kind: Database
            metadata: {{name: db, annotations: {{{NAME}: database}}}}
            spec: {{writeConnectionSecretToRef: {{name: db, namespace: infra}}}}
            """,
            "{apiVersion: v1, kind: Secret, metadata: {name: db, namespace: infra}, stringData: {user: admin}}",
        ]
        assert items_of(as_krm(compose).run(package(*items)))[-1]["data"] == {"user": "admin"}

    def test_defaults_of_the_definition(self) -> None:
        """Where the composite's definition is in the package, its defaults count; functionConfig doesn't get them."""
        data = package(XRD, xr=XR.replace("  size: 3", "  color: red"))
        output = BUCKETS.run(data)
        assert items_of(output)[1]["spec"]["size"] == 7, output.stderr
        assert output.stdout.startswith(data)

    def test_scopes_of_definitions(self) -> None:
        """A definition in the package says that its kind is in no namespace, where no namespaced composite composes."""

        def compose(ctx: composition.Context) -> None:
            ctx.resource("region", Unstructured("example.org/v1", "Region"))

        crd = """
            apiVersion: apiextensions.k8s.io/v1
            kind: CustomResourceDefinition
            metadata: {name: regions.example.org}
            spec:
              group: example.org
              scope: Cluster
              names: {kind: Region, plural: regions}
              versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
            """
        output = as_krm(compose).run(package(crd, xr=XR.replace("spec:", "  namespace: a\nspec:")))
        ((severity, message),) = results_of(output)
        assert severity == "error"
        assert "cluster-scoped" in message


class TestResults:
    """What is reported."""

    def test_what_is_held_back(self) -> None:
        """A held-back resource is a result that names what it waits for, once, and no failure."""
        output = BUCKETS.run(package())
        assert results_of(output) == [
            ("info", "policy is held back: it waits for bucket.external_name (bucket isn't observed yet)")
        ]
        assert output.status == 0

    def test_what_exists_and_waits(self) -> None:
        """A resource that exists and lacks a value again keeps what it has."""
        full = BUCKETS.run(with_comment(BUCKETS.run(package()).stdout)).stdout
        lost = full.replace(b"      crossplane.io/external-name: photos-eu\n", b"")
        fresh = lost[: lost.index(b"results:")]
        output = BUCKETS.run(fresh)
        assert output.stdout.startswith(fresh)
        assert [message for _, message in results_of(output)] == [
            "policy keeps what it has: it waits for bucket.external_name "
            "(bucket is observed, isn't Ready and doesn't have it)"
        ]

    def test_the_status(self) -> None:
        """What the function desires of the composite's status is proposed, and written nowhere."""
        output = BUCKETS.run(with_comment(BUCKETS.run(package()).stdout))
        (result,) = [one for one in yaml.safe_load(output.stdout)["results"] if "field" in one]
        assert result == {
            "message": "the composite's status is not written to functionConfig, because that is your file",
            "severity": "info",
            "resourceRef": {"apiVersion": "example.org/v1", "kind": "XApp", "name": "photos"},
            "field": {"path": "status", "proposedValue": {"bucketName": "photos-eu"}},
        }

    def test_results_and_conditions(self) -> None:
        """Results carry over with their reasons, conditions become results."""

        def compose(ctx: composition.Context) -> None:
            ctx.results.normal("fine", reason="AllGood")
            ctx.results.warning("not so fine")
            ctx.conditions.set("Licensed", True, "Paid", "until May")

        output = as_krm(compose).run(package())
        assert output.status == 0
        found = yaml.safe_load(output.stdout)["results"]
        assert [(one["severity"], one["message"], one.get("tags")) for one in found] == [
            ("info", "fine", {"reason": "AllGood"}),
            ("warning", "not so fine", None),
            ("info", "condition Licensed is True: until May", {"reason": "Paid"}),
        ]

    def test_a_fatal_result(self) -> None:
        """A fatal result is an error, those before it carry over, and no item changes."""

        def compose(ctx: composition.Context) -> None:
            ctx.resource("thing", Unstructured("v1", "ConfigMap"))
            ctx.results.warning("first")
            ctx.results.fatal("no licence")

        data = package("{apiVersion: v1, kind: Pod, metadata: {name: a}}")
        output = as_krm(compose).run(data)
        assert output.status == 1
        assert output.stdout.startswith(data)
        assert results_of(output) == [("warning", "first"), ("error", "no licence")]

    def test_an_exception(self) -> None:
        """An exception in compose() is an error that says where, and no item changes."""

        def compose(ctx: composition.Context) -> None:
            raise ValueError("broken")

        output = as_krm(compose).run(package())
        ((severity, message),) = results_of(output)
        assert output.status == 1
        assert severity == "error"
        assert "ValueError: broken" in message
        assert "test_compose.py" in message

    def test_what_was_composed_wrongly(self) -> None:
        """What Crossplane would refuse is an error."""

        def compose(ctx: composition.Context) -> None:
            ctx.resource("thing", Unstructured("v1", "ConfigMap")).metadata.name = "Not A Name"

        ((severity, message),) = results_of(as_krm(compose).run(package()))
        assert severity == "error"
        assert "thing.metadata.name: 'Not A Name' can't be an object's name" in message

    @pytest.mark.parametrize(
        ("xr", "message"),
        [
            ("", "no composite resource was given: give it as the functionConfig"),
            (
                "apiVersion: v1\nkind: function-input\nmetadata: {name: function-input}\n",
                "no composite resource was given",
            ),
            ("apiVersion: example.org/v1\nkind: XApp\n", "the composite resource has no metadata.name"),
        ],
        ids=["none", "placeholder", "no name"],
    )
    def test_no_composite(self, xr: str, message: str) -> None:
        """Without a composite there is nothing to compose, which is an error."""
        data = package(xr=xr) if xr else package().replace(package()[package().index(b"functionConfig") : -10], b"")
        output = BUCKETS.run(data)
        ((severity, found),) = results_of(output)
        assert (output.status, severity) == (1, "error")
        assert found.startswith(message)


class TestFunction:
    """The KRM function that is made."""

    def test_name_and_help(self) -> None:
        """It is called like the Python function, and described by its docstring; a name can be given."""
        assert BUCKETS.name == "bucket-and-policy"
        assert BUCKETS.description == "Compose a bucket, and a policy that needs its name."
        assert BUCKETS.file == __file__
        assert krm.from_composition(COMPOSE, name="x").name == "x"

    def test_what_it_is_made_from(self) -> None:
        """Anything else than a composition function is refused."""
        with pytest.raises(UsageError, match="takes a function made by @composition.function"):
            krm.from_composition(bucket_and_policy)  # type: ignore[arg-type]

    def test_compose_runs_once(self) -> None:
        """compose() runs as often as Crossplane would call it, here once."""
        calls: list[None] = []

        def compose(ctx: composition.Context) -> None:
            calls.append(None)
            ctx.resource("thing", Unstructured("v1", "ConfigMap"))

        as_krm(compose).run(package())
        assert len(calls) == 1

    def test_as_a_process(self) -> None:
        """It is a program like any KRM function."""
        code = (
            "from crossplane_lite import krm\nfrom examples.storage_bucket.function import compose\n"
            "krm.from_composition(compose).main()"
        )
        parameters = "  parameters: {location: EU, versioning: true, acl: publicRead}\n"
        xr = (
            XR.replace("example.org/v1", "platform.example.com/v1alpha1")
            .replace("XApp", "XStorageBucket")
            .replace("  size: 3\n", parameters)
        )
        done = subprocess.run(
            [sys.executable, "-c", code],
            input=package(xr=xr),
            capture_output=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            check=False,
        )
        assert done.returncode == 0, done.stderr
        (bucket,) = yaml.safe_load(done.stdout)["items"]
        assert bucket["spec"] == {"forProvider": {"location": "EU", "versioning": {"enabled": True}}}


WRONG: list[Any] = [None, True, 1, 1.5, "x", [], ["x"], [{}], {}, {"x": "y"}, 2**60]


def paths_in(value: Any) -> Iterator[tuple[str | int, ...]]:
    """Yield the path of everything in a value."""
    for key, one in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield (key,)
        yield from ((key, *rest) for rest in paths_in(one))


@pytest.mark.slow
def test_wrong_types_everywhere() -> None:
    """Whatever type stands at whatever place, there is an answer: what was given, or an error that is no traceback."""
    items = [
        {
            "apiVersion": "storage.example.org/v1",
            "kind": "Bucket",
            "metadata": {
                "name": "a",
                "labels": {COMPOSITE: "photos"},
                "annotations": {NAME: "bucket", FUNCTION: "buckets", KIND: "XApp.example.org"},
                "ownerReferences": [{"controller": True, "kind": "XApp", "name": "photos", "uid": "1"}],
            },
            "spec": {"writeConnectionSecretToRef": {"name": "s"}},
        },
        yaml.safe_load(XRD),
    ]
    whole = {
        "apiVersion": "config.kubernetes.io/v1",
        "kind": "ResourceList",
        "functionConfig": {**yaml.safe_load(XR), "status": {"conditions": [{"type": "A", "status": "True"}]}},
        "items": items,
    }
    text = json.dumps(whole)
    for path in paths_in(whole):
        for wrong in WRONG:
            data = json.loads(text)
            holder = data
            for step in path[:-1]:
                holder = holder[step]
            holder[path[-1]] = wrong
            output = BUCKETS.run(json.dumps(data).encode())
            assert "Traceback" not in output.stderr, (path, wrong, output.stderr)
            assert output.stdout or output.stderr, (path, wrong)
