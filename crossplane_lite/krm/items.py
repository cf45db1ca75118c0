"""The items of a ResourceList: selecting, adding, merging and removing resources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .._base.type_names import articled
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
    """All items of a ResourceList in their order, or a selection of them, such as `rl.items.where(kind="Job")`.

    Items may be added and removed in a loop over them: the loop goes over the items that were there at its start. If an
    item is added to a selection or removed from it, the ResourceList changes, too. Other selections don't change.
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
        """Return the index of `resource` if it is one of these items itself, else of the first item with equal content.

        Args:
            resource: A resource, or its content as a mapping.
            start: The index of the first item that is searched.
            stop: The index after the last item that is searched; None for the end.

        Raises:
            ValueError: There is no such item.
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

    # Selecting

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
        """Return the items that match all given arguments. An argument that isn't given matches every item.

        Args:
            kind: The kind, or a list of kinds of which one must match.
            api_version: The whole apiVersion, such as `apps/v1`, or a list of them.
            group: The API group, such as `apps`, or a list of groups. The empty string is the core group.
            name: The name, or a list of names.
            namespace: The namespace, or a list of namespaces. The empty string is for items without a namespace.
            labels: The labels that an item must have, each with its value; None as a value stands for any value.
            annotations: The annotations that an item must have, each with its value; None stands for any value.

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
        """Return typed views of the items that have the group and kind of a model, in their order.

        A typed view is an instance of the model. It reads the item as it was when the view was made. Setting or
        deleting a field of the view changes the item at once, and in the item's text only this field. As in all models,
        setting None changes nothing, and `del view.spec.replicas` removes a field.

        Args:
            model: A generated class of resources, such as Deployment. Items of other versions of the kind are returned,
                too. `Unstructured` stands for all items.

        Raises:
            UsageError: The model isn't a class of resources.
            InputError: An item has an integer beyond 2**53, which models can't hold.
        """
        from . import views

        return [views.view_of(model, one) for one in self if views.is_for(model, one)]

    # Changing

    def add(self, resource: Resource | Mapping[str, Any] | Model | str) -> Resource:
        """Add an item at the end of the ResourceList.

        The item needs no annotations that name its file; `move_to` chooses one. If it is a copy of another item, it
        doesn't get the id that an orchestrator, such as kustomize, gave to that item.

        Args:
            resource: A new Resource, or an item that was removed, becomes the item itself. Everything else is copied: a
                mapping, an instance of a model, another item, or a string with one YAML document. The comments of the
                document stay.

        Returns:
            The item.

        Raises:
            DuplicateResourceError: The ResourceList has an item with that group, kind, namespace and name.
            UsageError: `resource` is of another type, has no apiVersion or kind, has neither a name nor a generateName,
                or holds a value that isn't JSON.
            InputError: The YAML can't be read, or isn't one document.
        """
        made = self._taken(resource)
        same = self._same_as(made)
        if same:
            raise DuplicateResourceError(f"there is {articled(same[0]._where)} already; items.upsert() changes it")
        self._append(made)
        return made

    def _same_as(self, made: Resource) -> list[Resource]:
        """Return all items of the ResourceList with the group, kind, namespace and name of `made`.

        The list is empty if `made` has no name, but a generateName.
        """
        if not made._peek("metadata", "name"):
            return []
        wanted = _identity(made)
        return [one for one in self._whole._found if _identity(one) == wanted]

    def _rename(self, item: Resource, changed: Mapping[tuple[str, ...], Any]) -> None:
        """Record the group, kind, namespace and name that an item is about to get.

        This is only called on the Items with all items, not on a selection.

        Args:
            item: The item, before it is changed. It may have been removed from the items; then it can't be a duplicate.
            changed: The fields that change, as paths such as `("metadata", "name")`, with their new values.

        Raises:
            DuplicateResourceError: Another item has them already.
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
            taken = articled(others[0]._where)
            raise DuplicateResourceError(f"{item._where} can't become {called}: there is {taken} already")
        if item in known.get(before, ()):
            known[before] = [one for one in known[before] if one is not item]
        known.setdefault(now, []).append(item)

    def _taken(self, resource: Any) -> Resource:
        """Return `resource` itself if it is a new Resource or an item that was removed, else a copy as a Resource.

        Raises:
            UsageError: `resource` can't be an item, as in `add`.
            InputError: `resource` is YAML that can't be read, or not one document.
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
        """Merge a resource into the item with the same group, kind, namespace and name, or add it as a new item.

        Objects are merged field by field. Lists and all other values replace those of the item. In the text, only what
        differs is changed. After an error the item is as it was.

        Args:
            resource: The resource, of one of the types that `add` takes.

        Returns:
            The item that was changed or added.

        Raises:
            UsageError: As in `add`; or several items have this group, kind, namespace and name; or an annotation that
                only an orchestrator may change would change.
            InputError: As in `add`.
        """
        made = self._taken(resource)
        found = self._same_as(made)
        if len(found) > 1:
            raise UsageError(
                f"{len(found)} items are {made._what}, so upsert() can't choose one: change the item that you mean "
                "without upsert()"
            )
        if not found:
            self._append(made)
            return made
        _merge(found[0], made._now())
        return found[0]

    def remove(self, resource: Resource | Model) -> None:
        """Remove an item from the ResourceList, and from this selection of items.

        Args:
            resource: The item itself, or a typed view of it. An equal resource isn't enough.

        Raises:
            UsageError: The resource isn't an item of the ResourceList.
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
        """Return `resource` if it is an item itself, or the item of which it is a typed view; None in other cases."""
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
        """Replace all items by `resources`, in this order. After an error the items are as they were.

        Args:
            resources: Items that are there already, typed views of them, and new items, as `add` takes them.

        Raises:
            UsageError: `resources` isn't iterable or is a single resource, or one of them can't be an item.
            InputError: One of them is YAML that can't be read, or not one document.
            DuplicateResourceError: An item is in `resources` twice, or a new one has the group, kind, namespace and
                name of another one.
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
        raise UsageError(f"items.where(): {what!r} must be a string or a list of strings (got {value!r:.60})")
    return made


def _marks(entries: Any, what: str) -> Iterable[tuple[str, str | None]]:
    if entries is None:
        return ()
    if not isinstance(entries, Mapping) or not all(one is None or isinstance(one, str) for one in entries.values()):
        raise UsageError(
            f"{what!r} must be a mapping from keys to strings, or to None for any value (got {entries!r:.60})"
        )
    return entries.items()


_IDENTITY = (("apiVersion",), ("kind",), ("metadata", "namespace"), ("metadata", "name"))


def _group(resource: Resource) -> str | None:
    return _group_of(resource._peek("apiVersion"))


def _group_of(api_version: Any) -> str | None:
    from .._base.api_version import group_of  # rarely needed

    return group_of(api_version) if isinstance(api_version, str) else None


def _has(found: object, wanted: object) -> bool:
    return found is not None and (wanted is None or found == wanted)


def _identity(resource: Resource, changed: Mapping[tuple[str, ...], Any] | None = None) -> tuple[Any, ...]:
    """Return the group, kind, namespace and name of an item, by which two items must differ.

    Args:
        resource: The item.
        changed: Values that are taken instead of the item's own, by their paths; None to take only its own.
    """
    if changed is not None:
        found = [changed.get(steps, resource._peek(*steps)) for steps in _IDENTITY]
        return _hashable(_group_of(found[0]), found[1], found[2] or "", found[3])
    known = resource._identity
    if known is not None and known[0] == resource._edits and resource._typed is None:
        return known[1]
    metadata = (resource._peek("metadata", "namespace") or "", resource._peek("metadata", "name"))
    identity = _hashable(_group(resource), resource._peek("kind"), *metadata)
    # The identity is kept, because each item that is added is compared with all others.
    object.__setattr__(resource, "_identity", (resource._edits, identity))
    return identity


def _hashable(*parts: Any) -> tuple[Any, ...]:
    """Return the parts of an identity as a tuple that can be a dict's key; lists, dicts and numbers become strings."""
    return tuple(part if part is None or isinstance(part, str) else repr(part) for part in parts)


def _made(resource: Any) -> Resource:
    """Return a new Resource with a copy of the content `resource`: a mapping, a model, or text or bytes of YAML.

    Block-style YAML with a `#` in it keeps its text, so that its comments stay.

    Raises:
        UsageError: The content is of another type, or holds a value that isn't JSON.
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
    """Merge `content` into an item: objects field by field; any other value replaces the old one.

    Args:
        item: The item. After an error it is as it was.
        content: The content, with the item's group, kind, namespace and name.

    Raises:
        UsageError: The item can't be changed, or can't hold one of the values.
    """
    changes = []
    work = [(item._now(), content)]
    while work:
        holder, fields = work.pop()
        for key, value in fields.items():
            found = holder.get(key)
            if isinstance(found, dict) and isinstance(value, dict):
                work.append((found, value))
            elif not _is_same(holder, key, value):
                changes.append((holder, key, *item._checked(holder, key, plain_data(value))))
    for change in changes:
        item._put_checked(*change)


def _is_same(holder: dict[str, Any], key: str, value: Any) -> bool:
    from ._text._values import same

    return key in holder and same(holder[key], value)
