"""Makes model classes from tables: each class when it is first used.

A table is a dict from the name of each class of a module to a string that lists its fields.
`crossplane_lite.table` describes these strings.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from ...errors import UsageError
from .. import codec
from ..base.texts import near_name
from ..models import types
from ..models.libraries import MadeByAttrs, making, teach_globally
from ..models.model import HELP, Model
from ..models.reader import ContainerReading, Reading
from .resource import ManagedResource, Resource, reading_of

if TYPE_CHECKING:
    from ..models.rules import Rules

MARKS: Final = "!>?&"
"""The first characters of the words in a class's text that are rules (see `rules`)."""


def load(
    module: str, table: Mapping[str, str], **aliases: str
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return the `__getattr__` and `__dir__` of a model module.

    Args:
        module: The module's `__name__`.
        table: The classes of the module, as `crossplane_lite.table` describes them.
        **aliases: Other model modules, by the alias that the table uses. A module's name is dotted,
            or relative to the package that `module` is in, such as `..core.v1`.

    Returns:
        The two functions. `__getattr__` makes a class when it is first used and sets it in the
        module. Two threads always get the same class. It raises AttributeError for a name that the
        table does not have, and UsageError for a malformed field or an alias that is missing.
    """

    made: dict[str, type[Model]] = {}

    def resolve(ref: str) -> Any:
        if not ref:
            return object_class()
        alias, _, name = ref.rpartition(".")
        if alias and alias not in aliases:
            raise UsageError(
                f"{module}: a field uses the alias {alias!r}, which load() wasn't given; generate"
                " the models again"
            )
        if not alias:
            return get(name)
        return getattr(importlib.import_module(aliases[alias], module.rpartition(".")[0]), name)

    def get(name: str) -> Any:
        # the import system asks for such names; nobody misspelt them
        if name[:2] == "__" and name != "__all__":
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        if name == "__all__":
            return sorted(table)
        text = table.get(name)
        if text is None:
            raise AttributeError(
                f"module {module!r} has no attribute {name!r}{near_name(name, table)}"
            )
        with making:
            if name not in made:
                is_other = text[:1] == "="  # another name of a class of another module
                made[name] = (
                    resolve(text[1:].split(" ")[0])
                    if is_other
                    else _make_class(module, name, table, resolve)
                )
            if module in sys.modules:
                # from now on found without this function
                setattr(sys.modules[module], name, made[name])
        return made[name]

    def names() -> list[str]:
        return sorted({*vars(sys.modules[module]), *table} if module in sys.modules else table)

    return get, names


def _make_class(
    module: str, name: str, table: Mapping[str, str], resolve: types.Resolve
) -> type[Model]:
    text = table[name]
    parts = text.split(" ") if text else []
    api_version = kind = scope = ""
    if parts and parts[0][0] == "@":
        head, _, scope = parts.pop(0)[1:].partition(";")
        api_version, _, kind = head.partition("=")
    is_open = parts[:1] == ["*"]
    fields = []
    if is_open:
        del parts[0]
    kin = parts.pop(0)[1:] if parts and parts[0][0] == "~" else ""
    rules = None
    if parts and parts[0][0] in MARKS:
        from ..models.rules import Rules

        rules = Rules(part for part in parts if part[0] in MARKS)
        parts = [part for part in parts if part[0] not in MARKS]
    for part in parts:
        try:
            fields.append(types.parse_field(part, resolve))
        except (IndexError, KeyError, ValueError):
            raise UsageError(
                f"{module}.{name}: the field {part!r} must look like name:type; generate the models"
                " again"
            ) from None
    kind = (kind or name) if api_version else ""
    spec = (
        next((field.type.ref for field in fields if field.wire == "spec"), "")
        if api_version
        else ""
    )
    is_managed = types.MANAGED <= {
        part.partition(":")[0] for part in table.get(spec, "").split(" ")
    }
    flags = {"is_open": is_open, "is_managed": is_managed}
    return make_class(module, name, fields, api_version, kind, scope, kin=kin, rules=rules, **flags)


def make_class(
    module: str,
    name: str,
    fields: list[types.Field],
    api_version: str = "",
    kind: str = "",
    scope: str = "",
    *,
    is_open: bool = False,
    is_managed: bool = False,
    kin: str = "",
    rules: Rules | None = None,
) -> type[Model]:
    """Make a model class.

    Args:
        module: The `__module__` of the class.
        name: The name of the class.
        fields: The fields. For a resource, apiVersion and kind are left out.
        api_version: For a resource, its apiVersion, which no instance can change; empty for other
            classes.
        kind: For a resource, its kind.
        scope: For a resource, `Namespaced` or `Cluster`; empty if the scope isn't known.
        is_open: Whether instances take any other attribute as well.
        is_managed: For a resource, whether it is a managed resource of a provider.
        kin: The name that the class shares with its kin (see `_core.models.adopt`); made from
            `name` if empty. Resources have no kin.
        rules: What the API requires of instances; None if it isn't known.
    """
    namespace: dict[str, Any] = {
        "__module__": module,
        "__qualname__": name,
        "__slots__": (),
        "__attrs_attrs__": MadeByAttrs(),
        "__doc__": HELP,
        "_kin": "" if api_version else kin or types.kin_name(name),
        "_rules": rules,
    }
    bases: tuple[type[Model], ...] = (Model,)
    if api_version:
        bases = (ManagedResource,) if is_managed else (Resource,)
        head = {"apiVersion": api_version, "kind": kind}
        fields = [types.Field(key, key, types.parse_type("s"), fixed=True) for key in head] + fields
        encoded = codec.encode_struct(head)
        namespace.update(
            head,
            __wire_head__=encoded,
            _head_fields=dict(codec.split(encoded)),
            _fixed=frozenset(head),
        )
        namespace["_scope"] = scope
    known = {field.name: field for field in fields}
    keys = {field.name: codec.entry_prefix(field.wire) for field in fields}
    if is_open:
        from .unstructured import DynamicFields, DynamicKeys, DynamicModel

        bases = (bases[0], DynamicModel) if api_version else (DynamicModel,)
        known, keys = DynamicFields(known), DynamicKeys(keys)
    else:
        namespace["_plain"] = frozenset(field.name for field in fields if field.name == field.wire)
    namespace |= {"__wire_fields__": known, "__wire_keys__": keys}
    for field in fields:
        if field.name not in namespace and not any(hasattr(base, field.name) for base in bases):
            if field.type.code in (types.LIST, types.MAP):
                field.belongs_to(name)
                namespace[field.name] = ContainerReading(field)
            else:
                namespace[field.name] = reading_of(field) if api_version else Reading(field)
    teach_globally()
    return type(name, bases, namespace)


def object_class() -> type[Model]:
    """Return the class of objects without a schema, `DynamicModel`. It is imported only when it is
    needed.
    """
    from .unstructured import DynamicModel

    return DynamicModel
