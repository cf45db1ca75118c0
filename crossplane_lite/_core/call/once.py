"""Values that compose() makes once, such as passwords, and reads from what exists from then on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from ...errors import UsageError
from ...proto import _view
from .. import codec
from ..base.api_version import group_of
from ..base.sentinels import UNSET
from ..base.texts import type_in_words, value_in_words
from ..observed.lookup import text_at, value_in
from ..observed.observable import Observable, known, note_use, root_of
from ..paths.text import RESOURCE_NAME
from .requirements import ResourceSelector

if TYPE_CHECKING:
    from ..observed.root import Root
    from .call import Call

# Crossplane 2 keeps its own fields below `spec.crossplane`, and Crossplane 1 beside the author's.
_REFERENCES: Final = (("spec", "crossplane", "resourceRefs"), ("spec", "resourceRefs"))


def once(call: Call, value: Any, make: Callable[[], Any]) -> Any:
    """Return an observed value, or make it if the object that has it doesn't exist. See
    `Context.once`.
    """
    if not callable(make):
        raise UsageError(
            f"ctx.once: 'make' must be a function (got {type_in_words(make)}); write lambda:"
            " before it"
        )
    if value is None:
        raise UsageError("ctx.once: the value must be read from .observed (got None)")
    if type(value) is not Observable:
        return value
    there = known(value)
    if there is not UNSET:
        return there
    root = root_of(value)
    if root is None or root.kind not in ("xr", "resource"):
        raise UsageError(
            f"ctx.once: {value.source_path} must be read from .observed of a composed resource or"
            " the composite"
        )
    # Another run of compose() for the same request must get the same value, also where it is given
    # an object that was put back from the notes.
    first: Any = call.first or call
    path = value.source_path
    if root.kind == "resource" and root.name not in first.observed:
        found = _found_by_name(call, first.observed, root, path)
        if found is not UNSET:
            return value if found is None else found
    note_use(value)  # what exists doesn't change if the value was there before
    if path not in first.made_once:
        first.made_once[path] = _made(path, make)
    return first.made_once[path]


def _made(path: str, make: Callable[[], Any]) -> Any:
    made = make()
    if made is None or type(made) is Observable:
        raise UsageError(
            f"ctx.once: the function that makes {path} must return a value (got"
            f" {value_in_words(made)})"
        )
    return made


def _found_by_name(call: Call, observed: Mapping[str, Any], root: Root, path: str) -> Any:
    """Return the value of a composed resource that isn't observed, but that the composite still
    refers to.

    Its object is asked for by name. The result is UNSET if there is no such object, or it lacks the
    value, and None while Crossplane hasn't answered.

    Raises:
        UsageError: The resource isn't registered.
        WireError: An object's bytes are malformed.
    """
    resource = call.resources.get(root.name)
    if resource is None:
        raise UsageError(
            f"ctx.once: the kind of {root.name!r} isn't known; register it before (ctx.resource)"
        )
    if not call.supports(_view.CAPABILITY_REQUIRED_RESOURCES):
        return UNSET
    way = path[len(root.prefix) :].removeprefix(".")
    answers = [_answer(call, root.name, one) for one in _lost_references(call, observed, resource)]
    if None in answers:
        return None
    for items in answers:
        for item in items:
            if _is_of(call, root.name, item.resource):
                return value_in(item.resource, item.connection_details, way, composed=True)
    return UNSET


def _lost_references(
    call: Call, observed: Mapping[str, Any], resource: Any
) -> Iterator[ResourceSelector]:
    """Yield a selector for each object of a resource's kind that the composite refers to and that
    isn't observed.
    """
    group, kind = group_of(str(resource.apiVersion)), str(resource.kind)
    raw = call.xr.raw or b""
    references: Any = next(filter(None, (codec.get_path(raw, way) for way in _REFERENCES)), None)
    alike = [one.resource for one in observed.values() if text_at(one.resource, "kind") == kind]
    names = {text_at(one, "metadata", "name") for one in alike}
    for one in references if isinstance(references, list) else ():
        if not isinstance(one, dict) or one.get("kind") != kind:
            continue
        version, name = one.get("apiVersion"), one.get("name")
        if (
            isinstance(version, str)
            and isinstance(name, str)
            and group_of(version) == group
            and name not in names
        ):
            namespace = one.get("namespace") or call.namespace or None
            yield ResourceSelector(
                api_version=version, kind=kind, match_name=name, namespace=namespace
            )


def _answer(call: Call, name: str, selector: ResourceSelector) -> Any:
    """Ask for one object, and return the list with it, or an empty one; None while Crossplane
    hasn't answered.
    """
    key = f"once {name}: {selector.match_name}"
    call.requirements.resources[key] = selector
    return call.required_resources.answer(key)


def _is_of(call: Call, name: str, raw: bytes) -> bool:
    """Say whether an object is the composed resource called `name` of this composite.

    Whoever may edit the composite may let it refer to any object, and must not get its values.
    """
    owners = codec.get_path(raw, ("metadata", "ownerReferences"))
    uid = text_at(call.xr.raw or b"", "metadata", "uid")
    is_owned = isinstance(owners, list) and any(
        isinstance(one, dict) and one.get("uid") == uid for one in owners
    )
    return bool(uid) and is_owned and text_at(raw, "metadata", "annotations", RESOURCE_NAME) == name
