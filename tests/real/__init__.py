"""Comparing with Crossplane's own engine, built from source."""
