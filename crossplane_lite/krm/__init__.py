"""KRM functions: programs that change, generate or check the YAML of Kubernetes resources
(kustomize and kpt run them).

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

# `from __future__ import annotations` would set the package's attribute `annotations`, which must
# be its module.

# type checkers take it for typing's, which would take longer to import than this module
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from attrs import define as define

    from .._tools.manifests.objects import is_cluster_scoped as is_cluster_scoped
    from . import testing as testing
    from ._live import is_list as is_list
    from ._live import is_map as is_map
    from .comments import Comments as Comments
    from .compose import from_composition as from_composition
    from .config import ConfigError as ConfigError
    from .functions import Function as Function
    from .functions import chain as chain
    from .functions import function as function
    from .items import Items as Items
    from .resource import Resource as Resource
    from .resource import ResourceId as ResourceId
    from .resource_list import ResourceList as ResourceList
    from .results import Result as Result
    from .results import Results as Results
    from .runner import Output as Output

__all__ = [
    "Comments",
    "ConfigError",
    "Function",
    "Items",
    "Output",
    "Resource",
    "ResourceId",
    "ResourceList",
    "Result",
    "Results",
    "chain",
    "define",
    "from_composition",
    "function",
    "is_cluster_scoped",
    "is_list",
    "is_map",
    "testing",
]

_HOMES = {
    "Comments": "comments",
    "ConfigError": "config",
    "Function": "functions",
    "Items": "items",
    "Output": "runner",
    "Resource": "resource",
    "ResourceId": "resource",
    "ResourceList": "resource_list",
    "Result": "results",
    "Results": "results",
    "chain": "functions",
    "from_composition": "compose",
    "function": "functions",
    "is_list": "_live",
    "is_map": "_live",
}


# Names from other packages, with the number of dots before the module's name.
_ELSEWHERE = {"define": ("attrs", 0), "is_cluster_scoped": ("_tools.manifests.objects", 2)}


def __getattr__(name: str) -> "Any":
    home, level = _ELSEWHERE.get(name) or (_HOMES.get(name), 1)
    value: Any
    if name == "testing":
        value = __import__(name, globals(), None, ("golden",), 1)
    elif home is not None:  # importlib takes longer to import than the module itself
        value = getattr(__import__(home, globals(), None, (name,), level), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
