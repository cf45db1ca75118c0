"""Drafts: each registered resource as a run desires it, encoded, or held back with the reason.

A resource without unresolved values, which is the usual case, is encoded directly from its model.
For all others the fields that compose() set become a tree, which is plain data with a list of the
unresolved values in it. In a resource that exists, the observed values replace the unresolved
values. A resource that doesn't exist yet is held back.
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

Doubts = tuple[Sequence[Way], Sequence[Observable]]
"""Fields whose plain values count as unresolved, and the missing values that they depend on."""
NO_DOUBTS: Final[Doubts] = ((), ())


class Draft:
    """A registered resource as the answer would have it.

    Attributes:
        content: The desired content; None if the resource is held back.
        waits: The values and resources that the resource waits for. A resource that exists may wait
            and still be sent.
        found: The unresolved values in the resource.
        problem: The error, if a value can't be encoded. The path of an EncodeError begins with the
            resource's name.
        gated: Whether the resource must not be created before those in its `depends_on` are ready.
            Then it is removed from desired state, even if a previous step desires it.
        made: What the mark says that this step has made, if that isn't the digest; else empty.
    """

    __slots__ = ("content", "found", "gated", "made", "problem", "waits")

    def __init__(
        self,
        content: Content | None,
        waits: list[Source] | None = None,
        found: Sequence[Found] = (),
    ) -> None:
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
    """Draft all registered resources. `elsewhere` has the names of resources that other steps hold
    back.
    """
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


def _encode_all(
    call: Call, names: Iterable[str], elsewhere: Collection[str]
) -> dict[str, _Encoded]:
    """Encode the resources for which no tree has to be made; the call collects their missing values
    meanwhile.
    """
    quick: dict[str, _Encoded] = {}
    for name in names:
        model = call.resources[name]
        registered: Any = model._state
        if registered.root.raw is None:  # it must not be created yet, whatever its content is
            is_held = name in elsewhere and registered.base is None
            if is_held or (registered.depends_on and _blocked_by(call, registered)):
                continue
        call.met = []
        content = direct(model)
        if content is not None and is_sound(model, len(_joined(content))):
            quick[name] = _Encoded(model, content, call.met)
    return quick


class _Encoded:
    """A resource that is encoded already. It is drafted without making a tree if that can be done.

    Attributes:
        model: The resource.
        content: Its content, with `MISSING` in the place of missing values.
        missing: The missing values that are set in it.
        texts: The strings with placeholders in it.
        rest: The other bytes, if placeholders are in them: in the names of fields, in lists, or
            cut; else empty.
    """

    __slots__ = ("content", "missing", "model", "rest", "texts")

    def __init__(self, model: Resource, content: Content, missing: list[Observable]) -> None:
        self.model = model
        self.content = content
        self.missing = missing
        self.texts: list[Found] = []
        self.rest = b""

    def draft(self) -> Draft | None:
        """Draft the resource; None if that takes `draft_one`.

        A new resource with unresolved values is held back. In an existing one these get their
        observed values.
        """
        found = self._found()
        if found is None:
            return None
        if not found:
            return Draft(self.content)
        registered: Any = self.model._state
        observed = registered.root.raw
        if registered.base is not None or (observed is None and registered.depends_on):
            return None
        waits = _waits(found, registered)
        if not waits:
            return None
        if observed is None:
            return Draft(None, waits, found)
        content = plain_bytes(self.content)
        ways: list[Sequence[str | int]] = [one.steps for one in self.texts]
        if self.missing:
            ways += [way for way, _ in _texts_in(MISSING.encode(), content)]
        if len(ways) < len(self.texts) + len(self.missing):  # some are in lists
            return None
        filled = _with_observed(content, ways, observed)
        return None if filled is None else Draft(filled, waits, found)

    def _found(self) -> list[Found] | None:
        """Return the unresolved values; None if it takes a tree to find them all."""
        found = self.texts + [Found([], list(sources(one)), False) for one in self.missing]
        if not self.rest:
            return found
        registered: Any = self.model._state
        if registered.root.raw is not None or registered.base is not None:
            return None
        parts = registered.root.call.tokens_in(self.rest.decode("latin-1"))
        if any(one.source_path[0] != "(" for one in parts):  # whole ones, as in a list
            return None
        return [*found, Found([], parts, False, True)]


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
            found = list(_texts_in(head, plain_bytes(one.content)))
            one.texts = [Found([*way], tokens_in(text), False, True) for way, text in found]
            # Each is taken out once, and a long one first, because a short one may be a part of it.
            for text in sorted((text for _, text in found), key=len, reverse=True):
                rests[name] = rests[name].replace(text.encode(), b"", 1)
    # One search through the joined bytes takes a fraction of the time of a search through each.
    if call.has_token(b"".join(rests.values())):
        for name, left in rests.items():
            encoded[name].rest = left if call.has_token(left) else b""


def _texts_in(head: bytes, raw: bytes, way: Way = ()) -> Iterator[tuple[Way, str]]:
    """Yield the strings with a `head` in a Struct, each with the way to it; none of lists."""
    fields = codec.split(raw)
    for key in fields:
        value = fields[key]
        if head not in value:
            continue
        opened: tuple[int, Any] = codec.open_value(value)
        kind, payload = opened
        if kind == codec.STRUCT and len(way) < LEVELS:
            yield from _texts_in(head, payload, (*way, key))
        elif kind == codec.STRING:
            yield (*way, key), payload


def _with_observed(
    content: bytes, ways: Iterable[Sequence[str | int]], observed: bytes
) -> bytes | None:
    """Put observed values into a Struct; None if there is a place whose observed value isn't a
    scalar.
    """
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


def draft_one(
    call: Call, name: str, elsewhere: Collection[str], doubts: Doubts = NO_DOUBTS
) -> Draft:
    """Draft one registered resource in the slow way."""
    model = call.resources[name]
    registered: Any = model._state
    observed, base = registered.root.raw, registered.base
    exists = observed is not None or base is not None
    try:
        tree = tree_of(model, call)
        check_metadata(
            tree.data,
            tree.found,
            None if base is None else codec.get_path(base, ("metadata",)),
            name,
        )
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


def status_of(
    call: Call, model: Resource, doubts: Doubts = NO_DOUBTS
) -> tuple[bytes | None, list[Found]]:
    """Return the desired composite's bytes, and the unresolved values of its status.

    An unresolved field gets its observed value, or is left out if it has none. All other fields are
    sent. If compose() didn't change the status, the bytes are None. The path of an EncodeError
    begins with `xr`.
    """
    registered = model._state
    node = model._node
    assert registered is not None
    if "status" not in model.__dict__ and not (node is not None and node.deleted):
        return None, []
    base = registered.base
    try:
        encoded = (
            codec.encode_struct(model, strict=True)
            if base is None
            else codec.encode_over(model, base, strict=True)
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


def _is_same_resource(source: Observable, registered: Registered) -> bool:
    root = root_of(source)
    if root is not None:
        return (
            root.kind == registered.root.kind
            and root.name == registered.root.name
            and root.kind != "required"
        )
    return source.source_path.startswith(
        (f"{registered.root.prefix}.", f"{registered.root.prefix}[")
    )


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
