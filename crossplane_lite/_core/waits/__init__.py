"""More runs of compose(), which show the effects of missing values, all dependencies, and the order of deletion.

Such a run is called a rehearsal: its results are thrown away. For an answer: `stakes` has what the real run drops or
changes while values are missing, `runs` makes the runs that show why, `comparing` compares them, `decide` says what
becomes of each resource. `run` makes one run, and `both_ways` answers the questions about missing values in it. Other
packages also import `draft`, `entry` and `graph` (who waits for what), `dependencies`, which shows all of them, and
`usages`.

This package imports `call`, `models`, `observed` and the packages that these import. It runs compose()
through the call's function, and doesn't import `context`.
"""
