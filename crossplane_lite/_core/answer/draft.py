"""Drafts: each registered resource as a run desires it, encoded, or held back with the reason.

A resource without unresolved values, which is the usual case, is encoded directly from its model. For all others the
fields that compose() set become a tree, which is plain data with a list of the unresolved values in it. In a resource
that exists, the observed values replace the unresolved values. A resource that doesn't exist yet is held back.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ...errors import EncodeError, WireError
from .. import codec
from ..base.sentinels import UNSET
from ..call.mark import digest_of, direct, plain_bytes
from ..dependencies.graph import Wait
from ..models.node import ModelShape
from ..models.walker import Found, Tree, tree_of
from ..observed import lookup
from ..observed.observable import Observable, known, root_of, sources
from ..resources.object_meta import check_metadata, is_sound

if TYPE_CHECKING:
    from ..call.call import Call
    from ..call.mark import Content
    from ..resources.registered import Registered
    from ..resources.resource import Resource

_LEVELS: Final = 60  # what is deeper takes the slow way, also to be encoded


class Place(NamedTuple):
    """A place in a resource or in the composite at which two runs of compose() desire different values.

    Attributes:
        steps: The keys and indexes that lead from the top of the object to the place.
        added: Whether only the other run has a value at the place.
        is_key: Whether the last step is a map's key that differs between the runs, because it is made from a missing
            value.
    """

    steps: tuple[str | int, ...]
    added: bool = False
    is_key: bool = False


Unclear = Sequence[tuple[Iterable[Place], Sequence[Observable[Any]]]]
"""Places whose plain values count as unresolved, each group with the missing values that the places depend on."""


class Draft:
    """A registered resource as the answer would have it.

    Attributes:
        content: The desired content; None if the resource is held back.
        waits: The values and resources that the resource waits for. A resource that exists may wait and still be sent.
        found: The unresolved values in the resource.
        problem: The error, if a value can't be encoded. The path of an EncodeError begins with the resource's name.
        gated: Whether the resource must not be created before those in its `depends_on` are ready. Then it is removed
            from desired state, even if a previous step desires it.
    """

    __slots__ = ("content", "found", "gated", "problem", "waits")

    def __init__(self, content: Content | None, waits: list[Wait] | None = None, found: Sequence[Found] = ()) -> None:
        self.content = content
        self.waits: list[Wait] = waits or []
        self.found = found
        self.problem: Exception | None = None
        self.gated = False

    @property
    def digest(self) -> str:
        """The digest of the content; empty if the resource is held back."""
        return "" if self.content is None else digest_of(self.content)


def draft_all(call: Call, elsewhere: Collection[str]) -> dict[str, Draft]:
    """Draft all registered resources. `elsewhere` has the names of resources that other steps hold back."""
    contents: dict[str, Content] = {}
    resources = {name: model for name, model in call.resources.items() if name not in call.other_kind}
    for name, model in resources.items():
        registered: Any = model._state
        if registered.root.raw is None:
            if registered.depends_on and _blocked_by(call, registered):
                continue
            if registered.base is None and name in elsewhere:
                continue
        content = direct(model)
        if content is not None and is_sound(model, _size_of(content)):
            contents[name] = content
    with_texts: set[str] = set()
    if call.searches:
        # One search through the joined bytes takes a fraction of the time of a search through each resource.
        joined = {name: one if type(one) is bytes else b"".join(one) for name, one in contents.items()}  # type: ignore[arg-type]
        if call.has_token(b"".join(joined.values())):
            with_texts = {name for name, one in joined.items() if call.has_token(one)}
    drafts: dict[str, Draft] = {}
    for name in resources:
        drafts[name] = draft_from(call, name, elsewhere, contents.get(name), name in with_texts)
    return drafts


def draft_from(call: Call, name: str, elsewhere: Collection[str], made: Content | None, has_texts: bool) -> Draft:
    """Draft one registered resource, whose content is encoded already, or None. It may have texts with placeholders."""
    draft = None
    if made is None:
        draft = None if name in elsewhere else with_references(call, name)
    elif not has_texts:
        draft = Draft(made)
    elif (texts := _texts_in(call, plain_bytes(made))) is not None:
        draft = doubted(call, name, Draft(made), texts)
    return draft_one(call, name, elsewhere) if draft is None else draft


def with_references(call: Call, name: str) -> Draft | None:
    """Draft a resource in which fields outside of lists and metadata are set to missing values, without making a tree.

    For the time of encoding it, they have observed values, or empty strings in a new resource. None if that takes
    `draft_one`.
    """
    model: Any = call.resources[name]
    registered: Any = model._state
    observed = registered.root.raw
    is_gated = observed is None and registered.depends_on
    if registered.base is not None or is_gated:
        return None
    places: list[tuple[dict[str, Any], str, Observable[Any]]] = []
    found: list[Found] = []
    work: list[tuple[Any, tuple[str, ...]]] = [(model, ())]
    while work:
        holder, way = work.pop()
        if len(way) > _LEVELS:  # it may contain itself
            return None
        fields = getattr(type(holder), "__wire_fields__", None)
        values: dict[str, Any] = holder if fields is None else holder.__dict__
        for key, value in values.items():
            kind = type(value)
            if kind is Observable:
                places.append((values, key, value))
                found.append(Found([*way, key if fields is None else fields[key].wire], list(sources(value)), False))
            elif kind is not str and issubclass(kind, (dict, ModelShape)):
                work.append((value, (*way, key if fields is None else fields[key].wire)))
    seen = ["" if observed is None else codec.get_path(observed, one.steps) for one in found]
    is_plain = all(type(value) in (str, int, float, bool) for value in seen)
    if not is_plain or any(one.steps[0] == "metadata" for one in found):
        return None
    if any(known(value) is not UNSET for _, _, value in places):
        return None
    waits = _waits(found, registered)
    if not waits:
        return None
    try:
        for (values, key, _), value in zip(places, seen, strict=True):
            dict.__setitem__(values, key, value)
        content = direct(model)
    finally:
        for values, key, value in places:
            dict.__setitem__(values, key, value)
    if content is None or not is_sound(model, _size_of(content)):
        return None
    if call.searches and call.has_token(plain_bytes(content)):
        return None
    return Draft(None if observed is None else content, waits, found)


def _size_of(content: Content) -> int:
    return len(content) if type(content) is bytes else sum(map(len, content))  # type: ignore[arg-type]


def _texts_in(call: Call, raw: bytes) -> list[Found] | None:
    """Find the strings with placeholders in a Struct. None if some are in the names of fields, in lists, or mangled."""
    head, found = call.token_head, []
    rest = raw
    work: list[tuple[bytes, tuple[str, ...]]] = [(raw, ())]
    while work:
        level, way = work.pop()
        for key, value in codec.split(level).items():
            if head in value:
                kind, payload = codec.open_value(value)
                if kind == codec.STRUCT:
                    work.append((payload, (*way, key)))
                elif isinstance(payload, str):
                    found.append(Found([*way, key], call.tokens_in(payload), False, True))
                    rest = rest.replace(payload.encode(), b"")
    return None if call.has_token(rest) else found


def doubted(call: Call, name: str, draft: Draft, found: list[Found]) -> Draft | None:
    """Return a draft in which more places are unresolved, without making a tree; None if that takes `draft_one`.

    A new resource is held back. In an existing one the places, which are fields outside of lists, get their observed
    values.
    """
    registered: Any = call.resources[name]._state
    observed = registered.root.raw
    is_new = observed is None
    if draft.content is None or registered.base is not None or (registered.depends_on and is_new):
        return None
    waits = _waits(found, registered)
    if not waits:
        return None
    content: Content | None = None
    if not is_new:
        content = _with_observed(plain_bytes(draft.content), [one.steps for one in found], observed)
        if content is None:
            return None
    return Draft(content, [*draft.waits, *waits], [*draft.found, *found])


def _with_observed(content: bytes, ways: Iterable[Sequence[str | int]], observed: bytes) -> bytes | None:
    """Put observed values into a Struct; None if there is a place whose observed value isn't a scalar."""
    values: dict[str, Any] = {}
    for way in ways:
        value = codec.get_path(observed, way)
        if value is None or isinstance(value, (dict, list)):
            return None
        at = values
        for step in way[:-1]:
            at = at.setdefault(str(step), {})
        at[str(way[-1])] = value
    return codec.encode_over(values, content)


def draft_one(call: Call, name: str, elsewhere: Collection[str], unclear: Unclear = ()) -> Draft:
    """Draft one registered resource in the slow way, with the places of `unclear` as unresolved."""
    model = call.resources[name]
    registered: Any = model._state
    observed, base = registered.root.raw, registered.base
    exists = observed is not None or base is not None
    try:
        tree = tree_of(model, call)
        check_metadata(tree.data, tree.found, None if base is None else codec.get_path(base, ("metadata",)), name)
        for places, values in unclear:
            _doubt(tree, places, values)
        draft = Draft(None, _waits(tree.found, registered), tree.found)
        blocked = [] if observed is not None else _blocked_by(call, registered)
        is_complete = not (draft.waits or name in elsewhere)
        if blocked:
            draft.waits[:0] = blocked
            draft.gated = True
        elif exists or is_complete:
            from ..resources.fallback import fall_back, part_for

            fall_back(tree, part_for(tree, observed))
            draft.content = _encoded(tree.data, base)
        return draft
    except WireError:
        raise
    except Exception as error:  # an author's value can raise anything
        failed = Draft(None)
        failed.problem = error.under(name) if isinstance(error, EncodeError) else error
        return failed


def status_of(call: Call, model: Resource, unclear: Unclear) -> tuple[bytes | None, list[Found]]:
    """Return the desired composite's bytes, and the unresolved values of its status.

    An unresolved field gets its observed value, or is left out if it has none. All other fields are sent. If compose()
    didn't change the status, the bytes are None. The path of an EncodeError begins with `xr`.
    """
    registered = model._state
    node = model._node
    assert registered is not None
    if "status" not in model.__dict__ and not (node is not None and node.deleted):
        return None, []
    base = registered.base
    if not unclear:
        try:
            encoded = (
                codec.encode_struct(model, strict=True) if base is None else codec.encode_over(model, base, strict=True)
            )
            if not call.has_token(encoded):
                return encoded, []
        except codec.Bail:
            pass
    from ..resources.fallback import fall_back, part_for

    try:
        tree = tree_of(model, call)
        for places, values in unclear:
            _doubt(tree, places, values)
        found = list(tree.found)
        fall_back(tree, part_for(tree, registered.root.raw))
        return _encoded(tree.data, base), found
    except EncodeError as error:
        raise error.under("xr") from None


def _encoded(data: dict[str, Any], base: bytes | None) -> bytes:
    return codec.encode_struct(data) if base is None else codec.encode_over(data, base)


def _blocked_by(call: Call, registered: Registered) -> list[Wait]:
    """Return a `Wait` for each resource in `depends_on` that isn't observed or isn't ready."""
    waits = []
    for other in registered.depends_on:
        observed = call.observed.get(other)
        if observed is None or not lookup.is_ready(observed.resource):
            waits.append(Wait(other))
    return waits


def _waits(found: Iterable[Found], registered: Registered) -> list[Wait]:
    """Return a `Wait` for each unresolved value, but for values of the same resource: the cluster sets these."""
    return [
        Wait(source)
        for one in found
        for observable in one.waits_for
        for source in sources(observable)
        if not _is_same_resource(source, registered)
    ]


def _is_same_resource(source: Observable[Any], registered: Registered) -> bool:
    root = root_of(source)
    if root is not None:
        return root.kind == registered.root.kind and root.name == registered.root.name and root.kind != "required"
    path, prefix = source.source_path, registered.root.prefix
    return path.startswith(prefix) and path[len(prefix) : len(prefix) + 1] in (".", "[")


def _doubt(tree: Tree, places: Iterable[Place], values: Sequence[Observable[Any]]) -> None:
    """Mark fields of a tree as unresolved, because their plain values differ between runs of compose().

    A field that only another run has set is added to the tree. apiVersion, kind and fields that are unresolved already
    are ignored. `values` are the missing values that the fields depend on.
    """
    known = {tuple(found.steps) for found in tree.found}
    for place in places:
        if not place.steps or place.steps[0] in ("apiVersion", "kind") or place.steps in known:
            continue
        holder: Any = tree.data
        for step in place.steps[:-1]:
            if isinstance(holder, dict) and place.added:
                holder = holder.setdefault(step, {})
            else:
                missing = isinstance(holder, dict) and step not in holder
                holder = None if missing or not isinstance(holder, (dict, list)) else holder[step]  # type: ignore[index]
        if not isinstance(holder, (dict, list)):
            continue
        if place.added and isinstance(holder, dict) and not place.is_key:
            holder[place.steps[-1]] = values[0] if values else None
        tree.found.append(Found(list(place.steps), list(values), place.is_key))
