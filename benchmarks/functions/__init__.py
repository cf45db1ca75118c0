"""The functions that are served for the measurements, one module for each side, all with the same
behaviour.
"""
