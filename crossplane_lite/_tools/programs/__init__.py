"""Helpers of the development commands: `process` runs programs, `watch` runs one again when a file
changes, `kubectl` reads an API server, `help` formats help.

The modules import `base` and `errors`.
"""
