"""Reads a live API server by running kubectl, so that kubectl's contexts and logins are used.
Nothing is written to it.

OpenAPI documents are cached on disk in `crossplane-lite/openapi` below `$XDG_CACHE_HOME` (by
default `~/.cache`). A document's file is named after its hash in the server's index, so a document
that has changed is fetched again.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar
from urllib.parse import parse_qs, quote, urlsplit

from ..._core.base.terminal import StatusLine
from ..._core.base.texts import short_repr
from ...errors import InputError
from ..manifests.files import cache_folder, replace_file
from . import process

_INDEX: Final = "/openapi/v3"
_HASH: Final = re.compile("[0-9A-Za-z]{8,200}")
# Lines that kubectl's libraries write for developers, such as
# `E0131 12:00:00.000000   1234 memcache.go:265] ...`.
_LOG_LINE: Final = re.compile(r"[IWEF]\d{4} \d\d:\d\d:\d\d")
_LONGEST_TEXT: Final = 2000

_T = TypeVar("_T")


class ApiServer:
    """The API server of a kubectl context.

    Args:
        context: The context's name, as in `kubectl config get-contexts`; an empty string for the
            current context.
        timeout: The most seconds that one run of kubectl may take.
    """

    def __init__(self, context: str, timeout: float = 30.0) -> None:
        self._context = context
        self._timeout = timeout
        self._index: Mapping[str, Any] | None = None
        self._cache = _Cache(context)

    def __str__(self) -> str:
        return (
            f"the kubectl context {self._context}" if self._context else "kubectl's current context"
        )

    def run(self, arguments: Sequence[str], what: str) -> bytes:
        """Run kubectl, and return its standard output.

        Args:
            arguments: kubectl's arguments, without the context and the time limit.
            what: The name of the requested data in error messages.

        Raises:
            InputError: kubectl isn't installed, takes too long, prints more than 512 MiB, or fails.
                If it fails, the message has kubectl's own error.
        """
        context = f"the context {self._context}" if self._context else "the current context"
        reading = f"kubectl can't read {what} from {context}"
        # This limit ends helpers of kubectl that go on running after kubectl itself was killed.
        limit = f"--request-timeout={self._timeout + 5:g}s"
        command = ["kubectl", f"--context={self._context}", limit, *arguments]
        try:
            # Without standard input: a plugin that asks for a password must not wait for ever.
            with StatusLine() as status:
                status.show(f"reading {what} from {context}")
                done = process.run(command, timeout=self._timeout)
        except process.TooMuchError as e:
            raise InputError(
                f"{reading}: it printed more than {e}, the most that crossplane-lite reads"
            ) from None
        except process.TooLongError:
            raise InputError(
                f"{reading}: it gave no answer within {self._timeout:g} s; check that the server"
                " can be reached"
            ) from None
        except FileNotFoundError:
            raise InputError(
                "kubectl isn't installed, or not on the PATH; install kubectl to read a cluster"
            ) from None
        except (OSError, ValueError) as e:
            # subprocess raises ValueError for a null character in an argument
            raise InputError(f"kubectl can't be run: {e}") from e
        if done.status != 0:
            # name the signal even if kubectl printed an error
            ending = done.ending if done.status < 0 else ""
            raise InputError(
                f"{reading}: {'; '.join(filter(None, (ending, _said(done.told)))) or done.ending}"
            )
        return done.output

    def object(self, arguments: Sequence[str], what: str) -> dict[str, Any] | None:
        """Run kubectl, and return the JSON object that it printed; None if it printed nothing.

        The arguments are the same as for `run`.

        Raises:
            InputError: `run` raised it, or kubectl's output isn't a JSON object.
        """
        output = self.run(arguments, what)
        return _parsed(output, what) if output.strip() else None

    def paths(self) -> Mapping[str, Any]:
        """Return the server's index of OpenAPI documents: a dict from paths, such as
        `apis/apps/v1`, to entries.

        The index is read once. Each entry should be an object with the document's URL in
        `serverRelativeURL`; this isn't checked here.

        Raises:
            InputError: `run` raised it, or the server's answer has no paths.
        """
        if self._index is None:
            paths = _parsed(self._raw(_INDEX), _INDEX).get("paths")
            if not isinstance(paths, Mapping):
                raise InputError(
                    f"the API server's {_INDEX} has no paths; Kubernetes has this index from"
                    " 1.24 on"
                )
            self._index = paths
        return self._index

    def document(self, path: str, use: Callable[[dict[str, Any], str], _T]) -> _T | None:
        """Read an OpenAPI document from the disk cache or from the server, and return what `use`
        makes of it.

        Args:
            path: The document's path in the index, such as `apis/apps/v1`.
            use: A function of the document and of its name in messages. If it raises InputError for
                a document from disk, the document is fetched from the server, and `use` is called
                again. A fetched document is cached only if `use` succeeds.

        Returns:
            The result of `use`; None if the server has no such document.

        Raises:
            InputError: `run`, `paths` or `use` raised it, the index has no usable URL for the
                document, or the document isn't a JSON object.
        """
        entry = self.paths().get(path)
        if entry is None:
            return None
        url = entry.get("serverRelativeURL") if isinstance(entry, Mapping) else None
        if not isinstance(url, str) or not url.startswith(f"{_INDEX}/"):
            got = "nothing" if url is None else short_repr(url, 120)
            raise InputError(
                f"the API server's {_INDEX} has no URL for {path} that begins with {_INDEX}/ (got"
                f" {got})"
            )
        where = f"{_INDEX}/{path} of {self}"
        digest = "".join(parse_qs(urlsplit(url).query).get("hash", []))
        data = self._cache.read(path, digest)
        if data is not None:
            with contextlib.suppress(InputError):  # the file is damaged: ask the server
                return use(_parsed(data, where), where)
        data = self._raw(url)
        found = use(_parsed(data, where), where)
        self._cache.write(path, digest, data)
        return found

    def _raw(self, url: str) -> bytes:
        return self.run(["get", f"--raw={url}"], url)


class _Cache:
    """The disk cache of a context's OpenAPI documents, by path and hash. A file that can't be used
    is no error.
    """

    def __init__(self, context: str) -> None:
        base = cache_folder("openapi")
        # A folder for each context, because another server has another document for the same path.
        server = hashlib.sha256(context.encode(errors="surrogatepass")).hexdigest()[:16]
        self._folder = None if base is None else base / server

    def read(self, path: str, digest: str) -> bytes | None:
        """Return a document by path and hash; None if it isn't on disk or can't be read, or the
        hash is invalid.
        """
        if self._folder is None or not _HASH.fullmatch(digest):
            return None
        try:
            with open(
                os.path.join(self._folder, quote(path, safe=""), f"{digest}.json"), "rb"
            ) as file:
                return file.read()
        except OSError:
            return None

    def write(self, path: str, digest: str, data: bytes) -> None:
        """Write a document to disk, and remove its older versions. Do nothing if the hash is
        invalid.
        """
        if self._folder is None or not _HASH.fullmatch(digest):
            return
        folder = os.path.join(self._folder, quote(path, safe=""))
        name = f"{digest}.json"
        with contextlib.suppress(OSError):
            replace_file(Path(folder, name), data)
            for other in os.listdir(folder):
                if other != name:
                    os.unlink(os.path.join(folder, other))


def _parsed(data: bytes, what: str) -> dict[str, Any]:
    try:
        content = json.loads(data)
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        raise InputError(
            f"kubectl printed no JSON object for {what}; run kubectl by itself to see its output"
        )
    return content


def _said(output: bytes) -> str:
    """Return kubectl's standard error as one line of at most 2,000 characters.

    Log lines of kubectl's libraries are left out, unless there are no other lines.
    """
    lines = [line.strip() for line in output.decode(errors="replace").splitlines() if line.strip()]
    meant = [line for line in lines if not _LOG_LINE.match(line)]
    return "; ".join(meant or lines)[:_LONGEST_TEXT]
