"""Generates a Deployment and a Service from a small config of its own."""
