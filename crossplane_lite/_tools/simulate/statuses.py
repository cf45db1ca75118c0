"""Makes a composed resource as it is once it exists: its metadata, its status, its connection
Secret.

An awaited field is a field that other resources need. It takes its value from the first of these
sources that has one:

1. For fields outside of the status: the desired state. Crossplane removes a desired status.
2. The fixture: facts that the user gives.
3. For the status of one of Kubernetes' own kinds, such as a Deployment: the status of a healthy
   object.
4. The resource as it was given at the start of the simulation.
5. For `status.atProvider.X`, the value of `spec.forProvider.X`. For `status.atProvider.id`, the
   external name.
6. The kind's schema: the simplest value that it allows.

Without a schema, the value is a string, and reported as assumed. If the schema is known and lacks
the field, only the first four sources count. Outside of spec and status, only the external name and
connection details are made up.
"""

from __future__ import annotations

import functools
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ..._core.base.texts import short_repr
from ..._core.observed import lookup
from ..._core.paths.schema import Schema
from ..._core.paths.text import EXTERNAL_NAME
from ..manifests.objects import (
    APPLIED_BY,
    RESOURCE_NAME,
    TRANSITION_TIME,
    applied_entry,
    merged,
    metadata_of,
    text_of,
    with_condition,
)
from ..render.told import name_of, unfit_fields
from .awaited_fields import AwaitedFields, list_of
from .builtin import builtin_status, condition
from .fixtures import Fixture, Fixtures
from .merging import ABSENT, at, copied
from .values import Target

Find = Callable[[str, str], "Mapping[str, Any] | None"]


class Exists(NamedTuple):
    """A composed resource that exists.

    Attributes:
        resource: The resource as it would be observed.
        secret: The resource's connection Secret; None if it has none.
        origins: The source of each awaited field's value, by the field's path, as
            `AwaitedFields.origins` has it.
        never: The reason why an awaited field never gets a value, by the field's path.
    """

    resource: dict[str, Any]
    secret: dict[str, Any] | None
    origins: dict[str, str]
    never: dict[str, str]


class Statuses:
    """Makes composed resources look as they do once they exist: with metadata, a status and a
    connection Secret.

    Args:
        fixtures: The facts that the user gives about resources.
        find: A function that returns the schema of an apiVersion and kind with its references
            inlined; None if the schema isn't known.
    """

    def __init__(self, fixtures: Fixtures, find: Find) -> None:
        self.fixtures = fixtures
        self._find = functools.cache(find)  # a live API server may be asked

    def unfit_fields(self, name: str, resource: Mapping[str, Any]) -> Iterator[str]:
        """Yield a line for each field of a resource's fixture that doesn't fit the schema of the
        resource's kind.
        """
        owner = Target(name, text_of(resource.get("apiVersion")), text_of(resource.get("kind")))
        schema = self._find(owner.api_version, owner.kind)
        content = {} if schema is None else self.fixtures.of(*owner).content
        for problem in unfit_fields(schema or {}, content, name_of(owner.api_version, owner.kind)):
            yield f"fixture {short_repr(name)}: {problem}"

    def exists(
        self,
        name: str,
        composed: Mapping[str, Any],
        before: Mapping[str, Any],
        wanted: Iterable[str],
        data: Mapping[str, str] | None = None,
    ) -> Exists:
        """Return a composed resource as it is once it exists.

        Args:
            name: The composition resource name.
            composed: The resource as Crossplane applies it.
            before: The resource as it was given at the start of the simulation; empty if it wasn't.
            wanted: The paths of the awaited fields after the resource's name, such as `.status.id`.
            data: The data of the resource's connection Secret so far, in base64; None if there is
                none.

        Raises:
            InputError: A fixture of the resource is for another kind, or the kind's schema can't be
                read.
            RenderError: The resource's apiVersion can't be parsed, or a live cluster can't give the
                schema.
            MissingExtraError: The schema is in a YAML file, and PyYAML isn't installed.
        """
        owner = Target(name, text_of(composed.get("apiVersion")), text_of(composed.get("kind")))
        schema = self._find(owner.api_version, owner.kind)
        fixture = self.fixtures.of(*owner)
        made = AwaitedFields(
            owner, schema, fixture, _bare(owner, schema, fixture, composed, before)
        )
        for path in sorted(wanted):
            made.want(path)
        secret = made.secret(data)
        resource = copied(made.resource, nulls=False)
        by_provider = _by_provider(composed, resource)
        known = list_of(at(before, ["metadata", "managedFields"]))
        resource["metadata"]["managedFields"] = [
            *(one for one in known if not _is_ours(one) and one not in by_provider),
            *by_provider,
            applied_entry(composed),
        ]
        return Exists(resource, secret, made.origins, made.never)


def _by_provider(composed: Mapping[str, Any], resource: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the entry of managedFields by which the provider has set the external name, if
    Crossplane doesn't.

    Without an owner, the name would count as gone with the annotations that Crossplane applies.
    """
    place = ["metadata", "annotations", EXTERNAL_NAME]
    if at(resource, place) is ABSENT or at(composed, place) is not ABSENT:
        return []
    fields: dict[str, Any] = {"f:metadata": {"f:annotations": {f"f:{EXTERNAL_NAME}": {}}}}
    return [
        {"manager": "provider", "operation": "Update", "fieldsType": "FieldsV1", "fieldsV1": fields}
    ]


def _bare(
    owner: Target,
    schema: Mapping[str, Any] | None,
    fixture: Fixture,
    composed: Mapping[str, Any],
    before: Mapping[str, Any],
) -> dict[str, Any]:
    """Return a resource as it is once it exists, but without made-up values for awaited fields."""
    given = {key: value for key, value in fixture.content.items() if key != "status"}
    resource: dict[str, Any] = copied(merged(merged(before, given), composed))
    metadata = resource["metadata"] = dict(metadata_of(resource))
    name, namespace = text_of(metadata.get("name")), text_of(metadata.get("namespace"))
    metadata.setdefault("generation", 1)
    metadata.setdefault("creationTimestamp", TRANSITION_TIME)
    key = "/".join((owner.api_version, owner.kind, namespace, name))
    metadata.setdefault("uid", str(uuid.uuid5(uuid.UUID(int=0), key)))
    found = metadata.get("annotations")
    annotations = metadata["annotations"] = dict(found) if isinstance(found, Mapping) else {}
    annotations.setdefault(RESOURCE_NAME, owner.name)
    if _is_managed(resource, schema):
        annotations.setdefault(EXTERNAL_NAME, name)
    status = _status_of(resource, schema, fixture)
    if status or "status" in resource:
        resource["status"] = status
    return resource


def _is_managed(resource: Mapping[str, Any], schema: Mapping[str, Any] | None) -> bool:
    if isinstance(at(resource, ["spec", "forProvider"]), dict):
        return True
    spec = None if schema is None else Schema(schema).field("spec")
    return spec is not None and spec.field("forProvider") is not None


def _status_of(
    resource: dict[str, Any], schema: Mapping[str, Any] | None, fixture: Fixture
) -> dict[str, Any]:
    """Return the status of a resource once it exists: its status so far, then a healthy resource's,
    then the fixture's.

    They are merged in this order, and a later value replaces an earlier one. Conditions are
    replaced by type.
    """
    given = fixture.content.get("status", {})
    before = at(resource, ["status"])
    status: dict[str, Any] = merged(
        before if isinstance(before, dict) else {}, builtin_status(resource) or {}
    )
    conditions = [one for one in list_of(status.get("conditions")) if isinstance(one, dict)]
    has_rule = lookup.has_rule(text_of(resource.get("apiVersion")), text_of(resource.get("kind")))
    may_have_ready = schema is None or Schema(schema).at(["status", "conditions"]) is not None
    if may_have_ready and not has_rule:
        with_condition(conditions, condition("Synced", "ReconcileSuccess"))
        with_condition(conditions, condition("Ready", "Available"))
    status = copied(merged(status, given))
    for one in list_of(given.get("conditions")):
        if isinstance(one, dict):
            with_condition(conditions, one)
    if conditions and given.get("conditions", ABSENT) is not None:
        status["conditions"] = conditions
    return status


def _is_ours(entry: Any) -> bool:
    manager = entry.get("manager") if isinstance(entry, dict) else None
    return isinstance(manager, str) and manager.startswith(APPLIED_BY.rpartition("/")[0])
