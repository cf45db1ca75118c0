"""Serving: real servers on free ports, most of them in processes of their own."""
