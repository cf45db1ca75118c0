"""The mark: an annotation on composed resources that names the steps which register them, with each step's memory.

A step's identity is the function's name, with a hash of the step's input if it has one (`Call.step`). The mark's value
is a list of steps, separated by commas. A step is its identity, and after a semicolon its `Memory`. The steps also
share one key of the pipeline's context, `HELD_BACK_KEY`, under which each step says which of its resources wait.

The content of a resource is the desired resource without this step's mark. In the fast way it is encoded from the model
in pieces, so that the mark can be put in without a second pass. In the slow way `_core.waits.draft` makes plain data
from the model first, and the content is the bytes of a Struct.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from .. import codec
from ..base.hashes import digest
from ..codec import varint
from ..models.node import ModelShape

if TYPE_CHECKING:
    from ..observed.observable import Observable
    from ..resources.resource import Resource

ANNOTATION: Final = "crossplane-lite/function"
MARK_WAY: Final = ("metadata", "annotations", ANNOTATION)

HELD_BACK_KEY: Final = "crossplane-lite/held-back"
"""The key of the context under which each step says who waits (`_core.waits.entry`)."""

ANY_KEY: Final = "*"
"""In what a step says there: all keys of the context that nobody has set."""

OURS: Final = "ours"
OUR_NAME: Final = "our name"  # the function's name, and the hash of another input than the step has now
NO_MARK: Final = "no mark"  # the resource was made by hand, or by another SDK
OTHERS: Final = "others"

NOTHING: Final = "*****"
"""Stands for all values of composed resources: none of these was observed."""

MOST: Final = 64
"""The most missing values that are remembered. Those that are forgotten protect too much, not too little."""

_HASHED: Final = re.compile("-[0-9a-f]{8}")
_VERSION: Final = "1"
_DIGEST: Final = 9  # the version and eight letters
_KEY: Final = 5  # about 10**9 keys
_MEMORY: Final = re.compile(r"[0-9A-Za-z_-]{9}(?:[.!?&][0-9A-Za-z_*-]{5})*")
_IN_BYTES: Final = re.compile(_MEMORY.pattern.encode())


class Memory(NamedTuple):
    """What a step remembers on a resource, since the resource's content last changed.

    Its text is the digest, and for each missing value a sign and its key: `!` for a value that decided something when
    the resource was made, `?` for a guess about a value of its own, `&` for both, else a dot.

    Attributes:
        digest: The version of this form, and a digest of the content that the step desires; empty for no memory.
        missing: The keys of the values that were asked for and missing (`key_of`).
        deciding: Those of them by which the resource was made with a guess.
        own: Those of them that are values of the resource itself and were guessed. Where `NOTHING` is remembered, too,
            these tell when the first of them is there.
    """

    digest: str
    missing: frozenset[str] = frozenset()
    deciding: frozenset[str] = frozenset()
    own: frozenset[str] = frozenset()

    def has(self, observable: Observable[Any]) -> bool:
        """Say whether a value, or an object around it, was missing."""
        return bool(self.missing) and any(key in self.missing for key in _keys_around(observable))

    def is_of(self, content: str) -> bool:
        """Say whether there is nothing to learn: the content has not changed, or the digest is of another version."""
        return self.digest == content or (self.digest != "" and self.digest[0] != content[0])

    def to_text(self) -> str:
        """Return the text for the mark; of too many values the deciding ones are kept first."""
        return self.digest + _text_of_keys(self.missing, self.deciding, self.own)


_SIGNS: Final = {(False, False): ".", (True, False): "!", (False, True): "?", (True, True): "&"}


# Nearly all resources of a composite have the same keys.
@functools.lru_cache(maxsize=256)
def _text_of_keys(missing: frozenset[str], deciding: frozenset[str], own: frozenset[str]) -> str:
    keys = sorted(missing, key=lambda key: (key not in deciding, key not in own, key))[:MOST]
    return "".join(_SIGNS[key in deciding, key in own] + key for key in keys)


@functools.lru_cache(maxsize=256)
def _keys_in(text: str) -> list[frozenset[str]]:
    entries = [text[at : at + _KEY + 1] for at in range(0, len(text), _KEY + 1)]
    return [frozenset(one[1:] for one in entries if one[0] in signs) for signs in (".!?&", "!&", "?&")]


def key_of(path: str) -> str:
    """Return a short key that stands for the path of a value in a memory."""
    return digest(path.encode(), _KEY)


def _keys_around(observable: Observable[Any]) -> Iterable[str]:
    """Yield the keys of a value and of the objects around it, up to the resource."""
    path, root = observable.source_path, observable.__cl_root__
    top = 0
    if root is not None:
        top = len(root.prefix)
        if root.kind == "resource":
            yield NOTHING
    yield key_of(path)
    for at in range(len(path) - 1, max(top, 1) - 1, -1):
        if path[at] in ".[":
            yield key_of(path[:at])


def version_of(content: bytes) -> str:
    """Return the digest of a canonical content, with the version of its form."""
    return _VERSION + digest(content, _DIGEST - 1)


def whose(annotation: Any, step: str, name: str, formerly: Collection[str] = ()) -> str:
    """Return which step an observed resource belongs to, by its mark: `OURS`, `OUR_NAME`, `OTHERS` or `NO_MARK`.

    It is `OURS` also under a former name of the function (`formerly`), and `OUR_NAME` for a step of the same function
    with another input.
    """
    steps = steps_in(annotation)
    if step in steps or any(is_step_of(one, former) for one in steps for former in formerly):
        return OURS
    if any(is_step_of(one, name) for one in steps):
        return OUR_NAME
    return OTHERS if steps else NO_MARK


def is_step_of(step: str, name: str) -> bool:
    """Say whether `step`, a step's identity, belongs to the function called `name`, with any input."""
    return step == name or (step.startswith(name) and _HASHED.fullmatch(step, len(name)) is not None)


def joined_steps(before: Any, step: str, memory: str = "", names: Collection[str] = ()) -> str:
    """Return the mark's value with a step and its memory, which take the place of the step's former entry.

    Entries of other steps stay, but not those of functions called `names`. The order stays.
    """
    entries = {one: kept for one, kept in _entries(before) if one == step or not any(is_step_of(one, n) for n in names)}
    entries[step] = memory
    return ",".join(f"{one};{kept}" if kept else one for one, kept in entries.items())


def steps_in(annotation: Any) -> list[str]:
    """Return the identities of the steps in `annotation`, the mark's value; an empty list if it isn't a string."""
    return [step for step, _ in _entries(annotation)]


def without_memory(resource: dict[str, Any]) -> dict[str, Any]:
    """Return a resource whose mark has no memories, for people: the resource itself if its mark has none."""
    metadata = resource.get("metadata")
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    mark = annotations.get(ANNOTATION) if isinstance(annotations, dict) else None
    plain = ",".join(steps_in(mark))
    if not plain or plain == mark:
        return resource
    return {**resource, "metadata": {**metadata, "annotations": {**annotations, ANNOTATION: plain}}}  # type: ignore[dict-item]


def memory_in(annotation: Any, step: str) -> Memory:
    """Return the memory that a step has in the mark's value; a memory of nothing if it has none or a malformed one."""
    text = next((memory for one, memory in _entries(annotation) if one == step), "")
    if not _MEMORY.fullmatch(text):
        return Memory("")
    return _memory(text)


def _memory(text: str) -> Memory:
    return Memory(text[:_DIGEST], *_keys_in(text[_DIGEST:]))


def memory_at_once(raw: bytes, step: str) -> Memory | None:
    """Return the memory in an object's bytes whose mark has this step alone, as nearly all have; else None.

    Nothing is decoded for it. `memory_in` finds every memory.
    """
    start = f"{step};".encode()
    at = raw.find(start)
    found = None if at < 0 or raw.find(start, at + 1) >= 0 else _IN_BYTES.match(raw, at + len(start))
    # Only a string that is nothing else counts: behind its tag and length.
    if found is None or not raw.endswith(b"\x1a" + varint(found.end() - at), 0, at):
        return None
    return _memory(found.group().decode())


def _entries(annotation: Any) -> list[tuple[str, str]]:
    """Return each step in the mark's value with the text of its memory."""
    entries = annotation.split(",") if isinstance(annotation, str) else ()
    found = (entry.rpartition(";") if ";" in entry else (entry, "", "") for entry in entries)
    return [(step, memory) for step, _, memory in found if step]


Content = bytes | tuple[bytes, ...]
"""The bytes of a desired resource without the mark, or their pieces (`codec.pieces_of`)."""

_WAY: Final = MARK_WAY[:2]
_PREFIX: Final = codec.entry_prefix(ANNOTATION)
_MOST_DIGESTS: Final = 1 << 15

# The digests of contents by Python's hash of their bytes: nearly every call has the contents of an earlier one.
_digests: dict[int, str] = {}


def direct(model: Resource) -> Content | None:
    """Encode a registered resource in the fast way.

    Returns None if the resource needs the slow way, because a value is unresolved or can't be encoded, or because only
    that way can merge the resource with the state that previous functions desire.
    """
    assert model._state is not None
    base = model._state.base
    try:
        if base is not None:
            return codec.encode_over(model, base, strict=True)
        metadata = model.__dict__.get("metadata")
        if metadata is None or type(metadata) is dict or isinstance(metadata, ModelShape):
            return codec.pieces_of(model, _WAY, ANNOTATION)
        return codec.encode_struct(model, strict=True)
    except codec.Bail:
        return None


def plain_bytes(content: Content) -> bytes:
    """Return a content as the bytes of a Struct, without this step's mark."""
    return content if type(content) is bytes else codec.joined_pieces(content, _WAY, b"")  # type: ignore[arg-type]


def marked(content: Content, step: str, memory: str) -> bytes:
    """Return the bytes of a desired resource with the mark of a step and its memory; no mark if `step` is empty.

    Marks of other steps stay.
    """
    if not step:
        return plain_bytes(content)
    if type(content) is tuple:
        text = (f"{step};{memory}" if memory else step).encode()
        size = codec.varint(len(text))
        entry = b"".join((_PREFIX, codec.varint(len(text) + len(size) + 1), b"\x1a", size, text))
        return codec.joined_pieces(content, _WAY, b"\x0a" + codec.varint(len(entry)) + entry)
    raw = plain_bytes(content)
    before = codec.get_path(raw, MARK_WAY)
    return codec.encode_over({"metadata": {"annotations": {ANNOTATION: joined_steps(before, step, memory)}}}, raw)


def digest_of(content: Content) -> str:
    """Return a digest of a content. The order of fields, the marks, and empty metadata don't count.

    Raises:
        WireError: The bytes that previous functions desire are malformed.
    """
    key = hash(content)
    found = _digests.get(key)
    if found is None:
        if len(_digests) >= _MOST_DIGESTS:
            _digests.clear()
        raw = plain_bytes(content)
        try:
            found = version_of(_canonical(raw, _WAY))
        except RecursionError:
            found = version_of(raw)
        _digests[key] = found
    return found


def _canonical(raw: bytes, way: tuple[str, ...] = ()) -> bytes:
    """Return the bytes of a Struct with its keys in order. At the end of `way` the mark is left out."""
    fields = codec.split(raw)
    parts = []
    for key in sorted(fields):
        name = key.encode()
        kind, payload = codec.open_value(fields[key])
        if kind == codec.STRUCT and key in way[:1]:
            data = _canonical(payload, way[1:]) if way[1:] else _without_mark(payload)
            if not data:
                continue
            data = b"%d %d %s" % (kind, len(data), data)
        else:
            data = _canonical_value(fields[key])
        parts.append(b"%d %s%s" % (len(name), name, data))
    return b"".join(parts)


def _without_mark(raw: bytes) -> bytes:
    fields = codec.split(raw)
    return b"".join(b"%d %s%s" % (len(key), key.encode(), fields[key]) for key in sorted(fields) if key != ANNOTATION)


def _canonical_value(value: bytes) -> bytes:
    kind, payload = codec.open_value(value)
    if kind == codec.STRUCT:
        value = _canonical(payload)
    elif kind == codec.LIST:
        value = b"".join(map(_canonical_value, codec.split_list(payload)))
    return b"%d %d %s" % (kind, len(value), value)
