"""The long tier: what takes hours. `python -m tests.long` runs all of it; docs/CONTRIBUTING.rst says what it is."""
