"""Styles that hand a value on: as a field, a key, a name, or part of a text."""

from __future__ import annotations

import ast
import base64
import html
import json
import pprint
import shlex
import string
import textwrap
import urllib.parse
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import yaml

from crossplane_lite import apply
from tests.safety.plain import make
from tests.safety.style import FATAL, HELD, OPEN, UNCHANGED, style

# --- as it is -----------------------------------------------------------------------------------------------------


@style(HELD)
def field(ctx: Any, status: Any) -> None:
    make(ctx, "s").spec.x = status.id


@style(HELD, kind="Net")
def field_of_a_kind_without_types(ctx: Any, status: Any) -> None:
    make(ctx, "s").spec.x = status.id


@style(HELD)
def in_the_constructor(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=status.id, region="eu")


@style(HELD, wrong=FATAL)
def typed_field(ctx: Any, status: Any) -> None:
    make(ctx, "s", "Balancer", vpc=status.id)


@style(HELD)
def nested(ctx: Any, status: Any) -> None:
    make(ctx, "s", net={"vpc": {"id": status.id, "fixed": 1}})


@style(HELD)
def attribute_by_attribute(ctx: Any, status: Any) -> None:
    s = make(ctx, "s")
    s.spec.forProvider.vpcId = status.id
    s.spec.forProvider.region = "eu"


@style(HELD)
def in_a_list(ctx: Any, status: Any) -> None:
    make(ctx, "s", ids=["fixed", status.id])


@style(HELD, wrong=FATAL)
def in_a_typed_list(ctx: Any, status: Any) -> None:
    make(ctx, "s", "Balancer", subnetIds=[status.id, "fixed"])


@style(HELD)
def in_a_list_of_objects(ctx: Any, status: Any) -> None:
    make(ctx, "s", routes=[{"to": "0.0.0.0/0", "via": status.id}, {"to": "10.0.0.0/8"}])


@style(HELD, wrong=FATAL)
def in_a_keyed_list(ctx: Any, status: Any) -> None:
    make(ctx, "s", "Balancer", rules=[{"name": "b", "target": status.id}, {"name": "a", "target": "fixed"}])


@style(HELD)
def item_of_a_list(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=status.subnets[1].id)


@style(HELD)
def item_of_a_map(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=status.tags["team"])


@style(HELD)
def nested_in_the_status(ctx: Any, status: Any) -> None:
    make(ctx, "s", host=status.endpoint.host, port=status.endpoint.port)


@style(HELD)
def number(ctx: Any, status: Any) -> None:
    make(ctx, "s", count=status.count, ratio=status.ratio)


@style(HELD)
def flag(ctx: Any, status: Any) -> None:
    make(ctx, "s", public=status.isDefault)


@style(HELD)
def whole_list(ctx: Any, status: Any) -> None:
    make(ctx, "s", zones=status.zones)


@style(HELD)
def whole_map(ctx: Any, status: Any) -> None:
    make(ctx, "s", tags=status.tags)


@style(HELD)
def whole_object(ctx: Any, status: Any) -> None:
    make(ctx, "s", endpoint=status.endpoint)


@style(HELD, wrong=OPEN)
def label(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1).metadata.labels["vpc"] = status.id


@style(HELD, wrong=OPEN)
def annotation(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1).metadata.annotations["example.org/vpc"] = status.id


@style(HELD, wrong=FATAL)  # a ConfigMap holds strings only
def config_map(ctx: Any, status: Any) -> None:
    make(ctx, "s", "ConfigMap", vpc=status.id, region="eu")


@style(HELD)
def chain(ctx: Any, status: Any) -> None:
    s = make(ctx, "s", x=status.id)
    make(ctx, "t", y=s.observed.status.arn, fixed=2)


@style({"s": HELD, "t": {"fixed": 2}})
def beside_one_that_needs_nothing(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=status.id)
    make(ctx, "t", fixed=2)


@style(HELD)
def through_a_helper(ctx: Any, status: Any) -> None:
    def subnet(name: str, vpc_id: Any) -> None:
        make(ctx, name, x=vpc_id)

    for name in ("s", "t"):
        subnet(name, status.id)


class _Network:
    def __init__(self, ctx: Any, vpc: Any) -> None:
        self.ctx, self.vpc = ctx, vpc

    @property
    def id(self) -> Any:
        return self.vpc.observed.status.id

    def subnet(self) -> None:
        make(self.ctx, "s", x=self.id)


@style(HELD)
def through_a_class(ctx: Any, vpc: Any) -> None:
    _Network(ctx, vpc).subnet()


@dataclass
class _Settings:
    vpc: Any
    region: str = "eu"


@style(HELD)
def through_a_dataclass(ctx: Any, status: Any) -> None:
    settings = _Settings(status.id)
    make(ctx, "s", x=settings.vpc, region=settings.region)


@style(OPEN)
def through_asdict(ctx: Any, status: Any) -> None:
    make(ctx, "s", **asdict(_Settings(status.id)))


class _Pair(NamedTuple):
    vpc: Any
    region: str = "eu"


@style(HELD)
def through_a_named_tuple(ctx: Any, status: Any) -> None:
    vpc, region = _Pair(status.id)
    make(ctx, "s", x=vpc, region=region)


@style(HELD)
def by_unpacking(ctx: Any, status: Any) -> None:
    common = {"x": status.id}
    make(ctx, "s", **common, region="eu")


@style(HELD)
def by_update(ctx: Any, status: Any) -> None:
    spec: dict[str, Any] = {"region": "eu"}
    spec.update(x=status.id)
    make(ctx, "s", **spec)


@style(HELD)
def by_a_lambda(ctx: Any, status: Any) -> None:
    later = lambda: status.id  # noqa: E731
    make(ctx, "s", x=later())


@style(HELD)
def by_getattr(ctx: Any, status: Any) -> None:
    for key in ("id", "arn"):
        make(ctx, f"s-{key}", x=getattr(status, key))


@style(HELD)
async def in_a_coroutine(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=status.id)


@style(HELD)
def depends_on_and_field(ctx: Any, vpc: Any) -> None:
    make(ctx, "s", depends_on=[vpc], x=vpc.observed.status.id)


@style(HELD)
def computed_by_apply(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=apply(lambda i: i[::-1], status.id))


@style(HELD, wrong=OPEN)
def computed_of_two_by_apply(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=apply(lambda i, n: f"{i}-{n + 1}", status.id, status.count))


# --- external names, connection details ---------------------------------------------------------------------------


@style(HELD)
def external_name_of_another(ctx: Any, vpc: Any) -> None:
    make(ctx, "s", x=vpc.observed.external_name)


@style(HELD)
def external_name_in_text(ctx: Any, vpc: Any) -> None:
    make(ctx, "s", x=f"arn:aws:s3:::{vpc.observed.external_name}")


@style(HELD, wrong=OPEN)
def external_name_set(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1).external_name = status.id


@style(HELD)
def connection_detail(ctx: Any, vpc: Any) -> None:
    make(ctx, "s", x=vpc.observed.connection_details["password"])


@style(HELD)
def connection_detail_in_text(ctx: Any, vpc: Any) -> None:
    make(ctx, "s", x=f"postgres://admin:{vpc.observed.connection_details['password']}@db")


# --- the composite ------------------------------------------------------------------------------------------------


@style({})
def status_of_the_composite(ctx: Any, xr: Any, status: Any) -> None:
    xr.status.networkId = status.id


@style({})
def text_in_the_status_of_the_composite(ctx: Any, xr: Any, status: Any) -> None:
    xr.status.url = f"https://{status.endpoint.host}:{status.endpoint.port}"


@style(HELD)
def through_the_status_of_the_composite(ctx: Any, xr: Any, status: Any) -> None:
    xr.status.networkId = status.id
    make(ctx, "s", x=xr.observed.status.networkId)


@style({})
def result_with_text(ctx: Any, status: Any) -> None:
    ctx.results.normal(f"the network is {status.id}")
    ctx.log.info("the network is %s", status.id)


@style({})
def context_value(ctx: Any, status: Any) -> None:
    ctx.context["network"] = status.id


# --- text that shows the value ------------------------------------------------------------------------------------


@style(HELD)
def f_string(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=f"vpc/{status.id}/main")


@style(HELD, kind="Net")
def f_string_without_types(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=f"vpc/{status.id}/main")


@style(HELD)
def concatenated(ctx: Any, status: Any) -> None:
    make(ctx, "s", x="vpc/" + status.id)


@style(HELD)
def concatenated_reversed(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=status.id + "/main")


@style(HELD)
def percent(ctx: Any, status: Any) -> None:
    make(ctx, "s", x="vpc/%s" % status.id)  # noqa: UP031


@style(HELD)
def str_format(ctx: Any, status: Any) -> None:
    make(ctx, "s", x="vpc/{}/{other}".format(status.id, other=status.arn))  # noqa: UP032


@style(HELD)
def format_map(ctx: Any, status: Any) -> None:
    make(ctx, "s", x="vpc/{id}".format_map({"id": status.id}))


@style(HELD)
def str_of(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=str(status.id))


@style(HELD)
def join_of_texts(ctx: Any, status: Any) -> None:
    make(ctx, "s", x="/".join(["vpc", str(status.id), f"{status.arn}"]))


@style(HELD)
def join_of_map(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=",".join(map(str, [status.id, status.count])))


@style(HELD)
def text_in_a_list(ctx: Any, status: Any) -> None:
    make(ctx, "s", args=["--vpc", f"--id={status.id}"])


@style(HELD)
def template(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=string.Template("vpc/$id").substitute(id=status.id))


@style(HELD)
def dedented(ctx: Any, status: Any) -> None:
    make(
        ctx,
        "s",
        x=textwrap.dedent(f"""\
        [network]
        vpc = {status.id}
    """),
    )


@style(HELD)
def json_text(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=json.dumps({"vpc": str(status.id), "list": [f"{status.arn}"]}))


@style(HELD)
def json_text_with_default(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=json.dumps({"vpc": status.id}, default=str))


@style(HELD)
def yaml_text(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=yaml.safe_dump({"vpc": str(status.id)}))


@style(HELD)
def base64_once(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=base64.b64encode(f"id={status.id}".encode()).decode())


@style(HELD)
def quoted_url(ctx: Any, status: Any) -> None:
    make(ctx, "s", x="https://x.org/?vpc=" + urllib.parse.quote(str(status.id)))


@style(HELD)
def query(ctx: Any, status: Any) -> None:
    make(ctx, "s", x="https://x.org/?" + urllib.parse.urlencode({"vpc": str(status.id)}))


@style(HELD)
def quoted_for_a_shell(ctx: Any, status: Any) -> None:
    make(ctx, "s", x="run " + shlex.quote(str(status.id)))


@style(HELD)
def escaped(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=html.escape(f"<{status.id}>"))


@style(HELD)
def upper(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=f"{status.id}".upper())


@style(HELD)
def titled(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=f"{status.id}".title())


@style(HELD)
def repr_conversion(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=f"[{status.id!r}]")


@style(HELD)
def repr_percent(ctx: Any, status: Any) -> None:
    make(ctx, "s", x="vpc/%r" % status.id)  # noqa: UP031


@style(HELD)
def repr_of(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=repr(status.id))


@style(HELD)
def str_of_a_list(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=str([status.id]))


@style(HELD)
def str_of_a_dict(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=str({"vpc": status.id}))


@style(HELD)
def str_of_a_dataclass(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=str(_Settings(status.id)))


@style(HELD)
def ascii_of(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=ascii([status.id]))


@style(HELD)
def pretty_printed(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=pprint.pformat({"vpc": status.id}))


@style(HELD)
def literal_of_its_repr(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=ast.literal_eval(repr([str(status.id)])))


@style(OPEN)
def yaml_of_the_value(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=yaml.dump({"vpc": status.id}))


@style(OPEN, lost=UNCHANGED)
def json_of_the_value(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=json.dumps({"vpc": status.id}))


@style(HELD)
def joined_path(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=str(urllib.parse.urljoin("https://x.org/", f"{status.id}/y")))


@style(HELD)
def text_as_a_label(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1).metadata.labels["vpc"] = f"is-{status.id}"


# --- keys and names -----------------------------------------------------------------------------------------------


@style(HELD)
def text_as_a_key(ctx: Any, status: Any) -> None:
    make(ctx, "s", tags={f"{status.id}": "x", "fixed": "y"})


@style(HELD)
def text_as_a_label_key(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1).metadata.labels[f"{status.id}"] = "x"


@style(HELD)
def text_as_an_annotation_key(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1).metadata.annotations[f"{status.id}/x"] = "x"


@style(HELD, wrong=OPEN)
def value_as_a_label_key(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1).metadata.labels[status.id] = "x"


@style(HELD)
def name_of_the_object(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1).metadata.name = f"{status.id}-x"


@style(OPEN)
def name_of_the_resource(ctx: Any, status: Any) -> None:
    make(ctx, f"s-{status.id}", fixed=1)
