"""The dependency graph of what a pipeline composes, drawn: `crossplane-lite graph`."""
