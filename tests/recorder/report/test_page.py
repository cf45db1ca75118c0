"""The page as a file: its policy, what it embeds, how it is written."""

from __future__ import annotations

import base64
import gzip
import hashlib
import re
from pathlib import Path

import pytest

from crossplane_lite._tools.recorder.report.page import page, write
from crossplane_lite.errors import InputError


def test_the_policy_allows_this_script_alone() -> None:
    """The page's policy has the hashes of its one script and its one style, and allows nothing else."""
    html = page("{}")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html)
    assert policy is not None
    (script,) = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    (style,) = re.findall(r"<style>(.*?)</style>", html, re.DOTALL)
    hashes = [base64.b64encode(hashlib.sha256(one.encode()).digest()).decode() for one in (script, style)]
    allowed = dict(part.strip().partition(" ")[::2] for part in policy[1].split(";"))
    assert allowed["default-src"] == "'none'"
    assert allowed["script-src"] == f"'sha256-{hashes[0]}'"
    assert allowed["style-src"] == f"'sha256-{hashes[1]}'"
    assert allowed["require-trusted-types-for"] == "'script'"


def test_what_is_shown_is_data() -> None:
    """What the page shows is only in the compressed data block, whatever its text is."""
    text = '{"a": "</script><script>alert(1)</script>$policy"}'
    html = page(text)
    (data,) = re.findall(r'<script type="application/gzip" id="recording">([A-Za-z0-9+/=]*)</script>', html)
    assert gzip.decompress(base64.b64decode(data)).decode() == text
    assert "alert(1)" not in html


def test_the_page_needs_nothing_else() -> None:
    """The page names no address, and makes no HTML from text."""
    html = page("{}")
    assert not re.search(r"\b(?:src|href)=", html)
    assert set(re.findall(r"https?://[^\s\"']*", html)) == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function", html)


def test_equal_pages_are_equal_files(tmp_path: Path) -> None:
    """The same facts give the same bytes, and only the owner can read them."""
    for name in "ab":
        write("{}", tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o600


def test_a_file_that_cant_be_written(tmp_path: Path) -> None:
    """Where the page can't be written, the error names the file."""
    with pytest.raises(InputError, match="no/page.html"):
        write("{}", tmp_path / "no" / "page.html")
