"""The flight recorder."""
