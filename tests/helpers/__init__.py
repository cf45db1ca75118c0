"""The low-level helpers, compared with those of the official SDK."""
