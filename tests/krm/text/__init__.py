"""Editing YAML and JSON in the text itself."""
