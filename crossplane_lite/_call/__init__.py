"""One call: its state, and everything that a function can ask and say in it.

`call` holds the state, all of it; `callee` is the function that is called, as far as a call knows it. `registering`
puts resources in, `mark` says whose a resource is, and `marking` encodes it so. `requirements`, `required` and
`schemas` are requests to Crossplane and its answers, `observed` resources of other steps. `results` and `lazy_map`
are messages, `capabilities` those of the caller, `connection_secret` composes one. `event_loop` runs functions that are
`async def`. `log` and `error_text` are for people.

All modules may be imported from. They import `_validation`, `_input`, `_models`, `_observed` and the rooms below;
none knows `Context`, which is the authors' side of a call.
"""
