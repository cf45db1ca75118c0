"""More runs of compose(), which show what depends on missing values, all dependencies, and the order of deletion.

`look_twice` decides which runs are needed for an answer, compares them (`comparing`), and returns the parts of the
answer that depend on missing values (`look`). `rehearse` runs compose() to find dependencies. `both_ways` answers the
questions of a run, and `observed_values` looks up values of the real call. Other packages also import
`dependencies.show` and `usages`.

This package imports `_waits`, `_call`, `_models`, `_observed` and the packages that these import. It runs compose()
through the call's function, and doesn't know `Context`.
"""
