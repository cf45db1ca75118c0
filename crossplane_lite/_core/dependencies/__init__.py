"""Who waits for what: the graph of a call, all dependencies by dry runs, and Usages for the order
of deletion.

`graph` has the dependencies of one call, `entry` says who waits, as data in the pipeline's context,
and `dependencies` finds all of them by dry runs of compose(). `answers` answers the questions about
missing values in these, `dry_run` makes one more run. `usages` composes Usages.

This package imports `call`, `models`, `observed` and the packages that these import. It runs
compose() through the call's function, and doesn't import `context`.
"""
