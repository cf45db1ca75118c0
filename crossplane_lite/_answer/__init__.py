"""Making the bytes of the answer after compose() has run.

An unresolved value is an Observable whose value doesn't exist yet. A resource with such a value waits for it; a waiting
resource that isn't sent is held back. compose() guesses if it uses such a value as a plain one, as in an `if`. Then it
runs again with other guesses (`_rehearsal`), and a `Look` has the findings of these runs.

Other packages call `answer.respond`, and import the condition's name from `report` and the rules of `dropped`. These
modules make the parts: `asking` the requirements, `violations` the errors for forbidden fields, `resources` the bytes
of each resource (with unresolved values: `unresolved`), `kept` the resources that must not be deleted, `dropped` the
warnings about those that are, `waiting` the list of who waits, `report` the condition, `news` the results that are sent
once, `handing_on` the context. `messages` has texts for people, and `parts` fills fields of the protobuf message.

This package imports `_rehearsal`, `_waits`, `_call`, `_models`, `_observed` and the packages that these import.
"""
