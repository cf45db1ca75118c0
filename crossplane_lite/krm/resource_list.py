"""`ResourceList`, the input and output of a KRM function (see "Schema" in the KRM functions specification)."""

from __future__ import annotations

from types import GenericAlias

from .._base.type_names import json_type_in_words
from ..errors import InputError, UsageError
from . import _tree
from ._live import Missing, wrapped
from ._text import parse
from .items import Items
from .resource import Resource
from .results import Results, has_reference

TYPE_CHECKING = False  # type checkers take it for typing's, which would take longer to import than this module
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, Generic

    from typing_extensions import TypeVar

    from ._text import Text, YamlNode

    C = TypeVar("C", default=Resource | None)

    class _Typed(Generic[C]): ...

else:
    C = object

    class _Typed:
        __slots__ = ()
        __class_getitem__ = classmethod(GenericAlias)


__all__ = ["ResourceList"]

_FROZEN = "functionConfig can't be changed: it is the function's input; change a copy, function_config.to_dict()"
_OBJECT_KEYS = ("apiVersion", "kind", "metadata")


class ResourceList(_Typed[C]):
    """The input of a KRM function. The function changes it, and then it is the output.

    In a `ResourceList[Config]`, `config` is an instance of the attrs class Config.

    Attributes:
        results: The results of the input, and after them the results that the function adds.
    """

    def __init__(
        self, text: Text, config_class: Any = None, items: list[Resource] | None = None, *, needed: bool = False
    ) -> None:
        self._text = text
        root = self._root = text.root
        _check_wrapper(root)
        self._items = Items(_items(root) if items is None else items)
        for one in self.items:
            object.__setattr__(one, "_owner", self.items)
        self._came = list(self.items)
        self._slots: dict[int, tuple[Resource, YamlNode]] = {}  # items with a text of their own, and their places
        self.results = Results(node.value() for node in _tree.elements(root, "results") or ())
        self._function_config = _function_config(root)
        self._config: Any = _config(root) if _has_config(self._function_config) else None
        self._config_error: InputError | None = None
        if config_class is not None and (self._config is not None or needed):
            self._read_config(config_class)

    @classmethod
    def read(cls, data: bytes, config_class: Any = None, *, label: str = "<stdin>") -> ResourceList[Any]:
        """Read a ResourceList.

        A functionConfig that doesn't fit the config class isn't an exception here. Each mistake becomes a result of
        severity error, `has_errors` is true, and reading `config` raises ConfigError. A missing functionConfig is no
        mistake: `config` is None then.

        Args:
            data: The text in YAML or JSON, encoded as UTF-8.
            config_class: The attrs class that functionConfig is converted to, or that class with `| None`. None to
                leave functionConfig as it is.
            label: The data's name in messages.

        Returns:
            The ResourceList.

        Raises:
            InputError: The data can't be read, or isn't a ResourceList. If a line is wrong, the message names it.
            UsageError: The config class isn't an attrs class, or has a field of a type that isn't supported.
        """
        return cls._read(data, config_class, label=label)

    @classmethod
    def _read(
        cls, data: bytes, config_class: Any = None, *, label: str = "<stdin>", needed: bool = False
    ) -> ResourceList[Any]:
        """Read a ResourceList, as `read` does.

        Args:
            data: As for `read`.
            config_class: As for `read`.
            label: As for `read`.
            needed: Whether the defaults of the config class replace a missing functionConfig. If a field has no
                default, that is a mistake then.
        """
        return ResourceList(parse(data, label, _place), config_class, needed=needed)

    def _read_config(self, config_class: Any) -> None:
        from . import config

        given = self._function_config if self._config is not None else None
        try:
            self._config = config.structure(None if given is None else given.to_dict(), config_class)
        except config.ConfigError as error:
            self._config, self._config_error = None, error
            about = given if given is not None and has_reference(given) else None
            for problem in error.problems:
                self.results.error(problem.text, about, problem.path or None if about is not None else None)

    # The wrapper

    @property
    def items(self) -> Items:
        """The resources, which are changed in place. An assigned list replaces all items, in the order of the list.

        Items that the assigned list keeps also keep their text. Its other objects are added as by `items.add`.

        Raises:
            UsageError: The assigned value isn't a list or another iterable, or an object in it can't be an item.
            InputError: A string in the assigned list isn't one YAML document.
            DuplicateResourceError: The assigned list has one item twice, or a new item has the group, kind, namespace
                and name of another item.
        """
        return self._items

    @items.setter
    def items(self, resources: Iterable[Resource]) -> None:  # with a union checkers don't know sorted()'s key
        self._items._become(resources)

    @property
    def api_version(self) -> str:
        """The apiVersion of the ResourceList itself; empty if it has none. It can't be changed."""
        return str(self._root.get(["apiVersion"]) or "")

    @property
    def function_config(self) -> Resource | None:
        """The functionConfig of the input; None if it is missing. It can't be changed."""
        return self._function_config

    @property
    def config(self) -> C:
        """The function's configuration, which is functionConfig as an instance of the config class.

        Without a config class it is functionConfig itself, as a Resource that can't be changed. Unlike in other
        resources, `rl.config.labels` is the object's own field `labels`; the same holds for `name`, `namespace` and
        `annotations`. The labels in the metadata are `rl.function_config.labels`.

        If functionConfig is missing, or is the empty object that kpt sends in its place, the configuration is None for
        `Config | None` and without a class. For `Config` it is an instance with the defaults; if a field has no
        default, that is an error, and the function isn't called.

        Raises:
            ConfigError: functionConfig doesn't fit the class, or is missing although it is needed.
        """
        if self._config_error is not None:
            raise self._config_error
        config: C = self._config
        return config

    @property
    def has_errors(self) -> bool:
        """Whether this function has added an error to the results. Errors of the input don't count."""
        return self.results.has_errors

    @property
    def is_changed(self) -> bool:
        """Whether an item was added, removed, moved or changed since the list was read or last written."""
        return self._is_rearranged or any(one._is_changed for one in self.items)

    @property
    def _is_rearranged(self) -> bool:
        found = self.items._found
        return len(found) != len(self._came) or any(
            one is not other for one, other in zip(found, self._came, strict=True)
        )

    # Writing

    def write(self) -> bytes:
        """Return the text of the ResourceList as it is now, in YAML or JSON as the input.

        Parts that weren't changed are the same byte for byte as in the input. After that, the list can be changed and
        written again.

        Raises:
            UsageError: A value or comment that was set can't be written.
            InputError: The changes can't be made in the text without changing other values.
        """
        if self._is_rearranged:
            self._keep_headers()
        for one in self.items:
            one._write()
            if id(one) in self._slots:
                self._fill(self._slots[id(one)][1], one)
        if (
            self._is_rearranged
            or self._root.get(["items"]) is None
            or any(one._node is None and one._is_changed for one in self.items)
        ):
            self._write_items()
        return self._write_wrapper()

    def _write_wrapper(self) -> bytes:
        """Return the text of the ResourceList with its new results, but without changes of its items.

        `files.Package` calls this, because the text of its items is in files and not in the ResourceList.
        """
        new = self.results._unwritten()
        at = len(self._root.get(["results"]) or ())
        for index, wire in enumerate(new, at):
            self._root.insert(["results"], index, wire)
        return self._text.dump()

    def _keep_headers(self) -> None:
        """If the first item of a file was removed, move the file's header to the next item of the same file.

        A header is a comment that belongs to the file, such as a licence.
        """
        left = {id(one) for one in self.items}
        gone = [one for one in self._came if id(one) not in left and one._node is not None]
        for one in gone:
            place, head = one._place, one.comments().head
            if place is None or not head:
                continue
            from ._text._documents import header_of

            header = header_of(head)
            others = [(other._place, other) for other in self.items if (other._place or ("",))[0] == place[0]]
            if not header or not others or any(found is not None and found[1] < place[1] for found, _ in others):
                continue
            comments = min(others, key=lambda other: (other[0] or place)[1])[1].comments()
            if not comments.head.startswith(header):
                comments.head = f"{header}\n\n{comments.head}" if comments.head else header

    def _write_items(self) -> None:
        """Write the items into the list in the text, after some were added, removed or moved."""
        found = list(self.items)
        content = [self._slots[id(one)][1] if id(one) in self._slots else _content(one, self._text) for one in found]
        for one, child in zip(found, _tree.arrange(self._root, "items", content), strict=True):
            if child is not None and _is_foreign(one, self._text):
                self._slots[id(one)] = (one, child)
                self._fill(child, one)
                continue
            one._bind(child)
            one._put_notes()
        self._came = found

    def _fill(self, place: YamlNode, item: Resource) -> None:
        """Set a node of the list to an item that has a text of its own. That text, with its comments, is written there.

        Args:
            place: The item's node in the list.
            item: The item, which was read from another text, such as a string that was given to `items.add`.
        """
        from ._text._splice import document_text

        assert item._node is not None
        place.set([], item.to_dict())
        self._text.written[place] = document_text(item._node)

    def __repr__(self) -> str:
        return f"<ResourceList of {len(self.items)} items, {len(self.results)} results>"


def _place(text: str, *lines: int) -> str | None:
    """Return the name of the first item to which one of the lines belongs, for messages; None if there is none."""
    from ._places import item_at  # only errors need it

    return item_at(text, *lines)


def _is_foreign(item: Resource, text: Text) -> bool:
    """Return whether an item was read from another text than `text`, the list's. If it has no text, return False."""
    return item._node is not None and item._node.doc is not text


def _content(item: Resource, text: Text) -> Any:
    """Return an item's node in the list's text; a copy of the item's content if the item has no node there."""
    return item.to_dict() if item._node is None or _is_foreign(item, text) else item._node


def _items(root: YamlNode) -> list[Resource]:
    found = _tree.elements(root, "items")
    if found is None:
        raise InputError(f"{root.doc.label}: a ResourceList must have items; where there are none, write 'items: []'")
    return [Resource._of_node(node, f"items[{at}]") for at, node in enumerate(found)]


def _check_wrapper(root: YamlNode) -> None:
    kind = root.get(["kind"])
    if kind != "ResourceList":
        what = f"kind {kind!r:.60}" if kind is not None else "no kind"
        raise InputError(f"{root.doc.label} must be a ResourceList of config.kubernetes.io/v1 (it has {what})")
    api_version = root.get(["apiVersion"])
    if api_version is not None and not isinstance(api_version, str):
        raise InputError(f"{root.doc.label}: apiVersion must be a string (got {json_type_in_words(api_version)})")


def _function_config(root: YamlNode) -> Resource | None:
    node = root.child("functionConfig")
    value = root.get(["functionConfig"])
    if node is None or value is None:
        return None
    if not isinstance(value, dict):
        raise InputError(f"{root.doc.label}: functionConfig must be an object (got {json_type_in_words(value)})")
    return Resource._of_node(node, "functionConfig", _FROZEN)


class _Config(Resource):
    """The value of `rl.config` without a config class: functionConfig as a Resource.

    Its attributes `name`, `namespace`, `labels` and `annotations` are the object's own fields of these names, not those
    in its metadata. Reading one that only the metadata has raises UsageError.
    """

    __slots__ = ()

    def _own_field(self, key: str) -> Any:
        content = self._now()
        if content.get(key) is not None:
            return wrapped(self, key, content[key])
        metadata = content.get("metadata")
        if isinstance(metadata, dict) and metadata.get(key) is not None:
            raise UsageError(
                f"functionConfig has no field {key}; for the {key} in its metadata write rl.config.metadata.{key}, "
                f"or rl.function_config.{key}"
            )
        return Missing(self, None, self, key)

    name = property(lambda self: self._own_field("name"))
    namespace = property(lambda self: self._own_field("namespace"))
    labels = property(lambda self: self._own_field("labels"))
    annotations = property(lambda self: self._own_field("annotations"))


def _config(root: YamlNode) -> Resource | None:
    node = root.child("functionConfig")
    return None if node is None else _Config._of_node(node, "functionConfig", _FROZEN)


def _has_config(config: Resource | None) -> bool:
    """Return whether there is a functionConfig, other than the empty object that kpt sends if there is none.

    Older versions of kpt give that object the kind `function-input`; today it is a ConfigMap with that name.
    """
    if config is None:
        return False
    if "function-input" not in (config._peek("kind"), config._peek("metadata", "name")):
        return True
    return any(value for key, value in config.items() if key not in _OBJECT_KEYS)
