"""The examples, against the specification that they come from."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SEED = ROOT.parent / "shared" / "seeds" / "python-sdk-design-spec.txt"


def _code(text: str) -> list[str]:
    lines = [line.rstrip() for line in text.splitlines()]
    return [line for line in lines if line and not line.lstrip().startswith(("import ", "from "))]


def test_the_storage_bucket_has_the_specifications_lines() -> None:
    """From the decorator on, the example is the specification's basic example, line by line."""
    if not SEED.is_file():
        pytest.skip(f"the specification is not at {SEED}")
    text = SEED.read_text(encoding="utf-8")
    wanted = text[text.index("@composition.function\n") : text.index("Key UX Principles")]
    source = (ROOT / "examples" / "storage_bucket" / "function.py").read_text(encoding="utf-8")
    assert _code(source[source.index("@composition.function\n") :]) == _code(wanted)
    assert len(_code(wanted)) > 25
