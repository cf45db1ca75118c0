"""Our reconcile beside Crossplane's own engine: the same cases, field by field.

The engine is built from source where Go is on the machine:

    python -m pytest tests/real -m "real"

runs this suite alone.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml as pyyaml  # type: ignore[import-untyped]

from crossplane_lite import Unstructured, composition
from crossplane_lite._core.call.mark import without_digests
from crossplane_lite._tools.manifests.objects import metadata_of, resource_name
from crossplane_lite._tools.manifests.yaml import load_documents
from crossplane_lite._tools.render.inputs import read_functions, read_observed, read_resources
from crossplane_lite._tools.render.output import shortened
from crossplane_lite._tools.simulate.fixtures import read_fixtures
from crossplane_lite._tools.simulate.simulation import Simulation
from crossplane_lite.runtime.load import load_function
from crossplane_lite.runtime.transports import NAMES
from tests.real import engine
from tests.real.comparing import DIFFERENCES, Case, compare, engines, meant, served, timeless
from tests.real.corpus import CASES, GROUPS, XR
from tests.runtime.serving import in_process
from tests.simulate.simulating import chain, network, of_steps
from tests.test_examples import STAGES, Stage

pytestmark = [pytest.mark.real, pytest.mark.slow]

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
BASELINE = "examples.two_steps.baseline:compose"


@pytest.fixture(autouse=True, scope="module")
def built() -> Path:
    """The engine."""
    return engine.binary()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name.replace(" ", "-"))
def test_case(case: Case) -> None:
    """Both engines send functions the same, and apply, delete, store and report the same, but for what is meant."""
    sides = engines(case)
    if case.fails is None:
        assert sides.real.status == "done", sides.real.error
    elif not case.meant:
        for side in sides:
            assert side.status in ("fatal", "failed"), side
            assert case.fails in side.error
    differences = compare(sides)
    assert [one for one in differences if meant(one, case.meant) is None] == []
    assert {meant(one, case.meant) for one in differences} == set(case.meant), "a difference that isn't there any more"


def test_names_of_cases_differ() -> None:
    """No case hides another, and there are enough of them."""
    names = [case.name for case in CASES]
    assert len(names) == len(set(names)) > 200


def test_every_meant_difference_is_one() -> None:
    """Each difference of the list is that of a case; the list is short, and says why."""
    assert {name for case in CASES for name in case.meant} == set(DIFFERENCES)
    assert len(DIFFERENCES) <= 12
    assert all(len(reason) > 40 for _, reason in DIFFERENCES.values())


# -- examples


def functions_of(example: str) -> Mapping[str, Any]:
    """Return what answers for each function of an example."""
    found = {}
    for name, document in read_functions(EXAMPLES / example / "functions.yaml").items():
        target = document.content["metadata"]["annotations"].get("render.crossplane.io/runtime-in-process-target")
        found[name] = load_function(target or BASELINE).run
    return found


def one(path: Path) -> dict[str, Any]:
    """Return the one document of a file."""
    (document,) = load_documents(path)
    return dict(document.content)


def of_flags(stage: Stage) -> Iterator[tuple[str, Path]]:
    """Yield the flags of a stage that name files, each with its path."""
    flags = [flag for flag in stage.flags if flag != "-c"]
    for flag, value in zip(flags[::2], flags[1::2], strict=True):
        yield flag, EXAMPLES / stage.example / value


def engine_of(stage: Stage) -> dict[str, Any]:
    """Return what the engine is given for a stage, as the command line is."""
    folder = EXAMPLES / stage.example
    given: dict[str, Any] = {
        "composite_resource": one(folder / stage.composite),
        "composition": one(folder / "composition.yaml"),
    }
    for flag, path in of_flags(stage):
        if flag == "--xrd":
            from crossplane_lite._tools.render.definition import apply_defaults

            given["composite_resource_definition"] = one(path)
            given["composite_resource"] = apply_defaults(given["composite_resource"], one(path), str(path))
        elif flag == "-o":
            given["observed_resources"] = [document.content for document in read_observed(path)]
        elif flag == "-e":
            given["required_resources"] = [document.content for document in read_resources([path])]
        else:
            assert flag == "-s"
            given["required_schemas"] = [one(file) for file in sorted(path.glob("*.json"))]
    return given


@contextlib.contextmanager
def served_over(transport: str, functions: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    """Serve functions over one of our transports, each at an address of its own; yields the addresses."""
    with contextlib.ExitStack() as stack:
        yield {name: stack.enter_context(in_process(run, transport))[1] for name, run in functions.items()}


@pytest.mark.parametrize("transport", NAMES)
@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: f"{stage.example}-{stage.name}")
def test_example(stage: Stage, transport: str) -> None:
    """What an example's stage renders to in our files is what the engine makes of it, over either transport."""
    with served_over(transport, functions_of(stage.example)) as addresses:
        found = engine.render("composite", functions=addresses, **engine_of(stage))
    assert found.status == 0, found.error
    assert found.primary is not None
    expected = [one for one in pyyaml.safe_load_all(stage.expected.read_text(encoding="utf-8")) if one is not None]
    expected = [one for one in expected if one["kind"] != "Context"]
    by_name = sorted(map(without_digests, found.applied), key=resource_name)
    assert timeless(expected) == timeless([shortened(found.primary), *by_name])


@pytest.mark.parametrize("transport", NAMES)
def test_the_example_of_an_operation(transport: str) -> None:
    """The engine makes of the operation's example what it renders to, over either transport, but for its name."""
    folder = EXAMPLES / "watch_operation"
    watched = one(folder / "watched.yaml")
    made = engine.render("watch_operation", watch_operation=one(folder / "operation.yaml"), watched_resource=watched)
    assert made.primary is not None, made.error
    required = [document.content for document in read_resources([folder / "required.yaml"])]
    with served_over(transport, functions_of("watch_operation")) as addresses:
        found = engine.render(
            "operation", operation=made.primary, functions=addresses, required_resources=[*required, watched]
        )
    assert found.primary is not None, found.error
    ours, *applied = pyyaml.safe_load_all((folder / "expected" / "changed.yaml").read_text(encoding="utf-8"))
    real = timeless(found.primary)
    assert ours["status"] == real["status"]
    assert ours["metadata"]["labels"] == real["metadata"]["labels"]
    assert real["metadata"]["name"].startswith(ours["metadata"]["name"])

    def places(resources: Any) -> dict[str, Any]:
        return {f"{one['kind']}/{one['metadata']['name']}": one for one in resources}

    assert places(applied) == places(found.applied)


# -- loops


class Loop:
    """Reconciles of the engine until two come to the same.

    Args:
        simulation: The same in our simulation, which has run: its resources, once they are composed here, exist with
            the status that they had there in the end.
        given: What the engine is given.
        addresses: Where the functions are.

    Attributes:
        waves: In which round each resource was composed first.
        composite: The composite after the last one.
        applied: What the last one applies, by composition resource name.
    """

    def __init__(self, simulation: Simulation, given: Mapping[str, Any], addresses: Mapping[str, str]) -> None:
        self.waves: dict[str, int] = {}
        composite = dict(given["composite_resource"])
        before: Any = None
        for number in itertools.count(1):
            assert number < 20, "the engine's loop doesn't settle"
            # In the order in which Crossplane keeps references.
            observed = sorted((simulation.observed[name] for name in self.waves), key=_order)
            fields = {**given, "composite_resource": composite, "observed_resources": observed}
            secrets = list(simulation.secrets.values())
            found = engine.render("composite", functions=addresses, credentials=secrets, **fields)
            assert found.status == 0, found.error
            assert found.primary is not None
            self.applied = {resource_name(one): one for one in found.applied}
            for name in sorted(self.applied):
                self.waves.setdefault(name, number)
            self.composite = found.primary
            composite = {**given["composite_resource"], "status": timeless(found.primary).get("status", {})}
            state = (timeless(found.primary), self.applied, len(self.waves))
            if state == before:
                return
            before = state


def _order(resource: Mapping[str, Any]) -> str:
    metadata = metadata_of(resource)
    parts = resource["apiVersion"], resource["kind"], metadata["name"], metadata.get("namespace", "")
    return "".join(map(str, parts))


def check_loop(simulation: Simulation, given: Mapping[str, Any], functions: Mapping[str, Any]) -> Loop:
    """Run a loop, and compare it with the simulation."""
    simulation.run()
    with served(functions) as addresses:
        loop = Loop(simulation, given, addresses)
    assert loop.waves == simulation.waves
    last = simulation.rounds[-1].rendered
    assert loop.applied == last.composed
    xrd = given.get("composite_resource_definition")
    assert timeless(shortened(loop.composite)) == timeless(shortened(last.composite)), xrd
    return loop


@pytest.mark.parametrize(
    "stage", [one for one in STAGES if one.name in ("nothing", "first")], ids=lambda one: one.example
)
def test_loop_of_an_example(stage: Stage) -> None:
    """Reconciled until nothing changes, an example comes in the same waves, and to the same end, as in a simulation."""
    given = engine_of(stage)
    metadata = {**metadata_of(given["composite_resource"]), "uid": "an-uid"}
    given["composite_resource"] = {**given["composite_resource"], "metadata": metadata}
    fixtures = EXAMPLES / stage.example / "fixtures.yaml"
    simulation = _simulation(given, stage, read_fixtures(fixtures) if fixtures.is_file() else {})
    loop = check_loop(simulation, given, functions_of(stage.example))
    assert len(loop.waves) > 1


def _simulation(given: Mapping[str, Any], stage: Stage, fixtures: Mapping[str, Any]) -> Simulation:
    from crossplane_lite._tools.manifests.kind_schemas import Schemas
    from crossplane_lite._tools.render.cluster import Files
    from crossplane_lite._tools.render.composition import composition_steps
    from crossplane_lite._tools.render.inputs import read_object

    folder = EXAMPLES / stage.example
    composite = read_object(folder / stage.composite, "composite")
    targets = {name: run.__self__ for name, run in functions_of(stage.example).items()}
    schemas = Schemas([path for flag, path in of_flags(stage) if flag == "-s"])
    return of_steps(
        composition_steps(read_object(folder / "composition.yaml", "Composition"), composite),
        targets,
        xr=given["composite_resource"],
        cluster=Files(given.get("required_resources", ()), schemas),
        fixtures=fixtures,
        schemas=schemas,
        xrd=given.get("composite_resource_definition"),
        composition=given["composition"]["metadata"]["name"],
    )


def waits_for_the_composites_secret(ctx: composition.Context) -> None:
    """Compose a second resource of the composite's connection details, which only composites of Crossplane 1 have."""
    xr = ctx.composite(Unstructured)
    first = Unstructured("example.org/v1", "Thing")
    first.spec = {"forProvider": {"a": 1}}
    ctx.resource("first", first).ready = True
    second = Unstructured("example.org/v1", "Thing")
    second.spec = {"forProvider": {"password": xr.observed.connection_details["password"]}}
    xr.connection_details["password"] = "p"
    ctx.resource("second", second)


@pytest.mark.parametrize(
    "compose", [chain, network, waits_for_the_composites_secret], ids=lambda one: str(one.__name__)
)
def test_loop_of_a_function(compose: Any) -> None:
    """Chains of resources, also through the composite's status, come in the same waves, and no others come."""
    function = composition.function(name="f", auto_ready=True)(compose)
    xr = {**XR, "spec": {"writeConnectionSecretToRef": {"name": "s", "namespace": "n"}}}
    composition_ = {
        "apiVersion": "apiextensions.crossplane.io/v1",
        "kind": "Composition",
        "metadata": {"name": "a-composition"},
        "spec": {
            "compositeTypeRef": {"apiVersion": xr["apiVersion"], "kind": xr["kind"]},
            "mode": "Pipeline",
            "pipeline": [{"step": "one", "functionRef": {"name": "f"}}],
        },
    }
    from crossplane_lite._tools.render.pipeline import Step

    simulation = of_steps([Step("one", "f")], {"f": function}, xr=xr, composition="a-composition")
    given = {"composite_resource": xr, "composition": composition_}
    loop = check_loop(simulation, given, {"f": function.run})
    if compose is waits_for_the_composites_secret:
        assert list(loop.waves) == ["first"]
        assert simulation.unresolved


def test_the_table_of_the_documentation() -> None:
    """The page has as many cases of each kind as there are, and every difference that is meant."""
    page = (ROOT / "docs" / "explanation" / "previews.rst").read_text(encoding="utf-8")
    for about, cases in GROUPS.items():
        with_difference = sum(bool(case.meant) for case in cases)
        assert f"   * - {about}\n     - {len(cases)}\n     - {with_difference}\n" in page
    for name in DIFFERENCES:
        assert f"**{name}**" in page
