"""Messages of any implementation: the common parts of `request`, `response` and `resource`.

`messages` recognises messages by the names of their types, and converts them between implementations through bytes;
`raw_models` shows resources of messages as dicts or models. Other rooms may import both modules. They themselves import
`_models`, `_observed` and the rooms below these two (docs/ARCHITECTURE.rst).
"""
