"""Checking resources against the OpenAPI schemas of their kinds, before Crossplane applies them.

    bucket = ctx.resource("bucket", Bucket(...))
    ctx.validate_desired(fatal=True)

or, one by one::

    schema = ctx.schema("storage.gcp.upbound.io/v1beta1", "Bucket")
    for error in schema.validate(bucket):
        ctx.results.fatal(error)

What is checked is what an API server checks of a structural schema: types, required fields, enums, limits, patterns,
formats (`int32`, `int64`, `byte`, `date`, `date-time`, `ipv4`, `ipv6` and `uuid`), allOf, anyOf, oneOf and not, and
that lists which are sets or maps have no element twice. In particular:

- A field that the schema doesn't have is an error. Server-side apply, by which Crossplane creates resources, refuses
  it, and any other way of writing loses it silently. Objects with `x-kubernetes-preserve-unknown-fields`, and those of
  whose fields the schema names none (where Crossplane has cut a cycle, say), take any.
- A required field with a default isn't missing; the API server sets it first. Its own kinds have an empty default
  beside every required field, which counts for nothing.
- null is taken where the schema says `nullable`, and elsewhere means that the field isn't set, but in lists.
- Rules in CEL (`x-kubernetes-validations`), what admission webhooks refuse, and what the API server checks of its own
  kinds beyond their schemas aren't checked.

Getting a schema ready costs up to 25 ms for the largest kinds, once: the last 64 are kept. In each call a schema has
to be decoded and recognised, which takes 0.8 ms for one of 30 KB; checking a resource takes 0.05 to 2 ms.

**The validator** is jsonschema-rs, which the extra `schemas` installs. Three were compared, and none knows Kubernetes'
dialect: a schema is turned into plain JSON Schema first (`_schema_translate`), and nulls, unresolved values and lists
that are maps are seen to before the validator is asked. `benchmarks/validators.py` measures them. With CPython 3.11,
the best of many runs; verdicts that are an API server's, of 29 on the dialect, alone and behind the translation; times
for a Bucket of 0.5 KB and a GKE Cluster of 24 KB:

=======================  ===================  ====================  ========================
..                       jsonschema-rs        jsonschema            openapi-schema-validator
=======================  ===================  ====================  ========================
right verdicts           15, 24               13, 21                16, 21
import                   9 ms                 40 ms                 130 ms
installed                1 package, 15 MB     6 packages, 3 MB      15 packages, 14 MB
getting ready            0.3 ms, 4 ms         0.01 ms               0.01 ms
one check                1.2 us, 32 us        140 us, 7 ms          140 us, 10 ms
=======================  ===================  ====================  ========================

What decided are the regular expressions. Those of schemas are in Go's syntax and take linear time, and the values are
up to whoever writes a composite. jsonschema-rs has an engine of that kind; Python's, which the other two use, refuses
some of the syntax, lets `$` match before a line end, and can be kept busy for years by a value of fifty letters.
Against it: its paths have fields like `0` and the empty one wrong, so these go by other names on the way; and it
recurses without a limit of its own, so schemas more than 100 deep are refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from . import _call
from ._node import DESIRED
from ._schema_check import Validator, validator_for
from ._schema_translate import SchemaError
from ._walk import plain, show_path
from .errors import CrossplaneLiteError, EncodeError, UsageError
from .model import Resource

__all__ = ["FieldError", "Schema", "SchemaError", "errors_in"]


class FieldError(CrossplaneLiteError, ValueError):
    """What is wrong with one field of a resource. Collected rather than raised, and fit for a result as it is.

    Attributes:
        resource: The resource: its name in the composition, else its own name or its kind.
        path: The field, for example `spec.forProvider.rules[0].action`; empty for the resource itself.
        problem: What is wrong with it.
    """

    def __init__(self, resource: str, path: str, problem: str) -> None:
        joined = resource + ("." if path and resource and not path.startswith("[") else "") + path
        super().__init__(f"{joined}: {problem}" if joined else problem)
        self.resource = resource
        self.path = path
        self.problem = problem

    def __reduce__(self) -> Any:
        return type(self), (self.resource, self.path, self.problem)


class Schema(dict[str, Any]):
    """What Crossplane answered to a required schema: the OpenAPI v3 schema of a kind, or why there is none.

    =====================  ============  =========  ==================================
    ..                     ``answered``  ``found``  as a dict
    =====================  ============  =========  ==================================
    not answered yet       False         False      empty, and so false
    kind not found         True          False      empty, and so false
    found                  True          True       the schema
    =====================  ============  =========  ==================================

    Attributes:
        key: The key of the requirement.
        answered: Whether Crossplane has answered.
    """

    def __init__(self, values: Mapping[str, Any] | None, key: str) -> None:
        super().__init__(values or {})
        self.key = key
        self.answered = values is not None
        self._validator: Validator | None = None

    @property
    def found(self) -> bool:
        """Whether Crossplane found the kind."""
        return bool(self)

    def validate(self, resource: Resource | Mapping[str, Any]) -> list[FieldError]:
        """Return what is wrong with a resource; the same as `errors_in(resource, schema)`.

        The schema counts as it is when this is called first.
        """
        return errors_in(resource, self)

    @property
    def validator(self) -> Validator:
        """What checks resources, made when it is first needed."""
        if self._validator is None:
            self._validator = validator_for(self)
        return self._validator

    def __reduce__(self) -> Any:
        return type(self), (dict(self) if self.answered else None, self.key)

    def __repr__(self) -> str:
        state = "found" if self else "not found" if self.answered else "not answered yet"
        return f"<schema {self.key!r}: {state}>"


def errors_in(resource: Resource | Mapping[str, Any], schema: Mapping[str, Any] | None) -> list[FieldError]:
    """Return what is wrong with a resource.

    Args:
        resource: A model or plain data. Of a registered model what would be emitted is checked, fields of earlier
            functions included. Unresolved values are taken to be right, and required fields with them to be there.
            `status` is checked of observed resources and plain data; of the desired composite nothing else is, for a
            function has no say in the rest.
        schema: The OpenAPI v3 schema of its kind, as `ctx.schema` or `request.get_required_schema` gives it. Where
            there is none (yet), nothing is wrong.

    Returns:
        The errors, ordered by path; none where the resource is fine, or isn't observed.

    Raises:
        SchemaError: The schema can't be used: it is no OpenAPI schema, or nested more than 100 deep.
        UsageError: The schema is for another kind, or `resource` is no resource.
        MissingExtraError: The extra `schemas` isn't installed.
    """
    if not isinstance(resource, (Resource, Mapping)):
        raise UsageError(f"a resource or a mapping can be validated (got a {type(resource).__name__})")
    if schema is not None and not isinstance(schema, Mapping):
        raise SchemaError(f"the schema can't be used: it must be a mapping (got a {type(schema).__name__})")
    if not schema or _is_unobserved(resource):
        return []
    try:
        data = plain(resource)
    except EncodeError as error:
        return [FieldError(_name_of(resource, {}), error.path, error.problem)]
    _check_kind(schema, data)
    secret = data.get("kind") == "Secret" and data.get("apiVersion") == "v1"
    left_out = _left_out(resource, data)
    validator = schema.validator if isinstance(schema, Schema) else validator_for(schema)
    checked = {key: value for key, value in data.items() if not left_out(key)}
    return [
        FieldError(_name_of(resource, data), show_path(list(steps)), text)
        for steps, text in validator.problems(checked, _call.current(), secret=secret)
        if not steps or not left_out(steps[0])
    ]


def _left_out(resource: Resource | Mapping[str, Any], data: Mapping[str, Any]) -> Callable[[object], bool]:
    """Return what says of a field at the top whether it isn't for whoever made the resource to give."""
    if not isinstance(resource, Resource) or (resource._node is not None and resource._node.mode != DESIRED):
        return lambda key: key == "status" and key not in data  # nobody has to give it
    if resource._state is not None and resource._state.root.kind == "xr":
        return lambda key: key not in ("apiVersion", "kind", "status")
    return lambda key: key == "status"


def _is_unobserved(resource: object) -> bool:
    node = resource._node if isinstance(resource, Resource) else None
    return node is not None and node.mode != DESIRED and node.raw is None


def _name_of(resource: object, data: Mapping[str, Any]) -> str:
    if isinstance(resource, Resource):
        return resource._state.root.prefix if resource._state is not None else type(resource).__name__
    metadata = data.get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else None
    return str(name or data.get("kind") or "")


def _check_kind(schema: Mapping[str, Any], data: Mapping[str, Any]) -> None:
    """Refuse a resource of a kind that the schema isn't for.

    Raises:
        UsageError: It is of another one.
    """
    kinds = schema.get("x-kubernetes-group-version-kind")
    api_version, kind = data.get("apiVersion"), data.get("kind")
    if not isinstance(kinds, list) or not isinstance(api_version, str) or not isinstance(kind, str):
        return
    meant = [
        ("/".join(str(one[part]) for part in ("group", "version") if one.get(part)), one.get("kind"))
        for one in kinds
        if isinstance(one, Mapping)
    ]
    if meant and (api_version, kind) not in meant:
        raise UsageError(
            f"the schema is for {meant[0][1]} of {meant[0][0]} (got a resource that is a {kind} of {api_version})"
        )
