"""The pytest plugin, in real runs of pytest."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys

import pytest

from tests.testing.inner import ROOT, Project

UPDATE = "--crossplane-update-snapshots"
XDIST = ("-p", "xdist", "-n", "2")

# A test that renders and compares with the snapshot whose path follows.
CHECK = """
from net import XR, compose
from crossplane_lite import testing

def {name}(crossplane_snapshot: testing.Snapshots) -> None:
    crossplane_snapshot.check(testing.run(compose, testing.request(XR)){path})
"""


def check(name: str = "test_net", path: str | None = None) -> str:
    """Return a module with one test that checks a snapshot."""
    return CHECK.format(name=name, path="" if path is None else f", {path!r}")


@pytest.mark.slow
def test_nothing_is_written_without_the_option(project: Project) -> None:
    """A missing snapshot fails, with the command that writes it, and nothing is written, in CI neither."""
    project.write("unit/test_net.py", check())
    for environment in ({}, {"CI": "true"}):
        done = project.pytest(**environment)
        assert done.status == 1
        advice = f"write it with: python -m pytest unit/test_net.py::test_net {UPDATE}"
        assert f"E       {advice}" in done.text.splitlines()
        assert "there is no snapshot unit/__snapshots__/test_net/test_net.yaml" in done.text
        assert "snapshots of crossplane-lite" not in done.text
    assert project.files() == []


@pytest.mark.slow
def test_update(project: Project) -> None:
    """With the option what is missing is written and reported, the next run passes and leaves it alone."""
    project.write("unit/test_net.py", check())
    done = project.pytest(UPDATE)
    assert done.status == 0, done.text
    assert "1 snapshot written, 0 left as they were" in done.text
    assert "unit/__snapshots__/test_net/test_net.yaml (new)" in done.text
    assert project.files() == ["unit/__snapshots__/test_net/test_net.yaml"]
    text = project.read(project.files()[0])
    assert text.count("kind: Thing") == 2
    assert "crossplane.io/composition-resource-name: a" in text
    assert project.pytest(CI="1").status == 0
    done = project.pytest(UPDATE, "-q")
    assert "0 snapshots written, 1 left as they were" in done.text
    assert project.read(project.files()[0]) == text


@pytest.mark.slow
def test_difference(project: Project) -> None:
    """What differs is shown by resource, without what is the same, and accepted by the command that is shown."""
    project.write("test_net.py", check(path="expected/net.yaml"))
    assert project.pytest(UPDATE).status == 0
    text = project.read("expected/net.yaml")
    project.write("net.py", project.read("net.py").replace("size = 3", "size = 4 if name == 'b' else 3"))
    done = project.pytest(str(project.folder), cwd=project.folder.parent)
    assert done.status == 1
    shown = [line[8:] for line in done.text.splitlines() if line.startswith("E       ")]
    command = f"python -m pytest {project.folder.name}/test_net.py::test_net {UPDATE}"
    assert shown[-8:] == [
        "  @ spec",
        "      crossplane.io/composition-resource-name: b",
        "  spec:",
        "    region: eu",
        "-   size: 3",
        "+   size: 4",
        "",
        f"accept it with: {command}",
    ]
    assert [line for line in shown if "Thing" in line] == ["b (Thing):"]
    assert "snapshots.py" not in done.text
    assert project.read("expected/net.yaml") == text
    done = project.pytest("test_net.py::test_net", UPDATE)
    assert done.status == 0
    assert "expected/net.yaml (changed)" in done.text
    assert project.read("expected/net.yaml") == text.replace("size: 3\n", "size: 4\n").replace(
        "size: 4\n", "size: 3\n", 1
    )


@pytest.mark.slow
def test_several_tests_and_parameters(project: Project) -> None:
    """Each test has a snapshot of its own, whatever its parameters are; two unnamed in one test are refused."""
    project.write(
        "test_net.py",
        "import pytest\nfrom net import XR\n"
        "@pytest.mark.parametrize('size', ['a/b', '..', 'x' * 300])\n"
        "def test_size(crossplane_snapshot, size):\n    crossplane_snapshot.check({**XR, 'spec': {'size': size}})\n"
        "def test_twice(crossplane_snapshot):\n"
        "    crossplane_snapshot.check(XR)\n    crossplane_snapshot.check(XR)\n"
        "class TestNamed:\n    def test_two(self, crossplane_snapshot):\n"
        "        crossplane_snapshot.check(XR, 'one.yaml')\n        crossplane_snapshot.check([XR, XR], 'two.yaml')\n",
    )
    done = project.pytest(UPDATE)
    assert "4 passed" in done.text and "1 failed" in done.text, done.text
    assert "a test with several snapshots must name them" in done.text
    names = [file.removeprefix("__snapshots__/test_net/") for file in project.files()]
    assert {"one.yaml", "two.yaml", "test_size-a-b.yaml", "test_size.yaml", "test_twice.yaml"} < set(names)
    assert len(names) == 6 and all("/" not in name and len(name) < 200 for name in names), names
    assert "4 passed" in project.pytest().text


@pytest.mark.slow
def test_two_want_one_file(project: Project) -> None:
    """Two tests that want different contents of one file don't overwrite each other: the later one fails."""
    project.write(
        "test_net.py",
        "from net import XR\n"
        "def test_one(crossplane_snapshot):\n    crossplane_snapshot.check(XR, 'x.yaml')\n"
        "def test_same(crossplane_snapshot):\n    crossplane_snapshot.check(XR, 'x.yaml')\n"
        "def test_other(crossplane_snapshot):\n    crossplane_snapshot.check({**XR, 'kind': 'Y'}, 'x.yaml')\n",
    )
    for _ in range(2):  # the second time the file is there already
        done = project.pytest(UPDATE)
        assert "1 failed, 2 passed" in done.text
        assert "another check of this run" in done.text
    assert "kind: XNet" in project.read("__snapshots__/test_net/x.yaml")


@pytest.mark.slow
def test_bad_snapshots(project: Project) -> None:
    """What can't be read or compared is an error of one line that names the file, and the file stays."""
    project.write("expected/broken.yaml", "a: [1\n")
    project.write("expected/list.yaml", "- a\n")
    (project.folder / "expected" / "folder.yaml").mkdir()
    paths = ["expected/broken.yaml", "expected/list.yaml", "expected/folder.yaml", "expected/x.json", ""]
    body = "".join(
        f"def test_{number}(crossplane_snapshot):\n    crossplane_snapshot.check(XR, {path!r})\n"
        for number, path in enumerate(paths)
    )
    project.write("test_net.py", f"from net import XR\n{body}")
    done = project.pytest()
    assert "5 failed" in done.text
    errors = [line.partition("Error: ")[2] for line in done.lines("E   ") if "Error: " in line]
    folder = f"the snapshot can't be used: {project.folder}/expected"
    assert errors[0].startswith(f"{folder}/broken.yaml, line 2: while parsing a flow sequence")
    assert errors[1] == f"{folder}/list.yaml, document 1 (line 1) is not a mapping (got ['a'])"
    assert errors[2] == f"the snapshot can't be used: can't read {project.folder}/expected/folder.yaml: Is a directory"
    assert errors[3] == "a snapshot's path must end in .yaml or .yml (got 'expected/x.json')"
    assert errors[4] == "a snapshot's path must end in .yaml or .yml (got '')"
    assert len(errors) == 5
    done = project.pytest(UPDATE)
    assert "2 passed" in done.text  # what was no snapshot is one now
    assert sorted(project.files()) == ["expected/broken.yaml", "expected/list.yaml"]


@pytest.mark.slow
def test_folder_and_simulation(project: Project) -> None:
    """The fixtures take paths relative to the test's file, wherever pytest was started."""
    project.write(
        "unit/xr.yaml", json.dumps({"apiVersion": "a.b/v1", "kind": "X", "metadata": {"name": "x"}, "spec": {}})
    )
    project.write(
        "unit/test_net.py",
        "from net import compose\nfrom crossplane_lite import testing\n"
        "def test_folder(crossplane_folder):\n"
        "    assert sorted(crossplane_folder.render('xr.yaml', compose).composed) == ['a', 'b']\n"
        "    assert testing.run(compose, crossplane_folder.request('xr.yaml')).desired.keys() == {'a', 'b'}\n"
        "def test_waves(crossplane_simulation):\n"
        "    testing.assert_waves(crossplane_simulation('xr.yaml', compose), [['a', 'b']])\n",
    )
    assert "2 passed" in project.pytest().text


@pytest.mark.slow
def test_other_plugins_names_stay_free(project: Project) -> None:
    """A conftest with the options and fixtures that other snapshot plugins have works beside the plugin."""
    project.write(
        "conftest.py",
        "import pytest\n"
        "def pytest_addoption(parser):\n"
        "    for name in ('--update-snapshots', '--snapshot-update', '--snapshot', '--update'):\n"
        "        parser.addoption(name, action='store_true')\n"
        "@pytest.fixture\ndef snapshot(crossplane_snapshot):\n    return crossplane_snapshot\n",
    )
    project.write("test_net.py", check().replace("crossplane_snapshot", "snapshot"))
    assert project.pytest("--update-snapshots").status == 1
    assert project.pytest(UPDATE).status == 0


@pytest.mark.slow
def test_import_is_cheap(project: Project) -> None:
    """Where nothing of the plugin is used, no module but the plugin's own is loaded, and nothing is reported."""
    project.write(
        "test_idle.py",
        "import sys\ndef test_idle():\n"
        "    print('LOADED', sorted(m for m in sys.modules if m.startswith('crossplane_lite')))\n"
        "    assert not {'yaml', 'attr', 'grpc', 'google.protobuf'} & set(sys.modules)\n",
    )
    for arguments in ((), (UPDATE,)):
        done = project.pytest("-s", *arguments)
        assert done.status == 0, done.text
        names = ["crossplane_lite", "crossplane_lite.testing", "crossplane_lite.testing.plugin"]
        assert f"LOADED {names}" in done.text
        assert "snapshots of" not in done.text


@pytest.mark.slow
def test_plugin_imports_nothing_else() -> None:
    """Beyond what pytest itself has loaded, importing the plugin loads three modules of this package alone."""
    program = (
        "import json, sys, pytest; before = set(sys.modules)\n"
        "import crossplane_lite.testing.plugin\nprint(json.dumps(sorted(set(sys.modules) - before)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    added = set(json.loads(done.stdout))
    assert {name for name in added if name.startswith("crossplane_lite")} == {
        "crossplane_lite",
        "crossplane_lite.testing",
        "crossplane_lite.testing.plugin",
    }
    assert added - {"shlex"} == {name for name in added if name.startswith("crossplane_lite")}


@pytest.mark.slow
def test_xdist(project: Project) -> None:
    """Workers of pytest-xdist write their snapshots, and the process that started them reports all of them."""
    if importlib.util.find_spec("xdist") is None:
        pytest.skip("pytest-xdist is not installed")
    for number in range(4):
        project.write(f"test_{number}.py", check("test_own") + check("test_shared", "shared/net.yaml"))
    done = project.pytest(*XDIST, UPDATE)
    assert done.status == 0, done.text
    assert "5 snapshots written, 0 left as they were" in done.text
    assert len(project.files()) == 5
    assert project.pytest(*XDIST).status == 0
    clash = check("test_shared", "shared/net.yaml").replace("request(XR)", "request({**XR, 'spec': {'region': 'us'}})")
    for path in project.folder.glob("shared/*"):
        path.unlink()
    for number in range(4):
        project.write(f"test_{number}.py", clash if number % 2 else check("test_shared", "shared/net.yaml"))
    done = project.pytest(*XDIST, "--dist", "loadfile", UPDATE)
    assert done.status == 1
    assert "want something else of shared/net.yaml" in done.text or "another check of this run" in done.text
