"""Styles that say what absence means, that gate on something else than a value, and pipelines of several steps."""

from __future__ import annotations

from typing import Any

from crossplane_lite import Unstructured, composition
from tests.safety.plain import make
from tests.safety.style import ABSENT, HELD, KEPT, OPEN, STYLES, Style, falls, style

# --- absence is meant ---------------------------------------------------------------------------------------------


def _value_or(value: Any, default: Any) -> Any:
    from crossplane_lite import value_or

    if value is None:  # in plain Python
        return default
    return value_or(value, default)


@style(HELD, is_answer=True)
def value_or_text(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=_value_or(status.id, "none"))


@style(ABSENT, is_answer=True, wrong=OPEN)
def value_or_loop(ctx: Any, status: Any) -> None:
    for zone in _value_or(status.zones, []):
        make(ctx, f"s-{zone}", zone=zone)


@style(ABSENT, is_answer=True, wrong=OPEN)
def value_or_number(ctx: Any, status: Any) -> None:
    if _value_or(status.count, 0) == 3:
        make(ctx, "s", fixed=1)


@style(ABSENT, kind="Net", is_answer=True)
def value_or_flag_without_types(ctx: Any, status: Any) -> None:
    if _value_or(status.isDefault, False):
        make(ctx, "s", fixed=1)


@style({"s": {"x": "none"}}, is_answer=True)
def value_or_of_the_composite(ctx: Any, xr: Any) -> None:
    make(ctx, "s", x=_value_or(xr.observed.status.nothing, "none"))


@style({})
def always_removed(ctx: Any, status: Any) -> None:
    if status.id:
        make(ctx, "s", fixed=1)
    ctx.remove("s")


# --- gates that aren't values ---------------------------------------------------------------------------------------


@style(ABSENT, before_ready={"s": {"fixed": 1}}, wrong=OPEN)
def gate_on_a_condition(ctx: Any, vpc: Any) -> None:
    if vpc.condition("Ready").status == "True":
        make(ctx, "s", fixed=1)


@style(ABSENT, wrong=OPEN)
def gate_on_the_observed_condition(ctx: Any, vpc: Any) -> None:
    if vpc.observed.status.id and vpc.condition("Ready").status == "True":
        make(ctx, "s", fixed=1)


@style(ABSENT, before_ready={"s": {"fixed": 1}}, kind="Net", open=("gone-NotReady", "status-gone-NotReady"), wrong=OPEN)
def gate_on_conditions_of_the_status(ctx: Any, status: Any) -> None:
    if any(c.type == "Ready" and c.status == "True" for c in status.conditions or []):
        make(ctx, "s", fixed=1)


@style(ABSENT, before_ready={"s": {"fixed": 1}}, wrong=OPEN)
def gate_on_readiness(ctx: Any, vpc: Any) -> None:
    if vpc.observed.ready:
        make(ctx, "s", fixed=1)


@style(OPEN)
def gate_on_existence(ctx: Any, vpc: Any) -> None:
    if vpc.observed:
        make(ctx, "s", fixed=1)


@style(HELD, before_ready={"s": {"fixed": 1}})
def gate_by_depends_on(ctx: Any, vpc: Any) -> None:
    make(ctx, "s", depends_on=[vpc], fixed=1)


@style(HELD, before_ready={"s": {"fixed": 1}})
def gate_by_depends_on_name(ctx: Any) -> None:
    make(ctx, "s", depends_on=["vpc"], fixed=1)


@style(ABSENT)
def gate_and_depends_on(ctx: Any, vpc: Any) -> None:
    if vpc.observed.status.id:
        make(ctx, "s", depends_on=[vpc], fixed=1)


@style(ABSENT)
def gate_on_the_status_of_the_composite(ctx: Any, xr: Any, status: Any) -> None:
    xr.status.networkId = status.id
    if xr.observed.status.networkId:
        make(ctx, "s", fixed=1)


@style(OPEN, heals=2)
def phase_by_the_status_of_the_composite(ctx: Any, xr: Any, status: Any) -> None:
    xr.status.phase = "Ready" if status.id else "Pending"
    make(ctx, "s", x=xr.observed.status.phase or "none")


@falls(fixed=1, x="net")
def spec_of_the_composite_beside_a_guess(ctx: Any, xr: Any, status: Any) -> None:
    s = make(ctx, "s", fixed=1, x="net" if xr.observed.spec.region else "other")
    if status.id:
        s.spec.y = "z"


@style(ABSENT)
def gate_on_the_external_name(ctx: Any, vpc: Any) -> None:
    if vpc.observed.external_name:
        make(ctx, "s", x=vpc.observed.external_name)


@style(ABSENT)
def gate_on_a_connection_detail(ctx: Any, vpc: Any) -> None:
    if vpc.observed.connection_details["password"]:
        make(ctx, "s", fixed=1)


@style(OPEN, open=("gone-Ready", "status-gone-Ready"))
def gate_on_any_connection_detail(ctx: Any, vpc: Any) -> None:
    if vpc.observed.connection_details:
        make(ctx, "s", fixed=1)


@falls(fixed=1)
def external_name_in_a_branch(ctx: Any, vpc: Any) -> None:
    s = make(ctx, "s", fixed=1)
    if vpc.observed.status.id:
        s.external_name = "fixed"


@style({"s": {"fixed": 1}})
def external_name_once(ctx: Any) -> None:
    s = make(ctx, "s", fixed=1)
    if not s.external_name:
        s.external_name = "chosen"


@style(HELD)
def external_name_read_from_desired_state(ctx: Any, vpc: Any) -> None:
    make(ctx, "s", x=vpc.external_name)


# --- required resources -------------------------------------------------------------------------------------------


def _required(ctx: Any) -> Any:
    ctx.requirements.resources["ref"] = composition.ResourceSelector(
        api_version="example.org/v1", kind="Ref", match_name="ref"
    )
    found = ctx.required_resources.get("ref")
    return found[0] if found else None


@style(HELD)
def required_value(ctx: Any) -> None:
    ref = _required(ctx)
    if ref is not None:
        make(ctx, "s", x=ref.observed.status.id)


@style(ABSENT)
def required_gate(ctx: Any) -> None:
    ref = _required(ctx)
    if ref is not None and ref.observed.status.id:
        make(ctx, "s", fixed=1)


# --- several steps ------------------------------------------------------------------------------------------------


def _steps(name: str, *functions: Any, before: Any, lost: str = KEPT) -> None:
    STYLES[name] = Style(name, functions, before, lost=lost)


def _network(ctx: Any) -> None:
    vpc = make(ctx, "vpc", "VPC", cidr="10.0.0.0/16", region="eu")
    ctx.context["direct"] = vpc.observed.status.id
    ctx.context["guessed"] = "some" if vpc.observed.status.id else "none"
    ctx.context["text"] = f"vpc/{vpc.observed.status.id}"


def _by_context(key: str) -> Any:
    def compose(ctx: Any) -> None:
        if ctx.context.get(key) is not None:
            make(ctx, "s", x=ctx.context[key])

    return compose


def _gate_by_context(ctx: Any) -> None:
    if ctx.context["guessed"] == "some":
        make(ctx, "s", fixed=1)


def _fills_in(ctx: Any) -> None:
    vpc = make(ctx, "vpc", "VPC", region="eu")
    make(ctx, "s", fixed=1, y=vpc.observed.status.arn)


def _subnet(ctx: Any) -> None:
    vpc = make(ctx, "vpc", "VPC", cidr="10.0.0.0/16", region="eu")
    make(ctx, "s", x=vpc.observed.status.id)


def _composite(ctx: Any) -> None:
    ctx.composite(Unstructured).status.networkId = make(ctx, "vpc", "VPC", region="eu").observed.status.id


def _by_composite(ctx: Any) -> None:
    if ctx.composite(Unstructured).observed.status.networkId:
        make(ctx, "s", fixed=1)


_steps("context_of_a_step", _network, _by_context("direct"), before=OPEN)
_steps("text_in_the_context_of_a_step", _network, _by_context("text"), before=OPEN)
_steps("guess_in_the_context_of_a_step", _network, _by_context("guessed"), before=OPEN)
_steps("gate_on_the_context_of_a_step", _network, _gate_by_context, before=ABSENT)
_steps("two_steps_of_one_resource", _subnet, _fills_in, before=HELD)
_steps("composite_between_steps", _composite, _by_composite, before=ABSENT)
