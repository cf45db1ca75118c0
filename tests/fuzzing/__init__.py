"""Hostile input, searched for by coverage.

`targets` says what is fuzzed and what must hold, `choices` makes decisions out of bytes, and `python -m tests.fuzzing`
searches. Seeds and the inputs that once failed are kept in `tests/data/fuzzing`, and each run of the tests tries them.
"""
