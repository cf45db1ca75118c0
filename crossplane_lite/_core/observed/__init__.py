"""Observed state of a call, and forward references to the values that aren't there yet.

`root` stands for the observed objects. `lookup` reads values in them by path, and conditions, and
decides whether an object is ready; `owned` finds the fields that Crossplane has set.

`observable` has the forward references, called Observables, and says what their uses mean. `tokens`
makes the placeholders that they leave in text, and `tracker` is a call's memory of them. `tracker`,
`root` and `observable` know each other, because an Observable belongs to an object of a call, and
the call remembers its Observables.

`secrets` finds secret values in a request, and masks them in texts. `secret_parts` takes the values
apart.

Other packages may import from all modules. This package imports `proto`, `codec`, `paths`, `base`
and `errors`.
"""
