"""Tests of container images and Crossplane packages."""
