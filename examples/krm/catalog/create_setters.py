"""create-setters: comments that name setters, behind the fields that hold these setters' values."""

from __future__ import annotations

from typing import Any

import yaml

from crossplane_lite import krm
from crossplane_lite.errors import UsageError

if __package__:
    from .fields import config_of, setters_in, text_of
else:  # run by its path
    from fields import config_of, setters_in, text_of


@krm.function(name="create-setters")
def transform(rl: krm.ResourceList) -> None:
    """Add a comment with the setters' names to each field that holds their values.

    functionConfig is a ConfigMap with the setters in its data. A text or number matches where a
    setter's value is in it, a list where it has the same elements in any order.
    """
    found = config_of(rl, "CreateSetters", "setters")
    if found is None:
        return
    config, _ = found
    given = dict(config if config is not rl.function_config else config.get("setters", {}))
    lists = {name: value for name, text in given.items() if isinstance(value := _read(text), list)}
    texts = {name: text for name, text in given.items() if name not in lists and text}
    for resource in rl.items:
        taken = ""  # the list whose elements need no setters of their own
        for comments in list(resource.all_comments()):
            value, pattern = comments.value, ""
            if taken and comments.path.startswith(taken):
                continue
            if krm.is_list(value):
                pattern = next(
                    (f"${{{name}}}" for name, one in lists.items() if _equal(one, value)), ""
                )
                taken = f"{comments.path}[" if pattern else ""
            elif value is not None and not krm.is_map(value):
                pattern = _pattern(text_of(value), texts)
            if pattern and setters_in(comments.line) != pattern:
                _mark(rl, resource, comments, pattern)


def _read(text: str) -> Any:
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError:
        return text


def _equal(wanted: list[Any], found: Any) -> bool:
    return bool(wanted) and sorted(map(text_of, wanted)) == sorted(text_of(one) for one in found)


def _pattern(text: str, texts: dict[str, str]) -> str:
    """Return a text with setters in the places of their values, the longest first; empty where it
    has none.
    """
    parts = [(False, text)]
    for name, value in sorted(texts.items(), key=lambda item: -len(item[1])):
        cut: list[tuple[bool, str]] = []
        for done, part in parts:
            pieces = [part] if done else part.split(value)
            for at, piece in enumerate(pieces):
                cut += [(True, f"${{{name}}}")] * (at > 0) + [(done, piece)]
        parts = cut
    return "".join(part for _, part in parts) if any(done for done, _ in parts) else ""


def _mark(
    rl: krm.ResourceList, resource: krm.Resource, comments: krm.Comments, pattern: str
) -> None:
    if comments.line and not setters_in(comments.line):
        rl.results.warning(
            f"{pattern} has no place, because of another comment", resource, comments.path
        )
        return
    try:
        comments.line = f"kpt-set: {pattern}"
    except UsageError as error:  # in brackets, where nothing may stand behind a value
        rl.results.warning(f"{pattern} has no place: {error}", resource, comments.path)


if __name__ == "__main__":
    transform.main()
