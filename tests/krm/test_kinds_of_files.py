"""Files as other programs write them: UTF-16, and a `kind: List`, as `kubectl get` prints it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crossplane_lite import krm
from crossplane_lite.errors import InputError
from crossplane_lite.krm.files import Package
from tests.krm.processes import program, run
from tests.krm.test_edges import read, run_function

CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\n"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le"])
def test_other_encodings(encoding: str, tmp_path: Path) -> None:
    """A file with resources that isn't UTF-8 is refused by name, or skipped with a warning, and stays as it is."""
    data = CONFIG_MAP.encode(encoding)
    (tmp_path / "cm.yaml").write_bytes(data)
    for items in ([str(tmp_path / "cm.yaml")], [str(tmp_path)]):
        with pytest.raises(InputError, match=r"cm\.yaml is UTF-16 or UTF-32 text, .* save it as UTF-8"):
            Package(None, items)
        (problem,) = Package(None, items, skip_unreadable=True).problems
        assert "cm.yaml is UTF-16" in problem
    done = run(program(tmp_path, "pass"), None, "--in-place", str(tmp_path / "cm.yaml"))
    assert done.status == 2 and "cm.yaml is UTF-16" in done.stderr
    assert (tmp_path / "cm.yaml").read_bytes() == data


def test_other_encodings_without_resources(tmp_path: Path) -> None:
    """Other files in any encoding are passed over, and a mark at the beginning of a file doesn't hide its resources."""
    (tmp_path / "values.yaml").write_bytes("a: 1\n".encode("utf-16"))
    assert len(Package(None, [str(tmp_path)]).read().items) == 0
    (tmp_path / "cm.yaml").write_bytes(b"\xef\xbb\xbf" + CONFIG_MAP.encode() + b"data: [\n")
    with pytest.raises(InputError, match=r"cm\.yaml, line 6"):
        Package(None, [str(tmp_path)])


LIST = """\
# from the cluster
apiVersion: v1
kind: List
metadata:
  resourceVersion: ""
items:
# the first
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: x} # one line
  data:
    # why
    a: b # a
# the second
- apiVersion: v1
  kind: Service
  metadata:
    name: y
- key: not a resource
"""


def _edit(rl: krm.ResourceList) -> None:
    first, second = rl.items
    first.data["c"] = "d"
    second.labels["team"] = "web"
    second.comments("metadata.name").line = "its name"


def _remove(rl: krm.ResourceList) -> None:
    rl.items.remove(rl.items[0])


def _remove_all(rl: krm.ResourceList) -> None:
    rl.items.clear()


def _add(rl: krm.ResourceList) -> None:
    rl.items.add({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "z"}}).move_to("a.yaml", 9)


def _move_out(rl: krm.ResourceList) -> None:
    rl.items[0].move_to("b.yaml")


_FIRST = LIST[LIST.index("# the first") : LIST.index("# the second")]
_SECOND = LIST[LIST.index("# the second") : LIST.index("- key")]


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (
            _edit,
            LIST.replace("# a\n", "# a\n    c: d\n").replace(
                "name: y\n", "name: y # its name\n    labels:\n      team: web\n"
            ),
        ),
        (_remove, LIST.replace(_FIRST, "")),
        (_remove_all, LIST.replace(_FIRST + _SECOND, "")),
        (_add, LIST + "---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: z\n"),
        (_move_out, LIST.replace(_FIRST, "")),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_lists(edit: Callable[[Any], None], expected: str, newline: str, tmp_path: Path) -> None:
    """The items of a List are items; they are edited, added and removed there, and the List is one afterwards."""
    made = run_function(tmp_path, LIST.replace("\n", newline).encode(), krm.function(edit))
    assert made.decode() == expected.replace("\n", newline)
    if edit is _move_out:
        body = (
            "# the first\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: x} # one line\ndata:\n  # why\n  a: b # a\n"
        )
        assert (tmp_path / "b.yaml").read_text() == body


def test_lists_among_documents(tmp_path: Path) -> None:
    """A List stands beside other documents, and goes when all of its items go."""
    text = CONFIG_MAP + "---\n" + LIST.replace("- key: not a resource\n", "")
    (tmp_path / "a.yaml").write_text(text)
    items = Package(None, [str(tmp_path)], root=str(tmp_path)).read().items
    assert [(one.kind, one.path, one.index) for one in items] == [
        ("ConfigMap", "a.yaml", 0),
        ("ConfigMap", "a.yaml", 1),
        ("Service", "a.yaml", 2),
    ]

    @krm.function
    def transform(rl: krm.ResourceList) -> None:
        rl.items[1:].clear()

    assert run_function(tmp_path, text.encode(), transform).decode() == CONFIG_MAP


@pytest.mark.parametrize("how", ["documents", "as_list"])
def test_lists_on_stdout(how: str, tmp_path: Path) -> None:
    """On stdout the items are documents or a ResourceList, with their comments and edits."""
    made = run_function(tmp_path, LIST.encode(), krm.function(_edit), how=how)
    found = read(made)
    items = found[0]["items"] if how == "as_list" else found
    assert [one["kind"] for one in items] == ["ConfigMap", "Service"]
    assert items[0]["data"] == {"a": "b", "c": "d"} and items[1]["metadata"]["labels"] == {"team": "web"}
    for comment in (b"# the first", b"# the second", b"# why", b"# a", b"# one line", b"# its name"):
        assert comment in made


def test_lists_in_json(tmp_path: Path) -> None:
    """`kubectl get -o json` prints a List, too: it stays JSON, and its items are documents on stdout."""
    data = {"apiVersion": "v1", "kind": "List", "items": [read(CONFIG_MAP.encode())[0]]}
    text = json.dumps(data, indent=4) + "\n"

    @krm.function
    def transform(rl: krm.ResourceList) -> None:
        rl.items[0].labels["team"] = "web"

    made = json.loads(run_function(tmp_path, text.encode(), transform))
    data["items"][0]["metadata"]["labels"] = {"team": "web"}  # type: ignore[index]
    assert made == data
    assert read(run_function(tmp_path, text.encode(), transform, how="documents")) == made["items"]
