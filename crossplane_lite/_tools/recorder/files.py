"""Puts a recorded request in the place of the files of `render`, `graph`, `diff` and `simulate`:
`--from`.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from ..._core import codec
from ..._core.base import stdio
from ...errors import InputError
from ..manifests.yaml import dump
from .asking import Question, question_of
from .replay import chosen

FLAG: Final = "--from"
_NAMESPACE: Final = "recorded"


def with_files(arguments: Sequence[str], folder: Path) -> list[str]:
    """Return the arguments of a command, with files of a recorded request in the place of
    `--from RECORDING#XR@TIME`.

    Args:
        arguments: The command's name and its arguments, with `--from`.
        folder: Where the files are written.

    Raises:
        InputError: The recording has no such request, it is one of an Operation, or several
            functions are called in that reconcile.
    """
    rest: list[str] = []
    given = ""
    words = iter(arguments)
    for word in words:
        if word == FLAG or word.startswith(f"{FLAG}="):
            given = word.partition("=")[2] or next(words, "")
            if not given:
                raise InputError(f"{FLAG} needs a value: {FLAG} RECORDING#XR@TIME")
        else:
            rest.append(word)
    question = _question(given, rest)
    if question.is_of_operation:
        raise InputError(
            f"{FLAG} {given}: this is an Operation, and only replay and report show these"
        )
    if question.request.desired.resources:
        stdio.say("note: resources that previous steps desire are left out")
    return [*rest, *_written(question, folder)]


def _question(given: str, rest: Sequence[str]) -> Question:
    recording, what = chosen(given)
    calls = [call for call in recording.find(what).calls if call.asked]
    names = sorted({call.event.function for call in calls})
    named = [name for name in names if any(f"{name}=" in word for word in rest)]
    if len(names) != 1 and len(named) != 1:
        known = ", ".join(names) or "none"
        raise InputError(
            f"{FLAG} {given}: say whose request, with --function NAME=module:function (names:"
            f" {known})"
        )
    return question_of([call for call in calls if call.event.function == (named or names)[0]])


def _written(question: Question, folder: Path) -> Iterator[str]:
    """Write the files of a request, and yield the arguments that name them."""
    request = question.request
    step: dict[str, Any] = {"step": question.step, "functionRef": {"name": question.function}}
    if request.HasField("input"):
        step["input"] = codec.decode_struct(request.input)
    secrets = [
        {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": name, "namespace": _NAMESPACE},
            "data": {
                key: base64.b64encode(value).decode()
                for key, value in one.credential_data.data.items()
            },
        }
        for name, one in sorted(request.credentials.items())
    ]
    if secrets:
        step["credentials"] = [
            {"name": name, "source": "Secret", "secretRef": {"namespace": _NAMESPACE, "name": name}}
            for name in sorted(request.credentials)
        ]
    composite = question.composite
    kind = {key: composite.get(key) for key in ("apiVersion", "kind")}
    composition = {
        "apiVersion": "apiextensions.crossplane.io/v1",
        "kind": "Composition",
        "metadata": {"name": question.subject.composition or "recorded"},
        "spec": {"compositeTypeRef": kind, "mode": "Pipeline", "pipeline": [step]},
    }
    for flag, name, documents in (
        ("", "xr", [composite]),
        ("", "composition", [composition]),
        ("--observed-resources", "observed", question.observed),
        ("--required-resources", "required", question.known.objects),
        ("--function-credentials", "secrets", secrets),
    ):
        if documents:
            file = folder / f"{name}.yaml"
            file.write_text(dump(documents), encoding="utf-8")
            yield from filter(None, (flag, str(file)))
    if request.HasField("context"):
        for key, value in codec.decode_struct(request.context).items():
            yield from ("--context-values", f"{key}={json.dumps(value)}")
