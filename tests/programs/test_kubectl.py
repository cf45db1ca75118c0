"""An API server is read through kubectl: what it prints, its OpenAPI documents, and its errors."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from crossplane_lite._tools.programs.kubectl import ApiServer
from crossplane_lite.errors import InputError

Json = dict[str, Any]


@pytest.fixture
def answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose files a program called kubectl prints by the last part of what is asked for."""
    program = tmp_path / "bin" / "kubectl"
    program.parent.mkdir()
    folder = tmp_path / "answers"
    folder.mkdir()
    program.write_text(
        f'#!/bin/sh\nfor last; do :; done\necho "$*" >> {tmp_path}/asked\n'
        f'last="${{last%%\\?*}}"\nexec cat "{folder}/${{last##*/}}"\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (folder / "v3").write_text(
        json.dumps({"paths": {"apis/a/v1": {"serverRelativeURL": "/openapi/v3/apis/a/v1?hash=ABCDEFGH"}}})
    )
    (folder / "v1").write_text('{"openapi": "3.0.0"}')
    return folder


def plain(content: Json, where: str) -> tuple[str, Json]:
    """Return a document with its place."""
    return where, content


def test_objects(answers: Path) -> None:
    """An object is what kubectl prints; nothing printed is None, and anything else an error."""
    server = ApiServer("dev")
    (answers / "things").write_text('{"a": 1}')
    assert server.object(["get", "things"], "things") == {"a": 1}
    (answers / "things").write_text(" \n")
    assert server.object(["get", "things"], "things") is None
    (answers / "things").write_text("[1]")
    with pytest.raises(InputError, match="^kubectl printed no JSON object for things; run kubectl by itself"):
        server.object(["get", "things"], "things")
    asked = (answers.parent / "asked").read_text().splitlines()
    assert set(asked) == {"--context=dev --request-timeout=35s get things"}


def test_documents_are_kept(answers: Path) -> None:
    """A document is asked for once as long as its hash stays; one that can't be used is asked for again."""
    where = "/openapi/v3/apis/a/v1 of the kubectl context dev"
    for _ in range(2):
        server = ApiServer("dev")
        assert server.document("apis/a/v1", plain) == (where, {"openapi": "3.0.0"})
        assert server.document("apis/b/v1", plain) is None
    asked = (answers.parent / "asked").read_text()
    assert asked.count("/openapi/v3/apis/a/v1") == 1
    assert asked.count("--raw=/openapi/v3\n") == 2

    seen: list[Json] = []

    def choosy(content: Json, where: str) -> int:
        seen.append(content)
        if len(seen) == 1:
            raise InputError("damaged")
        return len(seen)

    assert ApiServer("dev").document("apis/a/v1", choosy) == 2
    assert (answers.parent / "asked").read_text().count("/openapi/v3/apis/a/v1") == 2


@pytest.mark.parametrize(
    ("index", "problem"),
    [
        ("{}", "has no paths"),
        ('{"paths": {"apis/a/v1": {}}}', "has no URL for apis/a/v1 "),
        ('{"paths": {"apis/a/v1": {"serverRelativeURL": "https://elsewhere.org"}}}', "has no URL for apis/a/v1 "),
    ],
)
def test_a_wrong_index(answers: Path, index: str, problem: str) -> None:
    """An index that isn't one is an error, and no other server is asked."""
    (answers / "v3").write_text(index)
    with pytest.raises(InputError, match=f"^the API server's /openapi/v3 {problem}"):
        ApiServer("").document("apis/a/v1", plain)


def test_names() -> None:
    """A server is called by its context."""
    assert [str(ApiServer(name)) for name in ("dev", "")] == [
        "the kubectl context dev",
        "kubectl's current context",
    ]
