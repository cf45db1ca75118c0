"""Typed views: generated models over items."""

from __future__ import annotations

from typing import Any

import pytest

from crossplane_lite import Unstructured
from crossplane_lite.errors import InputError, UnknownFieldError, UsageError
from crossplane_lite.krm.resource_list import ResourceList
from crossplane_lite.table import load
from tests.behaviour.models import Bucket
from tests.krm.lists import DEPLOYMENT, SERVICE, output, read

_get, _ = load(
    "tests.krm.test_views",
    {
        "Deployment": "@apps/v1 metadata:meta.ObjectMeta spec:Spec",
        "Spec": "replicas:i template:Template paused:b strategy:Strategy",
        "Strategy": "type:s",
        "Template": "metadata:meta.ObjectMeta spec:PodSpec",
        "PodSpec": "containers:[Container#name nodeSelector:{s",
        "Container": "name:s image:s ports:[Port#containerPort",
        "Port": "containerPort:i protocol:s",
    },
    meta="crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta.v1",
)
Deployment: Any = _get("Deployment")
Container: Any = _get("Container")


def view(rl: ResourceList[Any]) -> Any:
    """Return the one Deployment of a list."""
    (found,) = rl.items.of(Deployment)
    return found


def test_a_view_reads_the_item() -> None:
    """Fields read as the model's, what isn't there as in any desired model."""
    one = view(read())
    assert isinstance(one, Deployment)
    assert one.metadata.name == "web" and one.metadata.labels["app"] == "web"
    assert one.spec.replicas == 2 and one.spec.paused is None
    assert [container.image for container in one.spec.template.spec.containers] == ["web:1", "proxy:2"]
    assert one.spec.template.spec.containers[0].ports[0].containerPort == 80


def test_reading_changes_nothing() -> None:
    """Whatever is read through a view, the item stays byte for byte as it was."""
    rl = read()
    one = view(rl)
    (
        repr(one),
        one.spec.strategy.type,
        list(one.spec.template.spec.containers),
        dict(one.spec.template.spec.nodeSelector),
    )
    assert not rl.is_changed
    assert output(rl) == DEPLOYMENT + SERVICE


def test_what_is_set_is_written_as_a_minimal_edit() -> None:
    """Only the lines of the fields that were set or deleted change; comments stay."""
    rl = read()
    one = view(rl)
    one.spec.replicas = 3
    one.metadata.labels["team"] = "a"
    one.spec.template.spec.containers[1].image = "proxy:3"
    del one.spec.template.spec.containers[0].ports
    expected = (
        DEPLOYMENT.replace("replicas: 2", "replicas: 3")
        .replace("      app: web\n", "      app: web\n      team: a\n")
        .replace("proxy:2", "proxy:3")
        .replace("          ports:\n          - containerPort: 80\n            protocol: TCP\n", "")
    )
    assert output(rl) == expected + SERVICE


def test_lists_that_change_keep_what_stays() -> None:
    """An element that is added or removed through a view leaves the comments of the others."""
    rl = read()
    containers = view(rl).spec.template.spec.containers
    del containers[0]
    containers.append(Container(name="new", image="img"))
    text = output(rl)
    assert (
        "        containers:\n        # the second\n        - name: proxy  # beside it\n          image: proxy:2\n"
        "        - name: new\n          image: img\n"
    ) in text.replace('"', "")


def test_what_is_set_counts_at_once() -> None:
    """The item shows it before anything is written, in views of it that were there before, too."""
    rl = read()
    one, item = view(rl), rl.items[0]
    spec, labels = item["spec"], item.labels
    one.spec.replicas = 3
    one.metadata.labels["team"] = "a"
    assert spec["replicas"] == 3 and item.get("spec.replicas") == 3 and labels == {"app": "web", "team": "a"}
    assert rl.items.where(labels={"team": "a"})[0] is item
    assert rl.is_changed


def test_the_last_one_counts() -> None:
    """A field that is set through a view and in the item has the value that was set last."""
    rl = read()
    one, item = view(rl), rl.items[0]
    one.spec.replicas = 3
    item.spec.replicas = 4
    assert item.spec.replicas == 4
    item.metadata.name = "other"
    one.spec.paused = True
    assert item.spec == {**read().items[0].spec.to_dict(), "replicas": 4, "paused": True}
    one.spec.replicas = 5
    assert item.spec.replicas == 5 and item.name == "other"


def test_the_same_view_is_given_again() -> None:
    """As long as nothing else changes the item; then there is a new view that shows it, and both can be set."""
    rl = read()
    one = view(rl)
    one.spec.replicas = 3
    assert view(rl) is one
    rl.items[0].spec.paused = True
    other = view(rl)
    assert other is not one and other.spec.paused is True and other.spec.replicas == 3
    other.spec.strategy.type = "Recreate"
    one.spec.replicas = 4
    assert rl.items[0].get("spec.strategy.type") == "Recreate" and rl.items[0].spec.replicas == 4


def test_assigning_replaces() -> None:
    """What a view shows after an assignment is what the item has: the fields that aren't in it are gone."""
    rl = read()
    one = view(rl)
    one.spec.template.spec.containers = [{"name": "only"}]
    one.metadata.labels = {"x": "y"}
    assert rl.items[0].get("spec.template.spec.containers") == [{"name": "only"}]
    assert rl.items[0].labels == {"x": "y"}


def test_fields_that_the_model_doesnt_know_stay() -> None:
    """A view of a model with fewer fields changes nothing else than those."""
    rl = read(DEPLOYMENT + "    unknown: {a: [1, 2.0]}\n  status: {x: 1}\n")
    view(rl).spec.replicas = 3
    assert output(rl) == (DEPLOYMENT + "    unknown: {a: [1, 2.0]}\n  status: {x: 1}\n").replace("cas: 2", "cas: 3")
    with pytest.raises(UnknownFieldError):
        view(rl).spec.replica = 1


def test_which_items_a_model_is_for() -> None:
    """Group and kind must fit, the version may be another one; Unstructured is for all."""
    rl = read(
        "".join(
            f"- {{apiVersion: {version}, kind: {kind}, metadata: {{name: a}}}}\n"
            for version, kind in [
                ("apps/v1", "Deployment"),
                ("apps/v1beta2", "Deployment"),
                ("other/v1", "Deployment"),
                ("v1", "Deployment"),
                ("apps/v1", "DaemonSet"),
                ("[]", "{}"),
            ]
        )
    )
    assert len(rl.items.of(Deployment)) == 2
    assert len(rl.items.of(Unstructured)) == 6
    assert rl.items.of(Bucket) == []
    rl.items.of(Deployment)[1].spec.replicas = 1
    assert rl.items[1].api_version == "apps/v1beta2"
    for wrong in (dict, "Deployment", Container):
        with pytest.raises(UsageError, match=r"items.of\(\) takes the class of a resource"):
            rl.items.of(wrong)  # type: ignore[type-var]


def test_unstructured_views() -> None:
    """Any attribute path can be set through Unstructured."""
    rl = read()
    rl.items.of(Unstructured)[1].spec.type = "LoadBalancer"
    assert rl.items[1].spec.type == "LoadBalancer"


def test_reserved_annotations_are_guarded_here_too() -> None:
    """Setting or deleting one is refused when it counts; those that go with all of them stay."""
    for change in (
        lambda one: one.metadata.annotations.update({"config.k8s.io/id": "2"}),
        lambda one: one.metadata.annotations.pop("config.k8s.io/id"),
    ):
        rl = read()
        change(view(rl))
        with pytest.raises(UsageError, match="the annotation config.k8s.io/id can't be"):
            rl.write()
    for replace in (
        lambda one: setattr(one.metadata, "annotations", {"mine": "1"}),
        lambda one: setattr(one, "metadata", {"name": "web", "namespace": "prod", "annotations": {"mine": "1"}}),
    ):
        rl = read()
        replace(view(rl))
        assert rl.items[0].annotations == {**read().items[0].annotations.to_dict(), "mine": "1"}


def test_a_view_stands_for_its_item() -> None:
    """Results take a view, remove takes a view, and a view of a new item works before it is written."""
    rl = read()
    one = view(rl)
    result = rl.results.error("bad", one, "spec.replicas")
    assert result.field == {"path": "spec.replicas", "currentValue": 2}
    assert result.file == {"path": "app/web.yaml", "index": 2}
    rl.items.remove(one)
    assert [item.kind for item in rl.items] == ["Service"]
    rl.items.add(one)
    made = view(rl)
    made.spec.replicas = 9
    assert rl.items[1].spec.replicas == 9 and ResourceList.read(rl.write()).items[1].spec.replicas == 9


def test_an_integer_that_models_dont_carry() -> None:
    """An item with an integer beyond 2**53 can't be read through a model, and the message says where it is."""
    rl = read(
        "- apiVersion: apps/v1\n  kind: Deployment\n  metadata: {name: a}\n  spec: {replicas: 9007199254740993}\n"
    )
    with pytest.raises(InputError, match=r"Deployment a can't be read through Deployment: spec.replicas: must be"):
        rl.items.of(Deployment)
