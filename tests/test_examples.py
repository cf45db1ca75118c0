"""The examples: what they render to, their models, and the specification that the first one comes from.

The expected outputs are what the command prints. After a change that is meant to change them,

    python -m pytest tests/test_examples.py --crossplane-update-snapshots

writes them again; `git diff examples` then shows what has changed.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from crossplane_lite._tools.manifests.objects import RESOURCE_NAME
from crossplane_lite.cli import main
from crossplane_lite.runtime import log
from crossplane_lite.testing import assert_waves
from tests.codegen.generated import without_docstrings
from tests.runtime.serving import serving

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "examples"
EXAMPLE = EXAMPLES / "storage_bucket"
SHARED = ROOT.parent / "shared"
SEED = SHARED / "seeds" / "python-sdk-design-spec.txt"
CRDS = SHARED / "data" / "crds"
OPENAPI = SHARED / "data" / "openapi"
PROVIDERS = SHARED / "cluster" / "crds"

BASELINE = "examples.two_steps.baseline:compose"
MOST_BYTES = 1_000_000

# Where the provider's definitions have moved on since the specification was written, what the generator calls its
# classes, and what makes the composite ready.
CHANGED = {
    "@composition.function\n": '@composition.function(name="storage-bucket", auto_ready=True)\n',
    "storagebucketv1alpha1": "xstoragebucketv1alpha1",
    "bucketv1beta1": "bucketv1beta2",
    "=[bucketv1beta2.VersioningItem(enabled=versioning)]": "=bucketv1beta2.Versioning(enabled=versioning)",
    "bucketaclv1beta1.ACLForProvider": "bucketaclv1beta1.ForProvider",
}


class Stage(NamedTuple):
    """One stage in the life of an example's composite.

    Attributes:
        example: The example's folder.
        name: The name of its expected output.
        flags: What the command is given beside composite, composition and functions, relative to the folder where it
            is a path.
        composite: The composite's file.
    """

    example: str
    name: str
    flags: tuple[str, ...] = ()
    composite: str = "xr.yaml"

    def arguments(self, command: str) -> list[str]:
        """Return the command line, whose paths are relative to the project."""
        folder = Path("examples", self.example)
        files = [str(folder / name) for name in (self.composite, "composition.yaml", "functions.yaml")]
        return [command, *files, *(flag if flag.startswith("-") else str(folder / flag) for flag in self.flags)]

    @property
    def expected(self) -> Path:
        """The file that says what comes out."""
        return EXAMPLES / self.example / "expected" / f"{self.name}.yaml"


def stages(example: str, *flags: str, **composites: str) -> list[Stage]:
    """Return an example's stages: when nothing exists yet, when some of it does, and when all of it does."""
    return [
        Stage(
            example,
            name,
            (*flags, *(() if name == "nothing" else ("-o", f"observed/{name}.yaml"))),
            composites.get(name, "xr.yaml"),
        )
        for name in ("nothing", "half", "all")
    ]


def _example_of(stage: Stage) -> str:
    return stage.example


STAGES = [
    Stage("storage_bucket", "first", ("--xrd", "xrd.yaml")),
    Stage("storage_bucket", "second", ("--xrd", "xrd.yaml", "-o", "observed")),
    *stages("vpc", "--xrd", "xrd.yaml", all="settled.yaml"),
    *stages("database", "--xrd", "xrd.yaml")[:-1],
    Stage("database", "all", ("--xrd", "xrd.yaml", "-e", "secrets.yaml", "-o", "observed/all.yaml")),
    *stages("application", "--xrd", "xrd.yaml", "-e", "required.yaml", "-s", "schemas"),
    *stages("two_steps", "--xrd", "xrd.yaml", "-c"),
    *stages("network", "--xrd", "xrd.yaml"),
]

# Where the models of each example come from, and with which flags.
MODELS: dict[str, tuple[list[Path], list[str]]] = {
    "storage_bucket": (
        [CRDS / "storage.gcp.upbound.io_buckets.yaml", CRDS / "storage.gcp.upbound.io_bucketacls.yaml"],
        ["--versions=storage"],
    ),
    "vpc": (
        [
            EXAMPLES / "vpc" / "definitions.yaml",
            *(
                CRDS / f"ec2.aws.upbound.io_{name}.yaml"
                for name in ("vpcs", "subnets", "routetables", "securitygroups")
            ),
        ],
        [],
    ),
    "database": ([CRDS / "rds.aws.upbound.io_instances.yaml"], ["--versions=storage"]),
    "application": (
        [OPENAPI / "apps_v1.json", OPENAPI / "core_v1.json"],
        [f"--only={kind}" for kind in ("platform.example.com/*", "apps/Deployment", "core/Secret", "core/Service")],
    ),
    "two_steps": ([CRDS / "s3.aws.m.upbound.io_buckets.yaml"], []),
    "watch_operation": (
        [OPENAPI / "apps_v1.json", OPENAPI / "core_v1.json"],
        ["--only=apps/Deployment", "--only=core/ConfigMap"],
    ),
}


@pytest.fixture(autouse=True)
def as_from_the_project(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The current directory is the project's, and logging is afterwards as it was before."""
    monkeypatch.chdir(ROOT)
    root = logging.getLogger()
    handlers, level, masker = root.handlers[:], root.level, log._mask
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    log.set_masker(masker)


@pytest.fixture(scope="module")
def baseline() -> Iterator[str]:
    """The address of the function that runs as a server of its own."""
    with serving(BASELINE, "--insecure") as server:
        yield server.address


def command_line(command: str, stage: Stage, request: pytest.FixtureRequest) -> list[str]:
    """Return a command line; where a function is a server of its own, that server runs."""
    arguments = stage.arguments(command)
    return with_baseline(arguments, request) if stage.example == "two_steps" else arguments


def with_baseline(arguments: list[str], request: pytest.FixtureRequest) -> list[str]:
    """Return arguments of the two steps, with functions of which one is on the server that runs for the tests."""
    address, folder = request.getfixturevalue("baseline"), request.getfixturevalue("tmp_path")
    own = Path("examples", "two_steps", "functions.yaml")
    functions = folder / "functions.yaml"
    functions.write_text(own.read_text(encoding="utf-8").replace("localhost:9443", address), encoding="utf-8")
    return [str(functions) if one == str(own) else one for one in arguments]


def run(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Return what a command prints; it must succeed."""
    status = main(arguments)
    captured = capsys.readouterr()
    assert status == 0, captured.err
    return captured.out


@pytest.mark.sample(2)
@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: f"{stage.example}-{stage.name}")
def test_renders_to_what_is_expected(
    stage: Stage, request: pytest.FixtureRequest, crossplane_snapshot: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each stage of each example renders to its expected output, byte for byte."""
    printed = run(command_line("render", stage, request), capsys)
    crossplane_snapshot.check(printed, stage.expected)
    assert printed == stage.expected.read_text(encoding="utf-8")


def test_the_operation_renders_to_what_is_expected(
    crossplane_snapshot: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """The operation applies what it changes of the Deployments that have old data, and reports which."""
    folder = Path("examples", "watch_operation")
    files = [str(folder / f"{name}.yaml") for name in ("operation", "functions")]
    given = ["-e", str(folder / "required.yaml"), "-w", str(folder / "watched.yaml")]
    printed = run(["render", "op", *files, *given], capsys)
    expected = ROOT / folder / "expected" / "changed.yaml"
    crossplane_snapshot.check(printed, expected)
    assert printed == expected.read_text(encoding="utf-8")


@pytest.mark.sample(2)
@pytest.mark.parametrize("example", MODELS)
def test_models_are_generated(example: str, tmp_path: Path) -> None:
    """Generating again, from the definitions, gives the models that are there, which have no docstrings."""
    pytest.importorskip("yaml", reason="PyYAML is not installed")
    sources, flags = MODELS[example]
    if not all(source.is_file() for source in sources):
        pytest.skip(f"the definitions are not in {SHARED / 'data'}")
    own = [path for path in [EXAMPLES / example / "xrd.yaml"] if path.is_file()]
    arguments = ["generate", *map(str, [*own, *sources]), *flags]
    assert main([*arguments, "-o", str(tmp_path / "model")]) == 0

    def files(folder: Path) -> dict[str, str]:
        paths = [path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc"]
        texts = {str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in paths}
        return {name: without_docstrings(text) if name.endswith(".pyi") else text for name, text in texts.items()}

    assert files(tmp_path / "model") == files(EXAMPLES / example / "model")


@pytest.mark.parametrize(
    ("example", "definitions"),
    [("vpc", ["vpcs", "subnets", "routetables", "securitygroups"]), ("storage_bucket", []), ("database", [])],
)
def test_desired_resources_fit_the_providers_definitions(
    example: str, definitions: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """What the last stage desires has no field that the provider doesn't know, and misses none that it requires."""
    sources = [path for path in MODELS[example][0] if not definitions or path.stem.rpartition("_")[2] in definitions]
    sources += [path for path in [EXAMPLES / example / "definitions.yaml"] if path.is_file()]
    if not all(source.is_file() for source in sources):
        pytest.skip(f"the definitions are not in {SHARED / 'data'}")
    last = [stage for stage in STAGES if stage.example == example][-1]
    run([*last.arguments("render"), *(f"--crds={source}" for source in sources)], capsys)


@functools.cache
def provided() -> set[tuple[str, str]]:
    """Return the kinds of the providers, each with the API version in which it is stored."""
    import yaml

    # Definitions are long, and the parser in C needs a tenth of the time.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    found = set()
    for path in PROVIDERS.glob("*.yaml"):
        spec = yaml.load(path.read_text(encoding="utf-8"), loader)["spec"]
        for one in spec["versions"]:
            if one["storage"]:
                found.add((f"{spec['group']}/{one['name']}", spec["names"]["kind"]))
    return found


@pytest.mark.sample(2)
@pytest.mark.parametrize("stage", [stage for stage in STAGES if stage.name in ("all", "second")], ids=_example_of)
def test_desired_resources_are_of_the_versions_that_providers_store(
    stage: Stage, request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each example fits the definitions of all of its providers' kinds, in the versions in which they are stored."""
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    if not PROVIDERS.is_dir():
        pytest.skip(f"the definitions are not in {PROVIDERS}")
    printed = run([*command_line("render", stage, request), f"--crds={PROVIDERS}"], capsys)
    kinds = {(one["apiVersion"], one["kind"]) for one in yaml.safe_load_all(printed)}
    assert {one for one in kinds if ".upbound.io/" in one[0]} <= provided()


def test_the_application_is_checked_before_anything_is_applied(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A value that the cluster's schemas don't take ends the pipeline, and the message says where it is."""
    text = (EXAMPLES / "application" / "xr.yaml").read_text(encoding="utf-8")
    wrong = tmp_path / "xr.yaml"
    wrong.write_text(text.replace("port: 8080", "port: 80800000000"), encoding="utf-8")
    arguments = Stage("application", "wrong", ("-e", "required.yaml", "-s", "schemas")).arguments("render")
    assert main([arguments[0], str(wrong), *arguments[2:]]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "deployment.spec.template.spec.containers[0].ports[0].containerPort" in captured.err


def test_the_application_has_a_monitor_where_the_cluster_knows_the_kind(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without the schema of the ServiceMonitor, everything else is composed."""
    for file in (EXAMPLES / "application" / "schemas").glob("*.json"):
        if "monitoring" not in file.name:
            (tmp_path / file.name).write_bytes(file.read_bytes())
    arguments = Stage("application", "plain", ("-e", "required.yaml")).arguments("render")
    printed = run([*arguments, "-s", str(tmp_path)], capsys)
    assert "kind: ServiceMonitor\n" not in printed
    assert "kind: Deployment\n" in printed
    assert "kind: Service\n" in printed


@pytest.mark.sample(2)
@pytest.mark.parametrize("stage", [stage for stage in STAGES if stage.name in ("nothing", "first")], ids=_example_of)
def test_simulates_to_the_end(stage: Stage, request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]) -> None:
    """Reconciled again and again, every example becomes stable and Ready, and nothing waits for ever."""
    fixtures = EXAMPLES / stage.example / "fixtures.yaml"
    arguments = [flag for flag in command_line("simulate", stage, request) if flag != "-c"]
    arguments += [f"--fixtures={fixtures}"] if fixtures.is_file() else []
    printed = run(arguments, capsys)
    assert "\nstable after " in printed
    assert ": Ready True (Available)\n" in printed


def test_the_vpc_comes_in_five_waves(crossplane_simulation: Any) -> None:
    """Thirty resources, through lists, text and the composite's status, in the order in which they need each other."""
    from examples.vpc.function import compose

    folder = "../examples/vpc"
    simulation = crossplane_simulation(
        f"{folder}/xr.yaml",
        compose,
        schemas=[f"{folder}/definitions.yaml"],
        fixtures=f"{folder}/fixtures.yaml",
        xrd=f"{folder}/xrd.yaml",
    )
    zones = "abc"
    subnets = [f"{which}-{zone}" for which in ("public", "private") for zone in zones]
    assert_waves(
        simulation,
        [
            ["vpc", *(f"address-{zone}" for zone in zones)],
            ["gateway", "security-group", "routes-public", *(f"routes-private-{zone}" for zone in zones), *subnets],
            ["default-public", *(f"nat-{zone}" for zone in zones), *(f"{name}-routes" for name in subnets)],
            [f"default-private-{zone}" for zone in zones],
            ["outgoing"],
        ],
    )
    assert len(simulation.waves) == 30
    status = simulation.composite["status"]
    assert status["outgoingAddresses"] == [f"203.0.113.1{number}" for number in (1, 2, 3)]
    assert len({*status["publicSubnetIds"], *status["privateSubnetIds"]}) == len(subnets)
    desired = simulation.rounds[-1].rendered.composed
    assert desired["security-group"]["spec"]["forProvider"]["description"] == f"Traffic inside of {status['vpcId']}"
    assert [entry["cidr"] for entry in desired["outgoing"]["spec"]["forProvider"]["entry"]] == [
        f"{address}/32" for address in status["outgoingAddresses"]
    ]


@pytest.mark.slow
def test_the_vpc_loses_nothing_with_a_value(crossplane_simulation: Any) -> None:
    """What exists is not deleted because a value that it was made with has gone, or another resource has."""
    from examples.vpc.function import compose

    simulation = crossplane_simulation("../examples/vpc/xr.yaml", compose, xrd="../examples/vpc/xrd.yaml")
    for path in ("status.atProvider.id", "status"):
        assert simulation.degrade("vpc", path).rendered.deleted == {}
    for name in ("vpc", "gateway", "nat-b"):
        tried = simulation.drop(name)
        assert tried.rendered.deleted == {}
        assert tried.appeared == [name]


@pytest.mark.parametrize("stage", [stage for stage in STAGES if stage.name in ("all", "second")], ids=_example_of)
def test_graphs_show_every_resource(
    stage: Stage, request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]
) -> None:
    """The graph of each example has all resources, whether they exist or not."""
    arguments = [flag for flag in command_line("graph", stage, request) if flag != "-c"]
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    shown = run([*arguments, "--format", "text"], capsys).splitlines()
    for document in yaml.safe_load_all(stage.expected.read_text(encoding="utf-8")):
        name = document.get("metadata", {}).get("annotations", {}).get(RESOURCE_NAME)
        assert name is None or [line for line in shown if line.split()[:2] == [name, document["kind"]]], name


README = (EXAMPLES / "README.rst").read_text(encoding="utf-8")
COMMANDS = [line.split()[1:] for line in README.splitlines() if line.startswith("    crossplane-lite ")]


@pytest.mark.sample(2)
@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda arguments: "-".join(arguments[:2]))
def test_commands_of_the_readme_work(
    arguments: list[str], request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each command that the examples' README has succeeds as it stands there, with the server that it names."""
    if arguments[0] == "serve":
        assert arguments[1] == BASELINE
        return
    if "examples/two_steps/xr.yaml" in arguments:
        arguments = with_baseline(arguments, request)
    assert run(arguments, capsys)


def test_examples_are_small() -> None:
    """All of them together stay below a megabyte, models included."""
    found = (path for path in EXAMPLES.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    assert sum(path.stat().st_size for path in found) < MOST_BYTES


def _code(text: str) -> list[str]:
    lines = [line.rstrip() for line in text.splitlines()]
    return [line for line in lines if line and not line.lstrip().startswith(("import ", "from "))]


def test_the_storage_bucket_has_the_specifications_lines() -> None:
    """From the decorator on, the example is the specification's basic example, line by line, but for what changed."""
    if not SEED.is_file():
        pytest.skip(f"the specification is not at {SEED}")
    text = SEED.read_text(encoding="utf-8")
    wanted = text[text.index("@composition.function\n") : text.index("Key UX Principles")]
    for old, new in CHANGED.items():
        assert old in wanted
        wanted = wanted.replace(old, new)
    source = (EXAMPLE / "function.py").read_text(encoding="utf-8")
    assert _code(source[source.index("@composition.function") :]) == _code(wanted)
    assert len(_code(wanted)) > 25


@pytest.mark.parametrize(("side", "status", "lost"), [("official", 1, 5), ("ours", 0, 0)])
def test_a_lost_field(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, side: str, status: int, lost: int
) -> None:
    """For one lost field, the official SDK's network loses five of its six resources, and ours none."""
    if side == "official":
        pytest.importorskip("crossplane.function", reason="the official SDK needs Python 3.11")
    monkeypatch.chdir(EXAMPLES / "lost_field")
    function = f"examples.lost_field.{side}:compose"
    assert main(["simulate", "--function", function, "--degrade", "vpc.status.atProvider.id"]) == status
    shown = capsys.readouterr().out
    assert "6 resources in 2 waves" in shown
    assert shown.count("  deletes: ") == lost
