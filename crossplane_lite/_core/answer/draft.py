"""Drafts: each registered resource as a run desires it, encoded, or held back with the reason.

A resource without unresolved values, which is the usual case, is encoded directly from its model. For all others the
fields that compose() set become a tree, which is plain data with a list of the unresolved values in it. In a resource
that exists, the observed values replace the unresolved values. A resource that doesn't exist yet is held back.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from ...errors import EncodeError, WireError
from .. import codec
from ..call.mark import digest_of, direct, plain_bytes
from ..dependencies.graph import Source
from ..models.walker import Found, Tree, tree_of
from ..observed import lookup
from ..observed.observable import MISSING, Observable, root_of, sources
from ..resources.object_meta import check_metadata, is_sound

if TYPE_CHECKING:
    from ..call.call import Call
    from ..call.mark import Content
    from ..resources.registered import Registered
    from ..resources.resource import Resource

LEVELS: Final = 60
"""What is deeper takes the slow way, also to be encoded."""


Way = tuple[str, ...]
"""The keys that lead from the top of a resource to a field."""

Doubts = tuple[Sequence[Way], Sequence[Observable[Any]]]
"""Fields whose plain values count as unresolved, and the missing values that they depend on."""
NO_DOUBTS: Final[Doubts] = ((), ())


class Draft:
    """A registered resource as the answer would have it.

    Attributes:
        content: The desired content; None if the resource is held back.
        waits: The values and resources that the resource waits for. A resource that exists may wait and still be sent.
        found: The unresolved values in the resource.
        problem: The error, if a value can't be encoded. The path of an EncodeError begins with the resource's name.
        gated: Whether the resource must not be created before those in its `depends_on` are ready. Then it is removed
            from desired state, even if a previous step desires it.
        made: What the mark says that this step has made, if that isn't the digest; else empty.
    """

    __slots__ = ("content", "found", "gated", "made", "problem", "waits")

    def __init__(self, content: Content | None, waits: list[Source] | None = None, found: Sequence[Found] = ()) -> None:
        self.content = content
        self.waits: list[Source] = waits or []
        self.found = found
        self.problem: Exception | None = None
        self.gated = False
        self.made = ""

    @property
    def digest(self) -> str:
        """The digest of the content; empty if the resource is held back."""
        return "" if self.content is None else digest_of(self.content)


def draft_all(call: Call, elsewhere: Collection[str]) -> dict[str, Draft]:
    """Draft all registered resources. `elsewhere` has the names of resources that other steps hold back."""
    names = [name for name in call.resources if name not in call.other_kind]
    try:
        quick = _encode_all(call, names, elsewhere)
    finally:
        call.met = None
    if call.searches:
        _find_texts(call, quick)
    drafts: dict[str, Draft] = {}
    for name in names:
        draft = quick[name].draft() if name in quick else None
        drafts[name] = draft_one(call, name, elsewhere) if draft is None else draft
    return drafts


def _encode_all(call: Call, names: Iterable[str], elsewhere: Collection[str]) -> dict[str, _Encoded]:
    """Encode the resources for which no tree has to be made; the call collects their missing values meanwhile."""
    quick: dict[str, _Encoded] = {}
    for name in names:
        model = call.resources[name]
        registered: Any = model._state
        if registered.root.raw is None and _must_wait(call, registered, name in elsewhere):
            continue
        call.met = []
        content = direct(model)
        if content is not None and is_sound(model, len(_joined(content))):
            quick[name] = _Encoded(model, content, call.met)
    return quick


def _must_wait(call: Call, registered: Registered, is_held_elsewhere: bool) -> bool:
    """Say whether a new resource must not be created yet, whatever its content is."""
    if registered.depends_on and _blocked_by(call, registered):
        return True
    return is_held_elsewhere and registered.base is None


class _Encoded:
    """A resource that is encoded already. It is drafted without making a tree if that can be done.

    Attributes:
        model: The resource.
        content: Its content, with `MISSING` in the place of missing values.
        missing: The missing values that are set in it.
        texts: The strings with placeholders in it.
        is_mangled: Whether placeholders are elsewhere in it: in the names of fields, in lists, or
            mangled.
    """

    __slots__ = ("content", "is_mangled", "missing", "model", "texts")

    def __init__(self, model: Resource, content: Content, missing: list[Observable[Any]]) -> None:
        self.model = model
        self.content = content
        self.missing = missing
        self.texts: list[Found] = []
        self.is_mangled = False

    def draft(self) -> Draft | None:
        """Draft the resource; None if that takes `draft_one`.

        A new resource with unresolved values is held back. In an existing one these get their
        observed values.
        """
        if self.is_mangled:
            return None
        if not (self.texts or self.missing):
            return Draft(self.content)
        registered: Any = self.model._state
        observed = registered.root.raw
        if registered.base is not None or (observed is None and registered.depends_on):
            return None
        found = self.texts + [Found([], list(sources(one)), False) for one in self.missing]
        waits = _waits(found, registered)
        if not waits:
            return None
        if observed is None:
            return Draft(None, waits, found)
        content = plain_bytes(self.content)
        ways: list[Sequence[str | int]] = [one.steps for one in self.texts]
        if self.missing:
            ways += [way for way, _ in _texts_below(MISSING.encode(), content, (), [])]
        if len(ways) < len(self.texts) + len(self.missing):  # some are in lists
            return None
        filled = _with_observed(content, ways, observed)
        return None if filled is None else Draft(filled, waits, found)


def _joined(content: Content) -> bytes:
    """Return all bytes of a content, not in their places."""
    return content if type(content) is bytes else b"".join(content)  # type: ignore[arg-type]


def _find_texts(call: Call, encoded: Mapping[str, _Encoded]) -> None:
    """Find the strings with placeholders in encoded resources."""
    rests = {name: _joined(one.content) for name, one in encoded.items()}
    if call.tokens:
        head = call.token_head
        tokens_in = functools.cache(call.tokens_in)  # many resources have the same text
        for name in [name for name, raw in rests.items() if head in raw]:
            one = encoded[name]
            rest: list[bytes] = []
            for way, text in _texts_below(head, plain_bytes(one.content), (), rest):
                one.texts.append(Found([*way], tokens_in(text), False, True))
            rests[name] = b"".join(rest)
    # One search through the joined bytes takes a fraction of the time of a search through each.
    if call.has_token(b"".join(rests.values())):
        for name, left in rests.items():
            encoded[name].is_mangled = call.has_token(left)


def _texts_below(head: bytes, raw: bytes, way: Way, rest: list[bytes]) -> Iterator[tuple[Way, str]]:
    """Yield the strings with a `head` in a Struct, each with the way to it; put all other bytes into `rest`."""
    fields = codec.split(raw)
    for key in fields:
        value = fields[key]
        rest.append(key.encode())
        opened: tuple[int, Any] = codec.open_value(value) if head in value else (codec.NULL, value)
        kind, payload = opened
        if kind == codec.STRUCT and len(way) < LEVELS:
            yield from _texts_below(head, payload, (*way, key), rest)
        elif kind == codec.STRING:
            yield (*way, key), payload
        else:
            rest.append(value)


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


def draft_one(call: Call, name: str, elsewhere: Collection[str], doubts: Doubts = NO_DOUBTS) -> Draft:
    """Draft one registered resource in the slow way."""
    model = call.resources[name]
    registered: Any = model._state
    observed, base = registered.root.raw, registered.base
    exists = observed is not None or base is not None
    try:
        tree = tree_of(model, call)
        check_metadata(tree.data, tree.found, None if base is None else codec.get_path(base, ("metadata",)), name)
        _doubt(tree, doubts)
        draft = Draft(None, _waits(tree.found, registered), tree.found)
        blocked = [] if observed is not None else _blocked_by(call, registered)
        is_complete = not (draft.waits or name in elsewhere)
        if blocked:
            draft.waits[:0] = blocked
            draft.gated = True
        elif exists or is_complete:
            draft.content = _filled(tree, observed, base)
        return draft
    except WireError:
        raise
    except Exception as error:  # an author's value can raise anything
        failed = Draft(None)
        failed.problem = error.under(name) if isinstance(error, EncodeError) else error
        return failed


def status_of(call: Call, model: Resource, doubts: Doubts = NO_DOUBTS) -> tuple[bytes | None, list[Found]]:
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
    try:
        encoded = (
            codec.encode_struct(model, strict=True) if base is None else codec.encode_over(model, base, strict=True)
        )
        if not (doubts[0] or call.has_token(encoded)):
            return encoded, []
    except codec.Bail:
        pass
    try:
        tree = tree_of(model, call)
        _doubt(tree, doubts)
        found = list(tree.found)
        return _filled(tree, registered.root.raw, base), found
    except EncodeError as error:
        raise error.under("xr") from None


def _filled(tree: Tree, observed: bytes | None, base: bytes | None) -> bytes:
    """Return the bytes of a tree with observed values in the place of unresolved ones."""
    from ..resources.fallback import fall_back, part_for

    fall_back(tree, part_for(tree, observed))
    return codec.encode_struct(tree.data) if base is None else codec.encode_over(tree.data, base)


def _blocked_by(call: Call, registered: Registered) -> list[Source]:
    """Return each resource in `depends_on` that isn't observed or isn't ready."""
    waits: list[Source] = []
    for other in registered.depends_on:
        observed = call.observed.get(other)
        if observed is None or not lookup.is_ready(observed.resource):
            waits.append(other)
    return waits


def _waits(found: Iterable[Found], registered: Registered) -> list[Source]:
    """Return the unresolved values, but for values of the same resource: the cluster sets these."""
    return [
        source
        for one in found
        for observable in one.waits_for
        for source in sources(observable)
        if not _is_same_resource(source, registered)
    ]


def _is_same_resource(source: Observable[Any], registered: Registered) -> bool:
    root = root_of(source)
    if root is not None:
        return root.kind == registered.root.kind and root.name == registered.root.name and root.kind != "required"
    return source.source_path.startswith((f"{registered.root.prefix}.", f"{registered.root.prefix}["))


def _doubt(tree: Tree, doubts: Doubts) -> None:
    """Mark fields of a tree as unresolved, also those that it lacks."""
    ways, values = doubts
    for way in ways:
        holder: Any = tree.data
        for step in way[:-1]:
            holder = holder.setdefault(step, {}) if isinstance(holder, dict) else {}
        if isinstance(holder, dict):
            holder.setdefault(way[-1], None)
            tree.found.append(Found([*way], list(values), False))
