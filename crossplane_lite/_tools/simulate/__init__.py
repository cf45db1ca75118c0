"""Simulates a composition over time: runs one reconcile after the other, until nothing changes."""
