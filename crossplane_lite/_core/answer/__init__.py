"""Making the bytes of the answer after compose() has run.

An unresolved value is an Observable whose value doesn't exist yet. A resource with such a value
waits for it; a waiting resource that isn't sent is held back. compose() guesses if it uses such a
value as a plain one, as in an `if`.

Other packages call `answer.respond`, and import the condition's name from `report`. These modules
make the parts: `draft` each resource as a run desires it, `outcome` what a run creates, changes and
drops, and what it must not set, `reads` what it has read, `decide` what becomes of each resource
while values are missing (with `late`, where a text was cut), `kept` the resources that must not be
deleted, `waiting` the list of who waits, with the reasons, `report` the condition. `parts` fills
fields of the protobuf message, the requirements and the context among them.

This package imports `dependencies`, `known`, `call`, `models`, `observed` and the packages that
these import.
"""
