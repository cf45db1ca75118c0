"""`crossplane-lite simulate`, as it is called."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml as pyyaml  # type: ignore[import-untyped]

from crossplane_lite.cli import main
from tests.simulate.simulating import crd

ROOT = Path(__file__).resolve().parents[2]
HERE = "tests.simulate.functions"

XR = """\
apiVersion: example.org/v1
kind: XNetwork
metadata: {name: net, uid: an-uid}
"""

TABLE = """\
WAVE  RESOURCE  KIND      WAITED FOR
1     vpc       VPC       -
2     subnet    Subnet    vpc.status.atProvider.vpcId*
3     instance  Instance  subnet.status.atProvider.id

WAVE is the reconcile that desired the resource first; WAITED FOR is what it waited for until then.
* assumed: a string was made up; no schema or fixture says the value (--crds, --fixtures).

stable after 5 reconciles: 3 resources in 3 waves
XNetwork net: Ready True (Available)
"""

THROUGH_STATUS = """\
WAVE  RESOURCE       KIND      WAITED FOR
1     vpc            VPC       -
2     xr.status.vpc  XNetwork  vpc.status.atProvider.vpcId*
3     peer           Peer      xr.status.vpc
"""

LOSSES = """\
after --drop vpc:
  creates again: vpc
  REMARK
  the composite is not ready

after --drop instance:
  creates again: instance
  the composite is not ready

after --degrade vpc.status.atProvider.vpcId:
  keeps what it has, waiting for vpc.status.atProvider.vpcId: subnet
  the composite is ready

after --degrade instance.status:
  nothing changes
  the composite is not ready
"""


@pytest.fixture
def xr(tmp_path: Path) -> str:
    """The file of a composite resource."""
    (tmp_path / "xr.yaml").write_text(XR, encoding="utf-8")
    return str(tmp_path / "xr.yaml")


def simulate(xr: str, function: str, *more: str) -> int:
    """Run the command on one function."""
    return main(["simulate", xr, "--function", f"{HERE}:{function}", *more])


def test_table(xr: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The table has the waves, what each resource waited for, a legend and how it ended."""
    assert simulate(xr, "chain") == 0
    assert capsys.readouterr() == (TABLE, "")


def test_fields_of_the_composite(xr: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Fields of the composite's status that resources wait for stand in the table too."""
    assert simulate(xr, "network") == 0
    out = capsys.readouterr().out
    assert out.startswith(THROUGH_STATUS)
    assert "xr.status... is a field of the composite: what reads it sees it one reconcile later.\n" in out


def test_warnings_of_the_source(
    xr: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What goes wrong silently in the function's source is a warning, as in render."""
    source = "from crossplane_lite import composition\n\n\n@composition.function\ndef compose(ctx):\n    pass\n"
    (tmp_path / "without_a_name.py").write_text(source)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert main(["simulate", xr, "--function", "without_a_name:compose"]) == 0
    assert capsys.readouterr().err.startswith("warning: without_a_name.py: the function has no name")


def test_losses(xr: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What comes of each loss is shown behind the table; nothing of ours gets lost."""
    arguments = ["--drop", "vpc", "--degrade", "vpc.status.atProvider.vpcId", "--drop", "instance"]
    assert simulate(xr, "chain", *arguments, "--degrade", "instance.status") == 0
    said, wrong = capsys.readouterr()
    (remark,) = [line.strip() for line in said.splitlines() if "as it last was" in line]
    assert (said, wrong) == (f"{TABLE}\n{LOSSES.replace('REMARK', remark)}", "")
    assert "vpc.status.atProvider.vpcId" in remark


def test_many_names(xr: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Names that are listed go on in another line where one is full."""
    assert simulate(xr, "wide", "--degrade", "vpc.external_name") == 0
    lines = capsys.readouterr().out.splitlines()
    after = lines[lines.index("after --degrade vpc.external_name:") :]
    at = next(at for at, line in enumerate(after) if line.startswith("  keeps what it has, waiting for vpc.external"))
    assert ": user-00, user-01," in after[at]
    assert after[at + 1].startswith("      user-") and all(len(line) <= 100 for line in after)


def test_what_never_appears(xr: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A resource that only another value would bring is named, and is no problem."""
    assert simulate(xr, "choosy") == 0
    assert "\nwould appear if a value that a function asks about were another one: default\n" in capsys.readouterr().out


def test_readiness_that_nobody_says(xr: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Where the composite isn't ready only because no function says that its resources are, that is told."""
    assert simulate(xr, "silent") == 0
    assert capsys.readouterr().out.endswith(
        "XNetwork net: Ready False (Creating: Unready resources: instance, subnet, and vpc)\n"
        "ready by themselves, but no function says so (auto_ready=True would): instance, subnet, vpc\n"
    )


def test_a_kind_that_is_never_ready(xr: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A resource that no rule can call ready keeps the composite from it, which is a problem; a fixture helps."""
    silo = crd("Silo", {})
    del silo["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["status"]
    (tmp_path / "crds.yaml").write_text(json.dumps(silo))
    given = ("--crds", str(tmp_path / "crds.yaml"))
    assert simulate(xr, "plain", *given) == 1
    assert "never gets ready: silo is never ready" in capsys.readouterr().err
    assert simulate(xr, "plain") == 0


def test_observed_resource_that_is_not_desired(xr: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A resource that is there at the start, and gets deleted, is named."""
    old = {
        "apiVersion": "example.org/v1",
        "kind": "Subnet",
        "metadata": {
            "name": "net-old",
            "annotations": {"crossplane.io/composition-resource-name": "old-subnet"},
            "ownerReferences": [
                {"apiVersion": "example.org/v1", "kind": "XNetwork", "name": "net", "uid": "an-uid", "controller": True}
            ],
        },
    }
    (tmp_path / "old.yaml").write_text(pyyaml.safe_dump(old), encoding="utf-8")
    assert simulate(xr, "chain", "-o", str(tmp_path / "old.yaml")) == 0
    assert "\ndeleted, as no function desires it: old-subnet\n" in capsys.readouterr().out


def test_deletion(xr: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A resource that would be deleted after a loss is shown, and makes the status 1."""
    assert simulate(xr, "forgetful", "--drop", "vpc", "--drop", "user") == 1
    out, err = capsys.readouterr()
    assert "after --drop vpc:\n  creates again: vpc\n  deletes: user\n" in out
    assert err == "crossplane-lite simulate: after --drop vpc these would be deleted: user\n"


def test_cycle(xr: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A cycle makes the status 1, with the cycle in the message."""
    assert simulate(xr, "cyclic", "--drop", "a") == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert "there is no steady state, so nothing was dropped or degraded" in err
    assert "crossplane-lite simulate: round 1: " in err
    assert "dependency cycle: a waits for b waits for a" in err


def test_fatal_result(xr: str, capsys: pytest.CaptureFixture[str]) -> None:
    """After a fatal result the waves until then are shown, and what the function said before."""
    assert simulate(xr, "broken") == 1
    out, err = capsys.readouterr()
    assert "1     vpc       VPC    -\n" in out and "-     user      Thing  vpc.status.atProvider.id\n" in out
    assert "still waiting:\n  user waits for vpc.status.atProvider.id" in out
    assert "not stable after 1 reconcile: 1 resource in 1 wave\n" in out
    assert err.count("nearly there") >= 1 and "round 2: " in err and "no more" in err


def test_never_resolved(xr: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What a schema doesn't have is named with what waits for it, and makes the status 1."""
    properties = {"atProvider": {"type": "object", "properties": {"vpcID": {"type": "string"}}}}
    (tmp_path / "crd.yaml").write_text(pyyaml.safe_dump(crd("VPC", properties)), encoding="utf-8")
    assert simulate(xr, "chain", "--crds", str(tmp_path / "crd.yaml")) == 1
    out, err = capsys.readouterr()
    assert "never  subnet    Subnet    vpc.status.atProvider.vpcId\n" in out
    assert (
        "never resolved:\n"
        "  instance waits for subnet.status.atProvider.id (subnet is held back itself)\n"
        "  subnet waits for vpc.status.atProvider.vpcId (the schema of example.org/v1 VPC has no "
        "status.atProvider.vpcId; did you mean 'vpcID'?)\n"
    ) in out
    assert "XNetwork net: Ready False (Creating), DependenciesResolved False (WaitingForDependencies)\n" in out
    read, unchecked, never = err.splitlines()
    assert "vpc.observed.status.atProvider.vpcId is read, and the schema of example.org/v1 VPC has no" in read
    assert unchecked.startswith("not checked: 2 of 3 (instance: no schema of ")
    assert never == "crossplane-lite simulate: these wait for values that never come: instance, subnet"


def test_schemas(xr: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With a schema a value isn't assumed."""
    properties = {"atProvider": {"type": "object", "properties": {"vpcId": {"type": "string"}}}}
    (tmp_path / "crd.yaml").write_text(pyyaml.safe_dump(crd("VPC", properties)), encoding="utf-8")
    assert simulate(xr, "chain", "--crds", str(tmp_path / "crd.yaml")) == 0
    assert "*" not in capsys.readouterr().out


def test_fixtures(xr: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Fixtures give values; of those that nothing has anything of there is a line."""
    text = "vpc: {status: {atProvider: {vpcId: vpc-0}}}\nsubnets: {status: {}}\nzz: {}\n"
    (tmp_path / "f.yaml").write_text(text, encoding="utf-8")
    assert simulate(xr, "chain", "--fixtures", str(tmp_path / "f.yaml"), "--format", "json") == 0
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert found["resources"][1]["waitedFor"] == [{"path": "vpc.status.atProvider.vpcId", "value": "fixture"}]
    assert found["unusedFixtures"] == ["subnets", "zz"]
    assert err == (
        "crossplane-lite simulate: fixture 'subnets': no composed resource has this name or kind; "
        "did you mean 'subnet'?\n"
        "crossplane-lite simulate: fixture 'zz': no composed resource has this name or kind\n"
    )


def test_max_rounds(xr: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Too few rounds are told, with what still changes."""
    assert simulate(xr, "chain", "--max-rounds", "3") == 1
    out, err = capsys.readouterr()
    assert "not stable after 3 reconciles" in out
    assert "the simulation isn't stable after 3 rounds" in err and "instance (added)" in err


def test_json(xr: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The JSON form has everything that the table has."""
    assert simulate(xr, "chain", "--format", "json", "--drop", "vpc") == 0
    found = json.loads(capsys.readouterr().out)
    assert [(one["name"], one["wave"], one["kind"], one["ready"]) for one in found["resources"]] == [
        ("vpc", 1, "VPC", True),
        ("subnet", 2, "Subnet", True),
        ("instance", 3, "Instance", True),
    ]
    assert (found["rounds"], found["stable"], found["problem"], found["unresolved"]) == (5, True, None, {})
    (remark,) = found["losses"][0]["remarks"]
    assert "vpc.status.atProvider.vpcId" in remark
    assert found["losses"] == [
        {
            "action": "drop",
            "target": "vpc",
            "error": None,
            "created": ["vpc"],
            "changed": {},
            "deleted": [],
            "status": [],
            "kept": {},
            "held": {},
            "remarks": [remark],
            "ready": False,
        }
    ]


def test_documents(xr: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The final documents are those that render prints, given what exists in the end."""
    assert simulate(xr, "chain", "--format", "yaml") == 0
    documents = list(pyyaml.safe_load_all(capsys.readouterr().out))
    assert [one["kind"] for one in documents] == ["XNetwork", "Instance", "Subnet", "VPC"]
    assert documents[2]["spec"]["forProvider"]["vpc"] == "vpc-vpcid"
    assert simulate(xr, "cyclic", "--format", "yaml") == 1
    assert capsys.readouterr().out == ""


def test_what_exists_in_the_end(xr: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What exists in the end is printed so that the next simulation can begin there: then nothing changes any more."""
    assert simulate(xr, "chain", "--format", "observed") == 0
    there = tmp_path / "there.yaml"
    there.write_text(capsys.readouterr().out, encoding="utf-8")
    documents = list(pyyaml.safe_load_all(there.read_text(encoding="utf-8")))
    names = [one["metadata"]["annotations"]["crossplane.io/composition-resource-name"] for one in documents]
    assert sorted(names) == ["instance", "subnet", "vpc"]
    assert next(one for one in documents if one["kind"] == "VPC")["status"]["atProvider"]["vpcId"] == "vpc-vpcid"
    assert simulate(xr, "chain", "-o", str(there), "--format", "observed") == 0
    assert list(pyyaml.safe_load_all(capsys.readouterr().out)) == documents
    assert simulate(xr, "cyclic", "--format", "observed") == 1
    assert capsys.readouterr().out == ""


def test_start_state(xr: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With observed resources the simulation begins at these."""
    observed = {
        "apiVersion": "example.org/v1",
        "kind": "VPC",
        "metadata": {"name": "old", "annotations": {"crossplane.io/composition-resource-name": "vpc"}},
        "status": {"atProvider": {"vpcId": "vpc-0"}},
    }
    (tmp_path / "o.yaml").write_text(pyyaml.safe_dump(observed), encoding="utf-8")
    assert simulate(xr, "chain", "-o", str(tmp_path / "o.yaml"), "--format", "yaml") == 0
    documents = list(pyyaml.safe_load_all(capsys.readouterr().out))
    assert documents[3]["metadata"]["name"] == "old"
    assert documents[2]["spec"]["forProvider"]["vpc"] == "vpc-0"


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (
            ["--drop", "vcp"],
            "there is no resource 'vcp' in the steady state (it has: instance, subnet, vpc); did you mean 'vpc'?",
        ),
        (["--drop", "vpc", "--drop", "vcp"], "there is no resource 'vcp' in the steady state"),
        (
            ["--degrade", "vcp.status"],
            "'vcp.status' doesn't begin with the name of an existing resource (these exist: instance, subnet, vpc); "
            "did you mean 'vpc'?",
        ),
        (["--degrade", "vpc"], "'vpc' is a resource; add the path of a field"),
        (["--degrade", "vpc.status.x"], "vpc has no field status.x in the steady state, so there is nothing to remove"),
        (["--fixtures", "no-such-file.yaml"], "can't read no-such-file.yaml"),
    ],
)
def test_mistakes(xr: str, arguments: list[str], problem: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What can't be used is told in one line, with status 2 and nothing on stdout."""
    assert simulate(xr, "chain", *arguments) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("crossplane-lite simulate: ") and problem in err and err.count("\n") == 1


@pytest.mark.parametrize("rounds", ["1", "0", "-3", "x", "1.5", "", "²"])
def test_rounds_that_are_none(xr: str, rounds: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The number of rounds is a number of 2 or more."""
    with pytest.raises(SystemExit) as ended:
        simulate(xr, "chain", f"--max-rounds={rounds}")
    assert ended.value.code == 2 and "must be a whole number of 2 or more" in capsys.readouterr().err


@pytest.mark.slow
def test_two_processes(xr: str) -> None:
    """Two processes, whose sets and Structs are in another order each, print the same."""
    arguments = [*("simulate", xr, "--function", f"{HERE}:chain", "--drop", "vpc"), "--format"]
    for form in ("table", "json", "yaml"):
        printed = {
            subprocess.run(
                [sys.executable, "-m", "crossplane_lite", *arguments, form],
                cwd=ROOT,
                env={**os.environ, "PYTHONHASHSEED": seed},
                capture_output=True,
                timeout=60,
                check=True,
            ).stdout
            for seed in ("1", "2")
        }
        assert len(printed) == 1 and b"" not in printed
