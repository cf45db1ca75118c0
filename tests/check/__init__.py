"""Tests of `crossplane-lite check`."""
