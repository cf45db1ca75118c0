"""Items: picking, adding, merging and removing resources."""

from __future__ import annotations

from typing import Any

import pytest

from crossplane_lite.errors import CrossplaneLiteError, DuplicateResourceError, InputError, UsageError
from crossplane_lite.krm.resource import Resource
from crossplane_lite.krm.resource_list import ResourceList
from tests.behaviour.models import ConfigMap
from tests.krm.lists import DEPLOYMENT, SERVICE, output, read

MANY = """\
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: web, namespace: prod, labels: {app: web, tier: front}, annotations: {team: a}}
- apiVersion: apps/v1beta1
  kind: Deployment
  metadata: {name: db, namespace: prod, labels: {app: db}}
- apiVersion: v1
  kind: Service
  metadata: {name: web, namespace: test, labels: {app: web, tier: ""}}
- apiVersion: rbac.authorization.k8s.io/v1
  kind: ClusterRole
  metadata: {name: web}
- kind: 5
  metadata: text
"""
NEW = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "new"}, "data": {"a": "1"}}


def places(rl: ResourceList[Any], **wanted: Any) -> list[int]:
    """Return which of the items are picked."""
    return [rl.items.index(one) for one in rl.items.where(**wanted)]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({}, [0, 1, 2, 3, 4]),
        ({"kind": "Deployment"}, [0, 1]),
        ({"kind": ["Deployment", "Service"]}, [0, 1, 2]),
        ({"kind": {"Service"}}, [2]),
        ({"api_version": "apps/v1"}, [0]),
        ({"group": "apps"}, [0, 1]),
        ({"group": ""}, [2]),
        ({"group": ("", "apps")}, [0, 1, 2]),
        ({"name": "web"}, [0, 2, 3]),
        ({"namespace": "prod"}, [0, 1]),
        ({"namespace": ""}, [3, 4]),
        ({"labels": {"app": "web"}}, [0, 2]),
        ({"labels": {"app": "web", "tier": "front"}}, [0]),
        ({"labels": {"tier": None}}, [0, 2]),
        ({"annotations": {"team": "a"}}, [0]),
        ({"annotations": {"team": "b"}}, []),
        ({"kind": "Deployment", "name": "web", "labels": {"app": None}}, [0]),
        ({"kind": ()}, []),
    ],
)
def test_where(wanted: dict[str, Any], found: list[int]) -> None:
    """All that is given must fit; several texts mean one of them, None of a label that it is there."""
    assert places(read(MANY), **wanted) == found


@pytest.mark.parametrize("wanted", [{"kind": 3}, {"name": [None]}, {"namespace": b"x"}])
def test_what_is_asked_for_is_text(wanted: dict[str, Any]) -> None:
    """A selection by anything else would find nothing, without a word."""
    with pytest.raises(UsageError, match="must be a string or a list of strings"):
        read(MANY).items.where(**wanted)


@pytest.mark.parametrize("wanted", ["app=web", ["app"], {"app": 1}])
@pytest.mark.parametrize("what", ["labels", "annotations"])
def test_labels_are_a_mapping(what: str, wanted: Any) -> None:
    """So are annotations, each with its text or None."""
    with pytest.raises(UsageError, match=f"'{what}' must be a mapping from keys to strings, or to None for any value"):
        read(MANY).items.where(**{what: wanted})


def test_a_selection_of_a_selection() -> None:
    """Selections narrow one another down, and see what was changed."""
    rl = read(MANY)
    rl.items[1].labels["tier"] = "front"
    assert [one.name for one in rl.items.where(kind="Deployment").where(labels={"tier": "front"})] == ["web", "db"]
    assert [one.name for one in rl.items[:3].where(name="web")] == ["web", "web"]


def test_it_is_a_sequence() -> None:
    """Length, index, membership, slices and equality are those of a list."""
    rl = read(MANY)
    assert len(rl.items) == 5
    assert rl.items[-1] is rl.items[4]
    assert rl.items[3] in rl.items and rl.items[3].to_dict() in rl.items and NEW not in rl.items
    assert rl.items.index(rl.items[3]) == 3 and rl.items.index(rl.items[3].to_dict()) == 3
    assert rl.items == list(rl.items) and rl.items != 3
    assert repr(rl.items[:2]) == "<2 items: Deployment prod/web, Deployment prod/db>"
    with pytest.raises(ValueError, match="is not among these 5 items"):
        rl.items.index(NEW)


def test_removing_in_a_loop() -> None:
    """A loop goes over what there was when it started, so each item is seen once."""
    rl = read()
    seen = []
    for one in rl.items:
        seen.append(one.kind)
        rl.items.remove(one)
        if len(seen) == 1:
            rl.items.add(NEW)
    assert seen == ["Deployment", "Service"]
    assert [one.kind for one in rl.items] == ["ConfigMap"]


def test_removed_items_go_with_their_text() -> None:
    """The others are byte for byte as they came."""
    rl = read()
    rl.items.remove(rl.items[0])
    assert output(rl) == SERVICE
    rl = read()
    rl.items.where(kind="Service").clear()
    assert output(rl) == DEPLOYMENT
    rl.items.clear()
    assert ResourceList.read(rl.write()).items == []


def test_removing_from_a_selection() -> None:
    """What is removed from a selection is removed from the whole, and the selection knows."""
    rl = read()
    selection = rl.items.where(kind="Service")
    selection.remove(selection[0])
    assert len(selection) == 0 and len(rl.items) == 1
    made = selection.add(NEW)
    assert list(selection) == [made] and rl.items[1] is made


def test_assigning_items() -> None:
    """What is assigned are all the items, in that order: those that were there with their text, the others new."""
    rl = read()
    deployment, service = rl.items
    rl.items = [service, Resource(NEW), deployment]
    assert [one.kind for one in rl.items] == ["Service", "ConfigMap", "Deployment"]
    assert rl.items[2] is deployment
    assert output(rl).startswith(SERVICE) and output(rl).endswith(DEPLOYMENT)
    rl.items = sorted(rl.items, key=lambda one: one.kind)
    assert [one.kind for one in rl.items] == ["ConfigMap", "Deployment", "Service"]
    views: Any = (one for one in rl.items.of(ConfigMap))
    rl.items = views
    assert [one.name for one in rl.items] == ["new"]
    rl.items = [service]
    assert output(rl) == SERVICE


@pytest.mark.parametrize("wanted", [None, "text", {}, [3], [NEW, {}], 2])
def test_what_are_no_items_cant_be_assigned(wanted: Any) -> None:
    """Then the items are as they were."""
    rl = read()
    before = list(rl.items)
    with pytest.raises(CrossplaneLiteError):
        rl.items = [*before, before[0]] if wanted == 2 else wanted
    assert list(rl.items) == before
    assert output(rl) == DEPLOYMENT + SERVICE


def test_an_item_that_is_assigned_twice_is_named() -> None:
    """The error says which item stands in the new list twice."""
    rl = read()
    with pytest.raises(DuplicateResourceError, match=r"^Deployment prod/web.* stands in the new list of items twice"):
        rl.items = [*rl.items, rl.items[0]]


def test_what_isnt_there_cant_be_removed() -> None:
    """An equal mapping isn't the item, and a removed item isn't there any more."""
    rl = read()
    with pytest.raises(UsageError, match="is not among the items"):
        rl.items.remove(Resource(rl.items[0].to_dict()))
    one = rl.items[0]
    rl.items.remove(one)
    with pytest.raises(UsageError, match="is not among the items"):
        rl.items.remove(one)


@pytest.mark.parametrize(
    "new",
    [
        NEW,
        Resource(NEW),
        'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: new\ndata:\n  a: "1"\n',
        '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "new"}, "data": {"a": "1"}}',
    ],
)
def test_adding(new: Any) -> None:
    """A mapping, a Resource and text are items alike; the new item comes last, and can be changed."""
    rl = read()
    made = rl.items.add(new)
    made.data["b"] = "2"
    assert rl.items[-1] is made
    assert output(rl) == DEPLOYMENT + SERVICE + (
        '- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: new\n  data:\n    a: "1"\n    b: "2"\n'
    )


def test_adding_a_model() -> None:
    """An instance of a generated class is an item with what was set in it."""
    rl = read()
    made = rl.items.add(ConfigMap(metadata={"name": "new"}, data={"a": "1"}))
    assert made == NEW


def test_a_new_resource_becomes_the_item() -> None:
    """What its author sets after adding it counts; a mapping is copied."""
    rl = read()
    content: dict[str, Any] = {**NEW, "data": {}}
    one = Resource(content)
    assert rl.items.add(one) is one
    one.data["late"] = "1"
    content["data"]["no"] = "1"
    assert ResourceList.read(rl.write()).items[2].data == {"late": "1"}


def test_an_item_of_another_list_is_copied() -> None:
    """Two lists never share an item."""
    one, other = read(SERVICE), read(DEPLOYMENT)
    made = one.items.add(other.items[0])
    made.spec.replicas = 7
    assert other.items[0].spec.replicas == 2 and not other.is_changed


def test_a_removed_item_comes_back_as_itself() -> None:
    """Removing and adding moves an item to the end, with its text and its ids."""
    rl = read()
    one = rl.items[0]
    rl.items.remove(one)
    assert rl.items.add(one) is one
    assert output(rl) == SERVICE + DEPLOYMENT


def test_items_of_one_name() -> None:
    """Items of one group, kind, namespace and name may be in several files; one file must not have two at the end."""
    rl = read()
    again = {"apiVersion": "apps/v1beta1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "prod"}}
    one = rl.items.add(again)
    rl.items._check_new()
    rl.items.add({"apiVersion": "other/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "prod"}})
    for _ in range(2):
        rl.items.add({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"generateName": "run-"}})
    with pytest.raises(DuplicateResourceError, match="two items Deployment prod/web.*items.upsert"):
        rl.items.check_duplicates()
    one.move_to("app/web.yaml", 5)
    with pytest.raises(DuplicateResourceError, match=r"two items Deployment prod/web \(app/web.yaml\)"):
        rl.items._check_new()
    one.name = "other"
    rl.items._check_new()
    rl.items.check_duplicates()


@pytest.mark.parametrize(
    ("new", "problem"),
    [
        ({"kind": "A", "metadata": {"name": "a"}}, "must have apiVersion"),
        ({"apiVersion": "v1", "metadata": {"name": "a"}}, "must have kind"),
        ({"apiVersion": "v1", "kind": "A"}, "must have metadata.name or metadata.generateName"),
        (
            {"apiVersion": "v1", "kind": "A", "metadata": {"name": 3}},
            "must have metadata.name or metadata.generateName",
        ),
        ({"apiVersion": "v1", "kind": "A", "metadata": "a"}, "must have metadata.name or metadata.generateName"),
        ({**NEW, "x": {1, 2}}, "x: a set is not a value of JSON"),
        (["a"], "must be a mapping, a model or a string of YAML"),
        (3, "must be a mapping, a model or a string of YAML"),
    ],
)
def test_what_is_no_item_is_refused(new: Any, problem: str) -> None:
    """An orchestrator tells items apart by apiVersion, kind and name."""
    rl = read()
    for change in (rl.items.add, rl.items.upsert):
        with pytest.raises(UsageError, match=problem):
            change(new)
    assert not rl.is_changed


@pytest.mark.parametrize("text", ["a: [", "- a\n", "a: 1\n---\nb: 1\n", ""])
def test_a_text_must_be_one_document(text: str) -> None:
    """Text that is no object, or several, is refused by the reader's own words."""
    with pytest.raises(InputError, match="the new item"):
        read().items.add(text)


def test_upsert_merges_in_place() -> None:
    """Fields that are given are set where they differ, all else keeps its text; the version may be another."""
    rl = read()
    found = rl.items.upsert(
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "web", "namespace": "prod", "labels": {"team": "a"}},
            "spec": {"replicas": 3},
        }
    )
    assert found is rl.items[0] and len(rl.items) == 2
    expected = DEPLOYMENT.replace("app: web\n", "app: web\n      team: a\n").replace("replicas: 2", "replicas: 3")
    assert output(rl) == expected + SERVICE


def test_upsert_of_the_same_changes_nothing() -> None:
    """Running a function again leaves the text as it is."""
    rl = read()
    for one in rl.items:
        rl.items.upsert(one.to_dict())
    assert not rl.is_changed and output(rl) == DEPLOYMENT + SERVICE


def test_upsert_replaces_lists() -> None:
    """A list is the one that is given; elements of the same name keep their comments."""
    rl = read()
    content = rl.items[0].to_dict()
    content["spec"]["template"]["spec"]["containers"] = [{"name": "new"}, {"name": "proxy", "image": "proxy:3"}]
    rl.items.upsert(content)
    text = output(rl)
    assert (
        "        - name: new\n        # the second\n        - name: proxy  # beside it\n          image: proxy:3\n"
        in text
    )


def test_upsert_adds_what_is_new() -> None:
    """Where there is no such item it is added."""
    rl = read()
    assert rl.items.upsert(NEW) is rl.items[2]


def test_upsert_keeps_the_file() -> None:
    """Without its annotations an item stays in its file; another file is asked for with move_to."""
    rl = read()
    content = rl.items[0].to_dict()
    del content["metadata"]["annotations"]
    rl.items.upsert(content)
    assert not rl.is_changed
    with pytest.raises(UsageError, match="use resource.move_to"):
        rl.items.upsert(
            {**content, "metadata": {**content["metadata"], "annotations": {"config.kubernetes.io/path": "x"}}}
        )


def test_upsert_of_one_of_two_is_refused() -> None:
    """Where an input has an item twice, nobody can say which is meant."""
    rl = read(SERVICE + SERVICE)
    with pytest.raises(UsageError, match="2 items are Service prod/web, so upsert"):
        rl.items.upsert({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web", "namespace": "prod"}})


def test_a_refused_upsert_changes_nothing() -> None:
    """Where one value can't be merged, none is: the fields before it and after it stay as they were."""
    rl = read()
    content = rl.items[0].to_dict()
    content["spec"]["replicas"] = 5
    content["metadata"]["labels"] = {"first": "x"}
    content["metadata"]["annotations"] = {"first": "x", "config.k8s.io/id": "2", "last": "x"}
    with pytest.raises(UsageError, match="annotation config.k8s.io/id can't be changed"):
        rl.items.upsert({"data": 1, **content, "status": {}})
    assert not rl.is_changed
    assert output(rl) == output(read())


def test_identity_follows_changes() -> None:
    """What an item is called counts as it is now: in the text, after an assignment, and through a typed view."""
    rl = read()
    content = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}
    first = rl.items.add(content)
    first.name = "b"
    second = rl.items.add(content)
    rl.items.where(name="a").of(ConfigMap)[0].metadata.name = "c"
    assert rl.items.upsert({**content, "metadata": {"name": "c"}, "data": {"x": "y"}}) is second
    assert rl.items.add(content) is not first
    assert [one.name for one in rl.items.where(kind="ConfigMap")] == ["b", "c", "a"]


def test_where_with_a_function() -> None:
    """A function chooses items, alone or with the other conditions; where_not has the others."""
    rl = read(MANY)
    rl.items[0].annotations["config.kubernetes.io/local-config"] = "true"
    assert [one.name for one in rl.where(lambda one: one.is_local_config)] == ["web"]
    assert len(rl.where_not(lambda one: one.is_local_config)) == 4
    assert list(rl.where(lambda one: one.get("metadata.name") == "db", kind="Deployment")) == [rl.items[1]]
    assert list(rl.items.where_not(kind="Deployment")) == list(rl.items[2:])


def test_upsert_of_what_fits() -> None:
    """The item to change may be chosen by a function, or by the file, in place of the name alone."""
    rl = read()
    chosen = rl.items.upsert({**NEW, "data": {"x": "y"}}, lambda one: one.kind == "Service")
    assert chosen is rl.items[1] and (chosen.name, chosen.kind) == ("new", "ConfigMap")
    twins = [rl.items.add({**NEW, "metadata": {"name": "twin", "namespace": "x"}}) for _ in range(2)]
    twins[1].move_to("b.yaml")
    wanted = {"name": "twin", "namespace": "x", "annotations": {"internal.config.kubernetes.io/path": "b.yaml"}}
    assert rl.items.upsert({**NEW, "metadata": wanted, "data": {"z": "1"}}) is twins[1]


def test_what_items_say_of_themselves() -> None:
    """Scope, local config, file and ids, also those of the package from which kpt took the item."""
    rl = read(DEPLOYMENT + MANY)
    web, role = rl.items[0], rl.items[4]
    assert (web.path, web.index, role.path, role.index) == ("app/web.yaml", 2, "", 0)
    assert web.id == ("apps", "Deployment", "prod", "web") and web.id.namespace == "prod"
    assert web.origin_id == web.id
    role.annotations["internal.kpt.dev/upstream-identifier"] = "rbac.authorization.k8s.io|ClusterRole|~C|up"
    assert role.origin_id == ("rbac.authorization.k8s.io", "ClusterRole", "", "up")
    assert (web.is_cluster_scoped, role.is_cluster_scoped) == (False, True)
    own = {"apiVersion": "example.org/v1", "kind": "A", "metadata": {"name": "a"}}
    assert Resource(own).is_cluster_scoped
    assert not Resource({**own, "metadata": {"name": "a", "namespace": "b"}}).is_cluster_scoped
    assert not Resource({"apiVersion": "v1", "kind": "Pod"}).is_cluster_scoped
    for value, is_local in (("true", True), ("false", False)):
        role.annotations["config.kubernetes.io/local-config"] = value
        assert role.is_local_config == is_local
    assert not web.is_local_config and rl.kptfile is None
