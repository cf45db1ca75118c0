"""Speaks to registries of images: the names of images there, saved logins, and requests.

`references` and `client` are used by other rooms.
"""
