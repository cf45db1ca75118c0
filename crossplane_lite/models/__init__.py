"""Models that come with the package, laid out as generated ones are."""
