"""Tests of the README and of the pages in docs: their code, their site, their words."""
