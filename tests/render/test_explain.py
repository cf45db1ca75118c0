"""Where fields come from: `--explain` of render and simulate."""

from __future__ import annotations

import json
import logging
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from crossplane_lite import testing
from crossplane_lite._tools.render.explain import Explained, Field, as_data, as_text
from crossplane_lite._tools.render.explain import explain as explain_all
from crossplane_lite.cli import main
from crossplane_lite.errors import InputError
from crossplane_lite.render import Rendered, Step, render
from crossplane_lite.runtime import log
from tests.render import explaining
from tests.render.explaining import at
from tests.render.scripted import Objects
from tests.runtime.serving import ROOT, in_process

SPEC: dict[str, Any] = {"region": "eu-1", "team": "shop", "size": "small", "zones": ["a", "b"], "replica": True}
SECRET = {
    "apiVersion": "v1",
    "kind": "Secret",
    "metadata": {"name": "cloud", "namespace": "system"},
    "data": {"token": "aHVzaC1odXNo"},
}


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    """Logging is afterwards as it was before."""
    root = logging.getLogger()
    handlers, level, masker = root.handlers[:], root.level, log._mask
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    log.set_masker(masker)


def composite(**spec: Any) -> dict[str, Any]:
    """Return a composite."""
    return {"apiVersion": "example.org/v1", "kind": "XThing", "metadata": {"name": "a"}, "spec": {**SPEC, **spec}}


def once(*functions: str, observed: Any = (), **spec: Any) -> Rendered:
    """Render functions of `explaining`, one step each."""
    steps = [
        Step(name, name, input={"level": "high"}, credentials={"cloud": ("system", "cloud")}) for name in functions
    ]
    made = {name: explaining.raw() if name == "raw" else getattr(explaining, name) for name in functions}
    return render(composite(**spec), steps, made, cluster=Objects(SECRET), observed=observed)


def explain(steps: Any, name: str, **more: Any) -> Explained:
    """Return where the fields of one resource come from."""
    (found,) = explain_all(steps, [name], **more)
    return found


def fields(found: Explained) -> dict[str, Field]:
    """Return the fields by path."""
    return {one.path: one for one in found.fields}


@pytest.fixture(scope="module")
def styles() -> Explained:
    """What is said of a resource whose fields are set in many ways."""
    return explain(once("styles").steps, "thing")


@pytest.mark.parametrize(
    ("path", "line", "sources", "note"),
    [
        ("spec.direct", "# direct", ["xr.spec.region"], ""),
        ("spec.text", "# text", ["xr.spec.region", "xr.spec.team"], ""),
        ("spec.hash", "# hash", ["xr.spec.team"], ""),
        ("spec.default", "# default", ["xr.spec.flavour"], ""),
        ("spec.looked_up", "# looked up", ["xr.spec.size (read on that line)"], ""),
        ("spec.level", "# input", ["input.level"], ""),
        ("spec.random", "# random", [], "differs from call to call"),
        ("spec.constant", "# constant", [], "a constant, or made from xr.spec.size"),
        ("metadata.labels.team", "# labels", ["xr.spec.team"], ""),
        ("spec.zones[1]", "# a zone", ["xr.spec.zones[1]"], ""),
        ("spec.token", "# token", ["credentials.cloud.token"], ""),
        ("spec.nested.deep[0].a", "# nested", ["xr.spec.region"], ""),
    ],
)
def test_lines_and_sources(styles: Explained, path: str, line: str, sources: list[str], note: str) -> None:
    """Of each field the line that set it is told, and what it is made from, however it is made."""
    found = fields(styles)[path]
    assert found.place.removesuffix(" or later") == at(line)
    assert (list(found.sources), found.note) == (sources, note)


def test_what_says_what_it_is(styles: Explained) -> None:
    """The kind is of the resource's class; the mark is the SDK's own, without memory; its registration has a line."""
    assert styles.place == at("# registered")
    assert (styles.kind, styles.step, styles.held) == ("Thing of example.org/v1", "styles", False)
    assert fields(styles)["kind"].note == "the resource's class"
    mark = fields(styles)['metadata.annotations["crossplane-lite/function"]']
    assert mark.note == "crossplane-lite's mark"
    assert mark.value.startswith("styles-") and ";" not in mark.value


def test_what_cannot_be_known_is_said(styles: Explained) -> None:
    """A value of which another one makes the function fail is named with the error."""
    (note,) = styles.notes
    begin = 'what is made from xr.spec.size can\'t be seen, because with another value step "styles" fails: KeyError'
    assert note.startswith(begin)


def test_secrets_are_masked(styles: Explained) -> None:
    """No secret value of the request is shown, as text or as data."""
    assert fields(styles)["spec.token"].value == "[secret]"
    assert "hush-hush" not in json.dumps(as_data(styles)) + as_text([styles])


def test_every_field_is_there(styles: Explained) -> None:
    """The fields are those that the function emits, with their values."""
    shown = testing.render(composite(), explaining.late).composed["late"]
    found = fields(explain(once("late").steps, "late"))
    assert found["spec.forProvider.cidrBlock"].value == shown["spec"]["forProvider"]["cidrBlock"]
    assert {path for path in found if path.startswith("spec.forProvider")} == {
        "spec.forProvider.cidrBlock",
        "spec.forProvider.region",
        "spec.forProvider.tags.a",
        "spec.forProvider.tags.b",
    }


def test_whether_there_is_one() -> None:
    """A value that decides whether there is such a resource is named."""
    found = explain(once("styles").steps, "replica")
    assert found.decides == ["xr.spec.replica"]
    assert fields(found)["spec.a"].note == "a constant, or made from xr.spec.replica, xr.spec.size"


def test_arguments_and_later_changes() -> None:
    """An argument has its own line, and so has an entry that was put into a map later."""
    found = fields(explain(once("late").steps, "late"))
    assert found["spec.forProvider.region"].place == at("# an argument")
    assert found["spec.forProvider.tags.a"].place == at("# tags")
    assert found["spec.forProvider.tags.b"].place == at("# one more tag")
    assert found["spec.forProvider.cidrBlock"].place == at("# assigned")
    assert found["metadata.annotations.note"].place == at("# annotated")


def test_a_chain_of_waits() -> None:
    """Of a resource that is held back it is told what it waits for, and what that waits for in turn."""
    found = explain(once("chain").steps, "last")
    assert found.held
    text = as_text([found]).splitlines()
    assert text[:6] == [
        f"last (Last of example.org/v1) is held back by step chain, registered at {at('Last' + chr(34) + '))')}",
        "  waits for xr.status.part (the composite doesn't have it)",
        "    xr.status.part",
        "      waits for part.status.id (part is held back itself)",
        "        part",
        "          waits for network.status.id (network isn't observed yet)",
    ]
    text_field = fields(found)["spec.text"]
    assert (text_field.value, text_field.waits, text_field.place) == (
        None,
        ("xr.status.part",),
        at("# of the composite"),
    )


def test_the_composites_status() -> None:
    """`xr` is the composite's status."""
    part = {
        **{"apiVersion": "example.org/v1", "kind": "Part", "status": {"id": "part-1"}},
        "metadata": {"name": "p", "annotations": {"crossplane.io/composition-resource-name": "part"}},
    }
    found = fields(explain(once("chain", observed=[part]).steps, "xr"))
    assert list(found) == ["status.part"]
    assert (found["status.part"].place, found["status.part"].sources) == (at("# of the part"), ("part.status.id",))


def test_a_status_that_waits() -> None:
    """A field of the status whose value is missing is there with its line and its waits, even as the only one."""
    explained = explain(once("chain").steps, "xr")
    (field,) = explained.fields
    assert (field.path, field.value, field.waits) == ("status.part", None, ("part.status.id",))
    assert (field.place, explained.step) == (at("# of the part"), "chain")
    assert [one.path for one in explained.waits] == ["part.status.id"]
    shown = as_text([explained])
    assert "status.part  (not there yet)" in shown


def test_no_status() -> None:
    """Where no step sets the composite's status, one line says so."""
    explained = explain(once("many", numbers=[]).steps, "xr")
    assert (explained.fields, explained.step, explained.waits) == ([], "", [])
    assert as_text([explained]) == "xr: no step sets the composite's status\n"


def test_a_value_that_is_kept() -> None:
    """A field of a resource that exists, and whose value is missing, keeps what it has and says what it waits for."""
    part = {
        **{"apiVersion": "example.org/v1", "kind": "Part", "spec": {"network": "n-1"}},
        "metadata": {"name": "p", "annotations": {"crossplane.io/composition-resource-name": "part"}},
    }
    found = explain(once("chain", observed=[part]).steps, "part")
    kept = fields(found)["spec.network"]
    assert not found.held
    assert (kept.value, kept.waits, kept.note) == ("n-1", ("network.status.id",), "keeps the value that it has")
    assert [one.path for one in found.waits] == ["network.status.id"]


def test_previous_steps() -> None:
    """A field belongs to the last step that changed it, and what is made from a previous step's state says so."""
    rendered = once("first", "second")
    found = fields(explain(rendered.steps, "shared"))
    assert (found["spec.mine"].step, found["spec.mine"].place) == ("first", at("# of the first step"))
    assert found["spec.mine"].sources == ("xr.spec.region",)
    assert (found["spec.both"].step, found["spec.both"].place) == ("second", at("# of the second step"))
    assert found["spec.both"].sources == ("context.told.zone",)
    copied = fields(explain(rendered.steps, "other"))["spec.copy"]
    assert (copied.place, copied.sources) == (at("# copied"), ("desired.shared.spec.mine (previous step)",))
    assert f"{at('# of the first step')} in step first" in as_text([explain(rendered.steps, "shared")])


def test_functions_without_lines() -> None:
    """Of a function of raw messages the sources are told, and that its lines aren't known."""
    found = explain(once("raw").steps, "raw")
    assert fields(found)["spec.region"].sources == ("xr.spec.region",)
    assert fields(found)["spec.constant"].note == "a constant"
    assert not any(one.place for one in found.fields)
    assert found.notes == [
        "step \"raw\" isn't a function of crossplane-lite in this process, so its lines aren't known"
    ]


def test_a_function_that_runs_elsewhere() -> None:
    """The same of a function behind gRPC."""
    with in_process(explaining.first.run, "grpcio") as (_server, address):
        from crossplane_lite.render import Remote

        with Remote(address) as remote:
            rendered = render(composite(), [Step("a", "f")], {"f": remote})
            found = explain(rendered.steps, "shared", timeout=30.0)
    assert fields(found)["spec.mine"].sources == ("xr.spec.region",)
    assert fields(found)["spec.mine"].place == ""


def test_more_values_than_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there are too many values, what isn't known is no constant."""
    from crossplane_lite._tools.render import probing

    monkeypatch.setattr(probing, "MOST_PROBES", 20)
    found = explain(once("many", numbers=list(range(50))).steps, "many")
    assert fields(found)["spec.constant"].note == "a constant, or made from a value that wasn't tried"
    assert found.notes == ['step "many" has more values in its request than are tried']


def test_names_that_nobody_has() -> None:
    """A misspelt name is an error that says the near one, and which there are."""
    with pytest.raises(InputError) as caught:
        explain(once("styles").steps, "thign")
    assert str(caught.value) == (
        "--explain thign: no function composes or holds back a resource of this name; did you mean 'thing'? "
        "(there are: replica, thing; --explain xr explains the composite's status)"
    )


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """A composite in a file, and the function that composes it."""
    (tmp_path / "xr.yaml").write_text(json.dumps(composite()), encoding="utf-8")
    return [str(tmp_path / "xr.yaml"), "--function", "tests.render.explaining:chain"]


def test_render(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """`render --explain` prints the table in the place of the documents, or the same as JSON."""
    assert main(["render", *files, "--explain", "part", "--explain", "network"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("part (Part of example.org/v1) is held back by step chain, registered at explaining.py:")
    assert "\nnetwork (Network of example.org/v1) comes from step chain" in out
    assert main(["render", *files, "--explain", "part", "--format", "json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert {"path": "spec.network", "waitsFor": ["network.status.id"]}.items() <= found["fields"][-1].items()
    assert found["waitsFor"] == [{"path": "network.status.id", "why": "network isn't observed yet"}]
    for command in ("render", "simulate"):
        capsys.readouterr()
        assert main([command, *files, "--explain"]) == 2
        said = capsys.readouterr().err
        assert "--explain needs the NAME of a composed resource, such as last, or xr\n" in said
    assert main(["render", *files, "--explain", "prat"]) == 2
    assert "did you mean 'part'?" in capsys.readouterr().err


def test_a_wait_is_said_once(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """A row says what a field waits for, and why; above the table are only waits for what waits itself."""
    assert main(["render", *files, "--explain", "part", "--explain", "last"]) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    part, last = shown.out.split("\n\n")
    assert "registered at" in part.splitlines()[0] and part.splitlines()[1].split()[0] == "FIELD"
    assert part.count("waits for network.status.id (network isn't observed yet)") == 1
    assert "\n  waits for xr.status.part (the composite doesn't have it)\n    xr.status.part\n" in last
    assert last.count("waits for network.spec.size (network isn't observed yet)") == 1


@pytest.mark.slow
def test_simulate(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """`simulate --explain` shows it for the last reconcile, below the table and in the JSON."""
    assert main(["simulate", *files, "--explain", "last"]) == 0
    table, _, explained = capsys.readouterr().out.partition("\nlast (Last of example.org/v1) comes from step chain")
    assert table.startswith("WAVE")
    assert "xr.status.part" in explained
    assert main(["simulate", *files, "--explain", "last", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [one["name"] for one in found["explained"]] == ["last"]
    with pytest.raises(SystemExit) as ended:
        main(["simulate", *files, "--explain", "last", "--format", "yaml"])
    assert ended.value.code == 2


def test_the_documented_example(capsys: pytest.CaptureFixture[str]) -> None:
    """The documentation shows what the example really prints."""
    function = ["--function", "examples.vpc.function:compose"]
    assert main(["render", str(ROOT / "examples/vpc/xr.yaml"), *function, "--explain", "public-a"]) == 0
    page = (ROOT / "docs/explanation/previews.rst").read_text(encoding="utf-8")
    assert textwrap.indent(capsys.readouterr().out, "    ") in page


def test_a_format_alone(capsys: pytest.CaptureFixture[str]) -> None:
    """A format without --explain has nothing to format, and is refused before anything is read."""
    with pytest.raises(SystemExit) as ended:
        main(["render", "gone.yaml", "--function", "a:b", "--format", "json"])
    assert ended.value.code == 2
    assert "error: --format sets the form of what --explain prints" in capsys.readouterr().err


def test_nothing_is_said_twice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What compose() prints is there once, however often it is called for the explanation."""
    (tmp_path / "xr.yaml").write_text(json.dumps(composite()), encoding="utf-8")
    files = [str(tmp_path / "xr.yaml"), "--function", "tests.render.explaining:first"]
    assert main(["render", *files, "--explain", "shared"]) == 0
    assert capsys.readouterr().err == ""
    (tmp_path / "secret.yaml").write_text(json.dumps(SECRET), encoding="utf-8")
    steps = once("styles").steps
    capsys.readouterr()
    explain(steps, "thing")
    assert "said once" not in "".join(capsys.readouterr())
