"""`crossplane-lite render` from the command line, with the example."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml as pyyaml  # type: ignore[import-untyped]

from crossplane_lite.cli import main
from crossplane_lite.runtime import log
from tests.runtime.serving import ROOT, run_command

EXAMPLE = ROOT / "examples" / "storage_bucket"
FUNCTION = "examples.storage_bucket.function:compose"


@pytest.fixture(autouse=True)
def logging_as_before() -> Iterator[None]:
    """The root logger and the masker as they were, at the end."""
    root = logging.getLogger()
    handlers, level, masker = root.handlers[:], root.level, log._mask
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    log.set_masker(masker)


def expected(name: str) -> str:
    """Return an expected output of the example."""
    return (EXAMPLE / "expected" / name).read_text()


def test_first_call(capsys: pytest.CaptureFixture[str]) -> None:
    """With nothing observed the bucket is composed and its access control is held back."""
    assert main(["render", str(EXAMPLE / "xr.yaml"), "--function", FUNCTION]) == 0
    captured = capsys.readouterr()
    assert captured.out == expected("first.yaml")
    xr, bucket = pyyaml.safe_load_all(captured.out)
    assert xr["kind"] == "XStorageBucket"
    assert "bucketName" not in xr.get("status", {})
    assert bucket["kind"] == "Bucket"
    assert bucket["spec"]["forProvider"] == {"location": "EU", "versioning": {"enabled": True}}


@pytest.mark.parametrize("path", ["observed", "observed/bucket.yaml"])
def test_second_call(capsys: pytest.CaptureFixture[str], path: str) -> None:
    """With the bucket observed and its external name set, both are composed and the status has the name."""
    arguments = ["render", str(EXAMPLE / "xr.yaml"), "--function", FUNCTION]
    assert main([*arguments, "--observed-resources", str(EXAMPLE / path)]) == 0
    captured = capsys.readouterr()
    assert captured.out == expected("second.yaml")
    xr, acl, bucket = pyyaml.safe_load_all(captured.out)
    assert xr["status"]["bucketName"] == "photos-3f9c1d2ab47e"
    assert acl["spec"]["forProvider"] == {"bucket": "photos-3f9c1d2ab47e", "predefinedAcl": "publicRead"}
    assert bucket["kind"] == "Bucket"


def test_own_process() -> None:
    """The command as it is typed gives the same, from the folder above the function's package as well."""
    done = run_command("render", "examples/storage_bucket/xr.yaml", "--function", FUNCTION)
    assert (done.returncode, done.stdout) == (0, expected("first.yaml"))
    arguments = ("render", "storage_bucket/xr.yaml", "--function", "storage_bucket.function:compose")
    done = run_command(*arguments, cwd=ROOT / "examples")
    assert done.returncode == 0
    assert "kind: Bucket\n" in done.stdout


def test_order_of_keys() -> None:
    """The keys of all objects are sorted, so that every process prints the same."""
    arguments = ("render", "examples/storage_bucket/xr.yaml", "--function", "tests.runtime.functions:many_keys")
    shown = {run_command(*arguments, env={"PYTHONHASHSEED": seed}).stdout for seed in ("1", "2", "3")}
    assert len(shown) == 1
    _, found = pyyaml.safe_load_all(shown.pop())
    assert list(found["data"]) == sorted(found["data"])
    assert list(found["spec"]["a"]) == ["c", "d"]
    assert len(found["data"]) == 26


def test_fatal(capsys: pytest.CaptureFixture[str]) -> None:
    """A fatal result is on stderr, nothing is on stdout, and the status is 1."""
    assert main(["render", str(EXAMPLE / "xr.yaml"), "--function", "tests.runtime.functions:failing"]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert any(line.startswith("fatal: ") and "no such bucket class" in line for line in captured.err.splitlines())


def test_warning(capsys: pytest.CaptureFixture[str]) -> None:
    """Other results are on stderr, and the desired state is printed."""
    assert main(["render", str(EXAMPLE / "xr.yaml"), "--function", "tests.runtime.functions:warning"]) == 0
    captured = capsys.readouterr()
    assert "warning: mind the gap" in captured.err.splitlines()
    assert captured.out.startswith("---\napiVersion: platform.example.com/v1alpha1\nkind: XStorageBucket\n")


def test_unanswered_requirement(capsys: pytest.CaptureFixture[str]) -> None:
    """A requirement, which only a cluster answers, is told on stderr."""
    assert main(["render", str(EXAMPLE / "xr.yaml"), "--function", "tests.runtime.functions:requiring"]) == 0
    line = "required: vpcs: ec2.aws.upbound.io/v1beta1 VPC with labels env=prod"
    assert line in capsys.readouterr().err.splitlines()


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["gone.yaml", "--function", FUNCTION], "can't read gone.yaml: No such file or directory"),
        (["{xr}", "--function", "nowhere:compose"], "there is no module 'nowhere'"),
        (["{xr}", "--function", "tests.runtime.functions:plain"], "not a composition function"),
        (["{xr}", "--function", FUNCTION, "--observed-resources", "{xr}"], "has no annotation"),
        (["{bad}", "--function", FUNCTION], "bad.yaml, line 2: the key 'a' occurs twice"),
    ],
)
def test_bad_input(capsys: pytest.CaptureFixture[str], tmp_path: Path, arguments: list[str], text: str) -> None:
    """Bad input is one line on stderr that names the place, and status 2."""
    bad = tmp_path / "bad.yaml"
    bad.write_text("a: 1\na: 2\n")
    filled = [argument.format(xr=EXAMPLE / "xr.yaml", bad=bad) for argument in arguments]
    assert main(["render", *filled]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    (line,) = captured.err.splitlines()
    assert line.startswith("crossplane-lite render: ")
    assert text in line
