"""search-replace: fields found by value or by path, with a new value or comment."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import yaml

from crossplane_lite import krm

if __package__:
    from .fields import text_of
else:  # run by its path
    from fields import text_of

KEYS = ("by-value", "by-value-regex", "by-path", "put-value", "put-comment")


def _pattern(path: str) -> re.Pattern[str]:
    """Return a pattern for paths such as `spec.**.image` and `spec.containers[*].name`."""
    signs = {"**.": r"(?:.+\.)?", "**": ".*", "*": r"[^.\[\]]+"}
    parts = re.split(r"(\*\*\.|\*\*|\*)", path)
    return re.compile("".join(signs.get(part) or re.escape(part) for part in parts))


def _found(resource: krm.Resource, wanted: dict[str, str]) -> Iterator[krm.Comments]:
    path = _pattern(wanted["by-path"]) if "by-path" in wanted else None
    for one in resource.all_comments():
        value = one.value
        if (
            krm.is_map(value)
            or krm.is_list(value)
            or (path is not None and not path.fullmatch(one.path))
        ):
            continue
        text = text_of(value)
        if text == wanted.get("by-value", text) and re.search(
            wanted.get("by-value-regex", ""), text
        ):
            yield one


def _new(value: Any, wanted: dict[str, str]) -> Any:
    """Return what becomes of a value. A regex may have groups, which the new value names as
    `${1}`.
    """
    new = wanted["put-value"]
    if "by-value-regex" in wanted:
        new = re.sub(r"\$\{(\w+)\}", r"\\g<\1>", new)
        new = re.sub(wanted["by-value-regex"], new, text_of(value))
    return new if isinstance(value, str) else yaml.safe_load(new)


@krm.function(name="search-replace")
def transform(rl: krm.ResourceList) -> None:
    """Find fields by value and path, and give them another value, or a comment behind them.

    functionConfig is a ConfigMap with by-value, by-value-regex, by-path, put-value and put-comment
    in its data.
    """
    wanted = dict((rl.config.get("data") if rl.config is not None else None) or {})
    if (
        not set(wanted) <= set(KEYS)
        or not wanted
        or ("by-value" in wanted and "by-value-regex" in wanted)
    ):
        rl.results.error(
            f"functionConfig must have some of {', '.join(KEYS)}, and one way to find a value"
        )
        return
    puts = "put-value" in wanted or "put-comment" in wanted
    for resource in rl.items:
        found = list(_found(resource, wanted))
        path = wanted.get("by-path", "*")
        if (
            not found
            and "put-value" in wanted
            and not {"by-value", "by-value-regex"} & set(wanted)
            and "*" not in path
        ):
            resource.set(path, wanted["put-value"])
            found = [resource.comments(path)]
        for one in found:
            before = one.value
            if "put-value" in wanted:
                one.value = _new(before, wanted)
            if "put-comment" in wanted:
                one.line = wanted["put-comment"]
            text = f"changed {before!r} to {one.value!r}" if puts else f"found {before!r}"
            rl.results.info(text, resource, one.path)


if __name__ == "__main__":
    transform.main()
