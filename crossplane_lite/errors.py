"""The errors that crossplane-lite raises.

All of them derive from `CrossplaneLiteError`, and from a builtin exception that fits, so that a caller can catch
either.
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

# How deep values may be nested. No real object comes near it; a list or dict that contains itself goes beyond it.
DEEPEST = 100_000


class CrossplaneLiteError(Exception):
    """Base class of the errors of this package."""


class WireError(CrossplaneLiteError, ValueError):
    """The bytes of a protobuf message are not valid.

    For a request, the server answers the call with INVALID_ARGUMENT.
    """


class EncodeError(CrossplaneLiteError, ValueError, TypeError):
    """A value can't be sent to Crossplane: it isn't JSON, or the protocol's Struct can't hold it.

    Attributes:
        path: The path of the value, for example `spec.ports[2].port`; empty where the value has none.
        problem: The message without the path.
    """

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(f"{path}: {problem}" if path else problem)
        self.path = path
        self.problem = problem

    def under(self, prefix: str) -> EncodeError:
        """Return a new error with the same problem, and `prefix` in front of the path."""
        joined = (
            self.path
            if not prefix
            else prefix + ("" if self.path.startswith("[") or not self.path else ".") + self.path
        )
        return EncodeError(joined, self.problem)


class UnresolvedError(CrossplaneLiteError, ValueError, TypeError):
    """An Observable without a value was used where the value must be known."""


class UnknownFieldError(CrossplaneLiteError, AttributeError, TypeError):
    """Code read or set a field that the model's class doesn't have."""


class ReadOnlyError(CrossplaneLiteError, AttributeError, TypeError):
    """Code tried to change observed state, which is only for reading."""


class DuplicateResourceError(CrossplaneLiteError, ValueError):
    """Code added a resource that is there already.

    In compose(), its composition resource name was registered before in the same call. In a KRM function, another item
    has the same group, kind, namespace and name, or a new list of items holds the same item twice.
    """


class UsageError(CrossplaneLiteError, ValueError, TypeError):
    """The SDK was used in a way that can't work: a wrong argument, return value or annotation, for example.

    The message says what to do instead.
    """


class InputError(CrossplaneLiteError, ValueError):
    """The function's input, or a file or an argument of a command, is wrong."""


class MissingExtraError(CrossplaneLiteError, ImportError):
    """A package that an extra installs is missing, or the image was built without the command."""
