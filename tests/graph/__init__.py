"""Tests of the dependency graph and its formats."""
