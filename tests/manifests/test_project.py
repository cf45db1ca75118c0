"""The project file: where it is found, what its tables may have, and what commands and tests take from it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from crossplane_lite import testing
from crossplane_lite._tools.manifests import project
from crossplane_lite.cli import main
from crossplane_lite.errors import InputError, MissingExtraError, UsageError

XR = "apiVersion: example.org/v1\nkind: Net\nmetadata: {name: shop, namespace: default}\nspec: {size: 2}\n"
COMPOSITION = """\
apiVersion: apiextensions.crossplane.io/v1
kind: Composition
metadata: {name: net}
spec:
  compositeTypeRef: {apiVersion: example.org/v1, kind: Net}
  mode: Pipeline
  pipeline:
  - step: one
    functionRef: {name: function-one}
"""
FUNCTIONS = """\
apiVersion: pkg.crossplane.io/v1
kind: Function
metadata:
  name: function-one
  annotations:
    render.crossplane.io/runtime: InProcess
    render.crossplane.io/runtime-in-process-target: project_file_fn:compose
"""
CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: disks.example.org}
spec:
  group: example.org
  names: {kind: Disk, plural: disks}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, properties: {size: {type: integer}}}
          status:
            type: object
            properties:
              id: {type: string}
              conditions: {type: array, items: {type: object, properties: {type: {type: string}}}}
"""
FUNCTION = """\
from crossplane_lite import Unstructured, composition

@composition.function(name="one")
def compose(ctx):
    xr = ctx.composite(Unstructured)
    disk = ctx.resource("disk", Unstructured("example.org/v1", "Disk"))
    disk.spec.size = xr.observed.spec.size
    copy = ctx.resource("copy", Unstructured("v1", "ConfigMap"))
    copy.data.id = disk.observed.status.id
"""
PREVIEW = """\
xr = "in/xr.yaml"
composition = "in/composition.yaml"
functions = "in/functions.yaml"
crds = ["crds"]
fixtures = "in/fixtures.yaml"
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project, which is the current folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    sys.modules.pop("project_file_fn", None)
    for path, text in {
        "in/xr.yaml": XR,
        "in/composition.yaml": COMPOSITION,
        "in/functions.yaml": FUNCTIONS,
        "in/fixtures.yaml": "disk: {status: {id: disk-7}}\n",
        "crds/disk.yaml": CRD,
        "project_file_fn.py": FUNCTION,
        "crossplane-lite.toml": f"[preview]\n{PREVIEW}",
    }.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    return tmp_path


@pytest.mark.parametrize("command", ["render", "simulate", "graph", "diff"])
def test_commands_need_no_arguments(here: Path, capsys: pytest.CaptureFixture[str], command: str) -> None:
    """Every preview takes its inputs from the file, and gives what it gives for the same inputs as arguments."""
    assert main([command]) == 0
    short = capsys.readouterr()
    files = ["in/xr.yaml", "in/composition.yaml", "in/functions.yaml", "--crds", "crds"]
    fixtures = ["--fixtures", "in/fixtures.yaml"] if command == "simulate" else []
    assert main([command, *files, *fixtures]) == 0
    assert capsys.readouterr() == short
    assert "disk" in short.out.lower()


def test_fixtures_in_a_simulated_graph(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """graph takes the fixtures with --simulate, and without it doesn't ask for it."""
    assert main(["graph", "--simulate", "--format", "text"]) == 0
    assert "copy" in capsys.readouterr().out


def test_flags_win(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An argument takes the place of its key only, and a COMPOSITION that of the whole file."""
    Path("other.yaml").write_text(XR.replace("size: 2", "size: 9"))
    assert main(["render", "other.yaml"]) == 0
    assert "size: 9" in capsys.readouterr().out
    Path("other.yaml").write_text(XR.replace("size: 2", "size: big"))
    assert main(["render", "other.yaml"]) == 1
    assert "disk" in capsys.readouterr().err
    assert main(["render", "other.yaml", "in/composition.yaml", "in/functions.yaml"]) == 0
    assert "big" in capsys.readouterr().out


def test_pyproject(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same table below [tool.crossplane-lite] of pyproject.toml works; crossplane-lite.toml wins over it."""
    assert main(["render"]) == 0
    shown = capsys.readouterr().out
    Path("crossplane-lite.toml").unlink()
    Path("pyproject.toml").write_text(f"[project]\nname = 'a'\n[tool.crossplane-lite.preview]\n{PREVIEW}")
    assert main(["render"]) == 0
    assert capsys.readouterr().out == shown
    Path("crossplane-lite.toml").write_text("[preview]\nxr = 'none.yaml'\n")
    assert main(["render"]) == 2
    assert "crossplane-lite.toml: preview.xr: there is no file or folder none.yaml" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[preview]\nxr = 3\n", "crossplane-lite.toml: preview.xr must be a string (got 3)"),
        ("[preview]\ncrds = 'a'\n", "crossplane-lite.toml: preview.crds must be a list of strings (got 'a')"),
        ("[preview]\ncompositon = 'a'\n", "[preview] has no key 'compositon'; did you mean 'composition'?"),
        ("[preview]\ncomposition = 'a'\n", "preview.composition: there is no file or folder a"),
        ("preview = 1\n", "crossplane-lite.toml: preview must be a table, [preview] (got 1)"),
        ("[preview\n", "crossplane-lite.toml is not TOML"),
        ("[generate]\n", "give XR: crossplane-lite.toml names none"),
    ],
)
def test_a_wrong_file(here: Path, capsys: pytest.CaptureFixture[str], text: str, problem: str) -> None:
    """A mistake in the file is one line with the file, the table and the key."""
    Path("crossplane-lite.toml").write_text(text)
    try:
        assert main(["render"]) == 2
    except SystemExit as e:
        assert e.code == 2
    assert problem in capsys.readouterr().err


def test_mistakes_in_pyproject_name_its_table(here: Path) -> None:
    """A message about pyproject.toml names the table as it stands there."""
    Path("pyproject.toml").write_text("[tool.crossplane-lite.preview]\nxr = 1\n")
    with pytest.raises(InputError, match=r"^pyproject\.toml: tool\.crossplane-lite\.preview\.xr must be a string"):
        project.read(Path("pyproject.toml")).preview()


def test_the_pyproject_of_others_is_not_read(here: Path) -> None:
    """A pyproject.toml without our table is no project file, whatever else is in it."""
    Path("crossplane-lite.toml").unlink()
    Path("pyproject.toml").write_text("dependencies = ['crossplane-lite']\nthis is not TOML\n")
    assert project.find(Path()) is None


def test_tests_take_the_same_inputs(here: Path) -> None:
    """Tests take what they leave out from the nearest file above, schemas and fixtures too; given functions win."""
    from crossplane_lite import Unstructured, composition

    folder = testing.Folder(here / "tests" / "deep")
    assert {"disk"} == set(folder.render().composed)
    simulation = folder.simulate()
    assert simulation.observed["copy"]["data"] == {"id": "disk-7"}
    with pytest.raises(Exception, match="size"):
        folder.render(XR.replace("size: 2", "size: big"))

    @composition.function(name="other")
    def other(ctx: composition.Context) -> None:
        ctx.resource("mine", Unstructured("v1", "ConfigMap")).data.a = "b"

    assert {"mine"} == set(folder.render(functions={"function-one": other}).composed)


def test_tests_without_a_file(tmp_path: Path) -> None:
    """Without a file, a test that gives no composition is told of both ways."""
    with pytest.raises(UsageError, match="'composition' is missing: give it, or name it in the table"):
        testing.Folder(tmp_path).render(XR)


def test_python_3_10_without_tomli(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python 3.10 reads the file with tomli, and says which extra has it; a folder without a file needs none."""
    monkeypatch.setattr(project.sys, "version_info", (3, 10, 13))
    monkeypatch.setitem(sys.modules, "tomli", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'crossplane-lite\[cli\]'"):
        project.find(Path())
    Path("crossplane-lite.toml").unlink()
    Path("pyproject.toml").write_text("[project]\nname = 'a'\n")
    assert project.find(Path()) is None
