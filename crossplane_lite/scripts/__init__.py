"""A ready-made composition function that runs a Python script. The script is in the Composition, in
the step's input.

    crossplane-lite serve crossplane_lite.scripts:function

The input of a step is

    apiVersion: scripts.fn.crossplane.io/v1beta1
    kind: Script
    script: |
      def compose(ctx):
          xr = ctx.composite(Unstructured)
          ...
    parameters: {...}  # optional, for the script: ctx.input["parameters"]
    timeoutSeconds: 10  # optional, at most 60

`crossplane_lite.scripts:messages` runs scripts of function-python, whose `compose(req, rsp)`
changes messages.

The script must define `compose(ctx)`, and can import and use all of this package, as the code of
any other function. So everybody who may edit the Composition can run code in the function's pod.

`pair.py` runs those of function-python, `text.py` compiles scripts, `limit.py` stops scripts that
take too long, and `function.py` is the function. This package may import `composition` and what
`composition` imports (docs/ARCHITECTURE.rst).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .function import function as function

if TYPE_CHECKING:
    from .pair import messages as messages

__all__ = ["function", "messages"]


def __getattr__(name: str) -> Any:
    """Import `messages` when it is first needed."""
    if name != "messages":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .pair import messages

    return messages
