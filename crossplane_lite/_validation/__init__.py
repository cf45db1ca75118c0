"""Checking resources against the OpenAPI schemas of their kinds: `crossplane_lite.schemas` says what is checked.

`schema` is a schema of a kind, `translate` turns it into plain JSON Schema, `check` validates, `texts` says what is
wrong. `schema` and `check.library` are what others import. The room imports `_models`, `_observed` and what stands
below.
"""
