"""Tests of reading API definitions and of what is generated from them."""
