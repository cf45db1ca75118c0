"""Models of Kubernetes objects: classes that keep the fields that were set, and read the others from encoded bytes.

Words that this package uses:

- A table describes the classes of a module: a dict from each class's name to a string that lists its fields.
- The source of a model, list or map is the encoded object that its unset fields are read from. It may have none.
- The node of a model, list or map says which source it has, which object it is in, and what reading and writing do.
- The root of a node is the observed object (composite, composed or required resource) that the node belongs to.
- The wire name of a field is its name in Kubernetes. Its attribute is its name in Python.

Classes: `types` (fields of a table), `attributes` (their names), `table` (classes from tables), `of_schema` (classes
from an API server's schemas), `shape` (the part of a model that all modules need), `model`, `resource`, `dynamic` and
`unstructured` (the bases), `kin` (classes for one field that a new schema has split), `kind_info`, `described` (types,
signatures and help) and `libraries` (attrs and cattrs).

Instances: `node`, `reader` (reading unset fields), `setter` (setting and deleting fields), `adopt` and `written`
(checking and converting values that are set), `place` (paths of objects in messages), `overlay` (desired state over a
previous function's), `containers` (lists and maps), `walker` (loops over nested values: to plain data, to find
unresolved values, to compare, to show) and `apply` (computing with unresolved values).

Resources in a call: `registered`, `connection_details`, `kinds`, `desired`, `fallback` and `object_meta`. The classes
that come with crossplane-lite are in `crossplane_lite.models`.

Other packages may import every module. These modules import `_observed`, `_paths`, `_wire`, `_base` and `errors`.
"""
