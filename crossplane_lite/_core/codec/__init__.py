"""Converts the bytes of a `google.protobuf.Struct` to Python's values, and values and models to
such bytes.

In this package, `raw` is the bytes of a Struct, and `value` the bytes of a `google.protobuf.Value`.
Fields that aren't read aren't decoded, and unchanged fields are copied as they came. The order of
keys isn't kept.

Every valid encoding is read as the installed protobuf reads it, with three exceptions:

- If a message repeats a singular Struct field, or a map entry repeats its value, only the last
  occurrence is read. protobuf merges them. No encoder writes that. (A Value that repeats its struct
  or list member is merged.)
- Data that isn't read isn't checked: other fields than the wanted one, and values that a later
  occurrence replaces.
- The depth isn't limited.

Malformed bytes raise WireError when they are read. Functions recurse only to a fixed depth. Deeper
data is read and written with an explicit stack.

`decode` reads; `scan` is its slow and exact part. `encode` writes; `tree` encodes unusual data, and
both use `parts`. Other packages import the names below. This package imports `base`, `paths`,
`errors` and `proto`.
"""

from __future__ import annotations

from .decode import MISSING as MISSING
from .decode import decode_list as decode_list
from .decode import decode_struct as decode_struct
from .decode import decode_value as decode_value
from .decode import get_path as get_path
from .decode import open_value as open_value
from .decode import split as split
from .decode import split_list as split_list
from .decode import unwatch as unwatch
from .decode import watch as watch
from .encode import cut as cut
from .encode import encode_over as encode_over
from .encode import encode_struct as encode_struct
from .encode import encode_value as encode_value
from .encode import joined_pieces as joined_pieces
from .encode import pieces_of as pieces_of
from .parts import MORE as MORE
from .parts import SET as SET
from .parts import WHOLE as WHOLE
from .parts import Bail as Bail
from .parts import entry_prefix as entry_prefix
from .parts import varint as varint
from .scan import BOOL as BOOL
from .scan import LIST as LIST
from .scan import NULL as NULL
from .scan import NUMBER as NUMBER
from .scan import STRING as STRING
from .scan import STRUCT as STRUCT
