"""Makes `python -m crossplane_lite` run the command `crossplane-lite`."""

from __future__ import annotations

import sys

from .cli import main

if __name__ == "__main__":
    sys.exit(main())
