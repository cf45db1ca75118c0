"""Messages of any implementation: what `request`, `response` and `resource` have in common.

`messages` tells messages apart by what they are called and goes from one implementation to another through bytes;
`raw_models` shows resources of messages as dicts or models. Both may be imported from. They import `_models`,
`_observed` and what stands below.
"""
