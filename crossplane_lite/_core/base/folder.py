"""The folder of this package, by which frames of its own code are told from those of authors."""

from __future__ import annotations

import os

PACKAGE = os.path.join(
    os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), ""
)
"""The folder's path, with a separator at its end."""
