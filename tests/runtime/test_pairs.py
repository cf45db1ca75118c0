"""Functions of messages, served, rendered and tested as they are.

`compose(req, rsp)` is that of function-python and Upbound's projects, the class with RunFunction that of the template.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from crossplane_lite import testing
from crossplane_lite.cli import main
from crossplane_lite.errors import InputError
from crossplane_lite.runtime.load import load_function
from tests.runtime.serving import ROOT, channel, raw_call, serving

XR = {
    "apiVersion": "example.org/v1",
    "kind": "Network",
    "metadata": {"name": "shop", "namespace": "default"},
    "spec": {"region": "eu-central-1", "zones": ["a", "b"]},
}

# A network of AWS: subnets wait by hand for the id of their VPC.
OFFICIAL = """
from crossplane.function import resource, response
from crossplane.function.proto.v1 import run_function_pb2 as fnv1

EC2 = "ec2.aws.m.upbound.io/v1beta1"


def compose(req: fnv1.RunFunctionRequest, rsp: fnv1.RunFunctionResponse):
    assert isinstance(req, fnv1.RunFunctionRequest) and isinstance(rsp, fnv1.RunFunctionResponse)
    xr = resource.struct_to_dict(req.observed.composite.resource)
    region = xr["spec"]["region"]
    vpc = {"apiVersion": EC2, "kind": "VPC", "spec": {"forProvider": {"region": region, "cidrBlock": "10.0.0.0/16"}}}
    resource.update(rsp.desired.resources["vpc"], vpc)
    if "vpc" not in req.observed.resources:
        return
    observed = resource.struct_to_dict(req.observed.resources["vpc"].resource)
    at_provider = observed.get("status", {}).get("atProvider", {})
    if "id" not in at_provider:
        response.normal(rsp, "waiting for the VPC")
        return
    for number, zone in enumerate(xr["spec"]["zones"]):
        provider = {"region": region, "vpcId": at_provider["id"], "availabilityZone": region + zone}
        subnet = {"apiVersion": EC2, "kind": "Subnet", "spec": {"forProvider": provider}}
        resource.update(rsp.desired.resources[f"subnet-{zone}"], subnet)
    rsp.desired.resources["vpc"].ready = fnv1.READY_TRUE
    rsp.desired.composite.resource.update({"status": {"vpcId": at_provider["id"]}})
"""
OFFICIAL += """

class Runner:
    async def RunFunction(self, req, context):
        assert isinstance(req, fnv1.RunFunctionRequest)
        rsp = response.to(req)
        compose(req, rsp)
        return rsp
"""
OURS = OFFICIAL.replace("from crossplane.function import", "from crossplane_lite import")
OURS = OURS.replace("from crossplane.function.proto", "from crossplane_lite.proto")
VPC = {
    "apiVersion": "ec2.aws.m.upbound.io/v1beta1",
    "kind": "VPC",
    "metadata": {
        "name": "shop-vpc",
        "namespace": "default",
        "annotations": {"crossplane.io/composition-resource-name": "vpc"},
    },
    "status": {"atProvider": {"id": "vpc-1"}},
}
COMPOSITION: dict[str, Any] = {
    "apiVersion": "apiextensions.crossplane.io/v1",
    "kind": "Composition",
    "metadata": {"name": "network"},
    "spec": {
        "compositeTypeRef": {"apiVersion": "example.org/v1", "kind": "Network"},
        "mode": "Pipeline",
        "pipeline": [{"step": "compose", "functionRef": {"name": "function-network"}}],
    },
}


@pytest.fixture(params=["official", "ours"])
def module(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a module with such a function, with the imports of the official SDK or of this one."""
    if request.param == "official":
        pytest.importorskip("crossplane.function", reason="the official SDK needs Python 3.11")
    name = f"pair_{request.param}"
    (tmp_path / f"{name}.py").write_text(OFFICIAL if request.param == "official" else OURS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, name, raising=False)
    return name


def test_in_tests(module: str) -> None:
    """testing.run, render and simulate take the function itself; previous desired state is in its response."""
    compose = __import__(module).compose
    first = testing.run(compose, testing.request(XR, desired={"before": {"apiVersion": "v1", "kind": "ConfigMap"}}))
    assert sorted(first.desired) == ["before", "vpc"]
    second = testing.run(compose, testing.request(XR, observed=[VPC]))
    assert sorted(second.desired) == ["subnet-a", "subnet-b", "vpc"]
    rendered = testing.render(XR, COMPOSITION, functions={"function-network": compose}, observed=[VPC])
    assert rendered.composed["subnet-b"]["spec"]["forProvider"]["vpcId"] == "vpc-1"
    fixtures = {"vpc": {"status": {"atProvider": {"id": "vpc-2"}}}}
    simulation = testing.simulate(XR, COMPOSITION, functions={"function-network": compose}, fixtures=fixtures)
    testing.assert_waves(simulation, [["vpc"], ["subnet-a", "subnet-b"]])


def test_on_the_command_line(module: str, capsys: pytest.CaptureFixture[str]) -> None:
    """render and simulate take its `module:function`, and a class with RunFunction as its own imports have it."""
    Path("xr.yaml").write_text(__import__("json").dumps(XR))
    for name in ("compose", "Runner"):
        for command in ("render", "simulate"):
            assert main([command, "xr.yaml", "--function", f"{module}:{name}"]) == 0
            assert "VPC" in capsys.readouterr().out


def test_a_class_in_tests(module: str) -> None:
    """A class with RunFunction gets messages of the implementation that its module imports, in tests too."""
    runner = __import__(module).Runner()
    rendered = testing.render(XR, COMPOSITION, functions={"function-network": runner}, observed=[VPC])
    assert rendered.composed["subnet-b"]["spec"]["forProvider"]["vpcId"] == "vpc-1"


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", ["compose", "Runner"])
def test_served(module: str, name: str, tmp_path: Path) -> None:
    """`crossplane-lite serve` serves it."""
    with serving(f"{module}:{name}", "--insecure", env={**os.environ, "PYTHONPATH": f"{tmp_path}:{ROOT}"}) as server:
        with channel(server.address) as open_channel:
            answer = testing.Response.of(raw_call(open_channel, testing.request(XR, observed=[VPC])))
    assert sorted(answer.desired) == ["subnet-a", "subnet-b", "vpc"]


def test_async_and_errors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`async def` works, an exception is a Fatal result with the line, and the name of the function is its own."""
    text = (
        "import asyncio\n\n\nasync def compose(req, rsp):\n    await asyncio.sleep(0)\n"
        "    rsp.desired.resources['a'].resource.update({'apiVersion': 'v1', 'kind': 'ConfigMap'})\n\n\n"
        "def wrong(req, rsp):\n    raise KeyError('there')\n\n\ndef one(ctx):\n    pass\n"
    )
    (tmp_path / "pair_other.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    loaded = load_function("pair_other:compose")
    assert loaded.name == "compose"
    assert list(testing.run(loaded, testing.request(XR)).desired) == ["a"]
    (fatal,) = testing.run(load_function("pair_other:wrong"), testing.request(XR)).fatal
    assert "there" in str(fatal) and "pair_other.py" in str(fatal)
    with pytest.raises(InputError, match="is the decorator @composition.function missing"):
        load_function("pair_other:one")


SCRIPT = """\
from crossplane.function.proto.v1 import run_function_pb2 as fnv1

def compose(req: fnv1.RunFunctionRequest, rsp: fnv1.RunFunctionResponse):
    rsp.desired.resources["topic"].resource.update({
        "apiVersion": "sns.aws.m.upbound.io/v1beta1",
        "kind": "Topic",
        "spec": {"forProvider": {"region": req.observed.composite.resource["spec"]["region"]}},
    })

def operate(req: fnv1.RunFunctionRequest, rsp: fnv1.RunFunctionResponse):
    rsp.output["result"] = "done"
"""


def test_scripts_of_function_python(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A Composition of function-python renders as it is, with the function named by its annotation or by a flag."""
    pytest.importorskip("crossplane.function", reason="the official SDK needs Python 3.11")
    import json

    step = {"step": "run", "functionRef": {"name": "function-python"}}
    step["input"] = {"apiVersion": "python.fn.crossplane.io/v1beta1", "kind": "Script", "script": SCRIPT}
    composition = {**COMPOSITION, "spec": {**COMPOSITION["spec"], "pipeline": [step]}}
    (tmp_path / "xr.yaml").write_text(json.dumps(XR))
    (tmp_path / "composition.yaml").write_text(json.dumps(composition))
    files = [str(tmp_path / "xr.yaml"), str(tmp_path / "composition.yaml")]
    assert main(["render", *files, "--function", "crossplane_lite.scripts:messages"]) == 0
    assert "region: eu-central-1" in capsys.readouterr().out
    from crossplane_lite.runtime._message_functions import runner_of
    from crossplane_lite.scripts import messages

    response = testing.run(runner_of(messages), testing.request(input=step["input"]))
    assert response.output == {"result": "done"}
    for script, problem in (("", "no script"), ("x = 1", "no compose(req, rsp)"), ("def", "line 1")):
        answer = testing.run(runner_of(messages), testing.request(XR, input={**step["input"], "script": script}))
        assert problem in str(answer.fatal[0])


def test_what_it_imports(tmp_path: Path) -> None:
    """Loading a composition function loads none of this."""
    code = "import sys, crossplane_lite.runtime.load; assert 'crossplane_lite._core.compat.pairs' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
