"""Runs calls in worker processes, so that they use several processors, and a call that hangs doesn't stop others.

- `pool`: the server's side, which gives each call to the worker that has the fewest calls.
- `nursery`: the process from which the workers are forked.
- `worker`: the code of a worker process.
- `stacks`: the stacks of a worker that hangs or crashes.
- `frames`: the messages between the processes.
"""

from .pool import Pool as Pool

__all__ = ["Pool"]
