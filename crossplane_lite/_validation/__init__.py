"""Checking resources against the OpenAPI schemas of their kinds: `crossplane_lite.schemas` lists the checks.

`schema` is a schema of a kind, `translate` turns it into plain JSON Schema, `check` validates, `texts` puts errors into
words. Others import `schema` and `check.library`. The room imports `_models`, `_observed` and the rooms below.
"""
