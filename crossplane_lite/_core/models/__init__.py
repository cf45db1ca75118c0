"""Models of Kubernetes objects: classes that keep the fields that were set, and read the others
from encoded bytes.

Words that this package uses:

- A table describes the classes of a module: a dict from each class's name to a string that lists
  its fields.
- The source of a model, list or map is the encoded object that its unset fields are read from. It
  may have none.
- The node of a model, list or map says which source it has, which object it is in, and what reading
  and writing do.
- The root of a node is the observed object (composite, composed or required resource) that the node
  belongs to.
- The wire name of a field is its name in Kubernetes. Its attribute is its name in Python.

What is known of a class: `types` (its fields), `rules` (what the API requires), `described` (types,
signatures and help) and `libraries` (attrs, cattrs and PyYAML). The base of all classes is in
`model`.

Instances: `node` (what an instance is read from, and its state), `containers` (lists and maps),
`reader` (reading unset fields, and laying models over a previous function's state), `adopt`
(checking and converting values that are set) and `walker` (loops over nested values: to plain data,
to find unresolved values, to compare, show and compute).

Classes from tables and those of resources are in the package `resources`.

Other packages may import every module. These modules import `observed`, `paths`, `codec`, `base`
and `errors`.
"""
