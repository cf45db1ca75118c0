"""The validation of an API server: Kubernetes' own library, built from `apiserver/`, and asked as a process."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tests.runtime.go_programs import built_from

__all__ = ["Asked", "verdicts"]


class Asked(NamedTuple):
    """An object that an API server is asked to take.

    Attributes:
        definition: The name of its CustomResourceDefinition.
        object: The object.
        old: The object that it replaces; None for a new one.
    """

    definition: str
    object: Mapping[str, Any]
    old: Mapping[str, Any] | None = None


def verdicts(definitions: Mapping[str, Any], objects: Iterable[Asked]) -> list[list[str]]:
    """Return the errors of each object; those without any are accepted. Fields that the schema lacks are errors."""
    program = built_from(Path(__file__).with_name("apiserver"), "apiserver")
    lines = [json.dumps(definitions), *(json.dumps(one._asdict()) for one in objects)]
    done = subprocess.run([program], input="\n".join(lines), capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]
