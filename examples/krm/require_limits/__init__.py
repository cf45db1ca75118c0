"""Refuses containers without limits of CPU and memory."""
