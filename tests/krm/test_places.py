"""Messages about items: each names the item and the file that it is from."""

from __future__ import annotations

import pytest

from crossplane_lite.errors import InputError, UsageError
from crossplane_lite.krm.resource_list import ResourceList, item_at
from tests.krm.lists import DEPLOYMENT, SERVICE, read, wrapper

BROKEN = """\
- # kpt's head comment
  apiVersion: v1
  kind: "ConfigMap"  # why
  metadata:
    annotations:
      config.kubernetes.io/path: 'app/settings.yaml'
    labels:
      name: no
    name: settings
    namespace: prod
  data:
    %s
"""


@pytest.mark.parametrize("indent", ["", "  "])
@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("a: 1\n    a: 2", "line 13 of the item: the key 'a' occurs twice"),
        ("a: !mine x", "line 12 of the item: the tag !mine has no meaning in a manifest"),
        ("a: {{ .Values.a }}", "line 12 of the item: this is a template, not YAML: render it first"),
        ("a: .nan", "line 12 of the item: .nan can't be used, because JSON has no such number"),
        ("a: *b", "line 12 of the item: there is no anchor &b before this alias"),
        ("a: 'b", ": "),
        ("a: [b", ": "),
    ],
)
def test_text_that_can_not_be_read(indent: str, line: str, problem: str) -> None:
    """A message says which item of which file it is about, and which of its lines; not a line of the whole list."""
    items = "".join(f"{indent}{one}\n" if one else "\n" for one in (DEPLOYMENT + BROKEN % line + SERVICE).split("\n"))
    with pytest.raises(InputError) as found:
        rl = ResourceList.read(wrapper(items))
        assert rl.items[0].kind == "Deployment"  # a mistake in the syntax concerns the whole list
        rl.items[1].to_dict()
    name = "app/settings.yaml, ConfigMap prod/settings (items[1]), line "
    assert str(found.value).startswith(name)
    assert problem in str(found.value)
    assert "<stdin>" not in str(found.value)


@pytest.mark.parametrize(
    ("text", "line", "named"),
    [
        ("items:\n- kind: A\n", 2, "A (items[0]), line 1 of the item"),
        ("items:\n- kind: A\n  metadata: {name: a}\n- b: 1\n", 4, "items[1], line 1 of the item"),
        ("items:\n- kind: A\nresults:\n- a: b\n", 4, None),
        ("items: []\nx:\n- a: b\n", 3, None),
        ('{"items": [{"kind": "A"}]}', 1, None),
        ("kind: ResourceList\nitems:\n- a: 1\n", 1, None),
        ("", 1, None),
    ],
)
def test_names_of_lines(text: str, line: int, named: str | None) -> None:
    """A line of an item has a name, as far as the item says it; lines elsewhere have none."""
    assert item_at(text, line) == named


def test_what_is_wrong_with_content() -> None:
    """Errors of an item's content and of its edits name the item and its file."""
    rl = read("- apiVersion: v1\n  kind: A\n  metadata: {name: a, labels: 3}\n" + DEPLOYMENT)
    with pytest.raises(InputError, match=r"^A a: metadata.labels must be an object"):
        _ = rl.items[0].labels
    item = rl.items[1]
    for work, problem in (
        (lambda: item.set("spec.replicas.a", 1), r"^Deployment prod/web \(app/web.yaml\): "),
        (lambda: item.spec.template.spec.containers[7], r"^Deployment prod/web \(app/web.yaml\): spec.template"),
        (lambda: item.spec.nothing, r"^Deployment prod/web \(app/web.yaml\): spec.nothing isn't there"),
        (lambda: item.labels.update(rev=7), r"^Deployment prod/web \(app/web.yaml\): metadata.labels.rev must be"),
    ):
        with pytest.raises((UsageError, IndexError, AttributeError), match=problem):
            work()
