"""Libraries that write plain data, such as json and PyYAML, and what they write for Observables and models.

Both ask a value for its class before they write it, and that is where this module meets them. Nothing of them is
patched: PyYAML is told with its own function, and json, which has none, gets an error that says what to write.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Final

from ...errors import UsageError
from ..base.type_names import articled

__all__ = ["JSON", "YAML", "library_asking", "plain_forms", "refuse_yaml", "teach_yaml"]

JSON: Final = "json"
YAML: Final = "yaml"

plain_forms: Final[dict[type, Callable[[Any], Any]]] = {}
"""For each class of the SDK, and its subclasses: the function that returns what is written for an instance."""

_taught: list[Any] = [None, 0]  # the module `yaml.representer`, and how many classes it knows


def library_asking() -> str:
    """Return the library whose function has asked for a class, `JSON` or `YAML`, from the caller's caller on.

    Empty for everybody else. PyYAML knows all `plain_forms` from then on.
    """
    frame = sys._getframe(1).f_back
    if frame is None:  # a function in C, at the end of the process
        return ""
    code = frame.f_code
    if code.co_name == "default":
        encoder = sys.modules.get("json.encoder")
        if encoder is not None and code is encoder.JSONEncoder.default.__code__:
            return JSON
    elif code.co_name == "ignore_aliases" and "yaml.representer" in sys.modules:
        teach_yaml()
        return YAML
    return ""


def refuse_yaml(value: object) -> None:
    """Raise UsageError where a Dumper of PyYAML that doesn't know the class of `value` would write tags of Python.

    Such a Dumper asks for no class, or has representers of its own from before. It is looked for in the caller's
    caller.
    """
    frame = sys._getframe(1).f_back
    if frame is not None and frame.f_code.co_name == "represent_object":
        raise UsageError(
            f"this Dumper of PyYAML can't write {articled(type(value).__name__)}: write plain data, as "
            "crossplane_lite.model.to_dict gives it"
        )


def teach_yaml() -> None:
    """Make PyYAML write all `plain_forms` from now on. Do nothing if it hasn't been imported."""
    representer: Any = sys.modules.get("yaml.representer")
    if representer is None or _taught == [representer, len(plain_forms)]:
        return
    _taught[:] = representer, len(plain_forms)
    for cls in plain_forms:
        for one in (representer.SafeRepresenter, representer.Representer):
            one.add_multi_representer(cls, _represent)


def _represent(dumper: Any, value: Any) -> Any:
    return dumper.represent_data(next(plain_forms[cls] for cls in type(value).__mro__ if cls in plain_forms)(value))
