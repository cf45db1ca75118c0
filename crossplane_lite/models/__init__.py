"""Models that come with the package, in the same folders as generated models."""
