"""Tests of the messages: the private pool, the view, and the modules with the usual names."""
