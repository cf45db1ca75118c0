"""The codec between Structs on the wire and Python: a function works on slices of bytes and on models.

In here `raw` is the bytes of a `google.protobuf.Struct`, and `value` those of a `google.protobuf.Value`. Fields that
aren't read aren't decoded, and unchanged ones are copied as they came. The order of keys is not kept.

Every legal encoding is read as the installed protobuf reads it, with three exceptions:

- A singular Struct field of the envelope, or the value of a map entry, that is split over several occurrences is
  read as its last one, where protobuf merges them. No encoder writes that. (A Value that repeats its struct or
  list member is merged.)
- Data that isn't read isn't validated: other fields than the one asked for, and values that a later occurrence
  replaces.
- The depth isn't limited.

Malformed bytes raise WireError when they are read. Functions recurse only to a fixed depth; an explicit stack takes
over below it.

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
