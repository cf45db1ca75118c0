"""The wrapper: what is read, refused, kept and written."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from crossplane_lite.errors import InputError, UsageError
from crossplane_lite.krm.items import Items
from crossplane_lite.krm.resource_list import ResourceList
from tests.krm.lists import DEPLOYMENT, SERVICE, read, wrapper
from tests.typing import checkers
from tests.typing.test_checkers import compare

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("version", ["config.kubernetes.io/v1", "config.kubernetes.io/v1beta1"])
def test_what_isnt_changed_goes_out_as_it_came(version: str) -> None:
    """apiVersion, order, comments, unknown fields, functionConfig and results of others stay byte for byte."""
    data = textwrap.dedent(
        f"""\
        # before
        kind: ResourceList   # wrapper
        apiVersion: {version}
        unknown: {{a: [1,  2]}}
        results:
        - message: from a previous function
          other: kept
        items:

        - {{kind: B, apiVersion: v1,   metadata: {{name: b}}}}
        - "apiVersion": 'v1'
          kind: A
          metadata:
              name: a
        functionConfig:
            kind: X
            data: yes
        # after
        """
    ).encode()
    rl = ResourceList.read(data)
    assert rl.api_version == version
    assert [one.kind for one in rl.items] == ["B", "A"]
    assert rl.write() == data
    rl.items[1].labels["x"] = "new"
    changed = data.replace(b"      name: a\n", b"      name: a\n      labels:\n          x: new\n")
    assert rl.write() == changed


def test_json_stays_json() -> None:
    """JSON comes out as JSON, with what was changed in it."""
    data = {"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": [{"kind": "A", "n": 1}]}
    rl = ResourceList.read(json.dumps(data).encode())
    rl.items[0]["n"] = 2
    rl.items.add({"apiVersion": "v1", "kind": "B", "metadata": {"name": "b"}})
    rl.results.info("done")
    made = json.loads(rl.write())
    assert made["items"] == [{"kind": "A", "n": 2}, {"apiVersion": "v1", "kind": "B", "metadata": {"name": "b"}}]
    assert made["results"] == [{"message": "done", "severity": "info"}]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "no document|one document"),
        ("a: [", "line"),
        ("- a\n", "a document must be a mapping"),
        ("kind: ResourceList\nitems: []\n---\nkind: ResourceList\nitems: []\n", "one document"),
        ("kind: List\nitems: []\n", "must be a ResourceList.*it has kind 'List'"),
        ("items: []\n", "it has no kind"),
        ("kind: [ResourceList]\nitems: []\n", "must be a ResourceList"),
        ("kind: ResourceList\napiVersion: 1\nitems: []\n", r"apiVersion must be a string \(got an integer\)"),
        ("kind: ResourceList\n", "a ResourceList must have items; where there are none, write 'items: \\[\\]'"),
        ("kind: ResourceList\nitems: {}\n", r"line 2: items must be a list \(got an object\)"),
        ("kind: ResourceList\nitems: text\n", r"line 2: items must be a list \(got a string\)"),
        ("kind: ResourceList\nitems:\n- {}\n- text\n", r"line 4: items\[1\] must be an object \(got a string\)"),
        ("kind: ResourceList\nitems:\n-\n", r"items\[0\] must be an object \(got null\)"),
        ("kind: ResourceList\nx: &x [{}]\nitems: *x\n", "items must be written out: replace the alias or merge key"),
        (
            "kind: ResourceList\nx: &x {items: [{}]}\n<<: *x\n",
            "items must be written out: replace the alias or merge key",
        ),
        ("kind: ResourceList\nitems: []\nresults: text\n", r"results must be a list \(got a string\)"),
        ("kind: ResourceList\nitems: []\nresults: [1]\n", r"results\[0\] must be an object \(got an integer\)"),
        ("kind: ResourceList\nitems: []\nfunctionConfig: text\n", r"functionConfig must be an object \(got a string\)"),
    ],
)
def test_what_is_no_resource_list_is_refused(text: str, problem: str) -> None:
    """The message names the place, and nothing else than InputError is raised."""
    with pytest.raises(InputError, match=problem):
        ResourceList.read(text.encode())


@pytest.mark.parametrize("items", ["items:\n", "items: null\n", "items: []\n", "x: &x\n  items: []\n<<: *x\n"])
def test_no_items(items: str) -> None:
    """A null is an empty list, as for Kubernetes; the output has a list, because orchestrators refuse one without."""
    rl = ResourceList.read(f"kind: ResourceList\n{items}".encode())
    assert len(rl.items) == 0
    assert isinstance(ResourceList.read(rl.write()).items, Items)
    if "x:" not in items:
        assert rl.write() == b"kind: ResourceList\nitems: []\n"
    made = rl.items.add({"apiVersion": "v1", "kind": "A", "metadata": {"name": "a"}})
    made["n"] = 1
    for data in (rl.write(), rl.write()):
        assert ResourceList.read(data).items == [made]
    made["n"] = 2
    assert ResourceList.read(rl.write()).items[0]["n"] == 2


def test_the_message_names_the_input() -> None:
    """Files are called by their name, stdin as such."""
    with pytest.raises(InputError, match=r"^a\.yaml must"):
        ResourceList.read(b"kind: X\n", label="a.yaml")
    with pytest.raises(InputError, match="^<stdin> must"):
        ResourceList.read(b"kind: X\n")


def test_whether_anything_changed() -> None:
    """Reading changes nothing, nor does setting what is there; adding, removing, moving and setting do."""
    rl = read()
    for one in rl.items:
        one.spec.update(one.spec.to_dict())
        one.metadata.name = one.name
    assert not rl.is_changed
    for change in (
        lambda rl: rl.items[0].labels.update(x="y"),
        lambda rl: rl.items.remove(rl.items[0]),
        lambda rl: rl.items.add({"apiVersion": "v1", "kind": "A", "metadata": {"name": "a"}}),
        lambda rl: [rl.items.remove(one := rl.items[0]), rl.items.add(one)],
    ):
        rl = read()
        change(rl)
        assert rl.is_changed
        rl.write()
        assert not rl.is_changed


def test_writing_again() -> None:
    """A list can be written, changed and written again; what is written once more is the same."""
    rl = read()
    rl.items[0].spec.replicas = 3
    rl.results.info("one")
    new = rl.items.add({"apiVersion": "v1", "kind": "A", "metadata": {"name": "a"}, "list": [{"x": 1}, {"y": 2}]})
    first = rl.write()
    assert rl.write() == first
    rl.items[0].spec.replicas = 4
    del new["list"][0]
    rl.items.remove(rl.items[1])
    rl.results.info("two")
    again = ResourceList.read(rl.write())
    assert again.items == rl.items
    assert [one["kind"] for one in again.items] == ["Deployment", "A"]
    assert again.items[1]["list"] == [{"y": 2}]
    assert [one.message for one in again.results] == ["one", "two"]


def test_function_config_cant_be_changed() -> None:
    """It is the input of whoever runs the function, and goes out as it came."""
    rl = read(config="apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: '1', l: [1]}\n")
    assert rl.config == rl.function_config is not None
    assert rl.config.data.a == "1"
    for change in (
        lambda one: one.data.update(a="2"),
        lambda one: one.set("data.a", "2"),
        lambda one: one.delete("data.a"),
        lambda one: one.data.l.append(2),
        lambda one: one.data.l.sort(),
        lambda one: one.data.pop("a"),
        lambda one: one.move_to("x.yaml"),
        lambda one: setattr(one, "y", 1),
        lambda one: one.merge({"data": {"a": "2"}}),
        lambda one: one.replace({}),
    ):
        with pytest.raises(UsageError, match="functionConfig can't be changed"):
            change(rl.config)
    assert rl.write() == wrapper(
        rest="functionConfig:\n  apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: c}\n  data: {a: '1', l: [1]}\n"
    )


@pytest.mark.parametrize(
    "config", ["", "kind: function-input\n", "kind: function-input\nmetadata: {name: f}\ndata: {}\n"]
)
def test_no_config(config: str) -> None:
    """Without functionConfig, and with kpt's empty placeholder, there is no config."""
    assert read(config=config).config is None


def test_a_placeholder_that_says_something() -> None:
    """What isn't empty is a functionConfig, whatever its kind."""
    config = read(config="kind: function-input\ndata: {a: '1'}\n").config
    assert config is not None and config.data == {"a": "1"}


def test_errors_of_others_dont_count() -> None:
    """The exit status says whether this function failed; results in the input were another's."""
    rl = ResourceList.read(wrapper(SERVICE, "results:\n- message: failed\n"))
    assert rl.results[0].severity == "error" and not rl.has_errors
    rl.results.warning("w")
    assert not rl.has_errors
    rl.results.error("e")
    assert rl.has_errors


def test_it_is_generic_at_run_time() -> None:
    """A class in brackets is found again by whoever reads the annotation, without importing typing."""

    class Config: ...

    alias = ResourceList[Config]
    assert alias.__origin__ is ResourceList and alias.__args__ == (Config,)  # type: ignore[attr-defined]
    assert repr(ResourceList.read(wrapper(DEPLOYMENT))) == "<ResourceList of 1 items, 0 results>"


def test_what_a_raw_function_loads() -> None:
    """Reading, changing and writing loads none of the modules that take long to import."""
    code = """
import sys
from crossplane_lite.krm.items import Items
from crossplane_lite.krm.resource_list import ResourceList
data = sys.stdin.buffer.read()
rl = ResourceList.read(data)
for one in rl.items.where(kind="Deployment"):
    one.labels["a"] = "b"
    one.set("spec.template.spec.containers[name=web].image", "x")
    rl.results.error("bad", one, "spec.replicas", proposed=1)
rl.write()
heavy = {"attr", "attrs", "cattrs", "google", "grpc", "inspect", "json", "difflib", "argparse", "traceback", "asyncio"}
sys.exit(" ".join(sorted(heavy & set(sys.modules))) or 0)
"""
    done = subprocess.run([sys.executable, "-c", code], input=wrapper(), capture_output=True, check=False, cwd=ROOT)
    assert done.stderr.decode().strip() == ""
    assert done.returncode == 0


@pytest.mark.slow
@pytest.mark.parametrize("checker", [0, 1], ids=["mypy", "pyright"])
def test_type_checkers_know_the_config(checker: int, tmp_path: Path) -> None:
    """`rl.config` is the class in brackets, and a Resource or None where there is none."""
    file = Path(__file__).with_name("typed.py")
    try:
        report = (checkers.pyright([file]) if checker else checkers.mypy([file], tmp_path))[file]
    except checkers.CheckerMissing as missing:
        pytest.skip(str(missing))
    assert compare(file, report, checker) == []


def test_what_the_package_exports() -> None:
    """Every name is there when it is asked for, and a module of the same name as one doesn't stand in its way."""
    import crossplane_lite.krm.annotations as module
    from crossplane_lite import krm

    assert sorted(krm.__all__) == krm.__all__
    assert all(getattr(krm, name) is not None for name in krm.__all__)
    assert set(krm.__all__) <= set(dir(krm))
    assert callable(krm.function) and krm.ResourceList is ResourceList and module.PREFIX.startswith("internal.")
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = krm.nothing  # type: ignore[attr-defined]
