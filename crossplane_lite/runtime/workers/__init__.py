"""Calls in processes of their own, for functions that compute much, and so that one that hangs takes no others with it.

- `pool`: the server's side. It has the connections, and gives each call to the worker that has least to do.
- `nursery`: the process that workers are copied from.
- `worker`: what a worker does.
- `frames`: what they say to each other.
"""

from .pool import Pool as Pool

__all__ = ["Pool"]
