"""What a call observes, and the forward references to what it doesn't observe yet.

Observed objects: their tops (`root`), conditions, readiness by kind, and the secrets among their values. Observables:
the references themselves (`observable`), the placeholders that they leave in text (`tokens`), what a call remembers of
them (`tracker`), and who answers for them in a rehearsal (`oracle`). `tracker`, `root`, `observable` and `oracle` know
each other: an Observable belongs to an object of a call, and the call remembers its Observables.

All modules may be imported from. They import `_wire`, `_base`, `proto` and `errors`.
"""
