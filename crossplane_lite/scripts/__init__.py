"""A ready-made composition function that runs a Python script. The script is in the Composition, in the step's input.

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

The script must define `compose(ctx)`, and can import and use all of this package, as the code of any other function.
So everybody who may edit the Composition can run code in the function's pod.

`text.py` compiles scripts, `limit.py` stops scripts that take too long, and `function.py` is the function. This package
may import `composition` and what `composition` imports (docs/ARCHITECTURE.rst).
"""

from __future__ import annotations

from .function import function as function

__all__ = ["function"]
