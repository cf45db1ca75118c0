"""The items of a ResourceList: selecting, adding, merging and removing resources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..errors import DuplicateResourceError, UsageError
from ._live import check_types, plain_data
from .resource import Resource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator
    from typing import Any, TypeAlias, TypeVar, overload

    from .._core.resources.resource import Resource as Model

    M = TypeVar("M", bound=Model)
    Wanted: TypeAlias = str | Collection[str] | None

    _Sequence = Sequence[Resource]

    from .._core.paths.trees import Select
else:
    _Sequence = Sequence

__all__ = ["Items"]


class _Index:
    """The items by what they are called and by where they are, following changes: nothing is
    searched for.

    Attributes:
        by_id: The items of each group, kind, namespace and name, by the `id()` of the item.
        by_file: The items of each file and index in it, in the same way.
    """

    def __init__(self, found: Iterable[Resource]) -> None:
        self.by_id: dict[Any, dict[int, Resource]] = {}
        self.by_file: dict[Any, dict[int, Resource]] = {}
        self._keys: dict[int, tuple[Any, Any]] = {}
        for one in found:
            self.enter(one)

    def enter(self, item: Resource) -> None:
        """Add an item, or follow its changes."""
        self.leave(item)
        keys = self._keys[id(item)] = _identity(item), item._place
        for where, key in zip((self.by_id, self.by_file), keys, strict=True):
            where.setdefault(key, {})[id(item)] = item

    def leave(self, item: Resource) -> None:
        """Remove an item; do nothing if it isn't there."""
        for where, key in zip(
            (self.by_id, self.by_file), self._keys.pop(id(item), ()), strict=False
        ):
            del where[key][id(item)]


class Items(_Sequence):
    """All items of a ResourceList in their order, or a selection of them, such as
    `rl.items.where(kind="Job")`.

    Items may be added and removed in a loop over them: the loop goes over the items that were there
    at its start. If an item is added to a selection or removed from it, the ResourceList changes,
    too. Other selections don't change.
    """

    def __init__(self, found: Iterable[Resource], whole: Items | None = None) -> None:
        self._by_place = {id(one): one for one in found}  # in their order
        self._listed: list[Resource] | None = None
        self._whole = self if whole is None else whole
        self._index: _Index | None = None  # of all items; made when it is first needed
        # the items that were added, or got another name or file
        self._new: dict[int, Resource] = {}
        # all typed views, by their id(), with their items
        self._views: dict[int, tuple[Any, Resource]] = {}

    @property
    def _found(self) -> list[Resource]:
        if self._listed is None:
            self._listed = list(self._by_place.values())
        return self._listed

    def _put(self, found: Iterable[Resource]) -> None:
        """Replace these items, all of them known already."""
        self._by_place = {id(one): one for one in found}
        self._listed = self._index = None

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
        return any(one is resource or (one.is_readable and one == resource) for one in self._found)

    def index(self, resource: Any, start: int = 0, stop: int | None = None) -> int:
        """Return the index of `resource` if it is one of these items itself, else of the first item
        with equal content.

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
            if self._found[at].is_readable and self._found[at] == resource:
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
        predicate: Callable[[Resource], object] | None = None,
        /,
        *,
        kind: Wanted = None,
        api_version: Wanted = None,
        group: Wanted = None,
        name: Wanted = None,
        namespace: Wanted = None,
        labels: Mapping[str, str | None] | None = None,
        annotations: Mapping[str, str | None] | None = None,
    ) -> Items:
        """Return the items that match all given arguments. An argument that isn't given matches
        every item.

        Items that can't be read match nothing; without arguments, they are the ones that are left
        out.

        Args:
            predicate: A function that returns whether an item is wanted, such as
                `lambda one: one.is_local_config`.
            kind: The kind, or a list of kinds of which one must match.
            api_version: The whole apiVersion, such as `apps/v1`, or a list of them.
            group: The API group, such as `apps`, or a list of groups. The empty string is the core
                group.
            name: The name, or a list of names.
            namespace: The namespace, or a list of namespaces. The empty string is for items without
                a namespace.
            labels: The labels that an item must have, each with its value; None as a value stands
                for any value.
            annotations: The annotations that an item must have, each with its value; None stands
                for any value.

        Raises:
            UsageError: A value isn't a string, or `labels` or `annotations` isn't a mapping to
                strings or None.
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
            if one.is_readable
            and all((one._peek(*steps) or "") in texts for steps, texts in wanted.items())
            and (groups is None or _group(one._peek("apiVersion")) in groups)
            and all(_has(one._peek(*steps), value) for steps, value in marks)
            and (predicate is None or predicate(one))
        ]
        return Items(found, self._whole)

    def where_not(
        self, predicate: Callable[[Resource], object] | None = None, /, **wanted: Any
    ) -> Items:
        """Return the items that `where` with the same arguments leaves out, except those that can't
        be read.
        """
        found = self.where(predicate, **wanted)._by_place
        return Items(
            (one for one in self._found if one.is_readable and id(one) not in found), self._whole
        )

    def first(self) -> Resource | None:
        """Return the first of these items, as in `rl.items.where(kind="Namespace").first()`; None
        if there is none.
        """
        return self._found[0] if self._found else None

    def of(self, model: type[M]) -> list[M]:
        """Return typed views of the items that have the group and kind of a model, in their order.

        A typed view is an instance of the model. It reads the item as it was when the view was
        made. Setting or deleting a field of the view changes the item at once, and in the item's
        text only this field. As in all models, setting None changes nothing, and
        `del view.spec.replicas` removes a field.

        Args:
            model: A generated class of resources, such as Deployment. Items of other versions of
                the kind are returned, too. `Unstructured` stands for all items.

        Raises:
            UsageError: The model isn't a class of resources.
            InputError: An item has an integer beyond 2**53, which models can't hold.
        """
        from . import views

        return [
            views.view_of(model, one)
            for one in self
            if one.is_readable and views.is_for(model, one)
        ]

    # Changing

    def add(self, resource: Resource | Mapping[str, Any] | Model | str) -> Resource:
        """Add an item at the end of the ResourceList.

        The item needs no annotations that name its file; `move_to` chooses one. If it is a copy of
        another item, it doesn't get the id that an orchestrator, such as kustomize, gave to that
        item.

        Args:
            resource: A new Resource, or an item that was removed, becomes the item itself.
                Everything else is copied: a mapping, an instance of a model, another item, or a
                string with one YAML document. The comments of the document stay.

        Two items of one group, kind, namespace and name in the same file are an error at the end of
        the run.

        Returns:
            The item.

        Raises:
            UsageError: `resource` is of another type, has no apiVersion or kind, has neither a name
                nor a generateName, or holds a value that isn't JSON.
            InputError: The YAML can't be read, or isn't one document.
        """
        made = self._taken(resource)
        self._append(made)
        return made

    def check_duplicates(self) -> None:
        """Check that no two items, in whichever files, have the same group, kind, namespace and
        name.

        At the end of a run this is checked for the items of each file that the function has added
        or renamed.

        Raises:
            DuplicateResourceError: Two items have them.
        """
        self._check_unique(self._whole._found, anywhere=True)

    def _check_new(self) -> None:
        """Check the items that were added, renamed or moved: none may have the name of another one
        in its file.

        Raises:
            DuplicateResourceError: One has.
        """
        for _, one in self._views.values():
            one._sync()
        self._check_unique(self._new.values())

    def _check_unique(self, changed: Iterable[Resource], *, anywhere: bool = False) -> None:
        for item in changed:
            for other in self._same_as(item):
                if other is not item and (anywhere or other.path == item.path):
                    raise DuplicateResourceError(
                        f"there are two items {item._where}: give one of them another name or file,"
                        " or remove it; items.upsert() changes the item that is there"
                    )

    def _same_as(self, made: Resource) -> list[Resource]:
        """Return all items of the ResourceList with the group, kind, namespace and name of `made`.

        The list is empty if `made` has no name, but a generateName.
        """
        if not made._peek("metadata", "name"):
            return []
        return list(self._whole._indexed().by_id.get(_identity(made), {}).values())

    def _indexed(self) -> _Index:
        """Return the index of all items, as they are now. Called on all items only."""
        if self._index is None:
            self._index = _Index(self._found)
        else:
            # Typed views don't tell of their changes, so their items are looked at again.
            for _, one in self._views.values():
                one._sync()
        return self._index

    def _renamed(self, item: Resource) -> None:
        """Follow a change of an item's name or file. Called on all items; the item may have been
        removed from them.
        """
        if id(item) in self._by_place:
            self._new[id(item)] = item
            if self._index is not None:
                self._index.enter(item)

    def _taken(self, resource: Any) -> Resource:
        """Return `resource` itself if it is a new Resource or an item that was removed, else a copy
        as a Resource.

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
        return id(resource) in self._whole._by_place

    def _append(self, made: Resource) -> None:
        whole = self._whole
        if made._owner is None:
            taken = made._place is not None and whole._indexed().by_file.get(made._place)
            made._become_item(whole, is_placed=not taken)
        for items in {id(one): one for one in (whole, self)}.values():
            items._by_place[id(made)] = made
            if items._listed is not None:
                items._listed.append(made)
        whole._renamed(made)

    def upsert(
        self,
        resource: Resource | Mapping[str, Any] | Model | str,
        matches: Callable[[Resource], object] | None = None,
    ) -> Resource:
        """Merge a resource into the item with the same group, kind, namespace and name, or add it
        as a new item.

        Objects are merged field by field. Lists and all other values replace those of the item. In
        the text, only what differs is changed. After an error the item is as it was.

        Args:
            resource: The resource, of one of the types that `add` takes. If several items have its
                name and it names its file, the one in this file is meant.
            matches: A function that returns whether an item is the one to change, in place of the
                comparison of names.

        Returns:
            The item that was changed or added.

        Raises:
            UsageError: As in `add`; or several items have this group, kind, namespace and name; or
                an annotation that only an orchestrator may change would change.
            InputError: As in `add`.
        """
        made = self._taken(resource)
        found = self._same_as(made) if matches is None else list(self._whole.where(matches))
        if len(found) > 1 and made.path:
            found = [one for one in found if one.path == made.path]
        if len(found) > 1:
            raise UsageError(
                f"{len(found)} items are {made._what}, so upsert() can't choose one: change the"
                " item that you mean without upsert()"
            )
        if not found:
            self._append(made)
            return made
        from ._merge import joined

        found[0]._become(joined(found[0].to_dict(), made.to_dict()))
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
                f"{resource!r:.80} is not among the items; remove() takes one of the items itself,"
                " or a view of it"
            )
        self._drop([gone])

    def _drop(self, gone: Iterable[Resource]) -> None:
        for one in gone:
            for items in (self._whole, self):
                items._by_place.pop(id(one), None)
                items._listed = None
                items._new.pop(id(one), None)
            if self._whole._index is not None:
                self._whole._index.leave(one)

    def _meant(self, resource: object) -> Resource | None:
        """Return `resource` if it is an item itself, or the item of which it is a typed view; None
        in other cases.
        """
        view, item = self._whole._views.get(id(resource), (None, None))
        return self._whole._by_place.get(id(item if view is resource else resource))

    def clear(self) -> None:
        """Remove all of these items from the ResourceList: `rl.items.where(kind="Job").clear()`
        removes all Jobs.
        """
        self._drop(self._found)

    def _become(self, resources: Iterable[Any]) -> None:
        """Replace all items by `resources`, in this order. After an error the items are as they
        were.

        Args:
            resources: Items that are there already, typed views of them, and new items, as `add`
                takes them.

        Raises:
            UsageError: `resources` isn't iterable or is a single resource, or one of them can't be
                an item.
            InputError: One of them is YAML that can't be read, or not one document.
            DuplicateResourceError: An item is in `resources` twice.
        """
        if isinstance(resources, (str, bytes, Mapping)) or not hasattr(resources, "__iter__"):
            raise UsageError(f"the items must be a list of resources (got {resources!r:.60})")
        before = self._found
        wanted = [one if (item := self._meant(one)) is None else item for one in resources]
        kept = {id(one): one for one in wanted if id(one) in self._by_place}
        if len(kept) < sum(id(one) in self._by_place for one in wanted):
            known = [id(one) for one in wanted]
            twice = next(one for one in kept.values() if known.count(id(one)) > 1)
            raise DuplicateResourceError(
                f"{twice._where} stands in the new list of items twice; each item can be in it only"
                " once"
            )
        self._put(kept.values())
        try:
            self._put([one if id(one) in kept else self.add(one) for one in wanted])
        except Exception:
            self._put(before)
            raise


def _texts(value: Any, what: str) -> frozenset[str]:
    texts = (value,) if isinstance(value, str) else value
    try:
        made = frozenset(texts)
    except TypeError:
        made = frozenset({None})
    if not all(isinstance(one, str) for one in made):
        raise UsageError(
            f"items.where(): {what!r} must be a string or a list of strings (got {value!r:.60})"
        )
    return made


def _marks(entries: Any, what: str) -> Iterable[tuple[str, str | None]]:
    if entries is None:
        return ()
    if not isinstance(entries, Mapping) or not all(
        one is None or isinstance(one, str) for one in entries.values()
    ):
        raise UsageError(
            f"{what!r} must be a mapping from keys to strings, or to None for any value (got"
            f" {entries!r:.60})"
        )
    return entries.items()


def _group(api_version: Any) -> str | None:
    from .._core.base.api_version import group_of  # rarely needed

    return group_of(api_version) if isinstance(api_version, str) else None


def _has(found: object, wanted: object) -> bool:
    return found is not None and (wanted is None or found == wanted)


def _identity(item: Resource) -> tuple[Any, ...]:
    """Return the group, kind, namespace and name of an item; lists, dicts and numbers become
    strings.
    """
    metadata = (item._peek("metadata", "namespace") or "", item._peek("metadata", "name"))
    parts = (_group(item._peek("apiVersion")), item._peek("kind"), *metadata)
    return tuple(part if part is None or isinstance(part, str) else repr(part) for part in parts)


def _made(resource: Any) -> Resource:
    """Return a new Resource with a copy of the content `resource`: a mapping, a model, or text or
    bytes of YAML.

    YAML in block style keeps its text, with comments and quotes.

    Raises:
        UsageError: The content is of another type, or holds a value that isn't JSON.
        InputError: The YAML can't be read, or isn't one document.
    """
    if isinstance(resource, (str, bytes)):
        from ._text import parse

        data = resource.encode() if isinstance(resource, str) else resource
        root = parse(data, "the new item").root
        if not root.style:
            return Resource._of_node(root, "the new item")  # which keeps its text
        return Resource(root.value())
    if not isinstance(resource, Mapping) and not isinstance(plain_data(resource), dict):
        raise UsageError(
            f"an item must be a mapping, a model or a string of YAML (got {resource!r:.60})"
        )
    return Resource(resource)


def _check(resource: Resource) -> None:
    content = resource._now()
    for key in ("apiVersion", "kind"):
        if not isinstance(content.get(key), str) or not content[key]:
            raise UsageError(
                f"an item must have {key}, a string that isn't empty (got {content!r:.80})"
            )
    names = resource._peek("metadata", "name"), resource._peek("metadata", "generateName")
    if not any(isinstance(one, str) and one for one in names):
        raise UsageError(
            "an item must have metadata.name or metadata.generateName, a non-empty string; this"
            f" one has neither: {content!r:.80}"
        )
    check_types((), content, lambda: resource._where)


class Named:
    """The elements of one list by the value of one field. It follows the changes that it is told
    of.

    Each element has a number. The numbers ascend in the list, and stay if other elements are
    removed.
    """

    __slots__ = ("_field", "_key", "_list", "_number", "_numbers", "_of")

    def __init__(self, elements: list[Any], field: str) -> None:
        self._list = elements
        self._field = field
        self._numbers: list[int] = []
        self._number: dict[int, int] = {}  # by the id() of the element
        self._key: dict[int, Any] = {}
        self._of: dict[Any, dict[int, None]] = {}
        for one in elements:
            self.added(one)

    def find(self, step: Select) -> list[int]:
        """Return the indexes of all elements that a step selects."""
        from bisect import bisect_left

        from .._core.base.scalars import resolve

        wanted = step.fields[self._field]
        numbers = {
            *self._of.get((str, str(wanted)), ()),
            *self._of.get(_key(resolve(str(wanted))), ()),
        }
        places = [bisect_left(self._numbers, number) for number in sorted(numbers)]
        return [at for at in places if step.matches(self._list[at])]

    def added(self, element: Any) -> None:
        """Follow an element that was added at the list's end."""
        number = self._numbers[-1] + 1 if self._numbers else 0
        self._numbers.append(number)
        self._number[id(element)] = number
        self._enter(number, element)

    def removed(self, at: int) -> None:
        """Follow the removal of the element at the index `at`."""
        self._leave(self._numbers.pop(at))

    def changed(self, element: Any) -> None:
        """Follow a change of the field in an object, which may be an element of the list."""
        number = self._number.get(id(element))
        if number is not None and number in self._key:
            self._leave(number)
            self._enter(number, element)

    def _enter(self, number: int, element: Any) -> None:
        self._key[number] = key = (
            _key(element.get(self._field)) if isinstance(element, dict) else None
        )
        self._of.setdefault(key, {})[number] = None

    def _leave(self, number: int) -> None:
        del self._of[self._key.pop(number)][number]


def _key(value: Any) -> Any:
    """Return a value as a hashable key; objects and lists, which no step selects, have the key
    None.
    """
    return (
        None
        if isinstance(value, (dict, list))
        else (type(value) if isinstance(value, (str, bool)) else float, value)
    )
