"""Models of resources: their classes, their state in a call, and what is checked of them. `models`
explains the words.

Classes: `resource` (the base), `unstructured` (what has no schema), `table` (classes from tables)
and `of_schema` (classes from an API server's schemas, and the names of fields in Python).

In a call: `registered` (the state of a resource), `connection_details`, `fallback` (the values that
stay while others are missing), `object_meta` (Kubernetes' rules for metadata) and `checking` (the
rules of tables).

The classes that come with crossplane-lite are in `crossplane_lite.models`. Other packages may
import every module. These modules import `models`, `observed`, `paths`, `codec`, `base` and
`errors`.
"""
