"""The dependency graph of a pipeline's resources, drawn: `crossplane-lite graph`."""
