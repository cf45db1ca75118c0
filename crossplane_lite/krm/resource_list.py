"""`ResourceList`, the input and output of a KRM function (see "Schema" in the KRM functions
specification).
"""

from __future__ import annotations

import re
from types import GenericAlias

from .._core.base.texts import json_type_in_words
from ..errors import InputError, UsageError
from ._live import wrapped
from ._text import Unreadable, parse
from ._text._nodes import ALIAS, MAPPING, SEQUENCE
from .items import Items
from .resource import Resource
from .results import Results, has_reference

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
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


_FROZEN = (
    "functionConfig can't be changed: it is the function's input; change a copy,"
    " function_config.to_dict()"
)
_OBJECT_KEYS = ("apiVersion", "kind", "metadata")


class ResourceList(_Typed[C]):
    """The input of a KRM function. The function changes it, and then it is the output.

    In a `ResourceList[Config]`, `config` is an instance of the attrs class Config.

    Attributes:
        results: The results of the input, and after them the results that the function adds.
    """

    def __init__(
        self,
        text: Text,
        config_class: Any = None,
        items: list[Resource] | None = None,
        *,
        needed: bool = False,
    ) -> None:
        self._text = text
        root = self._root = text.root
        _check_wrapper(root)
        self._items = Items(_items(root) if items is None else items)
        for one in self.items:
            object.__setattr__(one, "_owner", self.items)
        # the items of the input, and those of the last write
        self._first = self._came = list(self.items)
        self.results = Results(node.value() for node in _elements(root, "results") or ())
        self._function_config = _function_config(root)
        self._config: Any = None
        self._config_error: InputError | None = None
        self._read_config(config_class, needed=needed)

    @classmethod
    def read(
        cls, data: bytes, config_class: Any = None, *, label: str = "<stdin>", needed: bool = False
    ) -> ResourceList[Any]:
        """Read a ResourceList.

        A functionConfig that doesn't fit the config class isn't an exception here. Each mistake
        becomes a result of severity error, `has_errors` is true, and reading `config` raises
        ConfigError. A missing functionConfig is no mistake: `config` is None then.

        Args:
            data: The text in YAML or JSON, encoded as UTF-8.
            config_class: The attrs class that functionConfig is converted to, or that class with
                `| None`. None to leave functionConfig as it is.
            label: The data's name in messages.
            needed: Whether the defaults of the config class replace a missing functionConfig. If a
                field has no default, that is a mistake then.

        Returns:
            The ResourceList.

        Raises:
            InputError: The data can't be read, or isn't a ResourceList. If a line is wrong, the
                message names it.
            UsageError: The config class isn't an attrs class, or has a field of a type that isn't
                supported.
        """
        return ResourceList(parse(data, label, item_at, unreadable=2), config_class, needed=needed)

    def _read_config(self, config_class: Any, *, needed: bool) -> None:
        """Convert functionConfig to a config class. A mistake becomes an error in the results.

        Args:
            config_class: The class; None to leave functionConfig as it is.
            needed: As for `read`.
        """
        has_config = _has_config(self._function_config)
        self._config, self._config_error = (
            _function_config(self._root, _Config) if has_config else None,
            None,
        )
        if config_class is None or not (has_config or needed):
            return
        from . import config

        given = self._function_config if has_config else None
        try:
            self._config = config.structure(
                None if given is None else given.to_dict(), config_class
            )
        except config.ConfigError as error:
            self._config, self._config_error = None, error
            about = given if given is not None and has_reference(given) else None
            for problem in error.problems:
                self.results.error(
                    problem.text, about, problem.path or None if about is not None else None
                )

    # The wrapper

    @property
    def items(self) -> Items:
        """The resources, which are changed in place. An assigned list replaces all items, in the
        order of the list.

        Items that the assigned list keeps also keep their text. Its other objects are added as by
        `items.add`.

        Raises:
            UsageError: The assigned value isn't a list or another iterable, or an object in it
                can't be an item.
            InputError: A string in the assigned list isn't one YAML document.
            DuplicateResourceError: The assigned list has one item twice.
        """
        return self._items

    @items.setter
    # with a union checkers don't know sorted()'s key
    def items(self, resources: Iterable[Resource]) -> None:
        self._items._become(resources)

    def where(
        self, predicate: Callable[[Resource], object] | None = None, /, **wanted: Any
    ) -> Items:
        """Return the items that match all arguments, as `rl.items.where` does."""
        return self._items.where(predicate, **wanted)

    def where_not(
        self, predicate: Callable[[Resource], object] | None = None, /, **wanted: Any
    ) -> Items:
        """Return the items that don't match the arguments, as `rl.items.where_not` does."""
        return self._items.where_not(predicate, **wanted)

    @property
    def kptfile(self) -> Resource | None:
        """The package's own Kptfile among the items, that of the topmost directory; None if there
        is none.
        """
        found = self._items.where(kind="Kptfile", group="kpt.dev")
        return min(found, key=lambda one: one.path.count("/"), default=None)

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

        Without a config class it is functionConfig itself, as a Resource that can't be changed.
        Unlike in other resources, `rl.config.labels` is the object's own field `labels`; the same
        holds for `name`, `namespace` and `annotations`. The labels in the metadata are
        `rl.function_config.labels`.

        If functionConfig is missing, or is the empty object that kpt sends in its place, the
        configuration is None for `Config | None` and without a class. For `Config` it is an
        instance with the defaults; if a field has no default, that is an error, and the function
        isn't called.

        Raises:
            ConfigError: functionConfig doesn't fit the class, or is missing although it is needed.
        """
        if self._config_error is not None:
            raise self._config_error
        config: C = self._config
        return config

    @property
    def has_errors(self) -> bool:
        """Whether this function has added an error to the results. Errors of the input don't
        count.
        """
        return self.results.has_errors

    @property
    def is_changed(self) -> bool:
        """Whether an item was added, removed, moved or changed since the list was read or last
        written.
        """
        return self._is_rearranged or any(one._is_changed for one in self.items)

    @property
    def _is_rearranged(self) -> bool:
        return [*map(id, self.items._found)] != [*map(id, self._came)]

    # Writing

    def write(self) -> bytes:
        """Return the text of the ResourceList as it is now, in YAML or JSON as the input.

        Parts that weren't changed are the same byte for byte as in the input. After that, the list
        can be changed and written again.

        Raises:
            UsageError: A value or comment that was set can't be written.
            InputError: The changes can't be made in the text without changing other values.
        """
        if self._is_rearranged:
            self._keep_headers()
        for one in self.items:
            one._write()
        self._came = list(self.items)
        items = (
            None
            if [*map(id, self._came)] == [*map(id, self._first)]
            else [self._element(one) for one in self._came]
        )
        return self._write_wrapper(
            [] if _is_null(self._root.child("items")) and items is None else items
        )

    def _write_wrapper(self, items: list[Any] | None = None) -> bytes:
        """Return the text of the ResourceList with its new results.

        `files.Package` calls this without items, because the text of its items is in files and not
        in the ResourceList.

        Args:
            items: The nodes of all items, and the new items as plain data; None if they are those
                of the input.
        """
        new: dict[str, Any] = {} if items is None else {"items": items}
        results = self.results._new()
        if results:
            new["results"] = [*(self._root.get(["results"]) or ()), *results]
        self._text.wanted.pop(self._root, None)
        if new:
            self._root.assign({**self._root.content, **new}, {id(items): None})
        return self._text.dump()

    def _element(self, item: Resource) -> Any:
        """Return an item's node, in whichever text; of a new item its content if the list has no
        lines of its own.
        """
        if item._node is None and not self._root.style and "items" in self._root.content:
            item._set_comments(always=item._base is None)  # its text is the same as in a file
        return item._node or item._base or item.to_dict()

    def _keep_headers(self) -> None:
        """If the first item of a file was removed, move the file's header to the next item of the
        same file.

        A header is a comment that belongs to the file, such as a licence.
        """
        left = {id(one) for one in self.items}
        gone = [one for one in self._came if id(one) not in left and one._node is not None]
        first: dict[str, tuple[int, Resource]] = {}  # the first item of each file that stays
        for other in self.items if gone else ():
            place = other._place
            if (
                place is not None
                and other.is_readable
                and (place[0] not in first or place[1] < first[place[0]][0])
            ):
                first[place[0]] = place[1], other
        for one in gone:
            path, index = one._place or ("", 0)
            if (
                path not in first
                or first[path][0] < index
                or not one.is_readable
                or not one.comments().head
            ):
                continue
            from ._text._layout import header_of

            header = header_of(one.comments().head)
            comments = first[path][1].comments()
            if header and not comments.head.startswith(header):
                comments.head = f"{header}\n\n{comments.head}" if comments.head else header

    def __repr__(self) -> str:
        return f"<ResourceList of {len(self.items)} items, {len(self.results)} results>"


def _items(root: YamlNode) -> list[Resource]:
    found = _elements(root, "items")
    if found is None:
        raise InputError(
            f"{root.doc.label}: a ResourceList must have items; where there are none, write"
            " 'items: []'"
        )
    return [Resource._of_node(node, f"items[{at}]") for at, node in enumerate(found)]


def _elements(root: YamlNode, key: str) -> list[YamlNode] | None:
    """Return the node of each element of a list in the ResourceList; none if it is null, None if it
    is missing.

    Raises:
        InputError: The value isn't a list of objects; or the list isn't written out there, but is
            an alias (`*name`) or comes from a merge key (`<<`).
    """
    node = root.child(key)
    if node is None:
        return None
    found = node.children() if root.content.get(key) is node else []
    if not found and (value := node.value()) not in (None, []):
        where = root.doc.at_line(node.line) if root.content.get(key) is node else root.doc.label
        if isinstance(value, list):
            raise InputError(
                f"{where}: {key} must be written out: replace the alias or merge key by the list"
                " itself"
            )
        raise InputError(f"{where}: {key} must be a list (got {json_type_in_words(value)})")
    for at, child in enumerate(found):
        if child.kind not in (MAPPING, ALIAS) and not isinstance(child.content, Unreadable):
            what = json_type_in_words(child.value())
            raise InputError(
                f"{root.doc.label}, line {child.line}: {key}[{at}] must be an object (got {what})"
            )
    return found


def _is_null(node: YamlNode | None) -> bool:
    return node is None or (node.kind not in (MAPPING, SEQUENCE) and node.value() is None)


def _check_wrapper(root: YamlNode) -> None:
    kind = root.get(["kind"])
    if kind != "ResourceList":
        what = f"kind {kind!r:.60}" if kind is not None else "no kind"
        raise InputError(
            f"{root.doc.label} must be a ResourceList of config.kubernetes.io/v1 (it has {what})"
        )
    api_version = root.get(["apiVersion"])
    if api_version is not None and not isinstance(api_version, str):
        raise InputError(
            f"{root.doc.label}: apiVersion must be a string (got {json_type_in_words(api_version)})"
        )


def _function_config(root: YamlNode, cls: type[Resource] = Resource) -> Resource | None:
    node, value = root.child("functionConfig"), root.get(["functionConfig"])
    if node is None or value is None:
        return None
    if not isinstance(value, dict):
        raise InputError(
            f"{root.doc.label}: functionConfig must be an object (got {json_type_in_words(value)})"
        )
    return cls._of_node(node, "functionConfig", _FROZEN)


class _Config(Resource):
    """The value of `rl.config` without a config class: functionConfig as a Resource.

    Its attributes `name`, `namespace`, `labels` and `annotations` are the object's own fields of
    these names, not those in its metadata. Reading one that only the metadata has raises
    UsageError.
    """

    __slots__ = ()

    def _own_field(self, key: str) -> Any:
        content = self._now()
        if content.get(key) is not None:
            return wrapped(self, key, content[key])
        metadata = content.get("metadata")
        if isinstance(metadata, dict) and metadata.get(key) is not None:
            raise UsageError(
                f"functionConfig has no field {key}; for the {key} in its metadata write"
                f" rl.config.metadata.{key}, or rl.function_config.{key}"
            )
        raise AttributeError(
            f"functionConfig has no field {key}; rl.config.get({key!r}, default) returns a default"
        )

    name = property(lambda self: self._own_field("name"))
    namespace = property(lambda self: self._own_field("namespace"))
    labels = property(lambda self: self._own_field("labels"))
    annotations = property(lambda self: self._own_field("annotations"))


def _has_config(config: Resource | None) -> bool:
    """Return whether there is a functionConfig, other than the empty object that kpt sends if there
    is none.

    Older versions of kpt give that object the kind `function-input`; today it is a ConfigMap with
    that name.
    """
    if config is None:
        return False
    if "function-input" not in (config._peek("kind"), config._peek("metadata", "name")):
        return True
    return any(value for key, value in config.items() if key not in _OBJECT_KEYS)


# Patterns are strings, because only messages need them.
_ITEMS = r"^(?:items|\"items\"|'items'):(?=\s)[^\n]*\n"
_NEXT_KEY = r"^(?:[^\s#-]|-(?![ \t\r\n]))"
_FIRST = (
    r"^(?:items|\"items\"|'items'):[ \t]*(?:#.*)?\r?\n(?:[ \t]*(?:#.*)?\r?\n)*( *)-(?=[ \t\r\n])"
)
_PATH = r"^ +['\"]?(?:internal\.)?config\.kubernetes\.io/path['\"]?: *(['\"]?)(\S.*?)\1[ \t]*\r?$"
_VALUE = r":[ \t]+(['\"]?)([^\s'\"#{&*!|>][^\n#]*?)\1[ \t]*(?:#.*)?\r?$"


def item_at(text: str, *lines: int) -> str | None:
    """Return the name of the item to which a line belongs, with the line's number in the item, for
    a message.

    An example: `app/web.yaml, Deployment web (items[3]), line 5 of the item`.

    Args:
        text: The text of a ResourceList, which need not be valid YAML. Only a block list under
            `items` is searched.
        lines: The numbers, from 1, of the lines where the mistake may be. If they belong to several
            items, the first item is returned: a quote or a bracket that isn't closed is noticed
            only in a later item.

    Returns:
        The text; None if no line belongs to an item.
    """
    first = re.search(_FIRST, text, re.MULTILINE)
    if first is None:
        return None
    above, parts = _cut(text, len(first[1]))
    for index, part in enumerate(parts):
        many = part.count("\n") + (not part.endswith("\n"))
        for line in lines:
            if above < line <= above + many:
                return f"{_name(part, index, len(first[1]))}, line {line - above} of the item"
        above += many
    return None


def _cut(text: str, indent: int) -> tuple[int, list[str]]:
    """Cut a ResourceList at its items' dashes in a column; return how many lines are above them,
    and the items.
    """
    items = re.search(_ITEMS, text, re.MULTILINE)
    assert items is not None
    end = re.compile(_NEXT_KEY, re.MULTILINE).search(text, items.end())
    stop = len(text) if end is None else end.start()
    dash = re.compile(rf"^ {{{indent}}}-(?=[ \t\r\n]|\Z)", re.MULTILINE)
    starts = [found.start() for found in dash.finditer(text, items.end(), stop)]
    parts = [text[one:two] for one, two in zip(starts, [*starts[1:], stop], strict=False)]
    return text.count("\n", 0, starts[0] if starts else stop), parts


def _name(item: str, index: int, indent: int) -> str:
    """Return an item's name in messages, such as `app/web.yaml, Deployment prod/web (items[3])`.

    File, kind, namespace and name are left out if they can't be found.

    Args:
        item: The lines of the item.
        index: The item's index in `items`.
        indent: The column of the item's dash.
    """
    body = f"{' ' * (indent + 1)}{item[indent + 1 :]}"
    fields = re.search(r"^ +(?=[^\s#])", body, re.MULTILINE)
    deep = len(fields[0]) if fields else indent + 2
    kind = _found(rf"^ {{{deep}}}kind{_VALUE}", body)
    metadata = re.search(
        rf"^ {{{deep}}}metadata:[^\n]*\n((?: {{{deep + 1},}}[^\n]*\n|[ \t]*\n)*)",
        body,
        re.MULTILINE,
    )
    inner = metadata[1] if metadata else ""
    first = re.search(r"^ +(?=[^\s#])", inner, re.MULTILINE)
    pad = len(first[0]) if first else 0
    name, namespace = (_found(rf"^ {{{pad}}}{key}{_VALUE}", inner) for key in ("name", "namespace"))
    path = re.search(_PATH, inner, re.MULTILINE)
    called = " ".join(
        part for part in (kind, f"{namespace}/{name}" if namespace and name else name) if part
    )
    called = f"{called} (items[{index}])" if called else f"items[{index}]"
    return f"{path[2]}, {called}" if path else called


def _found(pattern: str, text: str) -> str:
    found: Any = re.search(pattern, text, re.MULTILINE)
    return found[2].strip() if found else ""
