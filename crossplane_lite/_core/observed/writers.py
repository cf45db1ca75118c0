"""What libraries that write plain data, such as PyYAML and `json_dumps`, write for Observables and
models.

PyYAML is told with its own function, `add_multi_representer`, as soon as somebody asks for a class
after it was imported: PyYAML does so itself before it writes a value. Python's json can't be told,
and raises its TypeError.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Final

# For each class of the SDK, and its subclasses: the function that returns what is written for an
# instance.
plain_forms: Final[dict[type, Callable[[Any], Any]]] = {}

_taught: list[Any] = [None, 0]  # the module `yaml.representer`, and how many classes it knows


def teach_yaml() -> None:
    """Make all Dumpers of PyYAML write the `plain_forms` from now on. Do nothing if PyYAML hasn't
    been imported.
    """
    representer: Any = sys.modules.get("yaml.representer")
    known = len(plain_forms)
    if (
        representer is None
        or _taught == [representer, known]
        or not hasattr(representer, "Representer")
    ):
        return  # another thread may be importing it
    work = [representer.BaseRepresenter]
    while work:
        dumper = work.pop()
        work += dumper.__subclasses__()
        # A Dumper has a table of its own from its first representer on, and uses its base's until
        # then.
        if "yaml_multi_representers" in dumper.__dict__:
            for cls in tuple(plain_forms):
                dumper.add_multi_representer(cls, _represent)
    _taught[:] = representer, known


def _represent(dumper: Any, value: Any) -> Any:
    return dumper.represent_data(
        next(plain_forms[cls] for cls in type(value).__mro__ if cls in plain_forms)(value)
    )
