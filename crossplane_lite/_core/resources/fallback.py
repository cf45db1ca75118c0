"""Replaces unresolved values in a resource that exists: by the observed values, or by leaving
fields out.
"""

from __future__ import annotations

from typing import Any, Final

from .. import codec
from ..models.walker import Found, Tree
from ..observed.owned import CROSSPLANES_OWN
from ..paths.trees import identity

_NONE: Any = object()
_LEVELS: Final = 20  # what is deeper is decoded as a whole


def fall_back(tree: Tree, observed: dict[str, Any] | None) -> None:
    """Replace the unresolved values of a tree in place, by values of the observed resource.

    An unresolved value becomes the observed value at the same path. If there is none, the field is
    left out, and so is each object that becomes empty because of it, unless the observed resource
    has this object. An unresolved key of a map is left out, and the observed entries of this map
    are added.

    Elements of lists are matched by the list's merge keys if its schema has some, else by index if
    both lists have the same length. If neither is possible, the whole observed list replaces the
    list, which is left out if nothing is observed. `observed` is None before the resource exists.
    """
    matcher = _Matcher(tree)
    for found in tree.found:
        _fall_back_one(tree, found, observed, matcher)


def part_for(tree: Tree, observed: bytes | None) -> dict[str, Any] | None:
    """Return the fields of an observed resource that `fall_back` needs; None if it needs none.

    Raises WireError for malformed bytes.
    """
    if observed is None or not tree.found:
        return None
    if any(found.is_key for found in tree.found):  # all of the map
        return codec.decode_struct(observed)
    wanted: dict[str | int, Any] = {}
    for found in tree.found:
        at = wanted
        for step in found.steps[:_LEVELS]:
            at = at.setdefault(step, {})
    return _part(observed, wanted)


def _part(raw: bytes, wanted: dict[str | int, Any]) -> dict[str, Any]:
    """Return the fields of an encoded object that nested dicts name, decoded; lists as a whole."""
    part: dict[str, Any] = {}
    there = codec.split(raw)
    for name, below in wanted.items():
        if (key := str(name)) in there:
            kind, payload = codec.open_value(there[key])
            part[key] = (
                _part(payload, below)
                if below and kind == codec.STRUCT
                else codec.decode_value(there[key])
            )
    return part


class _Matcher:
    """Finds, for an element of a list, the observed element with the same merge keys or the same
    index.

    It makes one index (merge keys to element) for each observed list.
    """

    def __init__(self, tree: Tree) -> None:
        self._keys = tree.list_keys
        # Lists that were replaced as a whole, by id. They are kept, so that no other object gets
        # such an id.
        self.replaced: dict[int, Any] = {}
        self._indexes: dict[int, dict[Any, Any]] = {}

    def element(self, values: list[Any], at: int, observed: Any, unresolved: Any) -> Any:
        """Return the observed element that belongs to an element of a list.

        `unresolved` is the name of the element's field whose value is unresolved; None if the
        unresolved value is deeper, or is the element itself. Returns None if no observed element
        has the same merge keys, and `_NONE` if the element can't be matched.
        """
        if not isinstance(observed, list):
            return _NONE
        keys = self._keys.get(id(values))
        # the element can't be identified before its merge keys are known
        if keys and unresolved in keys:
            return _NONE
        if keys:
            wanted = identity(values[at], keys)
            if wanted is not None:  # None for a new element: nothing of it is observed
                if id(observed) not in self._indexes:  # of twins, the first one counts
                    self._indexes[id(observed)] = {
                        identity(one, keys): one for one in reversed(observed)
                    }
                return self._indexes[id(observed)].get(wanted)
        return observed[at] if len(observed) == len(values) else _NONE


def _fall_back_one(
    tree: Tree, found: Found, observed: dict[str, Any] | None, matcher: _Matcher
) -> None:
    node: Any = tree.data
    seen: Any = _NONE if observed is None else observed
    # The holders on the way, to find the outermost list and to take out objects that become empty.
    way: list[tuple[Any, Any, Any]] = []
    last = len(found.steps) - 1
    for depth, step in enumerate(found.steps):
        at: Any = step
        if id(node) in matcher.replaced or not isinstance(node, (dict, list)):
            return
        if isinstance(node, list):
            field = found.steps[depth + 1] if depth + 1 == last else None
            below = matcher.element(node, int(step), seen, field)
            if below is _NONE:
                _replace_list(way, seen, matcher, node)
                return
        else:
            if step not in node and not (found.is_key and depth == last):
                return
            below = seen.get(step, _NONE) if isinstance(seen, dict) else _NONE
        if depth == last:
            if found.is_key and isinstance(node, dict):
                node.pop(at, None)
                # Whatever key it will be, the observed map's entries stay.
                if isinstance(seen, dict):
                    for key, value in seen.items():
                        if key not in CROSSPLANES_OWN:
                            node.setdefault(key, value)
                _prune(way, node, seen)
            elif below is _NONE:
                del node[at]
                _prune(way, node, seen)
            else:
                node[at] = below
            return
        way.append((node, at, seen))
        node, seen = node[at], below


def _replace_list(
    way: list[tuple[Any, Any, Any]], observed: Any, matcher: _Matcher, values: list[Any]
) -> None:
    """Replace a list by the observed list, or leave it out if none is observed.

    If the list is inside of other lists, the innermost of them that has an observed list is
    replaced. If none has, the outermost list is left out. `way` has the holders of the list from
    the top: each object or list, the key or index in it, and its observed value. `matcher` notes
    which lists were replaced.
    """
    while not isinstance(observed, list) and isinstance(way[-1][0], list):
        # A list in a list can't be left out without shifting the next ones, so the one around it
        # goes.
        values, _, observed = way.pop()
    matcher.replaced[id(values)] = values
    holder, step, seen = way.pop()
    if isinstance(observed, list):
        holder[step] = observed
        matcher.replaced[id(observed)] = observed
    else:
        del holder[step]
        _prune(way, holder, seen)


def _prune(way: list[tuple[Any, Any, Any]], holder: Any, seen: Any) -> None:
    """Remove `holder` if it is an empty object that isn't observed, then each object above that
    becomes empty by this.

    `way` is as in `_replace_list`, and `seen` is the observed value in the place of `holder`.
    """
    while way and isinstance(holder, dict) and not holder and not isinstance(seen, dict):
        above, step, seen_above = way.pop()
        if not isinstance(above, dict):
            return
        del above[step]
        holder, seen = above, seen_above
