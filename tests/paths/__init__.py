"""Paths of fields."""
