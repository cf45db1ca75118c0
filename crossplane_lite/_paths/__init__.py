"""Paths of fields: `field_path` reads them and follows them in plain data, and `text` writes them.

All other packages may import from both modules. This package imports only `_base` and `errors`. It doesn't import
protobuf or other modules that take long to load, because every KRM function imports this package when it starts.
"""
