"""More runs of compose(), which show the effects of missing values, all dependencies, and the order of deletion.

Such a run is called a rehearsal: its results are thrown away. `run` makes one, and `both_ways` answers the questions
about missing values that come up in it. `look_twice` and `runs` decide which runs are needed for an answer.
`comparing` and `differences` compare the runs, `last_known` reads missing values from existing objects, and `look`
holds the findings. `rehearse` runs compose() to find dependencies, and `observed_values` looks up values of the real
call for it. Other packages also import `dependencies`, which shows all dependencies, and `usages`.

This package imports `_waits`, `_call`, `_models`, `_observed` and the packages that these import. It runs compose()
through the call's function, and doesn't import `context`.
"""
