"""The mark: an annotation on composed resources that names the steps which register them, with each
step's digest.

A step's identity is the function's name, with a hash of the step's input if it has one
(`Call.step`). The mark's value is a list of steps, separated by commas. A step is its identity, and
after a semicolon what it has made (`Made`). The steps also share one key of the pipeline's context,
`HELD_BACK_KEY`, under which each step says which of its resources wait.

The content of a resource is the desired resource without this step's mark and notes. In the fast
way it is encoded from the model in pieces, so that the mark can be put in without a second pass. In
the slow way `_core.answer.draft` makes plain data from the model first, and the content is the
bytes of a Struct.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Collection
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import codec
from ..base.hashes import digest
from ..known import KNOWN
from ..models.node import ModelShape

if TYPE_CHECKING:
    from ..resources.resource import Resource

ANNOTATION = "crossplane-lite/function"
MARK_WAY = ("metadata", "annotations", ANNOTATION)

# The key of the context under which each step says who waits (`_core.dependencies.entry`).
HELD_BACK_KEY = "crossplane-lite/held-back"

# In what a step says there: it has answered without its notes, so that what it tells may be wrong.
UNSURE = "unsure"

# In what a step says there: it lacks values, so that keys of the context may be missing that it
# sets later.
LACKING = "lacking"

OURS = "ours"
OUR_NAME = "our name"  # the function's name, and the hash of another input than the step has now
NO_MARK = "no mark"  # the resource was made by hand, or by another SDK
OTHERS = "others"

_HASHED = re.compile("-[0-9a-f]{8}$")
_VERSION = "1"
_DIGEST = 9  # the version and eight letters
_GUESSED = "!"
# Behind the digest versions before this one had keys of missing values, which say nothing now.
_MADE = re.compile(r"([0-9A-Za-z_-]{9})((?:[.!?&][0-9A-Za-z_*-]{5})*|!)")


class Made(NamedTuple):
    """What a step has made of a resource.

    Attributes:
        digest: The version of this form, and a digest of the content that the step desires; empty
            for nothing.
        guessed: Whether a missing value was used as a plain one in the call in which the resource
            was created.
    """

    digest: str
    guessed: bool = False

    def to_text(self) -> str:
        """Return the text for the mark."""
        return self.digest + _GUESSED if self.guessed else self.digest


def whose(annotation: Any, step: str, name: str, formerly: Collection[str] = ()) -> str:
    """Return which step an observed resource belongs to, by its mark: `OURS`, `OUR_NAME`, `OTHERS`
    or `NO_MARK`.

    It is `OURS` also under a former name of the function (`formerly`), and `OUR_NAME` for a step of
    the same function with another input.
    """
    steps = _entries(annotation)
    if step in steps:
        return OURS
    functions = {*steps, *functions_in(annotation)}
    if not functions.isdisjoint(formerly):
        return OURS
    if name in functions:
        return OUR_NAME
    return OTHERS if steps else NO_MARK


def is_step_of(step: str, name: str) -> bool:
    """Say whether `step`, a step's identity, belongs to the function called `name`, with any
    input.
    """
    return name in (step, _HASHED.sub("", step))


def joined_steps(before: Any, step: str, made: str = "", names: Collection[str] = ()) -> str:
    """Return the mark's value with a step and what it has made, in the place of the step's former
    entry.

    Entries of other steps stay, but not those of functions called `names`. The order stays.
    """
    entries = _entries(before)
    for one in tuple(entries):
        if one != step and any(is_step_of(one, name) for name in names):
            del entries[one]
    entries[step] = made
    return ",".join(f"{one};{made}" if made else one for one, made in entries.items())


def steps_in(annotation: Any) -> list[str]:
    """Return the identities of the steps in `annotation`, the mark's value; an empty list if it
    isn't a string.
    """
    return list(_entries(annotation))


def is_marked(raw: bytes, step: str) -> bool:
    """Say whether an object's mark names a step. Most objects that don't have it cost a quick look
    only.
    """
    return step.encode() in raw and step in steps_in(codec.get_path(raw, MARK_WAY))


def functions_in(annotation: Any) -> set[str]:
    """Return the names of the functions in the mark's value, without the hashes of their inputs."""
    return {_HASHED.sub("", step) for step in _entries(annotation)}


def without_digests(resource: dict[str, Any]) -> dict[str, Any]:
    """Return a resource without notes, whose mark has only names, for people: itself if it has
    nothing else.
    """
    metadata = resource.get("metadata")
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    if not isinstance(annotations, dict):
        return resource
    plain = dict(annotations)
    plain.pop(KNOWN, None)
    names = ",".join(steps_in(annotations.get(ANNOTATION)))
    if names:
        plain[ANNOTATION] = names
    if plain == annotations:
        return resource
    return {**resource, "metadata": {**metadata, "annotations": plain}}  # type: ignore[dict-item]


def made_in(annotation: Any, step: str) -> Made:
    """Return what a step has made by the mark's value; nothing if it has no digest, or a malformed
    one.
    """
    found = _MADE.fullmatch(_entries(annotation).get(step, ""))
    return Made("") if found is None else Made(found[1], _GUESSED in found[2])


def _entries(annotation: Any) -> dict[str, str]:
    """Return what each step in the mark's value says about the resources that it has made."""
    found: dict[str, str] = {}
    for entry in annotation.split(",") if isinstance(annotation, str) else ():
        step, _, made = entry.rpartition(";") if ";" in entry else (entry, "", "")
        if step:
            found[step] = made
    return found


# The bytes of a desired resource without the mark, or their pieces (`codec.pieces_of`).
Content = bytes | tuple[bytes, ...]

_WAY = MARK_WAY[:2]
_IN_BYTES = ANNOTATION.encode()
_KNOWN_IN_BYTES = KNOWN.encode()
_KNOWN_PREFIX = codec.entry_prefix(KNOWN)
_MOST_DIGESTS = 1 << 15

# The digests of contents by Python's hash of their bytes: nearly every call has the contents of an
# earlier one.
_digests: dict[int, str] = {}


def direct(model: Resource) -> Content | None:
    """Encode a registered resource in the fast way.

    Returns None if the resource needs the slow way, because a value is unresolved or can't be
    encoded, or because only that way can merge the resource with the state that previous functions
    desire.
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


def marked(content: Content, step: str, made: str, known: str = "") -> bytes:
    """Return the bytes of a desired resource with a step's mark; without one if `step` is empty.

    Marks of other steps stay. `known` is the value of the annotation for notes; empty for none.
    """
    if not step:
        return plain_bytes(content)
    values = {ANNOTATION: f"{step};{made}" if made else step}
    if known:
        values[KNOWN] = known
    if type(content) is bytes and not (_IN_BYTES in content or _KNOWN_IN_BYTES in content):
        content = codec.cut(content, _WAY)
    if type(content) is tuple and not (known and _KNOWN_PREFIX in content[-1]):
        return codec.joined_pieces(content, _WAY, codec.encode_struct(values))
    raw = plain_bytes(content)
    values[ANNOTATION] = joined_steps(codec.get_path(raw, MARK_WAY), step, made)
    return codec.encode_over({"metadata": {"annotations": values}}, raw)


def digest_of(content: Content) -> str:
    """Return a digest of a content. The order of fields, marks, notes, and empty metadata don't
    count.

    Raises:
        WireError: The bytes that previous functions desire are malformed.
    """
    key = hash(content)
    found = _digests.get(key)
    if found is None:
        if len(_digests) >= _MOST_DIGESTS:
            _digests.clear()
        canonical = raw = plain_bytes(content)
        with contextlib.suppress(RecursionError):
            canonical = _canonical(raw, _WAY)
        found = _digests[key] = _VERSION + digest(canonical, _DIGEST - 1)
    return found


def _canonical(raw: bytes, way: tuple[str, ...] | None = None) -> bytes:
    """Return the bytes of a Struct with its keys in order. At the end of `way` mark and notes are
    left out.
    """
    fields = codec.split(raw)
    parts = []
    for key in sorted(fields):
        name, value = key.encode(), fields[key]
        if way != ():
            below = way[1:] if way and key == way[0] else None
            value = _canonical_value(value, below)
            if below is not None and value == _NO_FIELDS:
                continue
        elif key in (ANNOTATION, KNOWN):
            continue
        parts.append(b"%d %s%s" % (len(name), name, value))
    return b"".join(parts)


def _canonical_value(value: bytes, way: tuple[str, ...] | None = None) -> bytes:
    kind, payload = codec.open_value(value)
    if kind == codec.STRUCT:
        value = _canonical(payload, way)
    elif kind == codec.LIST:
        value = b"".join(map(_canonical_value, codec.split_list(payload)))
    return b"%d %d %s" % (kind, len(value), value)


_NO_FIELDS = b"%d 0 " % codec.STRUCT
