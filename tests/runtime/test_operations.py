"""The page on operations in a cluster, held against the code."""

from __future__ import annotations

import re
import textwrap
from typing import Any

import pytest
import yaml

from crossplane_lite.proto import V1_SERVICE
from crossplane_lite.runtime import flags, server
from crossplane_lite.runtime.server import Server
from tests.runtime.serving import ROOT

PAGE = (ROOT / "docs" / "how-to" / "run-in-a-cluster.rst").read_text(encoding="utf-8")


def runtime_config() -> tuple[Any, Any]:
    """Return the package and its runtime config."""
    block = PAGE.partition(".. code-block:: yaml\n\n")[2].partition("\n\n\n")[0]
    block = "\n".join(line for line in block.splitlines() if not line or line.startswith("    "))
    package, config = yaml.safe_load_all(textwrap.dedent(block))
    return package, config


def test_flags() -> None:
    """Each flag that the page names is one of the server's."""
    known = {name for flag in flags.FLAGS for name in flag.names.split(", ")}
    named = set(re.findall(r"``(--[a-z-]+)", PAGE))
    assert named <= known
    assert {"--health-address", "--metrics-address"} <= named


def test_manifests() -> None:
    """Probes ask for the port that --health-address opens, with names that Crossplane looks for."""
    package, config = runtime_config()
    assert package["spec"]["runtimeConfigRef"]["name"] == config["metadata"]["name"]
    spec = config["spec"]["deploymentTemplate"]["spec"]
    assert spec["selector"] == {}
    (container,) = spec["template"]["spec"]["containers"]
    assert container["name"] == "package-runtime"
    parsed, others = flags.parse(container["args"])
    assert others == []
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    assert parsed["health-address"] == f":{ports['health']}"
    assert parsed["metrics-address"] == f":{ports['metrics']}"
    for name in ("startupProbe", "readinessProbe", "livenessProbe"):
        assert container[name]["grpc"]["port"] == ports["health"]
    annotations = spec["template"]["metadata"]["annotations"]
    assert annotations["prometheus.io/port"] == str(ports["metrics"])


def test_metrics() -> None:
    """The page has each metric, and no others."""
    named = set(re.findall(r"^``(\w+)``  ", PAGE, re.MULTILINE))
    server = Server(lambda data: data, metrics=True, transport="h2")
    server.listen("127.0.0.1:0")  # which loads what counts handshakes
    assert server._metrics is not None
    server._certificates = type("Some", (), {"expires": 1.0})()
    found = {family.name for family in server._metrics._registry.collect()}
    ours = {name.removeprefix("crossplane_lite_") for name in found if name.startswith("crossplane_lite_")}
    assert {name.removesuffix("_total") for name in named} == {name.removesuffix("_total") for name in ours}


@pytest.mark.parametrize("service", ["", V1_SERVICE])
def test_services_of_health(service: str) -> None:
    """The page names the services that the health check knows."""
    assert service in server._SERVICES
    assert f"``{service or chr(34) * 2}``" in PAGE


def test_defaults() -> None:
    """The page has the seconds that a caller without a deadline has, and after which a call counts as stuck."""
    limits = flags._DEFAULTS
    assert f"sets no deadline has {limits.call_seconds:g} seconds" in PAGE
    assert f"more than {limits.stuck_seconds:g} seconds" in PAGE
    assert limits.stuck_share == 0.5
    assert "half of ``--threads`` hang" in PAGE
