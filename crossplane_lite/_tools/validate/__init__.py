"""Checks files of composites, compositions, definitions and other objects against each other.

`command` is the command, and `definitions` what an API server asks of definitions.
"""
