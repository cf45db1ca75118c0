"""One call: its state, and everything that a function can ask and say in it.

`call` holds the state, all of it; `callee` is the function that is called, as far as a call knows it. `registering`
puts resources in, `mark` says whose a resource is, and `marking` encodes it so. `requirements`, `required` and
`schemas` are what is asked of Crossplane and its answers, `observed` what other steps have. `results` and `lazy_map`
are what is said, `capabilities` what the caller supports, `connection_secret` composes one. `event_loop` runs what is
`async def`. `log` and `error_text` are for people.

All modules may be imported from. They import `_validation`, `_input`, `_models`, `_observed` and what stands below;
none knows `Context`, which is the authors' side of a call.
"""
