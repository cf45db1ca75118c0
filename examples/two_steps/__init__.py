"""A pipeline of two functions: the first composes buckets, the second, a server, adds what all of
them must have.
"""
