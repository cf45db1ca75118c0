"""Tests of `crossplane-lite validate`."""
