"""Checking resources against the OpenAPI schemas of their kinds: `crossplane_lite.schemas` lists the checks.

`schema` has the class for the schema of a kind, `translate` turns a schema into plain JSON Schema, `check` validates
data, and `texts` words the mistakes. Other packages import `schema` and `check.library`. This package imports
`_models`, `_observed` and the packages that these import.
"""
