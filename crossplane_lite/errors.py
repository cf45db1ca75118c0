"""The errors that crossplane-lite raises. Some modules define more, such as
`crossplane_lite.schemas.SchemaError`.

All of them derive from `CrossplaneLiteError`, and from a builtin exception that fits, so that a
caller can catch either.
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

# How deep values may be nested. No real object comes near it; a list or dict that contains itself
# goes beyond it.
DEEPEST = 100_000


class CrossplaneLiteError(Exception):
    """Base class of all errors that this package defines."""


class WireError(CrossplaneLiteError, ValueError):
    """The bytes of a protobuf message are not valid.

    For a request, the server answers the call with INVALID_ARGUMENT.
    """


class EncodeError(CrossplaneLiteError, ValueError, TypeError):
    """A value can't be sent to Crossplane: it can't be written as JSON, or the protocol's Struct
    can't hold it.

    Attributes:
        path: The path of the value, for example `spec.ports[2].port`; empty if no path is known.
        problem: The message without the path.
    """

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(f"{path}: {problem}" if path else problem)
        self.path = path
        self.problem = problem

    def under(self, prefix: str) -> EncodeError:
        """Return a new error with the same problem, and with `prefix` in front of the path.

        For example, `spec` in front of `ports[2]` gives `spec.ports[2]`. An empty `prefix` leaves
        the path as it is.
        """
        joined = (
            self.path
            if not prefix
            else prefix + ("" if self.path.startswith("[") or not self.path else ".") + self.path
        )
        return EncodeError(joined, self.problem)


class UnresolvedError(CrossplaneLiteError, ValueError, TypeError):
    """Code used an Observable that has no value yet, for something that needs the value."""


class UnknownFieldError(CrossplaneLiteError, AttributeError, TypeError):
    """Code read or set a field that the model's class doesn't have.

    Attributes:
        lacking: The class and the field's name; None if the object isn't of one class.
    """

    def __init__(self, text: str, lacking: tuple[type, str] | None = None) -> None:
        super().__init__(text)
        self.lacking = lacking


class ReadOnlyError(CrossplaneLiteError, AttributeError, TypeError):
    """Code tried to change an object that is read-only: observed state, or what previous functions
    desire.
    """


class DuplicateResourceError(CrossplaneLiteError, ValueError):
    """Code added a resource that is there already.

    In compose(), its composition resource name was registered before in the same call. In a KRM
    function, another item has the same group, kind, namespace and name, or a new list of items
    holds the same item twice.
    """


class UsageError(CrossplaneLiteError, ValueError, TypeError):
    """The SDK was used in a way that can't work: a wrong argument, return value or annotation, for
    example.

    The message says what to do instead.
    """


class InputError(CrossplaneLiteError, ValueError):
    """The function's input, or an argument, a file or a cluster that a command uses, is wrong or
    missing.
    """


class MissingExtraError(CrossplaneLiteError, ImportError):
    """A package is missing that an extra of crossplane-lite installs, or an image lacks a command.

    An image that is built for a function has only the code that serves the function, and no other
    commands.
    """
