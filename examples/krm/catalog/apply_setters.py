"""apply-setters: values for the fields whose comments name a setter, such as
`replicas: 1 # kpt-set: ${replicas}`.
"""

from __future__ import annotations

from typing import Any

import yaml

from crossplane_lite import krm

if __package__:
    from .fields import config_of, derived, filled, names_in, setters_in, text_of
else:  # run by its path
    from fields import config_of, derived, filled, names_in, setters_in, text_of


@krm.function(name="apply-setters")
def transform(rl: krm.ResourceList) -> None:
    """Set the fields whose comments name setters to the setters' values.

    functionConfig is a ConfigMap with the values in its data; that of a list is a string of YAML.
    """
    found = config_of(rl, "ApplySetters", "setters")
    if found is None:
        return
    config, _ = found
    values = dict(config if config is not rl.function_config else config.get("setters", {}))
    for resource in rl.items:
        marked = [
            (one, setters_in(one.line)) for one in resource.all_comments() if setters_in(one.line)
        ]
        for comments, pattern in marked:
            names = names_in(pattern)
            if any(name in values for name in names):
                _apply(rl, resource, comments, pattern, values)


def _apply(
    rl: krm.ResourceList, resource: krm.Resource, comments: krm.Comments, pattern: str, values: Any
) -> None:
    before = comments.value
    if krm.is_list(before):
        try:
            new = yaml.safe_load(values[names_in(pattern)[0]])
        except yaml.YAMLError:
            new = None
        if not isinstance(new, list):
            rl.results.error(f"the setter {pattern} must be a list", resource, comments.path)
        elif before != new:
            comments.value = new
        return
    if krm.is_map(before):
        rl.results.error("a setter can't stand for an object", resource, comments.path)
        return
    texts = {
        **derived(pattern, text_of(before)),
        **{name: str(value) for name, value in values.items()},
    }
    missing = [name for name in names_in(pattern) if name not in texts]
    if missing:
        rl.results.error(
            f"values must be given for the setters {', '.join(missing)}", resource, comments.path
        )
        return
    new = filled(pattern, texts)
    if new != text_of(before):
        # A text stays one; what was a number or boolean is read anew.
        comments.value = new if isinstance(before, str) else yaml.safe_load(new)


if __name__ == "__main__":
    transform.main()
