"""Tests of serving a function while it is written."""
