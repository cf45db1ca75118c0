"""Tests of new projects."""
