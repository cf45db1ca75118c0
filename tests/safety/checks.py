"""What holds in every reconcile: the answer is the same again, and no placeholder is in it."""

from __future__ import annotations

__all__ = ["Placeholders", "checked"]

import base64
import re
from pathlib import Path
from typing import Any, Final

from crossplane_lite import Unstructured, composition
from tests.safety.cluster import Cluster, Reconcile

PART: Final = 6
"""So many letters in a row are part of a placeholder."""

CODE: Final = "".join(
    path.read_text().lower() for path in sorted(Path(__file__).parent.glob("*.py"))
).encode()
"""What the code contains."""


class Placeholders:
    """The placeholders that runs of a function have, found with str() of Observables inside of it."""

    def __init__(self, functions: Any) -> None:
        self._functions = functions
        self._texts: set[str] = set()

    def look(self, cluster: Cluster) -> None:
        """Run the functions on a request, with str() of some Observables before and after their own code."""
        before = len(self._texts)
        probes = [composition.function(name=f"step{n}")(self._probing(f)) for n, f in enumerate(self._functions)]
        probing = cluster.copy()
        probing.functions = tuple(probes)
        probing.ask()
        assert len(self._texts) > before, "no placeholder was seen"
        self._compile()

    def _probing(self, function: Any) -> Any:
        async def probe(ctx: Any) -> None:
            source = ctx.resource("zz-source", Unstructured("example.org/v1", "Probe"))
            user = ctx.resource("zz-user", Unstructured("example.org/v1", "Probe"))

            def take(name: str, count: int) -> None:
                values = [str(getattr(source.observed.status, f"{name}{n}")) for n in range(count)]
                self._texts.update(values)
                user.spec[name] = values

            take("early", 6)
            try:
                result = function(ctx)
                if result is not None:
                    await result
            except Exception:  # what it says is for the real call
                pass
            take("late", 6)

        return probe

    def _compile(self) -> None:
        plain: set[bytes] = set()
        encoded: set[bytes] = set()
        for text in self._texts:
            for start in range(len(text) - PART + 1):
                plain.add(text[start : start + PART].lower().encode())
            for shift in range(3):
                core = base64.b64encode(b"\0" * shift + text.encode())
                core = core[-(-shift * 8 // 6) : (shift + len(text)) * 8 // 6]
                encoded.update(core[start : start + 8] for start in range(len(core) - 7))
        self._plain = sorted(part for part in plain if part not in CODE)
        self._encoded = sorted(encoded)
        self._pattern = re.compile(b"|".join(self._plain))
        self._encoded_pattern = re.compile(b"|".join(map(re.escape, self._encoded)))

    def in_bytes(self, data: bytes, request: bytes) -> list[str]:
        """Return the parts of placeholders in an answer that the request doesn't have."""
        lower = data.lower()
        found = {part for part in self._pattern.findall(lower) if part not in request.lower()}
        found |= {part for part in self._encoded_pattern.findall(data) if part not in request}
        return sorted(part.decode() for part in found)


def checked(cluster: Cluster, placeholders: Placeholders, *, is_repeatable: bool = True) -> Reconcile:
    """Reconcile once, and check what holds always."""
    done = cluster.ask()
    request = done.request.SerializeToString()
    for data in done.answers:
        assert placeholders.in_bytes(data, request) == []
    for name, body in done.desired.items():
        text = repr(body)
        assert "Observable(" not in text and "python/object" not in text, f"{name}: {text}"
    if is_repeatable:
        again = cluster.ask()
        assert again.final == done.final, "the answer to the same request is another one"
    return cluster.reconcile(done)
