"""Observed state of a call, and forward references to the values that aren't there yet.

Observed objects: the objects themselves (`root`), values by path (`lookup`), `conditions`, `readiness` by kind, and the
fields that Crossplane owns (`owned`). Observables: the references themselves (`observable`), the meaning of their uses
(`uses`), the placeholders that they leave in text (`tokens`), and a call's memory of them (`tracker`). `tracker`,
`root`, `observable` and `uses` import each other, because an Observable belongs to an object of a call, and the call
remembers its Observables. Secrets: finding them in a request (`secrets`), their forms (`secret_forms`), and masking
them in texts (`masking`), in prints (`prints`) and in the output of threads (`threads`).

Other packages may import from all modules. This package imports `_wire`, `_paths`, `_terminal`, `_base` and `errors`.
"""
