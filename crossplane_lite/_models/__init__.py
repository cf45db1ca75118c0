"""Models: attrs classes that know which of their fields were set, over bytes that are read when somebody asks.

What a class is: `types` (fields of a table), `table` (classes from tables, made by attrs when somebody looks), `shape`
(the facts about a model that all modules need), `model`, `resource`, `dynamic` and `unstructured` (the bases).
What an instance does: `node` (where it stands; the table of its states), `reader` (reading unset fields), `setter`
and `adopt` (values on their way in), `overlay` (over a previous function's), `containers` (lists and maps), `walker`
(one iterative walk for plain data, unresolved values, comparing and showing), `apply` (computing with unresolved
values). `registered`, `connection_details` and `kinds` are about resources in a call. `models` has the classes that the
package ships.

All modules may be imported from. They import `_observed`, `_paths`, `_wire`, `_base` and `errors`.
"""
