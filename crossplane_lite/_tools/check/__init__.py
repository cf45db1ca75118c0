"""Finds habits in the source of composition functions that go wrong silently, such as `is None` on
a missing value.
"""
