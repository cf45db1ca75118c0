"""One call of a function: its state, and all that compose() can read, register and report in it.

`call` holds the whole state, and describes the function that is called. `registering` registers
resources. `mark` says which step a resource belongs to by its mark, an annotation, and encodes
resources with that mark. `requirements` and `schemas` ask Crossplane for resources and schemas.
`given` has all that Crossplane has sent: observed resources, its answers, and the context.
`results` has the results and conditions, and counts for metrics; `capabilities` the caller's
capabilities and the credentials. `secrets` composes a connection Secret, and finds the secret
values that compose() composes. `event_loop` runs `async def` functions. `texts` has the call's
logger, and describes exceptions.

Other packages may import from all modules. This package imports `schemas`, `models`, `observed` and
the packages that these import. It doesn't import `context`, whose `Context` shows a call to
authors.
"""
