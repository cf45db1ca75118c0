"""Mistakes of authors: the text of what a preview says of each."""

from __future__ import annotations

import datetime
import json
import logging
import re
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from crossplane_lite import Unstructured, composition, testing, value_or
from crossplane_lite._core.resources.resource import Resource
from crossplane_lite.cli import main
from crossplane_lite.runtime import log
from crossplane_lite.table import load
from tests.codegen.generated import crd, obj
from tests.render import gate, mistakes
from tests.render.mistakes import MISTAKES

needs_columns = pytest.mark.skipif(sys.version_info < (3, 11), reason="needs the columns of code")
HERE = "tests.render.test_mistakes"
XR: dict[str, Any] = {"apiVersion": "example.org/v1", "kind": "XBucket", "metadata": {"name": "a"}, "spec": {}}


def thing() -> Unstructured:
    """Return a resource."""
    return Unstructured("example.org/v1", "Thing", spec={"a": 1})


@composition.function
def forgets(ctx: composition.Context) -> None:
    """Make two resources, and register one; a part of it is no resource of its own."""
    ctx.resource("kept", thing())
    lost = Unstructured("example.org/v1", "Thing")
    lost.spec.size = 1


@composition.function
def keeps(ctx: composition.Context) -> None:
    """Make one resource."""
    ctx.resource("kept", thing())


@composition.function
def twice(ctx: composition.Context) -> None:
    """Register two resources under one name."""
    ctx.resource("a", thing())
    ctx.resource("a", thing())


@composition.function
def unlike(ctx: composition.Context) -> None:
    """Give a name that is no DNS label."""
    ctx.resource("My_Thing", thing())


@composition.function
def misspelt(ctx: composition.Context) -> None:
    """Misspell a method."""
    ctx.resorce("a", thing())  # type: ignore[attr-defined]


@composition.function
def hands_class(ctx: composition.Context) -> None:
    """Hand over a class."""
    ctx.resource("a", Unstructured)  # type: ignore[type-var]


@composition.function
def hands_dict(ctx: composition.Context) -> None:
    """Hand over a dict."""
    ctx.resource("a", {"apiVersion": "v1", "kind": "ConfigMap"})  # type: ignore[type-var]


@composition.function
def compares(ctx: composition.Context) -> None:
    """Compare a number that isn't there yet."""
    made = ctx.resource("a", thing())
    if made.observed.status.readyReplicas > 1:
        ctx.resource("b", thing())


@composition.function
def reads(ctx: composition.Context) -> None:
    """Read observed state as authors do: fields, elements, maps, what has no schema, and methods of values."""
    vpc = ctx.resource("vpc", Unstructured("example.org/v1", "VPC", spec={"region": "eu"}))
    config = ctx.resource("config", Unstructured("v1", "ConfigMap", data={"a": "b"}))
    at = vpc.observed.status
    if vpc.observed and at.id.startswith("a") and at.conditions[0].anything.below and at.get("engine"):
        vpc.metadata.annotations["seen"] = "true"
    vpc.metadata.labels = {"all": f"{at.addresses[0]}{config.observed.data.anything}{config.observed.data['a.b']}"}
    _ = (vpc.observed.metadata.labels["x"], vpc.observed.ready, vpc.observed.external_name, vpc.condition("Ready"))


@composition.function
def loops(ctx: composition.Context) -> None:
    """Go over lists, over parts of a text, and over letters where they are meant."""
    spec = ctx.composite(Unstructured).observed.spec
    for zone in spec.zones:
        ctx.resource(f"vpc-{zone}", Unstructured("example.org/v1", "VPC", spec={"region": spec.region}))
    region = spec.region
    for part in region.split("-"):
        ctx.log.info("%s", part)
    for one in [region]:
        ctx.log.info("%s", "".join(letter for letter in spec.region if letter.isalnum()) + one)
    for number, one in enumerate((spec.region or "").split("-")):
        ctx.log.info("%s", number * one)
    size = spec.region
    size = [size]
    for one in size:
        ctx.log.info("%s", one)


@composition.function
def misloops(ctx: composition.Context) -> None:
    """Go over the letters of a text."""
    for zone in ctx.composite(Unstructured).observed.spec.region:
        ctx.log.info("%s", zone)


@composition.function
def misreads(ctx: composition.Context) -> None:
    """Misspell a field of observed state."""
    vpc = ctx.resource("vpc", Unstructured("example.org/v1", "VPC", spec={"region": "eu"}))
    vpc.metadata.labels = {"id": vpc.observed.status.idd}


_made, _ = load("mistakes", {"Typed": "spec:TypedSpec", "TypedSpec": "size:i team:s"})
Typed: Any = _made("Typed")


class Raw:
    """A function that handles raw messages."""

    def RunFunction(self, request: Any, _context: Any) -> Any:
        """Desire one resource."""
        from crossplane_lite import response

        answer = response.to(request)
        answer.desired.resources["raw"].resource.update({"apiVersion": "example.org/v1", "kind": "Thing"})
        return answer


class NeedsMore(Raw):
    """One that can't be made without arguments."""

    def __init__(self, more: int) -> None:
        self.more = more


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    """Logging is afterwards as it was before, and so is what makes resources."""
    root = logging.getLogger()
    handlers, level, masker, init = root.handlers[:], root.level, log._mask, Resource.__init__
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    log.set_masker(masker)
    assert Resource.__init__ is init


def said(capsys: pytest.CaptureFixture[str], folder: Path, function: str, command: str = "render") -> list[str]:
    """Return what a command says on stderr."""
    (folder / "xr.yaml").write_text(json.dumps(XR), encoding="utf-8")
    main([command, str(folder / "xr.yaml"), "--function", f"{HERE}:{function}"])
    return capsys.readouterr().err.splitlines()


def at(text: str) -> str:
    """Return the place of the first line in this file that has a text."""
    lines = Path(__file__).read_text(encoding="utf-8").partition("\n@pytest.fixture")[0].splitlines()
    found = [number for number, line in enumerate(lines, 1) if text in line]
    return f"test_mistakes.py:{found[0]}"


FORGOTTEN = (
    f"{at('lost = Unstructured')}: an Unstructured is made and never registered, so it isn't composed; hand it to "
    "ctx.resource(name, ...)"
)


@pytest.mark.parametrize("command", ["render", "simulate"])
def test_a_resource_that_is_never_registered(capsys: pytest.CaptureFixture[str], tmp_path: Path, command: str) -> None:
    """A resource that nothing becomes of is told with its class and line, once."""
    assert [line for line in said(capsys, tmp_path, "forgets", command) if "never registered" in line] == [
        f"warning: {FORGOTTEN}"
    ]


def test_a_resource_that_is_never_registered_in_a_test() -> None:
    """pytest shows the same as a warning, of renderings and of simulations."""
    with pytest.warns(UserWarning, match=re.escape(FORGOTTEN)):
        testing.render(XR, forgets)
    with pytest.warns(UserWarning, match=re.escape(FORGOTTEN)):
        testing.simulate(XR, forgets)


@pytest.mark.filterwarnings("error")
def test_right_reads_of_observed_state() -> None:
    """Maps, objects without a schema, methods of values and what every resource has are no mistakes."""
    observed = [mistakes.observed_vpc(status={"conditions": [{"type": "Ready", "status": "True"}]})]
    for given in ([], observed):
        testing.render(XR, reads, observed=given, crds=mistakes.CRDS)


def test_misspelt_reads_of_observed_state_in_a_test() -> None:
    """pytest shows a field that the schema lacks as a warning, of renderings, simulations and single calls."""
    said = f"{at('vpc.observed.status.idd')}: vpc.observed.status.idd is read, and the schema of example.org/v1 VPC has"
    crds = mistakes.CRDS
    for run in (testing.render, testing.simulate):
        with pytest.warns(UserWarning, match=re.escape(said)):
            run(XR, misreads, crds=crds)
    with pytest.warns(UserWarning, match=re.escape(said)):
        testing.run(misreads, testing.request(xr=XR), crds=crds)


@pytest.mark.filterwarnings("error")
def test_right_loops() -> None:
    """Lists, parts of a text, letters in an expression, and names with two meanings are no mistakes."""
    testing.render({**XR, "spec": {"region": "eu-1", "zones": ["a", "b"]}}, loops, crds=mistakes.CRDS)


@needs_columns
def test_loops_over_letters_in_a_test() -> None:
    """pytest shows a loop over the letters of a text as a warning, of renderings and of simulations."""
    place = at("for zone in ctx.composite(Unstructured).observed.spec.region")
    said = (
        f"{place}: `for zone in ctx.composite(Unstructured).observed.spec.region` takes the letters of xr.spec.region"
    )
    xr = {**XR, "spec": {"region": "eu"}}
    for run in (testing.render, testing.simulate):
        with pytest.warns(UserWarning, match=re.escape(said)):
            run(xr, misloops)


def test_what_fits_a_schema() -> None:
    """Nothing is said of numbers, of text in place of a number where both fit, of nulls and of what may be anything."""
    fields = obj(
        count="i", share="f", open="b", port={"x-kubernetes-int-or-string": True}, note={"type": "string"}, any="x"
    )
    status = {"count": 1, "share": 1, "open": True, "port": "http", "note": None, "any": {"a": [1]}}
    thing = {"apiVersion": "example.org/v1", "kind": "Thing", "metadata": {"name": "a"}}
    schemas = [crd(obj(spec=obj(a="i"), status=fields), kind="Thing")]
    annotations = {"crossplane.io/composition-resource-name": "kept"}
    for content, told in ((status, []), ({**status, "open": 1, "count": True}, ["open", "count"])):
        observed = [{**thing, "metadata": {"name": "a", "annotations": annotations}, "status": content}]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            testing.render(XR, keeps, observed=observed, crds=schemas)
        texts = [str(one.message) for one in caught if "wants" in str(one.message)]
        assert [text.partition(" at status.")[2].split(" ")[0] for text in texts] == told


FATAL = 'crossplane-lite render: pipeline step "{0}" returned a fatal result: '


@pytest.mark.parametrize(
    ("function", "last"),
    [
        (
            "misspelt",
            f"AttributeError: ctx has no attribute 'resorce'; did you mean 'resource'? ({at('ctx.resorce(')})",
        ),
        (
            "hands_class",
            "UsageError: ctx.resource('a'): the instance must be a resource (got the class Unstructured; make one: "
            f"Unstructured(apiVersion, kind)) ({at('Unstructured)  # type')})",
        ),
        (
            "hands_dict",
            "UsageError: ctx.resource('a'): the instance must be a resource (got a dict; write Unstructured('v1', "
            f"'ConfigMap', spec=...), or an instance of the kind's model) ({at('ConfigMap')})",
        ),
    ],
)
def test_exceptions(capsys: pytest.CaptureFixture[str], tmp_path: Path, function: str, last: str) -> None:
    """Each mistake is told with its line and what to write instead, and the exception is there once."""
    lines = said(capsys, tmp_path, function)
    assert lines[-1] == FATAL.format(function) + last
    kind = last.partition(":")[0]
    assert sum(kind in line for line in lines) == 1


def test_an_ordering_of_what_is_not_there(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """An ordering of a value that isn't there yet is told with its line and what to write instead."""
    text = "\n".join(said(capsys, tmp_path, "compares"))
    assert "write (readyReplicas or 0), which counts a missing value as 0" in text
    assert at("if made.observed") in text


def test_the_same_name_twice(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Both lines are told: the one that fails, and the first."""
    hint, last = said(capsys, tmp_path, "twice")[-2:]
    name, line = at('"""Register two').split(":")
    assert hint == f"hint: it is registered first at {name}:{int(line) + 1}"
    problem = "the composed resource 'a' is registered already in this call; give each resource a name of its own"
    assert last.endswith(f"{problem} ({name}:{int(line) + 2})")


def test_a_name_that_is_no_dns_label(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A name that Crossplane takes and others may not is told with the rule."""
    assert (
        'warning: the composition resource name "My_Thing" isn\'t a DNS label, which other tools may need: up to 63 '
        "lower-case letters, digits and '-', with a letter or digit at both ends"
    ) in said(capsys, tmp_path, "unlike")


def test_raw_functions(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """An object with RunFunction runs in this process; what is neither is told that it could be."""
    (tmp_path / "xr.yaml").write_text(json.dumps(XR), encoding="utf-8")
    assert main(["render", str(tmp_path / "xr.yaml"), "--function", f"{HERE}:Raw"]) == 0
    assert "crossplane.io/composition-resource-name: raw" in capsys.readouterr().out
    assert list(testing.render(XR, _composition(), functions={"f": Raw()}).composed) == ["raw"]
    assert said(capsys, tmp_path, "thing") == [
        f"crossplane-lite render: --function {HERE}:thing: {HERE}:thing is a function, not a composition function; is "
        "the decorator @composition.function missing? compose(req, rsp) and an object with a method "
        "RunFunction(request, context) work too"
    ]
    (line,) = said(capsys, tmp_path, "NeedsMore")
    assert "is called without arguments, and that failed: TypeError" in line


def _composition() -> dict[str, Any]:
    return {
        "apiVersion": "apiextensions.crossplane.io/v1",
        "kind": "Composition",
        "metadata": {"name": "c"},
        "spec": {
            "compositeTypeRef": {"apiVersion": "example.org/v1", "kind": "XBucket"},
            "mode": "Pipeline",
            "pipeline": [{"step": "a", "functionRef": {"name": "f"}}],
        },
    }


@pytest.mark.parametrize(
    ("annotations", "text"),
    [
        (
            {
                "render.crossplane.io/runtime": "Development",
                "render.crossplane.io/runtime-development-target": "[::1]:9",
            },
            "no server answers at [::1]:9; start it with: crossplane-lite serve module:function --insecure --address "
            "[::1]:9",
        ),
        (
            {},
            "this command doesn't start Docker containers: give --function f=module:function; or start the function "
            "yourself, and add the annotation render.crossplane.io/runtime: Development to this document",
        ),
    ],
    ids=["no server", "docker"],
)
def test_functions_that_dont_run(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, annotations: dict[str, str], text: str
) -> None:
    """A function that nobody runs is one line, with what to do."""
    function = {
        **{"apiVersion": "pkg.crossplane.io/v1", "kind": "Function"},
        "metadata": {"name": "f", "annotations": annotations},
    }
    for name, content in (("xr", XR), ("composition", _composition()), ("functions", function)):
        (tmp_path / f"{name}.yaml").write_text(json.dumps(content), encoding="utf-8")
    files = [str(tmp_path / f"{name}.yaml") for name in ("xr", "composition", "functions")]
    assert main(["render", *files, "--timeout", "20"]) != 0
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith(text)


TIERS: dict[str, int] = {"basic": 1, "large": 4}


@pytest.mark.parametrize(
    ("body", "advice"),
    [
        pytest.param(lambda ctx: TIERS["huge"], "KeyError: 'huge'; TIERS has basic, large", marks=needs_columns),
        (lambda ctx: ctx.context["team"], "KeyError: 'team'; the pipeline's context has zone"),
        (lambda ctx: Typed(spec={"size": 1}).spec["size"], "is a model, not a dict: write .size"),
        (lambda ctx: Typed(spec={"size": 1}).spec.get("size"), "because it isn't a dict: write fields as attributes"),
        (lambda ctx: [*Typed(spec={"size": 1}).spec], "is a model, not a dict or list"),
        (lambda ctx: Typed(size=1), "Typed has no field 'size'; it belongs below spec"),
        (lambda ctx: Typed(spec={"siez": 1}), "did you mean 'size'?"),
        (lambda ctx: ctx.results.warn("a"), "did you mean 'warning'?"),
        (lambda ctx: ctx.desired.__setitem__("a", thing()), "only for reading; write ctx.resource('a', ...)"),
    ],
)
def test_single_calls(body: Any, advice: str) -> None:
    """A call of a function, as in a cluster, tells the same advice, with the line."""
    request = testing.request(xr=XR, context={"zone": "a"})
    (text,) = testing.run(composition.function(body), request).fatal
    assert advice in text
    assert f"test_mistakes.py:{body.__code__.co_firstlineno})" in text


@pytest.mark.parametrize(
    "body",
    [
        lambda at: {"a": at and 1}["b"],
        lambda at: 1 / 0 + at.size,
        lambda at: f"{at.id}".bogus(),  # type: ignore[attr-defined]
        lambda at: int(value_or(at.size, "none") or "none"),
        lambda at: [at.id][1],
    ],
    ids=["a key", "arithmetic", "an attribute", "a default", "an index"],
)
def test_other_exceptions(body: Any) -> None:
    """An exception that has nothing to do with a missing value doesn't blame it, though the line has one."""

    @composition.function
    def compose(ctx: composition.Context) -> None:
        body(ctx.resource("a", thing()).observed.status)

    (text,) = testing.run(compose, testing.request(xr=XR)).fatal
    assert "Without a value" not in text


def takes_length(ctx: composition.Context) -> None:
    """Take the length of a model."""
    made = Typed(spec={"size": 1})
    len(made.spec)


def counts_wrongly(ctx: composition.Context) -> None:
    """Give a function a class that it doesn't take, and a model that is none of its business."""
    made = Typed(spec={"size": 1})
    isinstance(made.spec, "Typed")  # type: ignore[arg-type]


def misses_two(ctx: composition.Context) -> None:
    """Give two arguments with names that have no value yet."""
    at = ctx.resource("a", thing()).observed.status
    datetime.timedelta(days=at.days, hours=at.hours)


@needs_columns
def test_values_that_are_used_as_something_else() -> None:
    """The model that Python's exception is about is named, and no other; all missing arguments are."""
    texts = [
        testing.run(composition.function(one), testing.request(xr=XR)).fatal
        for one in (takes_length, counts_wrongly, misses_two)
    ]
    (length,), (other,), (two,) = texts
    assert "has no len(); TypedSpec is a model, not a dict or list: write fields as attributes" in length
    assert "model" not in other
    assert "a.status.days, a.status.hours; use crossplane_lite.apply(datetime.timedelta, value)" in two


def test_no_values_are_shown() -> None:
    """Only keys are shown, never the values, and a known secret isn't shown as a key either."""

    @composition.function
    def compose(ctx: composition.Context) -> None:
        password = ctx.credentials["cloud"].text("password")
        owners = {password: "hidden-owner", "public": "hidden-value"}
        raise SystemExit(owners["nobody"])

    request = testing.request(xr=XR, credentials={"cloud": {"password": "hidden-password"}})
    (text,) = testing.run(compose, request).fatal
    assert "KeyError: 'nobody'" in text
    assert "hidden" not in text


def test_most_mistakes_are_told_with_the_remedy() -> None:
    """Of all points for mistakes of beginners, at least 95 of 100 are reached."""
    assert len(MISTAKES) >= 40
    assert sum(one.grade for one in MISTAKES) >= 0.95 * 2 * len(MISTAKES)


# What only a rule in CEL finds.
RULES = ("a change of a field that is immutable",)
# What Python 3.10 can't tell, because its code has no columns: which part of a line is meant.
COLUMNS = (
    *("a key that a", "a key of a long", "a key that the environment", "a missing value", "a None that is read"),
    *("an index beyond a list", "a misspelt argument", "an argument too many", "an order", "a missing text"),
    *("the length of", "a model ", "an unset field", "a text that", "a module", "the first of", "a None that is no"),
    *("a key without quotes", "too few values", "a loop over a text", "a loop over a dict's", "a loop over a field's"),
)


def marks(name: str) -> Any:
    """Return the marks of a mistake."""
    return gate.needs_cel if name in RULES else needs_columns if name.startswith(COLUMNS) else ()


NUMBERS = [pytest.param(number, id=one.name, marks=marks(one.name)) for number, one in enumerate(MISTAKES)]


@pytest.mark.filterwarnings("ignore:coroutine")
@pytest.mark.parametrize("number", NUMBERS)
def test_mistakes_of_beginners(
    number: int, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A preview tells the place of each mistake and the remedy, as it is graded, and has the right exit status."""
    mistake = MISTAKES[number]
    module = f"beginner_{number}"
    line = mistakes.write(tmp_path, mistake, module)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    status = main(mistake.command.split())
    said = "".join(capsys.readouterr())
    place = rf"{module}\.py:{line}\b|{module}\.py.{{0,30}}line {line}\b" if mistake.place == "here" else mistake.place
    reached = bool(re.search(place, said)) + bool(re.search(mistake.remedy, said))
    assert (reached, status) == (mistake.grade, mistake.status), said
