"""Who waits for what, as data: one wait (`wait`), the dependency graph of a call (`graph`), and a step's report in the
pipeline's context (`entry`).

A resource waits if it needs a value that doesn't exist yet. The next steps of the pipeline read the report, and so do
tests and tools. Messages are made in `_answer`, not here. Other packages may import from all modules. This package
imports `_models`, `_observed` and the packages that these import.
"""

from .._call.mark import HELD_BACK_KEY as HELD_BACK_KEY
