"""Tests of `_tools.simulate`."""
