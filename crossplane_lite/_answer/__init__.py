"""Making the bytes of the answer after compose() has run.

Other packages call `answer.respond`, and import names of conditions from `report`. `respond` asks `violations` for
forbidden fields, `resources` for the bytes of each resource (`unresolved` does those with missing values), `kept` for
resources that must not be deleted, `asking` for requirements, `handing_on` for the context, `waiting` for the resources
that wait, and `report` for the condition. `messages` has the texts, and `parts` fills the message.

This package imports `_rehearsal`, `_waits`, `_call`, `_models`, `_observed` and the packages that these import.
"""
