"""Tests of crossplane-lite; `support` is what they share."""
