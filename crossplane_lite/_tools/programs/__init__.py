"""Helpers of the development commands: `process` runs programs, `kubectl` reads an API server, `help` formats help.

The modules import `base` and `errors`.
"""
