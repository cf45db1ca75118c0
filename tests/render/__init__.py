"""Rendering from YAML files on the command line."""
