"""Last known values for a function that knows nothing of them: the guard stands between Crossplane
and the function.

**A value that was there and goes missing counts as it last was.** What `_core.answer` does for
functions of this SDK, this package does for any function, which is called the target. It knows
requests and answers only: every value in an observed status counts as read, but for conditions
other than Ready, and so does the external name.

`guard.Guard` answers a call. `seen` has what the notes and marks in a request say, and which values
are lost. `answers` compares the target's answers. `values` says what may be noted, and what comes
first where not all fits. `writing` puts marks and notes into an answer, and `telling` says in a
condition what is going on.

This package imports `base`, `codec`, `paths`, `known`, `observed`, `call` and `dependencies`.
"""
