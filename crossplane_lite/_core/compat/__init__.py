"""The common code of `request`, `response` and `resource`, which work with protobuf messages of any
implementation.

An implementation is a set of Python classes for the protocol's messages, such as this package's
`proto` or the classes of crossplane-function-sdk-python. `messages` recognises messages by the
names of their types, and converts them between implementations through bytes; `raw_models` returns
the resources in requests as dicts or models. Other rooms may import both modules. They themselves
import `models`, `observed` and the rooms below these two (docs/ARCHITECTURE.rst).
"""
