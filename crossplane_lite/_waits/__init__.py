"""Who waits for what, as data: one wait (`wait`), the dependency graph of a call (`graph`), and a step's entry in the
pipeline's context (`entry`).

The next steps read the entry, and so does whoever looks at answers. Messages are not made here but in `_answer`. Other
packages may import from all modules. This package imports `_models`, `_observed` and the packages that these import.
"""

from .._call.mark import HELD_BACK_KEY as HELD_BACK_KEY
