"""Code inside of a Composition: a ready function whose step input holds the text of a `compose(ctx)`.

    crossplane-lite serve crossplane_lite.scripts:function

The step's input is

    apiVersion: scripts.fn.crossplane.io/v1beta1
    kind: Script
    script: |
      def compose(ctx):
          xr = ctx.composite(Unstructured)
          ...

The script is Python that may use all of this package, as the code of any other function. Everybody who may edit the
Composition can run code in the function's pod.

`text.py` compiles scripts, `limit.py` stops those that take too long, `function.py` is the function. It may import
`composition` and rooms before it.
"""

from __future__ import annotations

from .function import function as function

__all__ = ["function"]
