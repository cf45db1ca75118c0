"""The core of a composition function: the rooms that a served function needs, in the order of
docs/ARCHITECTURE.rst.
"""
