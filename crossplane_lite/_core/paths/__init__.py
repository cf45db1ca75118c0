"""Paths of fields: `field_path` reads them and follows them in plain data, and `text` writes them.

`trees` has functions for plain data, and `schema` reads schemas. All other packages may import from
these modules. This package imports only `base` and `errors`. It doesn't import protobuf or other
modules that take long to load, because every KRM function imports this package when it starts.
"""
