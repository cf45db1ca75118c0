"""Tests of code inside of a Composition."""
