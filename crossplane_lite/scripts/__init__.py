"""A ready function that runs code from inside of a Composition: the input of its step holds the text of a script.

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

The script is Python code that defines `compose(ctx)`, and can use all of this package like the code of any other
function. Whoever may edit the Composition can therefore run code in the function's pod.

`text.py` compiles scripts, `limit.py` stops scripts that take too long, and `function.py` is the function. This package
may import `composition` and what `composition` imports (docs/ARCHITECTURE.rst).
"""

from __future__ import annotations

from .function import function as function

__all__ = ["function"]
