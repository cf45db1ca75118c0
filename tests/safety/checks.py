"""What holds in every reconcile: the answer is the same again, and no placeholder is in it."""

from __future__ import annotations

__all__ = ["Placeholders", "checked"]

import base64
import contextlib
from pathlib import Path
from typing import Any, Final

from crossplane_lite import Unstructured, composition
from tests.safety.cluster import Cluster, Reconcile

PART: Final = 6
"""So many letters in a row are part of a placeholder."""

ENCODED_PART: Final = 8
"""So many characters of base64 are."""

CODE: Final = b"".join(path.read_bytes().lower() for path in sorted(Path(__file__).parent.glob("*.py")))
"""What the code contains."""


class Placeholders:
    """The placeholders that runs of a function have, found with str() of Observables inside of it."""

    def __init__(self, functions: Any) -> None:
        self._functions = functions
        self._texts: set[str] = set()

    def look(self, cluster: Cluster) -> None:
        """Run the functions on a request, with str() of some Observables before and after their own code."""
        probes = [composition.function(name=f"step{n}")(self._probing(f)) for n, f in enumerate(self._functions)]
        probing = cluster.copy()
        probing.functions = tuple(probes)
        probing.ask()
        assert self._texts, "no placeholder was seen"
        self._cut()

    def _probing(self, function: Any) -> Any:
        def probe(ctx: Any) -> Any:
            source = ctx.resource("zz-source", Unstructured("example.org/v1", "Probe"))
            user = ctx.resource("zz-user", Unstructured("example.org/v1", "Probe"))

            def take(name: str, count: int) -> None:
                values = [str(getattr(source.observed.status, f"{name}{n}")) for n in range(count)]
                self._texts.update(values)
                user.spec[name] = values

            async def rest(result: Any) -> None:
                with contextlib.suppress(Exception):
                    await result
                take("late", 6)

            take("early", 6)
            result = None
            with contextlib.suppress(Exception):  # what it says is for the real call
                result = function(ctx)
            if result is not None:
                return rest(result)
            take("late", 6)
            return None  # without a thread and an event loop

        return probe

    def _cut(self) -> None:
        """Cut the placeholders into the parts that are looked for, as text and in base64 at each alignment."""
        self._parts: set[bytes] = set()
        self._encoded: set[bytes] = set()
        for text in self._texts:
            plain = text.lower().encode()
            self._parts |= _parts(plain, PART)
            for shift in range(3):
                core = base64.b64encode(b"\0" * shift + text.encode())
                self._encoded |= _parts(core[-(-shift * 8 // 6) : (shift + len(text)) * 8 // 6], ENCODED_PART)

    def in_bytes(self, data: bytes, request: bytes) -> list[bytes]:
        """Return the parts of placeholders in an answer that neither the request nor the code has."""
        lower = data.lower()
        found = [part for part in _parts(lower, PART) & self._parts if part not in CODE and part not in request.lower()]
        return found + [part for part in _parts(data, ENCODED_PART) & self._encoded if part not in request]


def _parts(data: bytes, length: int) -> set[bytes]:
    return {data[start : start + length] for start in range(len(data) - length + 1)}


def checked(cluster: Cluster, placeholders: Placeholders, **options: Any) -> Reconcile:
    """Reconcile once, with the options of `Cluster.reconcile`, and check what holds always."""
    asked = cluster.request()
    done = cluster.ask(asked)
    request = done.request.SerializeToString()
    for data in done.answers:
        assert placeholders.in_bytes(data, request) == []
    for name, body in done.desired.items():
        text = repr(body)
        for sign in ("Observable(", "python/object"):
            assert sign not in text or sign.encode() in request, f"{name}: {text}"
    again = cluster.ask(asked)
    assert again.final == done.final, "the answer to the same request is another one"
    return cluster.reconcile(done, **options)
