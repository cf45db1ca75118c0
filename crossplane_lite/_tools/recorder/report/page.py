"""The page: one HTML file that needs nothing else.

Nothing that was recorded is part of the HTML or of the script. It is compressed, in base64, in a
data block, and the script puts it into the page as text alone. The policy in the page's head allows
this script and this style, by their hashes, and nothing else: no other script, no picture, no
request, and no way to make HTML from text.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import string
from pathlib import Path
from typing import Final

from ....errors import InputError

_HERE: Final = Path(__file__).parent
_POLICY: Final = (
    "default-src 'none'; script-src {}; style-src {}; base-uri 'none'; form-action 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)


def page(facts: str) -> str:
    """Return the page as HTML.

    Args:
        facts: What the page shows, from `facts.facts`.
    """
    script, style = _source("page.js"), _source("page.css")
    return string.Template(_source("page.html")).substitute(
        policy=_POLICY.format(_hash(script), _hash(style)),
        script=script,
        style=style,
        data=base64.b64encode(gzip.compress(facts.encode(), 9, mtime=0)).decode(),
    )


def write(facts: str, file: Path) -> None:
    """Write the page to a file that only its owner can read.

    Raises:
        InputError: The file can't be written.
    """
    try:
        file.touch(mode=0o600)
        file.write_text(page(facts), encoding="utf-8", newline="\n")
    except OSError as e:
        raise InputError(f"{file}: can't be written: {e.strerror or e}") from None


def _source(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


def _hash(source: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()}'"
