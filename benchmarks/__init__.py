"""Measurements of this package beside the official SDK and a floor; README.rst says how to run
them.
"""
