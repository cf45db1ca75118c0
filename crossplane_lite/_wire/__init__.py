"""Converts the bytes of a `google.protobuf.Struct` to Python's values, and values and models to such bytes.

In this package, `raw` is the bytes of a Struct, and `value` the bytes of a `google.protobuf.Value`. Fields that aren't
read aren't decoded, and unchanged fields are copied as they came. The order of keys isn't kept.

Every valid encoding is read as the installed protobuf reads it, with three exceptions:

- If a message repeats a singular Struct field, or a map entry repeats its value, only the last occurrence is read.
  protobuf merges them. No encoder writes that. (A Value that repeats its struct or list member is merged.)
- Data that isn't read isn't checked: other fields than the wanted one, and values that a later occurrence replaces.
- The depth isn't limited.

Malformed bytes raise WireError when they are read. Functions recurse only to a fixed depth. Deeper data is read and
written with an explicit stack.

Other packages import the names in `__all__`. This package imports `_base`, `_paths`, `errors` and `proto`.
"""

from __future__ import annotations

from .decode import decode_list, decode_struct, decode_value
from .encode import encode_list, encode_struct, encode_struct_with, encode_value
from .faults import unwatch, watch
from .objects import MORE, SET, WHOLE
from .over import encode_over
from .parts import Bail, entry_prefix
from .read import MISSING, get_path, split, split_list
from .scan import BOOL, LIST, NULL, NUMBER, STRING, STRUCT
from .value import open_value

__all__ = [
    "BOOL",
    "LIST",
    "MISSING",
    "MORE",
    "NULL",
    "NUMBER",
    "SET",
    "STRING",
    "STRUCT",
    "WHOLE",
    "Bail",
    "decode_list",
    "decode_struct",
    "decode_value",
    "encode_list",
    "encode_over",
    "encode_struct",
    "encode_struct_with",
    "encode_value",
    "entry_prefix",
    "get_path",
    "open_value",
    "split",
    "split_list",
    "unwatch",
    "watch",
]
