"""The schema of a kind, and the check of a resource against it; `crossplane_lite.schemas` lists the
checks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ...errors import CrossplaneLiteError, EncodeError, UsageError
from ..base.texts import articled, type_in_words
from ..models.node import WAIT
from ..models.walker import plain_data, show_path
from ..observed import tracker
from ..paths import schema as dialect
from ..resources.resource import Resource
from .check import Validator, validator_for
from .translate import SchemaError

if TYPE_CHECKING:
    from typing import TypeGuard


class FieldError(CrossplaneLiteError, ValueError):
    """A mistake in one field of a resource. `validate` returns these errors in a list instead of
    raising them.

    The error's text can be the message of a result, as in `ctx.results.fatal(error)`.

    Attributes:
        resource: The resource's name in the composition. Without such a name, it is the class's
            name of a model; and of plain data, the object's name, else its kind.
        path: The field's path, such as `spec.forProvider.rules[0].action`; empty if the resource
            itself is wrong.
        problem: What is wrong, such as "must be an integer (got 'a' that is a string)".
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
    """Crossplane's answer to a required schema: the OpenAPI v3 schema of a kind, or the reason for
    its absence.

    =====================  ============  =========  ==================================
    ..                     ``answered``  ``found``  as a dict
    =====================  ============  =========  ==================================
    not answered yet       False         False      empty, and so false
    kind not found         True          False      empty, and so false
    found                  True          True       the schema
    =====================  ============  =========  ==================================

    Attributes:
        key: The key under which the schema was required.
        answered: Whether Crossplane has answered.
        wanted: The apiVersion and kind that compose() asks for; None if compose() didn't use
            `ctx.schema`.
    """

    def __init__(
        self, values: Mapping[str, Any] | None, key: str, wanted: tuple[str, str] | None = None
    ) -> None:
        super().__init__(values or {})
        self.key = key
        self.answered = values is not None
        self.wanted = wanted
        self._validator: Validator | None = None
        self._model: type[Resource] | None = None

    @property
    def found(self) -> bool:
        """Whether Crossplane found the kind; False as long as Crossplane hasn't answered."""
        return bool(self)

    def validate(self, resource: Resource | Mapping[str, Any]) -> list[FieldError]:
        """Return the mistakes in a resource: the same as `errors_in(resource, schema)`.

        The first call prepares the rules. Later changes of this dict don't change them.

        Args:
            resource: A model or plain data.

        Returns:
            The mistakes, ordered by path. The list is also empty as long as Crossplane hasn't
            answered, and if Crossplane doesn't know the kind.

        Raises:
            SchemaError: The schema can't be used.
            UsageError: The schema is for another kind, or `resource` isn't a resource.
            MissingExtraError: The extra `schemas` isn't installed.
        """
        return errors_in(resource, self)

    @property
    def model(self) -> type[Resource]:
        """The class for resources of the kind, as `crossplane-lite generate` makes it.

        Setting an unknown field or a value of a wrong type is an error, and lists with merge keys
        are merged element by element. Without a schema (not answered yet, or kind not found), the
        class takes any field, so that the same code runs in the first call.

        Raises:
            UsageError: Neither the schema nor `wanted` says which kind the schema is for.
        """
        if self._model is None:
            from ..resources.of_schema import model_of

            kind = next(iter(dialect.Schema(self).kinds), None) or self.wanted
            if kind is None:
                raise UsageError(
                    f"the schema {self.key!r} doesn't say which kind it is for; ask for it with"
                    " ctx.schema(...)"
                )
            self._model = model_of(*kind, self)
        return self._model

    @property
    def validator(self) -> Validator:
        """The validator of this schema. It is made when it is first needed, from the schema of that
        moment.

        Raises:
            SchemaError: The schema can't be used.
            MissingExtraError: The extra `schemas` isn't installed.
        """
        if self._validator is None:
            self._validator = validator_for(self)
        return self._validator

    def __reduce__(self) -> Any:
        return type(self), (dict(self) if self.answered else None, self.key, self.wanted)

    def __repr__(self) -> str:
        state = "found" if self else "not found" if self.answered else "not answered yet"
        return f"<schema {self.key!r}: {state}>"


def errors_in(
    resource: Resource | Mapping[str, Any],
    schema: Mapping[str, Any] | None,
    *,
    partial: bool = False,
) -> list[FieldError]:
    """Return the mistakes in a resource.

    Args:
        resource: A model or plain data. In a model that was registered with `ctx.resource`, all
            fields that are sent are checked, also fields that previous functions set. Unresolved
            values are never mistakes. `status` is only checked in observed resources and plain
            data, where it may be missing, and in the desired composite. There, only `status` is
            checked, because a function can't set the composite's other fields, and fields may be
            missing, because other functions may set them.
        schema: The OpenAPI v3 schema of the resource's kind, as `ctx.schema` or
            `request.get_required_schema` returns it. If it is None or empty, no mistakes are found.
        partial: Whether fields may be missing, because others set them.

    Returns:
        The mistakes, ordered by path. The list is also empty for an observed resource that doesn't
        exist. If the resource can't be encoded at all, the list has only that mistake.

    Raises:
        SchemaError: The schema can't be used: it isn't an OpenAPI schema, has a rule that the
            validator refuses, or has more than 100 levels.
        UsageError: The schema is for another kind, or `resource` isn't a resource.
        MissingExtraError: The extra `schemas` isn't installed.
    """
    if not isinstance(resource, (Resource, Mapping)):
        raise UsageError(
            "'resource' must be a crossplane-lite resource, such as Unstructured, or a mapping "
            f"(got {type_in_words(resource)})"
        )
    if schema is not None and not isinstance(schema, Mapping):
        raise SchemaError(
            f"the schema can't be used: a schema must be a mapping (got {type_in_words(schema)})"
        )
    node = resource._node if isinstance(resource, Resource) else None
    if not schema or (node is not None and node.state >= WAIT and node.raw is None):
        return []
    try:
        data = plain_data(resource)
    except EncodeError as error:
        return [FieldError(_name_of(resource, {}), error.path, error.problem)]
    _check_kind(schema, data)
    partial = partial or _is_desired_composite(resource)
    secret = data.get("kind") == "Secret" and data.get("apiVersion") == "v1"
    left_out = _left_out(resource, data)
    validator = schema.validator if isinstance(schema, Schema) else validator_for(schema)
    checked = {key: value for key, value in data.items() if not left_out(key)}
    return [
        FieldError(_name_of(resource, data), show_path(list(steps)), text)
        for steps, text in validator.problems(
            checked, tracker.current(), secret=secret, partial=partial
        )
        if not steps or not left_out(steps[0])
    ]


def _left_out(
    resource: Resource | Mapping[str, Any], data: Mapping[str, Any]
) -> Callable[[object], bool]:
    """Return a function that says whether a top-level field of the resource, such as `status`,
    isn't checked.

    The function gets the field's name. Fields that compose() can't set aren't checked.
    """
    if _is_desired_composite(resource):
        return lambda key: key not in ("apiVersion", "kind", "status")
    if not _is_desired(resource):
        # a status that the schema requires may be missing
        return lambda key: key == "status" and key not in data
    return lambda key: key == "status"


def _is_desired(resource: object) -> TypeGuard[Resource]:
    return isinstance(resource, Resource) and (
        resource._node is None or resource._node.state < WAIT
    )


def _is_desired_composite(resource: object) -> bool:
    return (
        _is_desired(resource) and resource._state is not None and resource._state.root.kind == "xr"
    )


def _name_of(resource: object, data: Mapping[str, Any]) -> str:
    if isinstance(resource, Resource):
        if resource._state is None:
            return type(resource).__name__
        node = resource._node
        # An observed object and a previous function's desired one (`desired.x`) have prefixes of
        # their own.
        own = node.root if node is not None and node.state >= WAIT else None
        return resource._state.root.prefix if own is None else own.prefix
    metadata = data.get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else None
    return str(name or data.get("kind") or "")


def _check_kind(schema: Mapping[str, Any], data: Mapping[str, Any]) -> None:
    """Check that the schema is for the resource's kind.

    A resource without an apiVersion or kind passes. If the schema doesn't say its kind, every
    resource passes.

    Raises:
        UsageError: The resource is of another kind.
    """
    api_version, kind = data.get("apiVersion"), data.get("kind")
    if not isinstance(api_version, str) or not isinstance(kind, str):
        return
    meant = dialect.Schema(schema).kinds
    if meant and (api_version, kind) not in meant:
        raise UsageError(
            f"the schema is for {meant[0][1]} of {meant[0][0]} (got a resource that is"
            f" {articled(kind, api_version)})"
        )
