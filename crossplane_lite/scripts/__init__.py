"""Code inside of a Composition: a ready function whose step input holds the text of a `compose(ctx)`.

    crossplane-lite serve crossplane_lite.scripts:function

The step's input is

    apiVersion: scripts.fn.crossplane.io/v1beta1
    kind: Script
    script: |
      def compose(ctx):
          xr = ctx.composite(Unstructured)
          ...

Everything of a function with code of its own holds for it: the text is Python with all of this package, and whoever may
edit the Composition runs code in the function's pod.

`text.py` compiles texts, `limit.py` ends what takes too long, `function.py` is the function. It may import
`composition` and rooms before it.
"""

from __future__ import annotations

from .function import function as function

__all__ = ["function"]
