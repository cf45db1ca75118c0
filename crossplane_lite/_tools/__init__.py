"""The tools at a terminal: each room is a command, or a part that commands share. A served function
loads none.
"""
