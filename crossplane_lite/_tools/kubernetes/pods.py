"""The rules of pods, and of the kinds that have a template for them.

They are those of k8s.io/kubernetes (pkg/apis/core/validation, pkg/apis/apps/validation and
pkg/apis/batch/validation).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from ..._core.paths.trees import lookup
from .parts import (
    PROTOCOLS,
    Path,
    Problem,
    amount,
    elements,
    is_known,
    label,
    labels,
    mapping,
    missing,
    number,
    other,
    outside,
    port,
    port_name,
    quantity,
    several,
    text,
    twice,
)

_PROBES: Final = ("livenessProbe", "readinessProbe", "startupProbe")
_HANDLERS: Final = ("exec", "httpGet", "tcpSocket", "grpc")
_POLICIES: Final = ("Always", "OnFailure", "Never")
_PULLS: Final = ("Always", "IfNotPresent", "Never")
_CONTAINERS: Final = ("initContainers", "containers")
_OPERATORS: Final = ("In", "NotIn", "Exists", "DoesNotExist")
_NUMBERS: Final = {
    "periodSeconds": 1,
    "timeoutSeconds": 1,
    "successThreshold": 1,
    "failureThreshold": 1,
}
_env_name: Final = re.compile(r"[ -<>-~]+").fullmatch
_cron_field: Final = re.compile(r"(?:\*|\?|[0-9a-zA-Z]+(?:-[0-9a-zA-Z]+)?)(?:/[0-9]+)?").fullmatch
_MACROS: Final = frozenset(
    {"@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"}
)
_RANGES: Final = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 6))
_NAMES: Final = {
    3: "jan feb mar apr may jun jul aug sep oct nov dec".split(),
    4: "sun mon tue wed thu fri sat".split(),
}


def pod(content: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield what is wrong in a Pod."""
    yield from _pod_spec(mapping(content, "spec"), ("spec",))


def pod_template(content: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield what is wrong in a PodTemplate."""
    yield from _template(content, (), _POLICIES)


def workload(content: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield what is wrong in a Deployment, StatefulSet, DaemonSet or ReplicaSet."""
    spec = mapping(content, "spec")
    yield from outside(spec, ("spec",), "replicas", 0)
    yield from outside(spec, ("spec",), "minReadySeconds", 0)
    yield from outside(spec, ("spec",), "revisionHistoryLimit", 0)
    selector = mapping(spec, "selector")
    yield from _selector(selector, ("spec", "selector"))
    if is_known(spec.get("selector")) and not (
        selector.get("matchLabels") or selector.get("matchExpressions")
    ):
        yield ("spec", "selector"), "must not be empty"
    more = {
        name
        for _, one in elements(spec, "volumeClaimTemplates")
        if (name := text(one, "metadata", "name"))
    }
    yield from _template(spec, ("spec",), ("Always",), more)
    yield from _matches(mapping(selector, "matchLabels"), spec)


def replication_controller(content: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield what is wrong in a ReplicationController."""
    spec = mapping(content, "spec")
    yield from outside(spec, ("spec",), "replicas", 0)
    yield from _template(spec, ("spec",), ("Always",))
    yield from _matches(mapping(spec, "selector"), spec)


def job(content: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield what is wrong in a Job."""
    yield from _job_spec(mapping(content, "spec"), ("spec",))


def cron_job(content: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield what is wrong in a CronJob."""
    spec = mapping(content, "spec")
    yield from _schedule(spec.get("schedule"), ("spec", "schedule"))
    yield from other(spec, ("spec",), "concurrencyPolicy", ("Allow", "Forbid", "Replace"))
    for name in ("startingDeadlineSeconds", "successfulJobsHistoryLimit", "failedJobsHistoryLimit"):
        yield from outside(spec, ("spec",), name, 0)
    yield from _job_spec(mapping(spec, "jobTemplate", "spec"), ("spec", "jobTemplate", "spec"))


def _job_spec(spec: Mapping[str, Any], path: Path) -> Iterator[Problem]:
    for name in (
        "parallelism",
        "completions",
        "backoffLimit",
        "activeDeadlineSeconds",
        "ttlSecondsAfterFinished",
    ):
        yield from outside(spec, path, name, 0)
    if (
        spec.get("template") is not None
        and lookup(spec, ("template", "spec", "restartPolicy")) is None
    ):
        yield (
            (*path, "template", "spec", "restartPolicy"),
            "is required in a job: OnFailure or Never",
        )
    yield from _template(spec, path, ("OnFailure", "Never"))


def _schedule(value: Any, path: Path) -> Iterator[Problem]:
    if (
        type(value) is not str
        or value in _MACROS
        or re.fullmatch(r"@every [0-9.]+(ns|us|ms|s|m|h)([0-9.]+\w+)*", value)
    ):
        return
    fields = value.split()
    if value.startswith(("TZ=", "CRON_TZ=")):
        yield path, "must not have a time zone; set timeZone"
    elif len(fields) != 5 or not all(map(_is_cron, fields, range(5))):
        yield (
            path,
            f"{value!r} must be a schedule of five fields, such as '0 3 * * *', or such as @daily",
        )


def _is_cron(field: str, at_: int) -> bool:
    """Return whether a text is a field of a schedule; `at_` is the place of the field."""
    least, most = _RANGES[at_]
    names = _NAMES.get(at_, [])
    for part in field.split(","):
        if not _cron_field(part):
            return False
        span, _, step = part.partition("/")
        if step and int(step) == 0:
            return False
        if span in ("*", "?"):
            continue
        ends = [_cron_number(end, names, least) for end in span.split("-")]
        if any(end is None or not least <= end <= most for end in ends):
            return False
        if len(ends) == 2 and (ends[0] or 0) > (ends[1] or 0):
            return False
    return True


def _cron_number(value: str, names: list[str], least: int) -> int | None:
    if value.isdecimal():
        return int(value)
    return names.index(value.lower()) + least if value.lower() in names else None


def _template(
    spec: Mapping[str, Any], path: Path, policies: tuple[str, ...], more: Collection[str] = ()
) -> Iterator[Problem]:
    template = mapping(spec, "template")
    yield from labels(
        mapping(template, "metadata", "labels"), (*path, "template", "metadata", "labels")
    )
    yield from other(
        mapping(template, "spec"), (*path, "template", "spec"), "restartPolicy", policies
    )
    if template:
        yield from _pod_spec(mapping(template, "spec"), (*path, "template", "spec"), more)


def _matches(wanted: Mapping[str, Any], spec: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield a problem if the template's labels aren't those that the selector wants."""
    has = mapping(spec, "template", "metadata", "labels")
    if (
        not is_known(wanted)
        or not is_known(has)
        or not is_known(lookup(spec, ("template", "metadata")))
    ):
        return
    for key, value in wanted.items():
        if has.get(key) != value:
            yield (
                ("spec", "template", "metadata", "labels"),
                f"must have the selector's labels ({key}: {value} is missing)",
            )
            return


def _selector(selector: Mapping[str, Any], path: Path) -> Iterator[Problem]:
    yield from labels(mapping(selector, "matchLabels"), (*path, "matchLabels"))
    for index, one in elements(selector, "matchExpressions"):
        here = (*path, "matchExpressions", index)
        yield from other(one, here, "operator", _OPERATORS)
        values = one.get("values")
        needs_values = text(one, "operator") in ("In", "NotIn")
        if needs_values and values in (None, []):
            yield (*here, "values"), "is required with In and NotIn"
        elif not needs_values and text(one, "operator") and values:
            yield (*here, "values"), "must be left out with Exists and DoesNotExist"


def _pod_spec(spec: Mapping[str, Any], path: Path, more: Collection[str] = ()) -> Iterator[Problem]:
    if spec.get("containers", []) == []:
        yield (*path, "containers"), "is required"
    yield from other(spec, path, "restartPolicy", _POLICIES)
    yield from other(
        spec, path, "dnsPolicy", ("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")
    )
    yield from outside(spec, path, "activeDeadlineSeconds", 1)
    yield from outside(spec, path, "terminationGracePeriodSeconds", 0)
    volumes = {*more}
    for index, one in elements(spec, "volumes"):
        here = (*path, "volumes", index)
        yield from missing(one, here, "name")
        yield from label(one.get("name"), (*here, "name"))
        yield from several(one, here, sorted(one.keys() - {"name"}), needs_one=False)
        yield from quantity(
            lookup(one, ("emptyDir", "sizeLimit")), (*here, "emptyDir", "sizeLimit")
        )
        volumes.add(text(one, "name"))
    knows_volumes = is_known(
        [one.get("name") for _, one in elements(spec, "volumes")]
    ) and is_known(spec.get("volumes"))
    yield from twice(
        [
            (text(one, "name"), (*path, "volumes", index, "name"))
            for index, one in elements(spec, "volumes")
            if text(one, "name")
        ],
        "name",
    )
    names = []
    for list_ in _CONTAINERS:
        for index, one in elements(spec, list_):
            here = (*path, list_, index)
            yield from _container(one, here, volumes if knows_volumes else None)
            if text(one, "name"):
                names.append((text(one, "name"), (*here, "name")))
    yield from twice(names, "name")


def _container(one: Mapping[str, Any], path: Path, volumes: set[str] | None) -> Iterator[Problem]:
    yield from missing(one, path, "name", "image")
    yield from label(one.get("name"), (*path, "name"))
    image = text(one, "image")
    if image != image.strip():
        yield (*path, "image"), "must not begin or end with a space"
    yield from other(one, path, "imagePullPolicy", _PULLS)
    yield from _ports(one, path)
    yield from _env(one, path)
    yield from _mounts(one, path, volumes)
    yield from _resources(one, path)
    for name in _PROBES:
        if isinstance(one.get(name), Mapping):
            yield from _probe(one[name], (*path, name))


def _ports(container: Mapping[str, Any], path: Path) -> Iterator[Problem]:
    names = []
    for index, one in elements(container, "ports"):
        here = (*path, "ports", index)
        yield from outside(one, here, "containerPort", 1, 65535)
        yield from outside(one, here, "hostPort", 1, 65535)
        yield from other(one, here, "protocol", PROTOCOLS)
        if text(one, "name"):
            yield from port_name(one["name"], (*here, "name"))
            names.append((one["name"], (*here, "name")))
    yield from twice(names, "name")


def _env(container: Mapping[str, Any], path: Path) -> Iterator[Problem]:
    for index, one in elements(container, "env"):
        here = (*path, "env", index)
        yield from missing(one, here, "name")
        name = text(one, "name")
        if name and not _env_name(name):
            yield (*here, "name"), f"{name!r} must have printable characters without '='"
        source = mapping(one, "valueFrom")
        if source and text(one, "value"):
            yield (*here, "valueFrom"), "must be left out beside a value"
        if "valueFrom" in one and is_known(one["valueFrom"]):
            yield from several(
                source,
                (*here, "valueFrom"),
                ("fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef"),
            )


def _mounts(
    container: Mapping[str, Any], path: Path, volumes: set[str] | None
) -> Iterator[Problem]:
    places = []
    for index, one in elements(container, "volumeMounts"):
        here = (*path, "volumeMounts", index)
        yield from missing(one, here, "name", "mountPath")
        name = text(one, "name")
        if name and volumes is not None and name not in volumes:
            yield (*here, "name"), f"there is no volume {name!r}"
        if text(one, "mountPath"):
            places.append((one["mountPath"], (*here, "mountPath")))
    yield from twice(places, "mountPath")


def _resources(container: Mapping[str, Any], path: Path) -> Iterator[Problem]:
    limits = mapping(container, "resources", "limits")
    for list_ in ("limits", "requests"):
        for name, value in mapping(container, "resources", list_).items():
            yield from quantity(value, (*path, "resources", list_, name))
            limit = amount(limits.get(name))
            asked = amount(value)
            if list_ == "requests" and limit is not None and asked is not None and asked > limit:
                yield (
                    (*path, "resources", "requests", name),
                    f"must not be above the limit, {limits[name]}",
                )


def _probe(probe: Mapping[str, Any], path: Path) -> Iterator[Problem]:
    if is_known(probe):
        yield from several(probe, path, _HANDLERS)
    for name, least in _NUMBERS.items():
        if number(probe, name) != 0:  # the API server fills in a default for 0
            yield from outside(probe, path, name, least)
    yield from outside(probe, path, "initialDelaySeconds", 0)
    if path[-1] != "readinessProbe" and (number(probe, "successThreshold") or 1) != 1:
        yield (*path, "successThreshold"), "must be 1"
    for name in ("httpGet", "tcpSocket", "grpc"):
        yield from port(lookup(probe, (name, "port")), (*path, name, "port"))
