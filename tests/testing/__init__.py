"""Tests of the library for testing and of its pytest plugin."""
