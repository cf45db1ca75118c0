"""Paths of fields: the one grammar (`field_path`), and how paths are shown (`text`).

Every room may import both modules. They import `_base` and `errors`, and neither protobuf nor other modules that take
long to load: KRM functions start with them.
"""
