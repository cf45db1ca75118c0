"""list-setters: the setters that comments name, with their values, as results."""

from __future__ import annotations

from typing import Any

from crossplane_lite import krm

if __package__:
    from .fields import derived, names_in, setters_in, text_of
else:  # run by its path
    from fields import derived, names_in, setters_in, text_of

_TYPES = {bool: "bool", int: "int", float: "float"}


@krm.function(name="list-setters")
def validate(rl: krm.ResourceList) -> None:
    """List the setters, with value, type and how often each is used."""
    found: dict[str, list[Any]] = {}
    for resource in rl.items:
        for comments in resource.all_comments():
            pattern = setters_in(comments.line)
            if not pattern:
                continue
            value = comments.value
            if krm.is_list(value):
                shown = "[" + ", ".join(text_of(one) for one in value) + "]"
                values = dict.fromkeys(names_in(pattern), (shown, "list"))
            else:
                type_ = (
                    _TYPES.get(type(value), "str")
                    if pattern == f"${{{names_in(pattern)[0]}}}"
                    else "str"
                )
                values = {
                    name: (text, type_) for name, text in derived(pattern, text_of(value)).items()
                }
            for name, (text, type_) in values.items():
                found.setdefault(name, [text, type_, 0])[2] += 1
    for name, (text, type_, count) in sorted(found.items()):
        rl.results.info(f"Name: {name}, Value: {text}, Type: {type_}, Count: {count}")
    if not found:
        rl.results.info("no setters were found")


if __name__ == "__main__":
    validate.main()
