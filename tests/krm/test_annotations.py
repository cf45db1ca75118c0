"""The annotations of orchestrators: guarded, put back, and moved together."""

from __future__ import annotations

from typing import Any

import pytest

from crossplane_lite.errors import UsageError
from crossplane_lite.krm import annotations as reserved
from crossplane_lite.krm.resource import Resource
from tests.krm.lists import DEPLOYMENT, output, read

RESERVED = [
    "internal.config.kubernetes.io/id",
    "internal.config.kubernetes.io/annotations-migration-resource-id",
    "internal.config.kubernetes.io/seqindent",
    "internal.config.kubernetes.io/anything-to-come",
    "config.k8s.io/id",
    "kustomize.config.k8s.io/id",
]
PLACES = [
    "internal.config.kubernetes.io/path",
    "internal.config.kubernetes.io/index",
    "config.kubernetes.io/path",
    "config.kubernetes.io/index",
]


def deployment() -> Resource:
    """Return an item with all the annotations that kpt sends."""
    return read().items[0]


@pytest.mark.parametrize("key", [*RESERVED, *PLACES])
def test_what_is_reserved(key: str) -> None:
    """Everything under the specification's prefix is reserved, and the legacy keys one by one."""
    assert reserved.is_reserved(key)


@pytest.mark.parametrize(
    "key", ["config.kubernetes.io/local-config", "internal.config.kubernetes.io", "example.org/path", 3]
)
def test_what_is_the_authors(key: object) -> None:
    """`local-config` marks an item that isn't applied; functions may set it."""
    assert not reserved.is_reserved(key)


@pytest.mark.parametrize("key", RESERVED)
def test_setting_a_reserved_annotation_is_refused(key: str) -> None:
    """The message names the resource and the annotation."""
    with pytest.raises(
        UsageError, match=rf"^Deployment prod/web \(app/web.yaml\): the annotation {key} can't be (set|changed)"
    ):
        deployment().annotations[key] = "7"


@pytest.mark.parametrize("key", PLACES)
def test_a_file_is_changed_by_move_to_alone(key: str) -> None:
    """Path and index are refused too, with the way to change them on purpose."""
    with pytest.raises(UsageError, match=r"can't be changed.*use resource.move_to\(path, index\)"):
        deployment().annotations[key] = "other.yaml"


@pytest.mark.parametrize(
    "change",
    [
        lambda one: one.annotations.pop("config.k8s.io/id"),
        lambda one: one.annotations.__delitem__("config.k8s.io/id"),
        lambda one: one.delete('metadata.annotations["config.k8s.io/id"]'),
        lambda one: one.set('metadata.annotations["config.k8s.io/id"]', "2"),
        lambda one: one.metadata.annotations.update({"config.k8s.io/id": "2"}),
        lambda one: one["metadata"]["annotations"].__setitem__("config.k8s.io/id", None),
        lambda one: setattr(one, "annotations", {"config.k8s.io/id": "2"}),
        lambda one: one.update({"metadata": {"name": "web", "annotations": {"config.k8s.io/id": "2"}}}),
        lambda one: one.set("metadata.annotations", {"internal.config.kubernetes.io/new": "1"}),
        lambda one: one.set("metadata", "text"),
    ],
)
def test_every_way_of_changing_one_is_refused_and_changes_nothing(change: Any) -> None:
    """Whether by item, attribute, path or as part of a whole mapping, the change is refused, and nothing is changed."""
    rl = read()
    with pytest.raises(UsageError):
        change(rl.items[0])
    assert output(rl) == output(read())


def test_the_same_value_is_no_change() -> None:
    """Writing back what was read, as a loop over all annotations does, is allowed."""
    rl = read()
    one = rl.items[0]
    one.annotations = one.annotations.to_dict()
    one.annotations["config.k8s.io/id"] = "1"
    assert output(rl) == output(read())


@pytest.mark.parametrize(
    "lose",
    [
        lambda one: setattr(one, "annotations", {}),
        lambda one: setattr(one.metadata, "annotations", None),
        lambda one: one.metadata.pop("annotations"),
        lambda one: one.annotations.clear(),
        lambda one: one.delete("metadata.annotations"),
        lambda one: one.set("metadata", {"name": "web", "namespace": "prod", "labels": {"app": "web"}}),
        lambda one: one.update(metadata={"name": "web", "namespace": "prod", "labels": {"app": "web"}}),
    ],
)
def test_what_goes_with_the_whole_mapping_is_put_back(lose: Any) -> None:
    """Whoever replaces all annotations means their own; those of the orchestrator stay, and the text with them."""
    rl = read()
    lose(rl.items[0])
    assert rl.items[0].annotations["config.k8s.io/id"] == "1"
    assert output(rl) == output(read())


def test_own_annotations_are_free() -> None:
    """Others than the reserved ones are set, changed and removed as the author likes, local-config too."""
    rl = read()
    one = rl.items[0]
    one.annotations["config.kubernetes.io/local-config"] = "true"
    one.annotations["note"] = "x"
    del one.annotations["note"]
    assert '      config.kubernetes.io/local-config: "true"\n' in output(rl).replace("'", '"')


def test_moving_an_item_changes_both_spellings() -> None:
    """Path and index are changed together with their legacy twins, since an orchestrator refuses two that differ."""
    rl = read()
    rl.items[0].move_to("other/place.yaml", 1)
    expected = output(read()).replace("app/web.yaml", "other/place.yaml").replace("index: '2'", "index: '1'")
    assert output(rl) == expected


@pytest.mark.parametrize(
    ("there", "made"),
    [
        ({}, {"internal.config.kubernetes.io/path": "b.yaml"}),
        ({"internal.config.kubernetes.io/path": "a.yaml"}, {"internal.config.kubernetes.io/path": "b.yaml"}),
        ({"config.kubernetes.io/path": "a.yaml"}, {"config.kubernetes.io/path": "b.yaml"}),
        (
            {"config.kubernetes.io/index": "3"},
            {"config.kubernetes.io/path": "b.yaml", "config.kubernetes.io/index": "0"},
        ),
    ],
)
def test_moving_uses_the_spelling_that_is_there(there: dict[str, str], made: dict[str, str]) -> None:
    """An old orchestrator gets its own annotations; a new item gets the specification's, without an index of 0."""
    assert reserved.moved(there, "b.yaml", 0) == made


@pytest.mark.parametrize("path", ["", "/etc/passwd", "../up.yaml", "a/../../b.yaml", "a\\b.yaml", None, 3])
def test_a_path_out_of_the_package_is_refused(path: Any) -> None:
    """An item can't be written outside of the package that the orchestrator works in."""
    with pytest.raises(UsageError, match="'path' must be a file's path within the package"):
        deployment().move_to(path)


@pytest.mark.parametrize("index", [-1, True, "1", 1.0])
def test_an_index_is_a_number_from_0_on(index: Any) -> None:
    """Anything else than an integer of 0 or more is refused."""
    with pytest.raises(UsageError, match="'index' must be an integer of 0 or more"):
        deployment().move_to("a.yaml", index)


@pytest.mark.parametrize(
    ("annotations", "file"),
    [
        ({"internal.config.kubernetes.io/path": "a.yaml"}, ("a.yaml", 0)),
        ({"internal.config.kubernetes.io/path": "a.yaml", "internal.config.kubernetes.io/index": "3"}, ("a.yaml", 3)),
        ({"internal.config.kubernetes.io/path": "a.yaml", "internal.config.kubernetes.io/index": 2}, ("a.yaml", 2)),
        ({"config.kubernetes.io/path": "b.yaml", "config.kubernetes.io/index": "1"}, ("b.yaml", 1)),
        ({"config.kubernetes.io/path": "b.yaml", "internal.config.kubernetes.io/path": "a.yaml"}, ("a.yaml", 0)),
        ({"internal.config.kubernetes.io/path": "a.yaml", "internal.config.kubernetes.io/index": "x"}, ("a.yaml", 0)),
        ({"internal.config.kubernetes.io/index": "3"}, None),
        ({"internal.config.kubernetes.io/path": 3}, None),
        ({}, None),
        (None, None),
        ("text", None),
    ],
)
def test_the_file_of_an_item(annotations: Any, file: Any) -> None:
    """The specification's annotations go before the legacy ones; an index that is none counts as 0, its default."""
    assert reserved.file_of(annotations) == file


def test_a_copy_of_an_item_is_another_item() -> None:
    """A copy has no ids, file and index of its own: an orchestrator refuses two items at one place."""
    rl = read(DEPLOYMENT)
    copy = rl.items[0].to_dict()
    copy["metadata"]["name"] = "web-2"
    made = rl.items.add(copy)
    assert (made.path, made.get("metadata.annotations")) == ("", None)
    made.move_to("app/web-2.yaml")
    assert (rl.items[0].path, rl.items[0].index, made.path) == ("app/web.yaml", 2, "app/web-2.yaml")


def test_a_copy_takes_the_place_of_its_original() -> None:
    """If the original has gone, its place is free; so is a place that nobody has."""
    rl = read(DEPLOYMENT)
    original = rl.items[0]
    copy = original.to_dict()
    rl.items.remove(original)
    made = rl.items.add(copy)
    assert (made.path, made.index) == ("app/web.yaml", 2)
    assert set(made.annotations) == set(PLACES)
    other = {"apiVersion": "v1", "kind": "A", "metadata": {"name": "a", "annotations": {PLACES[0]: "new.yaml"}}}
    assert rl.items.add(other).annotations == {PLACES[0]: "new.yaml"}
