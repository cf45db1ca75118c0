"""Four KRM functions, each with golden folders: what goes in, and what comes of it."""
