"""The items of a ResourceList: picking, adding, merging and removing resources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..errors import DuplicateResourceError, UsageError
from ._data import check_types, plain_data
from .resource import Resource

TYPE_CHECKING = False  # type checkers take it for typing's, which would take longer to import than this module
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from typing import Any, TypeAlias, TypeVar, overload

    from .._models.resource import Resource as Model

    M = TypeVar("M", bound=Model)
    Wanted: TypeAlias = str | Collection[str] | None

    _Sequence = Sequence[Resource]
else:
    _Sequence = Sequence

__all__ = ["Items"]


class Items(_Sequence):
    """Items of a ResourceList, in their order: all of them, or a selection.

    Items can be added and removed during a loop, which goes over the items that were there at its start. An item that
    is added to a selection, or removed from a selection, is added to the ResourceList, or removed from it, too.
    """

    def __init__(self, found: list[Resource], whole: Items | None = None) -> None:
        self._found = found
        self._whole = self if whole is None else whole
        # Items by their identity; None until the first rename.
        self._known: dict[tuple[Any, ...], list[Resource]] | None = None

    if TYPE_CHECKING:

        @overload
        def __getitem__(self, at: int) -> Resource: ...
        @overload
        def __getitem__(self, at: slice) -> Items: ...

    def __getitem__(self, at: Any) -> Any:
        found = self._found[at]
        return Items(found, self._whole) if isinstance(found, list) else found

    def __len__(self) -> int:
        return len(self._found)

    def __iter__(self) -> Iterator[Resource]:
        return iter(list(self._found))

    def __contains__(self, resource: object) -> bool:
        return any(one is resource or one == resource for one in self._found)

    def index(self, resource: Any, start: int = 0, stop: int | None = None) -> int:
        """Return the index of `resource` itself if it is one of these items, else of the first equal item.

        Raises:
            ValueError: The resource isn't among these items.
        """
        places = range(*slice(start, stop).indices(len(self._found)))
        for at in places:
            if self._found[at] is resource:
                return at
        for at in places:
            if self._found[at] == resource:
                return at
        raise ValueError(f"{resource!r} is not among these {len(self._found)} items")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (Items, list)) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # mutable

    def __repr__(self) -> str:
        return f"<{len(self._found)} items: {', '.join(one._what for one in self._found[:10])}" + (
            ", ...>" if len(self._found) > 10 else ">"
        )

    # Picking

    def where(
        self,
        *,
        kind: Wanted = None,
        api_version: Wanted = None,
        group: Wanted = None,
        name: Wanted = None,
        namespace: Wanted = None,
        labels: Mapping[str, str | None] | None = None,
        annotations: Mapping[str, str | None] | None = None,
    ) -> Items:
        """Return the items that fit all given arguments.

        Args:
            kind: The kind, or several kinds, of which one must fit. `api_version`, `group`, `name` and `namespace` take
                several values, too.
            api_version: The apiVersion, with its version.
            group: The API group; the empty string for the core group.
            name: The name.
            namespace: The namespace; the empty string for items without one.
            labels: The labels that an item must have, each with its value, or None for any value.
            annotations: The annotations that an item must have, each with its value, or None for any value.

        Raises:
            UsageError: A value isn't a string, or `labels` or `annotations` isn't a mapping to strings or None.
        """
        wanted = {
            steps: _texts(value, what)
            for steps, value, what in (
                (("kind",), kind, "kind"),
                (("apiVersion",), api_version, "api_version"),
                (("metadata", "name"), name, "name"),
                (("metadata", "namespace"), namespace, "namespace"),
            )
            if value is not None
        }
        groups = None if group is None else _texts(group, "group")
        marks = [
            (("metadata", at, key), value)
            for at, entries in (("labels", labels), ("annotations", annotations))
            for key, value in _marks(entries, at)
        ]
        found = [
            one
            for one in self._found
            if all((one._peek(*steps) or "") in texts for steps, texts in wanted.items())
            and (groups is None or _group(one) in groups)
            and all(_has(one._peek(*steps), value) for steps, value in marks)
        ]
        return Items(found, self._whole)

    def of(self, model: type[M]) -> list[M]:
        """Return typed views of the items of a model's group and kind, in their order; `Unstructured` takes all items.

        A view is an instance of the model that reads the item as it was when the view was made. Setting or deleting a
        field in it changes the item at once, and only this field in its text. As in all models, setting None changes
        nothing, and `del view.spec.replicas` removes a field.

        Args:
            model: A generated class of resources, such as Deployment. Items of other versions are taken, too.

        Raises:
            UsageError: The model isn't a class of resources.
            InputError: An item has an integer beyond 2**53, which models can't hold.
        """
        from . import views

        return [views.view_of(model, one) for one in self if views.is_for(model, one)]

    # Changing

    def add(self, resource: Resource | Mapping[str, Any] | Model | str) -> Resource:
        """Add an item at the end.

        The item needs no annotation of an orchestrator; `move_to` chooses its file. If it is a copy of another item,
        the orchestrator's ids of that item are left out.

        Args:
            resource: A new Resource, which becomes the item; or an item's content, which is copied: a mapping, an
                instance of a model, another item, or one document of YAML, which keeps its text if it has comments.
                An item that was removed comes back as itself.

        Returns:
            The item.

        Raises:
            DuplicateResourceError: The ResourceList has an item of that group, kind, namespace and name.
            UsageError: `resource` isn't one of these, has no apiVersion or kind, has neither a name nor a generateName,
                or holds a value that no manifest can hold.
            InputError: The YAML can't be read, or isn't one document.
        """
        made = self._taken(resource)
        same = self._same_as(made)
        if same:
            raise DuplicateResourceError(f"there is a {same[0]._where} already; items.upsert() changes it")
        self._append(made)
        return made

    def _same_as(self, made: Resource) -> list[Resource]:
        """Return the items with the group, kind, namespace and name of `made`; an empty list if `made` has no name."""
        if not made._peek("metadata", "name"):
            return []
        wanted = _identity(made)
        return [one for one in self._whole._found if _identity(one) == wanted]

    def _rename(self, item: Resource, changed: Mapping[tuple[str, ...], Any]) -> None:
        """Note the new identity of an item whose fields in `changed` get these values.

        Raises:
            DuplicateResourceError: Another item has that identity.
        """
        known = self._known
        if known is None:
            known = self._known = {}
            for one in self._found:
                known.setdefault(_identity(one), []).append(one)
        before = _identity(item)
        now = _identity(item, changed)
        if now == before:
            return
        others = [one for one in known.get(now, ()) if one is not item]
        if others and now[-1] and self._has(item):
            *_, kind, namespace, name = now
            called = f"{kind} {namespace}/{name}" if namespace else f"{kind} {name}"
            raise DuplicateResourceError(f"{item._where} can't become {called}: there is a {others[0]._where} already")
        if item in known.get(before, ()):
            known[before] = [one for one in known[before] if one is not item]
        known.setdefault(now, []).append(item)

    def _taken(self, resource: Any) -> Resource:
        """Return a resource that can be added: the given one if it is new or was removed, else a copy.

        Raises:
            UsageError: `resource` can't be an item.
            InputError: `resource` is YAML that can't be read.
        """
        if isinstance(resource, Resource) and (
            resource._owner is None or (resource._owner is self._whole and not self._has(resource))
        ):
            made = resource
        else:
            made = _made(resource)
        _check(made)
        return made

    def _has(self, resource: Resource) -> bool:
        return any(one is resource for one in self._whole._found)

    def _append(self, made: Resource) -> None:
        if made._owner is None:
            made._become_item(self._whole)
        self._whole._found.append(made)
        self._whole._known = None
        if self is not self._whole:
            self._found.append(made)

    def upsert(self, resource: Resource | Mapping[str, Any] | Model | str) -> Resource:
        """Merge a resource into the item of its group, kind, namespace and name, or add it if there is no such item.

        Objects are merged field by field; lists and all other values are replaced. Only differences change the text.

        Args:
            resource: The same as for `add`.

        Returns:
            The item.

        Raises:
            UsageError: As in `add`; or there are several such items, or the item's reserved annotations would change.
            InputError: As in `add`.
        """
        made = self._taken(resource)
        found = self._same_as(made)
        if len(found) > 1:
            raise UsageError(
                f"there are {len(found)} items that are {made._what}, so upsert() can't choose one: change one of them "
                "itself"
            )
        if not found:
            self._append(made)
            return made
        _merge(found[0], made._now())
        return found[0]

    def remove(self, resource: Resource | Model) -> None:
        """Remove an item.

        Args:
            resource: The item itself, or a typed view of it.

        Raises:
            UsageError: The resource isn't among the items.
        """
        gone = self._meant(resource)
        if gone is None:
            raise UsageError(
                f"{resource!r:.80} is not among the items; remove() takes one of the items itself, or a view of it"
            )
        self._whole._found[:] = [other for other in self._whole._found if other is not gone]
        self._whole._known = None
        self._found[:] = [other for other in self._found if other is not gone]

    def _meant(self, resource: object) -> Resource | None:
        """Return `resource` itself if it is an item, the item that it shows if it is a typed view; else None."""
        for one in self._whole._found:
            if one is resource or (one._typed is not None and resource in one._typed):
                return one
        return None

    def clear(self) -> None:
        """Remove all of these items from the ResourceList: `rl.items.where(kind="Job").clear()` removes all Jobs."""
        gone = {id(one) for one in self._found}
        self._found.clear()
        self._whole._found[:] = [one for one in self._whole._found if id(one) not in gone]
        self._whole._known = None

    def _become(self, resources: Iterable[Any]) -> None:
        """Replace all items by these, in this order; if that fails, the items stay as they were.

        Raises:
            UsageError: `resources` isn't a list, or one of them can't be an item.
            InputError: One of them is YAML that can't be read.
            DuplicateResourceError: An item is there twice, or a new one has the group, kind, namespace and name of
                another one.
        """
        if isinstance(resources, (str, bytes, Mapping)) or not hasattr(resources, "__iter__"):
            raise UsageError(f"the items must be a list of resources (got {resources!r:.60})")
        before = list(self._found)
        known = {id(one) for one in before}
        wanted = []
        for one in resources:
            item = one if id(one) in known else self._meant(one)
            wanted.append(one if item is None else item)
        kept = [one for one in wanted if id(one) in known]
        if len({id(one) for one in kept}) < len(kept):
            twice = next(one for at, one in enumerate(kept) if any(one is other for other in kept[:at]))
            raise DuplicateResourceError(
                f"{twice._where} stands in the new list of items twice; each item can be in it only once"
            )
        self._found[:] = kept
        self._known = None
        try:
            self._found[:] = [one if id(one) in known else self.add(one) for one in wanted]
        except Exception:
            self._found[:] = before
            self._known = None
            raise


def _texts(value: Any, what: str) -> frozenset[str]:
    texts = (value,) if isinstance(value, str) else value
    try:
        made = frozenset(texts)
    except TypeError:
        made = frozenset({None})
    if not all(isinstance(one, str) for one in made):
        raise UsageError(f"{what!r} must be a string or a list of strings (got {value!r:.60})")
    return made


def _marks(entries: Any, what: str) -> Iterable[tuple[str, str | None]]:
    if entries is None:
        return ()
    if not isinstance(entries, Mapping) or not all(one is None or isinstance(one, str) for one in entries.values()):
        raise UsageError(f"{what!r} must be a mapping from keys to strings, or to None for any (got {entries!r:.60})")
    return entries.items()


_IDENTITY = (("apiVersion",), ("kind",), ("metadata", "namespace"), ("metadata", "name"))


def _group(resource: Resource) -> str | None:
    return _group_of(resource._peek("apiVersion"))


def _group_of(api_version: Any) -> str | None:
    from .._base.api_version import group_of  # few ask

    return group_of(api_version) if isinstance(api_version, str) else None


def _has(found: object, wanted: object) -> bool:
    return found is not None and (wanted is None or found == wanted)


def _identity(resource: Resource, changed: Mapping[tuple[str, ...], Any] | None = None) -> tuple[Any, ...]:
    """Return the group, kind, namespace and name of an item; no two items may have the same.

    Values in `changed` take the place of the item's own values.
    """
    if changed is not None:
        found = [changed.get(steps, resource._peek(*steps)) for steps in _IDENTITY]
        return _hashable(_group_of(found[0]), found[1], found[2] or "", found[3])
    known = resource._identity
    if known is not None and known[0] == resource._edits and resource._typed is None:
        return known[1]
    metadata = (resource._peek("metadata", "namespace") or "", resource._peek("metadata", "name"))
    identity = _hashable(_group(resource), resource._peek("kind"), *metadata)
    # Kept, because each item that is added is compared with all.
    object.__setattr__(resource, "_identity", (resource._edits, identity))
    return identity


def _hashable(*parts: Any) -> tuple[Any, ...]:
    """Return an identity that can be a dict's key: parts that are neither strings nor None become their `repr`."""
    return tuple(part if part is None or isinstance(part, str) else repr(part) for part in parts)


def _made(resource: Any) -> Resource:
    """Return a new resource with a copy of the given content: a mapping, a model, or YAML.

    Raises:
        UsageError: The content isn't one of these, or holds a value that no manifest can hold.
        InputError: The YAML can't be read, or isn't one document.
    """
    if isinstance(resource, (str, bytes)):
        from ._text import parse

        data = resource.encode() if isinstance(resource, str) else resource
        root = parse(data, "the new item").root
        if b"#" in data and not root.style:
            return Resource._of_node(root, "the new item")  # which keeps its comments
        return Resource(root.value())
    content = plain_data(resource)
    if not isinstance(content, dict):
        raise UsageError(f"an item must be a mapping, a model or a string of YAML (got {resource!r:.60})")
    return Resource(content)


def _check(resource: Resource) -> None:
    content = resource._now()
    for key in ("apiVersion", "kind"):
        if not isinstance(content.get(key), str) or not content[key]:
            raise UsageError(f"an item must have {key}, a string that isn't empty (got {content!r:.80})")
    names = resource._peek("metadata", "name"), resource._peek("metadata", "generateName")
    if not any(isinstance(one, str) and one for one in names):
        raise UsageError(
            "an item must have metadata.name or metadata.generateName, a non-empty string; this one has neither: "
            f"{content!r:.80}"
        )
    check_types((), content, lambda: resource._where)


def _merge(item: Resource, content: Mapping[str, Any]) -> None:
    """Merge content into an item: objects field by field; any other value replaces the old one.

    Raises:
        UsageError: The item can't hold one of the values, or can't be changed.
    """
    work = [(item._now(), content)]
    while work:
        holder, fields = work.pop()
        for key, value in fields.items():
            found = holder.get(key)
            if isinstance(found, dict) and isinstance(value, dict):
                work.append((found, value))
            elif not _is_same(holder, key, value):
                item._assign(holder, key, plain_data(value))


def _is_same(holder: dict[str, Any], key: str, value: Any) -> bool:
    from ._text._values import same

    return key in holder and same(holder[key], value)
