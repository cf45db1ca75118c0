"""A live API server, read through kubectl: with its contexts, its ways of logging in, and its errors.

Nothing is written. OpenAPI documents are kept on disk below `$XDG_CACHE_HOME/crossplane-lite` (or `~/.cache`) under the
hash that the server's index has for each, so a document is fetched again when the server's definitions change.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar
from urllib.parse import parse_qs, quote, urlsplit

from .._terminal.excerpts import short_repr
from ..errors import InputError
from . import process

__all__ = ["ApiServer"]

_INDEX: Final = "/openapi/v3"
_HASH: Final = re.compile("[0-9A-Za-z]{8,200}")
# Lines that kubectl's libraries write for developers, such as `E0131 12:00:00.000000   1234 memcache.go:265] ...`.
_LOG_LINE: Final = re.compile(r"[IWEF]\d{4} \d\d:\d\d:\d\d")
_LONGEST_TEXT: Final = 2000

_T = TypeVar("_T")


class ApiServer:
    """The API server of a context of kubectl.

    Args:
        context: The context's name, as in `kubectl config get-contexts`; empty for the current one.
        timeout: How many seconds each call of kubectl may take.
    """

    def __init__(self, context: str, timeout: float = 30.0) -> None:
        self._context = context
        self._timeout = timeout
        self._index: Mapping[str, Any] | None = None
        self._cache = _Cache(context)

    def __str__(self) -> str:
        return f"the kubectl context {self._context or '(current)'}"

    def run(self, arguments: Sequence[str], what: str) -> bytes:
        """Run kubectl, and return its output.

        Args:
            arguments: What follows the options that every call has.
            what: The name of the data, for messages.

        Raises:
            InputError: It can't be read: the message has kubectl's own text.
        """
        reading = f"kubectl can't read {what} from the context {self._context or '(current)'}"
        # Its own limit is for what it leaves behind when it is stopped.
        limit = f"--request-timeout={self._timeout + 5:g}s"
        command = ["kubectl", f"--context={self._context}", limit, *arguments]
        try:
            # Without standard input: a plugin that asks for a password must not wait for ever.
            done = process.run(command, timeout=self._timeout)
        except process.TooMuchError as e:
            raise InputError(f"{reading}: it printed more than {e}") from None
        except process.TooLongError:
            raise InputError(f"{reading}: it gave no answer within {self._timeout:g} s") from None
        except FileNotFoundError:
            raise InputError("kubectl isn't installed, or not on the PATH; it is needed to read a cluster") from None
        except (OSError, ValueError) as e:  # the latter for a null character in an argument
            raise InputError(f"kubectl can't be run: {e}") from e
        if done.status != 0:
            ending = done.ending if done.status < 0 else ""  # a signal is told in any case
            raise InputError(f"{reading}: {'; '.join(filter(None, (ending, _said(done.told)))) or done.ending}")
        return done.output

    def object(self, arguments: Sequence[str], what: str) -> dict[str, Any] | None:
        """Run kubectl, and return the object that it printed; None where it printed nothing; raises as `run`."""
        output = self.run(arguments, what)
        return _parsed(output, what) if output.strip() else None

    def paths(self) -> Mapping[str, Any]:
        """Return the server's index of OpenAPI documents: its entry for each, by path, such as `apis/apps/v1`.

        Raises:
            InputError: As of `run`.
        """
        if self._index is None:
            paths = _parsed(self._raw(_INDEX), _INDEX).get("paths")
            if not isinstance(paths, Mapping):
                raise InputError(f"the API server's {_INDEX} has no paths")
            self._index = paths
        return self._index

    def document(self, path: str, use: Callable[[dict[str, Any], str], _T]) -> _T | None:
        """Read an OpenAPI document.

        Args:
            path: Its path in the index.
            use: Makes something of the document and its place, for messages. An InputError that it raises for a
                document that was kept on disk makes the server be asked.

        Returns:
            What `use` returns; None where the server has no such document.

        Raises:
            InputError: As of `run`, or raised by `use`.
        """
        entry = self.paths().get(path)
        if entry is None:
            return None
        url = entry.get("serverRelativeURL") if isinstance(entry, Mapping) else None
        if not isinstance(url, str) or not url.startswith(f"{_INDEX}/"):
            raise InputError(f"the API server's {_INDEX} has no URL for {path} (got {short_repr(url, 120)})")
        where = f"{_INDEX}/{path} of {self}"
        digest = "".join(parse_qs(urlsplit(url).query).get("hash", []))
        data = self._cache.read(path, digest)
        if data is not None:
            with contextlib.suppress(InputError):  # a damaged file
                return use(_parsed(data, where), where)
        data = self._raw(url)
        found = use(_parsed(data, where), where)
        self._cache.write(path, digest, data)
        return found

    def _raw(self, url: str) -> bytes:
        return self.run(["get", f"--raw={url}"], url)


class _Cache:
    """Documents on disk, by path and hash. That it doesn't work is no error."""

    def __init__(self, context: str) -> None:
        base = os.environ.get("XDG_CACHE_HOME", "")
        if not os.path.isabs(base):  # as the specification of these folders says
            base = os.path.join(os.path.expanduser("~"), ".cache")
        # Servers have different documents for one path; a context stands for a server.
        server = hashlib.sha256(context.encode(errors="surrogatepass")).hexdigest()[:16]
        self._folder = os.path.join(base, "crossplane-lite", "openapi", server) if os.path.isabs(base) else None

    def read(self, path: str, digest: str) -> bytes | None:
        """Return a document, None where it isn't there."""
        if self._folder is None or not _HASH.fullmatch(digest):
            return None
        try:
            with open(os.path.join(self._folder, quote(path, safe=""), f"{digest}.json"), "rb") as file:
                return file.read()
        except OSError:
            return None

    def write(self, path: str, digest: str, data: bytes) -> None:
        """Keep a document instead of those that were kept for its path."""
        if self._folder is None or not _HASH.fullmatch(digest):
            return
        import tempfile

        folder = os.path.join(self._folder, quote(path, safe=""))
        name = f"{digest}.json"
        with contextlib.suppress(OSError):
            os.makedirs(folder, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=folder, suffix=".part", delete=False) as file:
                file.write(data)
            os.replace(file.name, os.path.join(folder, name))
            for other in os.listdir(folder):
                if other != name:
                    os.unlink(os.path.join(folder, other))


def _parsed(data: bytes, what: str) -> dict[str, Any]:
    try:
        content = json.loads(data)
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        raise InputError(f"kubectl printed no JSON object for {what}")
    return content


def _said(output: bytes) -> str:
    """Return the lines that kubectl wrote on its standard error for its users, as one."""
    lines = [line.strip() for line in output.decode(errors="replace").splitlines() if line.strip()]
    meant = [line for line in lines if not _LOG_LINE.match(line)]
    return "; ".join(meant or lines)[:_LONGEST_TEXT]
