"""Likely mistakes: fields that nobody set, and what became of reading them; secrets that anybody sees."""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from crossplane_lite import Unstructured, composition, testing
from crossplane_lite._core.models import reader
from crossplane_lite._tools.manifests.kind_schemas import Schemas
from crossplane_lite._tools.render.cluster import Files
from crossplane_lite._tools.render.output import failure_lines
from crossplane_lite.render import FatalResultError, Rendered, Step, render
from examples.vpc.model.com.example.platform.network.v1alpha1 import Network
from tests.codegen.generated import crd, obj

SIZES = {"small": 1}


def once(body: Callable[[Any, Any], Any], spec: Mapping[str, Any] = {}, **step: Any) -> Rendered:
    """Render a function whose composite is a Network with this spec."""

    @composition.function(name="f")
    def compose(ctx: composition.Context) -> None:
        body(ctx, ctx.composite(Network))

    xr = {"apiVersion": "platform.example.com/v1alpha1", "kind": "Network", "metadata": {"name": "a"}, "spec": spec}
    return render(xr, [Step("one", "f", **step)], {"f": compose})


def config(ctx: Any, **data: str) -> None:
    """Compose a ConfigMap."""
    made = Unstructured("v1", "ConfigMap")
    made.data = data
    ctx.resource("config", made)


def test_a_text_with_none() -> None:
    """A text that an unset field left `None` in is noted, with where it is and which field it was."""
    rendered = once(lambda ctx, xr: config(ctx, url=f"http://{xr.observed.spec.region}.example.org"))
    assert list(rendered.notes) == [
        "config: data.url is 'http://None.example.org', made with xr.spec.region, which isn't set"
    ]


def test_a_text_with_a_missing_key() -> None:
    """The same for a label or an annotation that isn't there, whether the map is there or not."""

    def body(ctx: Any, xr: Any) -> None:
        metadata = xr.observed.metadata
        config(ctx, team=f"{metadata.labels['team']}-x", note=f"{metadata.annotations.get('a/b')}-y")

    assert sorted(once(body).notes) == [
        """config: data.note is 'None-y', made with xr.metadata.annotations["a/b"], which isn't set""",
        "config: data.team is 'None-x', made with xr.metadata.labels.team, which isn't set",
    ]


def test_which_of_several_fields_it_is() -> None:
    """Of the unset fields that are read, those are named that the text is made with."""

    def body(ctx: Any, xr: Any) -> None:
        str(xr.observed.spec.cidrBlock)
        config(ctx, one=f"x-{xr.observed.spec.region}", both=f"{xr.observed.spec.region}{xr.observed.spec.cidrBlock}")

    assert sorted(once(body).notes) == [
        "config: data.both is 'NoneNone', made with xr.spec.cidrBlock, xr.spec.region, of which none is set",
        "config: data.one is 'x-None', made with xr.spec.region, which isn't set",
    ]


def test_a_text_that_goes_on() -> None:
    """What stands right behind it makes no difference."""
    rendered = once(lambda ctx, xr: config(ctx, zone=f"{xr.observed.spec.region}a"))
    assert list(rendered.notes) == ["config: data.zone is 'Nonea', made with xr.spec.region, which isn't set"]


@pytest.mark.parametrize("text", ["None", "SameSite=None", "Nonesuch", "None of it"])
def test_texts_that_are_meant(text: str) -> None:
    """Text with this word that no unset field made is nobody's mistake, whether an unset field is read or not."""

    def body(ctx: Any, xr: Any) -> None:
        assert xr.observed.spec.region is None
        config(ctx, text=text)

    assert list(once(body).notes) == []


def test_the_composites_status() -> None:
    """The same in the composite's status."""

    def body(_ctx: Any, xr: Any) -> None:
        xr.status.vpcId = f"vpc of {xr.observed.spec.region}"

    assert list(once(body).notes) == ["xr: status.vpcId is 'vpc of None', made with xr.spec.region, which isn't set"]


def test_a_field_that_the_schema_lacks() -> None:
    """A field of the spec that is read and that the composite's schema lacks is noted with its line."""
    definition = crd(obj(spec=obj(region="s", size="i")), kind="Network", group="platform.example.com")
    definition["spec"]["versions"][0]["name"] = "v1alpha1"

    @composition.function(name="f")
    def compose(ctx: composition.Context) -> None:
        spec = ctx.composite(Unstructured).observed.spec
        config(ctx, region=spec.regoin, size=spec.size)

    xr = {"apiVersion": "platform.example.com/v1alpha1", "kind": "Network", "metadata": {"name": "a"}, "spec": {}}
    steps, cluster = [Step("one", "f")], Files((), Schemas())
    assert list(render(xr, steps, {"f": compose}, cluster=cluster).notes) == []
    schemas = Schemas()
    schemas.add_crd(definition, "crd.yaml")
    (note,) = render(xr, steps, {"f": compose}, cluster=Files((), schemas)).notes
    line = compose._compose.__code__.co_firstlineno + 3
    assert note == (
        f"test_advice.py:{line}: xr.spec.regoin is read and never set: its schema has no spec.regoin; did you mean "
        "'region'?"
    )


def test_a_secret_that_anybody_sees() -> None:
    """A credential in the status or in a ConfigMap is noted; in a Secret, or short, it isn't."""
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "c", "namespace": "s"}}
    data = {"token": "aHVzaGh1c2g=", "id": "YWI="}

    def body(ctx: Any, xr: Any) -> None:
        token = ctx.credentials["cloud"]["token"].decode()
        config(ctx, token=token, id=ctx.credentials["cloud"]["id"].decode())
        ctx.resource("kept", Unstructured("v1", "Secret", stringData={"token": token}))
        xr.status.vpcId = token

    @composition.function(name="f")
    def compose(ctx: composition.Context) -> None:
        body(ctx, ctx.composite(Network))

    xr = {"apiVersion": "platform.example.com/v1alpha1", "kind": "Network", "metadata": {"name": "a"}, "spec": {}}
    step = Step("one", "f", credentials={"cloud": ("s", "c")})
    notes = render(xr, [step], {"f": compose}, cluster=Files([{**secret, "data": data}])).notes
    end = "credentials.cloud.token, a secret that whoever may read this object sees there; put it into a Secret"
    assert list(notes) == [f"config: data.token is {end}", f"xr: status.vpcId is {end}"]


def hints(body: Callable[[Any, Any], Any], **step: Any) -> list[str]:
    """Return the hints for what a function raises."""
    with pytest.raises(FatalResultError) as caught:
        once(body, **step)
    return [line for line in failure_lines(caught.value) if line.startswith("hint: ")]


UNSET = (
    "hint: xr.spec.region isn't set, and reads None; give it a value, a default in the XRD (previews read it with "
    "--xrd, tests with xrd=), or check it before it is used"
)


@pytest.mark.parametrize(
    "body",
    [
        lambda _ctx, xr: SIZES[xr.observed.spec.region],
        lambda _ctx, xr: (xr.observed.spec.cidrBlock, xr.observed.spec.region.upper()),
        lambda _ctx, xr: "a" + xr.observed.spec.region,
    ],
    ids=["a key", "a method", "an addition"],
)
def test_an_exception_of_an_unset_field(body: Any, caplog: pytest.LogCaptureFixture) -> None:
    """An exception that an unset field led to comes with the field; the traceback is logged once."""
    with caplog.at_level(logging.ERROR):
        assert hints(body) == [UNSET]
    assert len([one for one in caplog.records if "compose() raised" in one.getMessage()]) == 1


@pytest.mark.filterwarnings("error")
def test_an_unset_field_in_a_test() -> None:
    """pytest shows the field as a warning where a single call fails of it, and nothing where another mistake fails."""

    @composition.function(name="f")
    def compose(ctx: composition.Context) -> None:
        config(ctx, size=str(SIZES[ctx.composite(Network).observed.spec.region]))

    xr = {"apiVersion": "platform.example.com/v1alpha1", "kind": "Network", "metadata": {"name": "a"}}
    with pytest.warns(UserWarning, match=re.escape(UNSET.removeprefix("hint: "))):
        assert testing.run(compose, testing.request(xr={**xr, "spec": {}})).fatal
    assert testing.run(compose, testing.request(xr={**xr, "spec": {"region": "eu"}})).fatal
    assert not testing.run(compose, testing.request(xr={**xr, "spec": {"region": "small"}})).fatal


def test_an_exception_of_a_missing_input() -> None:
    """A key that the input lacks is named, and so is that there is no input at all."""
    missing = "hint: the step's input has no x; get('x') reads what may be missing"
    assert hints(lambda ctx, _xr: ctx.input["x"], input={"y": 1}) == [missing]
    inner = "hint: the step's input has no a[1].x; get('x') reads what may be missing"
    assert hints(lambda ctx, _xr: ctx.input["a"][1]["x"], input={"a": [{}, {"y": 1}]}) == [inner]
    none = "hint: the step has no input, so ctx.input is None; give the step an input, or check it before it is used"
    assert hints(lambda ctx, _xr: ctx.input["x"]) == [none]


@pytest.mark.parametrize(
    "body",
    [lambda _ctx, _xr: 1 / 0, lambda _ctx, _xr: {}["x"], lambda _ctx, _xr: {}[None]],
    ids=["zero", "key", "none"],
)
def test_other_exceptions(body: Any) -> None:
    """An exception that no unset field led to has no hint."""
    assert hints(body) == []


def test_the_further_runs_print_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """What compose() prints is shown once, although it runs again for the hints on an unset field."""

    def body(ctx: Any, xr: Any) -> None:
        print("to stdout")
        print("to stderr", file=sys.stderr)
        config(ctx, url=f"http://{xr.observed.spec.region}.example.org")

    assert list(once(body).notes)
    assert capsys.readouterr() == ("to stdout\n", "to stderr\n")


def test_the_further_runs_of_a_failing_function_print_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """So it is where the hints are on an exception."""

    def body(_ctx: Any, xr: Any) -> None:
        print("to stdout")
        SIZES[xr.observed.spec.region]

    with pytest.raises(FatalResultError) as failed:
        once(body)
    capsys.readouterr()
    assert any("xr.spec.region isn't set" in line for line in failure_lines(failed.value))
    assert capsys.readouterr().out == ""


def test_reading_is_as_before() -> None:
    """What watches the reads is gone when the runs are over."""
    before = reader.absent
    assert hints(lambda _ctx, xr: SIZES[xr.observed.spec.region]) == [UNSET]
    assert reader.absent is before


def test_fields_that_are_set_to_none() -> None:
    """A field that None was set to has no hint, unless it, or what is around it, is what is wrong."""

    def body(ctx: Any, xr: Any) -> None:
        made = ctx.resource("config", Unstructured("v1", "ConfigMap"))
        made.data.region = xr.observed.spec.region
        xr.spec.region = "eu"

    (hint,) = hints(body)
    assert hint.startswith("hint: xr.spec.region is set at test_advice.py:")
