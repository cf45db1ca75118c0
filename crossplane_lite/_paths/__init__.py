"""Paths of fields: `field_path` reads them and follows them in plain data, and `text` writes them.

All other packages may import from both modules. This package imports `_base` and `errors`. It imports neither protobuf
nor other modules that take long to load, because every KRM function imports it when it starts.
"""
