"""One call of a function: its state, and all that compose() can read, register and report in it.

`call` holds the whole state, and `callee` describes the function that is called. `registering` registers resources.
`mark` says which step a resource belongs to by its mark, an annotation, and `marking` encodes resources with that mark.
`requirements` and `schemas` ask Crossplane for resources and schemas, and `required` has its answers. `observed` has
the observed resources of all steps, `lazy_map` the context, `results` the results and conditions, and `capabilities`
the caller's capabilities and the credentials. `connection_secret` composes a connection Secret, and `own_secrets` finds
the secret values that compose() composes. `event_loop` runs `async def` functions. `log` has the call's logger,
`error_text` describes exceptions, and `tally` counts resources for metrics.

Other packages may import from all modules. This package imports `schemas`, `models`, `observed` and the
packages that these import. It doesn't import `context`, whose `Context` shows a call to authors.
"""
