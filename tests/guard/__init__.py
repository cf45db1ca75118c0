"""The guard in front of functions that know nothing of it, written with the official SDK."""
