"""Who waits for what, as data: one wait (`wait`), the graph of a call (`graph`), and the entry of a step in the
pipeline's context (`entry`), which the next steps and everybody who looks at answers read.

Nothing here is a message; those are made in `_answer`. All modules may be imported from. They import `_models`,
`_observed` and what stands below.
"""

HELD_BACK_KEY = "crossplane-lite/held-back"
"""The key of the context under which each step says who waits. It stands here because most calls need nothing else."""
