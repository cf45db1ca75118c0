"""Observed state of a call, and forward references to the values that aren't there yet.

Observed objects: their tops (`root`), values by path (`lookup`), `conditions`, `readiness` by kind, and the fields that
Crossplane owns (`owned`). Observables: the references themselves (`observable`), the meaning of their uses (`uses`),
the placeholders that they leave in text (`tokens`), and a call's memory of them (`tracker`). `tracker`, `root`,
`observable` and `uses` know each other: an Observable belongs to an object of a call, and the call remembers its
Observables. Secrets: where a request has them (`secrets`), their forms (`secret_forms`), masking them in texts
(`masking`), in prints (`prints`) and in the output of threads (`threads`).

All modules may be imported from. They import `_wire`, `_paths`, `_terminal`, `_base` and `errors`.
"""
