"""Golden folders: what they compare, what they say, and when they are written."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from crossplane_lite import krm
from crossplane_lite.errors import InputError, UsageError
from crossplane_lite.krm.testing import SnapshotError
from tests.testing.inner import Project

ROOT = Path(__file__).resolve().parents[2]

UPDATE = "--crossplane-update-snapshots"


@krm.function
def team(rl: krm.ResourceList) -> None:
    """Set the team that functionConfig names; complain about Pods, drop Jobs, and add a Namespace for it."""
    assert rl.config is not None
    name = rl.config.data.team
    for resource in rl.items:
        resource.labels["team"] = name
    for pod in rl.items.where(kind="Pod"):
        rl.results.warning("a bare pod", pod)
    rl.items.where(kind="Job").clear()
    rl.items.upsert({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})


@krm.function
def nothing(rl: krm.ResourceList) -> None:
    """Change nothing."""


CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: config}\ndata: {team: shop}\n"
POD = "# mine\napiVersion: v1\nkind: Pod\nmetadata:\n  name: a   # short\n"
JOB = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: once}\n"


def write(folder: Path, files: dict[str, str]) -> Path:
    """Write files below a folder, and return it."""
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
    return folder


def read(folder: Path) -> dict[str, str]:
    """Return the files below a folder."""
    found = (file for file in folder.rglob("*") if file.is_file())
    return {file.relative_to(folder).as_posix(): file.read_bytes().decode() for file in found}


@pytest.fixture
def case(tmp_path: Path) -> Path:
    """A case without anything expected."""
    return write(
        tmp_path / "case", {"functionConfig.yaml": CONFIG, "resources/app/pod.yaml": POD, "resources/job.yaml": JOB}
    )


EXPECTED = {
    "resources/app/pod.yaml": POD + "  labels:\n    team: shop\n",
    "resources/namespace_shop.yaml": "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: shop\n",
    "results.yaml": "results:\n- message: a bare pod\n  severity: warning\n  resourceRef:\n    apiVersion: v1\n"
    "    kind: Pod\n    name: a\n  file:\n    path: app/pod.yaml\n",
}


def problem(function: krm.Function, folder: Path) -> str:
    """Return what is said of a folder that isn't as expected."""
    with pytest.raises(SnapshotError) as caught:
        krm.testing.golden(function, folder, update=False)
    assert isinstance(caught.value, AssertionError)
    return str(caught.value)


class TestCases:
    """What goes in, and what must come out."""

    def test_files(self, case: Path) -> None:
        """Changed files, new ones and results are written as they are; the file of what is gone isn't there."""
        krm.testing.golden(team, case, update=True)
        assert read(case / "expected") == EXPECTED
        krm.testing.golden(team, case, update=False)

    def test_a_second_update_writes_nothing(self, case: Path) -> None:
        """What is expected already isn't written again."""
        krm.testing.golden(team, case, update=True)
        before = {file: file.stat().st_mtime_ns for file in case.rglob("*")}
        krm.testing.golden(team, case, update=True)
        assert {file: file.stat().st_mtime_ns for file in case.rglob("*")} == before

    def test_the_folder_of_all_cases(self, tmp_path: Path) -> None:
        """Each folder in a folder is a case; all are compared before any is reported."""
        for name in ("one", "two", "three"):
            write(tmp_path / name, {"functionConfig.yaml": CONFIG, "resources/pod.yaml": POD})
        krm.testing.golden(team, tmp_path, update=True)
        for name in ("one", "three"):
            (tmp_path / name / "expected" / "results.yaml").unlink()
        said = problem(team, tmp_path)
        assert [name for name in ("one", "two", "three") if f"{name}:\n" in said] == ["one", "three"]

    def test_a_whole_resource_list(self, tmp_path: Path) -> None:
        """Where the input is a ResourceList, what comes out is compared as it stands, functionConfig included."""
        text = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\n"
        text += "functionConfig: # here\n  data: {team: a}\n"
        write(tmp_path, {"input.yaml": text})
        krm.testing.golden(team, tmp_path, update=True)
        made = read(tmp_path / "expected")
        assert list(made) == ["output.yaml"]
        assert made["output.yaml"].endswith("functionConfig: # here\n  data: {team: a}\n")
        assert "kind: Namespace" in made["output.yaml"]

    def test_an_error_is_no_failure(self, tmp_path: Path) -> None:
        """A function that fails is compared as well: its error is a result."""
        write(tmp_path, {"resources/pod.yaml": POD})
        krm.testing.golden(team, tmp_path, update=True)
        assert "severity: error" in read(tmp_path / "expected")["results.yaml"]

    def test_files_are_kept_as_they_are(self, tmp_path: Path) -> None:
        """A file whose items nobody changed is expected byte for byte, whatever is between its documents."""
        text = (
            "\ufeff# head\r\n---\r\n"
            + POD.replace("\n", "\r\n")
            + "---\r\n# only a comment\r\n---\r\n{kind: A, apiVersion: v1}"
        )
        write(tmp_path, {"resources/odd.yaml": text})
        krm.testing.golden(nothing, tmp_path, update=True)
        assert read(tmp_path / "expected") == {"resources/odd.yaml": text}


class TestDifferences:
    """What is said of one."""

    def test_a_changed_file(self, case: Path) -> None:
        """A difference is a unified diff from what is expected to what there is, with how to accept it."""
        krm.testing.golden(team, case, update=True)
        write(case / "expected", {"resources/app/pod.yaml": POD + "  labels:\n    team: shop \n"})
        said = problem(team, case)
        assert "case:\n--- a/expected/resources/app/pod.yaml\n+++ b/expected/resources/app/pod.yaml\n@@ " in said
        assert "\n   labels:\n-    team: shop\u00b7\n+    team: shop\n" in said
        assert said.endswith("if the new output is right, write it with: pytest --crossplane-update-snapshots")

    def test_what_cannot_be_seen(self, case: Path) -> None:
        """Tabs, carriage returns and a missing line end are shown."""
        krm.testing.golden(team, case, update=True)
        text = EXPECTED["resources/namespace_shop.yaml"].replace("v1\n", "v1\r\n").rstrip("\n")
        write(case / "expected", {"resources/namespace_shop.yaml": text})
        said = problem(team, case)
        assert "\n-apiVersion: v1\\r\n+apiVersion: v1\n" in said
        assert "\n-  name: shop\n\\ No newline at end of file\n+  name: shop\n" in said

    def test_a_file_too_few_and_one_too_many(self, case: Path) -> None:
        """Files that are only on one side are shown whole."""
        krm.testing.golden(team, case, update=True)
        (case / "expected" / "results.yaml").unlink()
        write(case / "expected", {"resources/job.yaml": JOB})
        said = problem(team, case)
        assert "--- /dev/null\n+++ b/expected/results.yaml\n" in said
        assert "--- a/expected/resources/job.yaml\n+++ /dev/null\n" in said

    def test_many_lines(self, case: Path) -> None:
        """A long difference is cut, and says how much is left."""
        krm.testing.golden(team, case, update=True)
        write(case / "expected", {"results.yaml": "".join(f"- {number}\n" for number in range(1000))})
        assert "\n... and 912 more lines\n" in problem(team, case)

    def test_nothing_expected_yet(self, case: Path) -> None:
        """A case without what is expected fails, and nothing is written."""
        assert "there is no folder expected/ with the expected output yet" in problem(team, case)
        assert not (case / "expected").exists()

    def test_no_resource_list(self, tmp_path: Path) -> None:
        """An input that the function can't read is said with the function's own message."""
        write(tmp_path, {"input.yaml": "kind: List\n"})
        assert "the function printed no ResourceList: nothing: <stdin> must be a ResourceList" in problem(
            nothing, tmp_path
        )


class TestMistakes:
    """Folders that hold no case."""

    def test_no_folder(self, tmp_path: Path) -> None:
        """A folder that isn't there is named."""
        with pytest.raises(
            InputError, match="there is no folder .*golden; it must be a test case, with functionConfig"
        ):
            krm.testing.golden(nothing, tmp_path / "golden")

    def test_an_empty_folder(self, tmp_path: Path) -> None:
        """A folder without cases tests nothing, which nobody means."""
        with pytest.raises(
            InputError,
            match=r"holds no test case, which is a folder with functionConfig.yaml, resources/ or input.yaml",
        ):
            krm.testing.golden(nothing, tmp_path)

    def test_a_misspelt_file(self, tmp_path: Path) -> None:
        """A case whose files have other names is named."""
        write(tmp_path, {"one/functionconfig.yaml": CONFIG})
        with pytest.raises(InputError, match="one isn't a test case: it has neither functionConfig.yaml nor"):
            krm.testing.golden(nothing, tmp_path)

    def test_both_kinds_of_input(self, tmp_path: Path) -> None:
        """A ResourceList has its own functionConfig."""
        write(tmp_path, {"input.yaml": "a: b\n", "functionConfig.yaml": CONFIG})
        with pytest.raises(InputError, match=r"has both input.yaml and functionConfig.yaml"):
            krm.testing.golden(nothing, tmp_path)

    def test_no_function(self, tmp_path: Path) -> None:
        """A plain Python function isn't one that can be run."""
        with pytest.raises(UsageError, match="takes a function made by @krm.function"):
            krm.testing.golden(print, tmp_path)  # type: ignore[arg-type]

    def test_broken_yaml(self, tmp_path: Path) -> None:
        """A file that is no YAML is named with the line."""
        write(tmp_path, {"resources/a.yaml": "apiVersion: v1\nkind: A\na: [\n"})
        with pytest.raises(InputError, match=r"a\.yaml, line 4"):
            krm.testing.golden(nothing, tmp_path)


class TestSwitch:
    """When what is expected is written."""

    @pytest.mark.parametrize(("value", "writes"), [("1", True), ("yes", True), ("0", False), ("", False)])
    def test_the_environment(self, case: Path, monkeypatch: pytest.MonkeyPatch, value: str, writes: bool) -> None:
        """CROSSPLANE_LITE_UPDATE is the switch outside of pytest too; 0 and nothing leave it off."""
        monkeypatch.setenv("CROSSPLANE_LITE_UPDATE", value)
        if writes:
            krm.testing.golden(team, case)
        else:
            with pytest.raises(SnapshotError):
                krm.testing.golden(team, case)
        assert (case / "expected").exists() == writes

    @pytest.mark.slow
    def test_outside_of_pytest(self, case: Path) -> None:
        """It works in a plain program, and says there which switch it has."""
        code = "from crossplane_lite import krm\nfrom tests.krm.test_testing import team\n"
        code += f"krm.testing.golden(team, {str(case)!r})"
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTEST", "CROSSPLANE"))}

        def run(**more: str) -> subprocess.CompletedProcess[str]:
            return subprocess.run(
                [sys.executable, "-c", code],
                cwd=ROOT,
                env={**environment, **more},
                capture_output=True,
                text=True,
                check=False,
            )

        failed = run()
        assert failed.returncode == 1
        assert "write it with: CROSSPLANE_LITE_UPDATE=1\n" in failed.stderr
        assert run(CROSSPLANE_LITE_UPDATE="1").returncode == 0
        assert read(case / "expected") == EXPECTED
        assert run().returncode == 0

    @pytest.mark.slow
    def test_the_option_of_pytest(self, tmp_path: Path, case: Path) -> None:
        """`--crossplane-update-snapshots` writes what is expected, and its summary says which files."""
        project = Project(tmp_path / "project")
        project.write(
            "test_golden.py",
            "from crossplane_lite import krm\nfrom tests.krm.test_testing import team\n\n"
            f"def test_golden():\n    krm.testing.golden(team, {str(case)!r})\n",
        )
        assert project.pytest().status == 1
        written = project.pytest(UPDATE)
        assert written.status == 0, written.text
        assert "3 snapshots written, 0 left as they were" in written.text
        assert [line.rpartition("/")[2] for line in written.lines("/") if "pod" in line] == ["pod.yaml (new)"]
        assert read(case / "expected") == EXPECTED
        assert "0 snapshots written, 3 left as they were" in project.pytest(UPDATE).text
        assert project.pytest().status == 0

    @pytest.mark.slow
    def test_two_tests_that_disagree(self, tmp_path: Path, case: Path) -> None:
        """Two tests that would write different things to the same folder are told, not both served."""
        project = Project(tmp_path / "project")
        project.write(
            "test_golden.py",
            "from crossplane_lite import krm\nfrom tests.krm.test_testing import nothing, team\n\n"
            "import pytest\n\n@pytest.mark.parametrize('function', [team, nothing])\n"
            f"def test_golden(function):\n    krm.testing.golden(function, {str(case)!r})\n",
        )
        done = project.pytest(UPDATE)
        assert done.status == 1
        assert "another test of this run has written something else to expected/resources/app/pod.yaml" in done.text
