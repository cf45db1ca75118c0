"""Tests of `crossplane_lite.simulate`."""
