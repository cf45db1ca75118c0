"""Every error that crossplane-lite raises on purpose.

All of them derive from `CrossplaneLiteError` and from the builtin exception that fits, so that a caller
may catch either.
"""

from __future__ import annotations

__all__ = [
    "CrossplaneLiteError",
    "DuplicateResourceError",
    "EncodeError",
    "InputError",
    "MissingExtraError",
    "ReadOnlyError",
    "UnknownFieldError",
    "UnresolvedError",
    "UsageError",
    "WireError",
]

# No object is nested like this, but a list or dict that contains itself is.
DEEPEST = 100_000


class CrossplaneLiteError(Exception):
    """Base of every error raised by this package."""


class WireError(CrossplaneLiteError, ValueError):
    """Bytes from the wire are not a legal message. The server answers the call with INVALID_ARGUMENT."""


class EncodeError(CrossplaneLiteError, ValueError, TypeError):
    """A value can't be carried as JSON in a Struct.

    Attributes:
        path: The path of the value, for example `spec.ports[2].port`.
        problem: The mistake, without the path.
    """

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(f"{path}: {problem}" if path else problem)
        self.path = path
        self.problem = problem

    def under(self, prefix: str) -> EncodeError:
        """Return the same error with `prefix` in front of its path."""
        joined = (
            self.path
            if not prefix
            else prefix + ("" if self.path.startswith("[") or not self.path else ".") + self.path
        )
        return EncodeError(joined, self.problem)


class UnresolvedError(CrossplaneLiteError, ValueError, TypeError):
    """An Observable was used in a place that needs the value itself, and the value isn't known yet."""


class UnknownFieldError(CrossplaneLiteError, AttributeError, TypeError):
    """A field that the model class does not have was read or set."""


class ReadOnlyError(CrossplaneLiteError, AttributeError, TypeError):
    """Observed state was written to."""


class DuplicateResourceError(CrossplaneLiteError, ValueError):
    """Two resources were registered under one composition resource name in a call."""


class UsageError(CrossplaneLiteError, ValueError, TypeError):
    """The SDK was called in a way that can't work. The message says how to call it."""


class InputError(CrossplaneLiteError, ValueError):
    """The function's input, or a file given to a command, is wrong."""


class MissingExtraError(CrossplaneLiteError, ImportError):
    """A package that comes with an extra is not installed. The message has the command that installs it."""
