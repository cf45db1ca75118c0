"""KRM functions: programs that change, generate or check the YAML of Kubernetes resources (kustomize and kpt run them).

Comments, order and quotes in people's YAML stay as they are.

    from crossplane_lite import krm

    @krm.function
    def transform(rl: krm.ResourceList) -> None:
        for resource in rl.items.where(kind="Deployment"):
            resource.labels["team"] = "web"

    if __name__ == "__main__":
        transform.main()

Names of this package are imported only when they are first used.
"""

# `from __future__ import annotations` would set the package's attribute `annotations`, which must be its module.

TYPE_CHECKING = False  # type checkers take it for typing's, which would take longer to import than this module
if TYPE_CHECKING:
    from typing import Any

    from attrs import define as define

    from . import testing as testing
    from ._process import Output as Output
    from .comments import Comments as Comments
    from .compose import from_composition as from_composition
    from .config import ConfigError as ConfigError
    from .functions import Function as Function
    from .functions import function as function
    from .items import Items as Items
    from .resource import Resource as Resource
    from .resource_list import ResourceList as ResourceList
    from .results import Result as Result
    from .results import Results as Results

__all__ = [
    "Comments",
    "ConfigError",
    "Function",
    "Items",
    "Output",
    "Resource",
    "ResourceList",
    "Result",
    "Results",
    "define",
    "from_composition",
    "function",
    "testing",
]

_HOMES = {
    "Comments": "comments",
    "ConfigError": "config",
    "Function": "functions",
    "Items": "items",
    "Output": "_process",
    "Resource": "resource",
    "ResourceList": "resource_list",
    "Result": "results",
    "Results": "results",
    "from_composition": "compose",
    "function": "functions",
}


def __getattr__(name: str) -> "Any":
    home = _HOMES.get(name)
    if home is None and name not in ("define", "testing"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: Any
    if home is not None:  # importlib takes longer to import than the module itself
        value = getattr(__import__(home, globals(), None, (name,), 1), name)
    elif name == "define":
        from attrs import define as value
    else:
        value = __import__(name, globals(), None, ("golden",), 1)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
