"""What Kubernetes wants to be strings, and identities that no two items may have."""

from __future__ import annotations

import re
from typing import Any

import attrs
import pytest

from crossplane_lite import krm
from crossplane_lite.errors import UsageError
from crossplane_lite.krm.resource import Resource
from tests.krm.lists import DEPLOYMENT, SERVICE, output, read, wrapper

API = "- apiVersion: v1\n  kind: Service\n  metadata: {name: api, namespace: prod}\n"


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        (7, "; write str(7)"),
        (1.5, "; write str(1.5)"),
        (True, '; write str(True).lower(), which is "true"'),
        ([], ""),
    ],
)
def test_texts(value: Any, hint: str) -> None:
    """Labels, annotations and names that aren't strings are errors that say what to write, in every way of setting."""
    rl = read()
    item = rl.items[1]
    for path, work in (
        ("metadata.labels.rev", lambda: item.labels.__setitem__("rev", value)),
        ("metadata.labels.rev", lambda: item.set("metadata.labels.rev", value)),
        ("metadata.labels.rev", lambda: setattr(item, "labels", {"rev": value})),
        ("metadata.labels.rev", lambda: item.__setitem__("metadata", {"name": "a", "labels": {"rev": value}})),
        ("metadata.annotations.on", lambda: item.annotations.update(on=value)),
        ("metadata.name", lambda: setattr(item, "name", value)),
        ("metadata.namespace", lambda: setattr(item, "namespace", value)),
        ("kind", lambda: setattr(item, "kind", value)),
        ("metadata.labels.rev", lambda: rl.items.add(_new(labels={"rev": value}))),
    ):
        with pytest.raises(UsageError, match=re.escape(f"{path} must be a string (got {value!r}){hint}")):
            work()
    assert "rev" not in output(rl)


def _new(**metadata: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "New", "metadata": {"name": "new", **metadata}}


@pytest.mark.parametrize("value", [5, "text", ["a"], None])
def test_metadata_is_an_object(value: Any) -> None:
    """Metadata that isn't an object is refused, whether the item has annotations of an orchestrator or not."""
    rl = read()
    for item in (*rl.items, Resource({"kind": "A"})):
        before = item.to_dict()
        for work in (
            lambda item=item: item.__setitem__("metadata", value),
            lambda item=item: item.set("metadata", value),
            lambda item=item: setattr(item, "metadata", value),
        ):
            with pytest.raises(UsageError, match=re.escape(f"metadata must be an object (got {value!r})")):
                work()
        assert item == before
    assert not rl.is_changed


@pytest.mark.parametrize("key", ["labels", "annotations"])
def test_labels_and_annotations_are_objects(key: str) -> None:
    """Labels and annotations that aren't objects are refused in every item; null stays allowed."""
    rl = read()
    for item in rl.items:
        for work in (
            lambda item=item: setattr(item, key, [1]),
            lambda item=item: item.set("metadata", {"name": "a", key: [1]}),
        ):
            with pytest.raises(UsageError, match=rf"metadata.{key} must be an object \(got \[1\]\)"):
                work()
    assert not rl.is_changed
    rl.items[1].set(("metadata", key), None)
    assert rl.items[1]["metadata"][key] is None


def test_what_need_not_be_text() -> None:
    """Other fields take what they are given, and wrong values that came with the input stay."""
    rl = read("- apiVersion: v1\n  kind: A\n  metadata:\n    name: a\n    labels: {old: 1}\n    generation: 1\n")
    rl.items[0].metadata.generation = 2
    rl.items[0].set("spec.labels.rev", 7)
    rl.items[0].labels["new"] = "x"
    assert rl.items[0].labels == {"old": 1, "new": "x"}
    assert rl.items[0].spec.labels == {"rev": 7}


def test_swapping_names() -> None:
    """Two items may have one name on the way to others: only the end counts."""

    def swap(rl: krm.ResourceList) -> None:
        web, api = rl.items
        web.name, api.name = api.name, web.name

    output = krm.function(swap).run(wrapper(SERVICE + API))
    assert (output.status, output.stderr) == (0, "")
    items = [SERVICE.replace("name: web", "name: api"), API.replace("name: api", "name: web")]
    assert output.stdout == wrapper("".join(items))


def test_renaming_to_another_item() -> None:
    """A name, namespace or kind that makes an item another one of its file is an error at the end of the run."""
    for change in (
        lambda api: setattr(api, "name", "web"),
        lambda api: api.set("metadata.name", "web"),
        lambda api: api.__setitem__("metadata", {"name": "web", "namespace": "prod"}),
        lambda api: api.metadata.update(name="web"),
    ):

        def rename(rl: krm.ResourceList, change: Any = change) -> None:
            change(rl.items[2])

        output = krm.function(rename).run(wrapper(DEPLOYMENT + SERVICE + API))
        assert (output.status, output.stdout[: len(wrapper(DEPLOYMENT + SERVICE + API))]) == (
            1,
            wrapper(DEPLOYMENT + SERVICE + API),
        )
        assert "there are two items Service prod/web" in output.stderr


def test_one_name_in_two_files() -> None:
    """Items of two files may come to have one group, kind, namespace and name, as in the directories dev and prod."""
    item = "- apiVersion: v1\n  kind: Service\n  metadata:\n    name: web\n    namespace: {0}\n    annotations:\n"
    item += "      internal.config.kubernetes.io/path: {0}/web.yaml\n"

    def transform(rl: krm.ResourceList) -> None:
        for one in rl.items:
            one.namespace = "shop"

    output = krm.function(transform).run(wrapper(item.format("dev") + item.format("prod")))
    assert (output.status, output.stdout.count(b"namespace: shop")) == (0, 2)


def test_duplicates_that_came_stay() -> None:
    """A function isn't blamed for two items of one name that it hasn't touched, or has only labelled."""

    def label(rl: krm.ResourceList) -> None:
        for item in rl.items:
            item.labels["a"] = "b"

    assert krm.function(label).run(wrapper(SERVICE + SERVICE)).status == 0


@attrs.define
class Config:
    """What the tests' function needs."""

    team: str
    size: int = 1


@attrs.define
class Defaults:
    """Nothing that has to be given."""

    size: int = 1


def test_a_config_that_is_required() -> None:
    """Without functionConfig the error says so, with the fields; the function isn't called."""

    def transform(rl: krm.ResourceList[Config]) -> None:
        rl.items.clear()

    for config in ("", "functionConfig: {kind: ConfigMap, metadata: {name: function-input}, data: {}}\n"):
        done = krm.function(transform).run(wrapper(rest=config))
        assert done.status == 1
        assert done.stderr == "error: functionConfig is required; its fields are team (required), size\n"
        assert done.stdout.startswith(wrapper(rest=config))


def test_configs_that_are_not_required() -> None:
    """`Config | None` may be None; a class that has all defaults is made of nothing; no class gives None."""
    seen: list[Any] = []

    def optional(rl: krm.ResourceList[Config | None]) -> None:
        seen.append(rl.config)

    def defaults(rl: krm.ResourceList[Defaults]) -> None:
        seen.append(rl.config)

    def bare(rl: krm.ResourceList) -> None:
        seen.append(rl.config)

    for body in (optional, defaults, bare):
        assert krm.function(body).run(wrapper()).status == 0
    assert seen == [None, Defaults(), None]


def test_fields_of_a_config_without_a_class() -> None:
    """Attributes are the object's own fields; where only the metadata has one, the error says how to read that."""
    rl = read(config="apiVersion: a/v1\nkind: C\nmetadata: {name: c, labels: {a: b}}\nlabels: {team: web}\n")
    assert rl.config is not None
    assert rl.config.labels == {"team": "web"}
    assert rl.config.get("metadata.labels.a") == "b"
    assert getattr(rl.config, "annotations", None) is None
    with pytest.raises(UsageError, match=r"no field name; for the name in its metadata write rl.config.metadata.name"):
        _ = rl.config.name
    assert rl.config.metadata.name == "c"
    assert rl.function_config is not None
    assert (rl.function_config.name, rl.function_config.labels) == ("c", {"a": "b"})


def test_a_refused_assignment_leaves_the_identity() -> None:
    """After metadata is refused, the item has its old name, also where names are compared, and the message uses it."""
    rl = read(DEPLOYMENT + API)
    api = rl.items[1]
    guarded = rl.items[0]
    changed = {"name": "new", "namespace": "prod", "annotations": {"config.k8s.io/id": "2"}}
    with pytest.raises(UsageError, match=r"^Deployment prod/web \(app/web.yaml\): the annotation config.k8s.io/id"):
        guarded["metadata"] = changed
    assert guarded.name == "web"
    with pytest.raises(UsageError, match=r"^Service prod/api: the annotation config.k8s.io/id can't be set"):
        api["metadata"] = changed
    assert api.name == "api"


@pytest.mark.parametrize(
    "change",
    [
        lambda one: one.annotations.__setitem__("config.k8s.io/id", "1"),
        lambda one: one.labels.__setitem__("a", 1),
    ],
)
def test_a_refused_field_doesnt_make_the_object_around_it(change: Any) -> None:
    """Where labels or annotations are missing, they aren't added by an assignment that is refused."""
    rl = read(API)
    with pytest.raises(UsageError):
        change(rl.items[0])
    assert not rl.is_changed
