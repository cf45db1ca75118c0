"""Models: attrs classes that know which of their fields were set, over bytes that are read when somebody asks.

Classes: `types` (fields of a table), `attributes` (their names), `table` (classes from tables), `of_schema` (classes
from an API server's schemas), `shape` (the facts about a model that all modules need), `model`, `resource`, `dynamic`
and `unstructured` (the bases), `kind_info`, `described` (types, signatures and help) and `libraries` (attrs and
cattrs). Instances: `node` (where one stands; the table of its states), `reader` (reading unset fields), `setter`,
`adopt` and `written` (values on their way in), `place` (their names in messages), `overlay` (over a previous
function's), `containers` (lists and maps), `walker` (one iterative walk for plain data, unresolved values, comparing
and showing), `apply` (computing with unresolved values). Resources in a call: `registered`, `connection_details`,
`kinds`, `desired`, `fallback` and `object_meta`. `models` has the classes that the package ships.

All modules may be imported from. They import `_observed`, `_paths`, `_wire`, `_base` and `errors`.
"""
