"""One call of a function: its state, and all that compose() can read, register and report in it.

`call` holds the whole state, and `callee` describes the function that is called. `registering` registers resources,
`mark` says which step a resource belongs to, and `marking` encodes resources with that mark. `requirements` and
`schemas` ask Crossplane for resources and schemas, and `required` has its answers. `observed` has the observed
resources of all steps, `lazy_map` the context, `results` the results and conditions, and `capabilities` what the caller
supports. `connection_secret` composes a connection Secret. `event_loop` runs `async def` functions. `log` and
`error_text` make texts for people.

Other packages may import from all modules. This package imports `_validation`, `_input`, `_models`, `_observed` and the
packages that these import. It doesn't know `Context`, which shows a call to authors.
"""
