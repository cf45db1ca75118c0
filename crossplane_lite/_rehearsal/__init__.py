"""Runs of compose() that only look: for dependencies of resolved values, and for the order of deletion.

`look_twice` decides which runs there are and finds what depends on missing values (`look`), with `comparing`, which
compares two runs. `rehearse` runs, `both_ways` answers the questions of a run, `observed_values` looks up values of the
real call.
`dependencies.show` and `usages` are its results, and others import them. The room imports `_waits`, `_call`,
`_models`, `_observed` and the rooms below; it runs compose() through the call's function, and knows no `Context`.
"""
