"""From a call in which compose() has run to the answer's bytes.

`answer.respond` is the way in. Others import it, and names of conditions from `report`. It asks `violations` for
forbidden fields, `resources` for the bytes of each resource (`unresolved` where values are missing), `kept` for what
must not be lost, `asking` for requirements, `handing_on` for the context,
`waiting` who waits, and `report` for the condition. `messages` has the texts, `parts` fills the message.

The room imports `_rehearsal`, `_waits`, `_call`, `_models`, `_observed` and the rooms below.
"""
