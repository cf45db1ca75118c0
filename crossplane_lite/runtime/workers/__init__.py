"""Runs calls in worker processes, so that they use several processors, and a call that hangs doesn't stop others.

- `pool`: the server's side, which gives each call to the worker that has the fewest calls.
- `worker`: the code of a worker process, and of the nursery, the process from which the workers are forked.
- `frames`: the messages between the processes, and the server's record of a worker.
"""

from .pool import Pool as Pool

__all__ = ["Pool"]
