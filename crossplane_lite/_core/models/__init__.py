"""Models of Kubernetes objects: classes that keep the fields that were set, and read the others from encoded bytes.

Words that this package uses:

- A table describes the classes of a module: a dict from each class's name to a string that lists its fields.
- The source of a model, list or map is the encoded object that its unset fields are read from. It may have none.
- The node of a model, list or map says which source it has, which object it is in, and what reading and writing do.
- The root of a node is the observed object (composite, composed or required resource) that the node belongs to.
- The wire name of a field is its name in Kubernetes. Its attribute is its name in Python.

Classes: `types` (fields of a table), `attributes` (their names), `table` (classes from tables), `of_schema` (classes
from an API server's schemas), `model` (the base, with setting and deleting fields), `resource`, `unstructured` (what
has no schema), `described` (kinds, types, signatures and help) and `libraries` (attrs, cattrs and PyYAML).

Instances: `node` (what an instance is read from, and its state), `containers` (lists and maps), `reader` (reading unset
fields, and laying models over a previous function's state), `adopt` (checking and converting values that are set) and
`walker` (loops over nested values: to plain data, to find unresolved values, to compare, show and compute).

Resources in a call: `registered`, `connection_details`, `fallback` and `object_meta`. The classes that come with
crossplane-lite are in `crossplane_lite.models`.

Other packages may import every module. These modules import `observed`, `paths`, `codec`, `base` and `errors`.
"""
