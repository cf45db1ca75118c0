"""Messages of any implementation: the common parts of `request`, `response` and `resource`.

`messages` tells messages apart by their names and goes from one implementation to another through bytes;
`raw_models` shows resources of messages as dicts or models. Both may be imported from. They import `_models`,
`_observed` and the rooms below.
"""
