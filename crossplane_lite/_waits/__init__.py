"""Who waits for what, as data: one wait (`wait`), the graph of a call (`graph`), and the entry of a step in the
pipeline's context (`entry`), which the next steps and everybody who looks at answers read.

Nothing here is a message; those are made in `_answer`. All modules may be imported from. They import `_models`,
`_observed` and the rooms below.
"""

from .._call.mark import HELD_BACK_KEY as HELD_BACK_KEY
