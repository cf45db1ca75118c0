"""What can be done next in a project: the lines that `crossplane-lite` prints there without arguments."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..manifests import project

__all__ = ["next_steps"]

# A table of the project file that a command needs (or a file of the project), the command, and what it is for.
_STEPS = (
    ("preview", "crossplane-lite render", "what the first reconcile composes"),
    ("preview", "crossplane-lite simulate", "what appears when, until nothing changes"),
    ("preview", "crossplane-lite diff --kube-context NAME", "what a rollout changes in a cluster"),
    ("tests", "python -m pytest", "the tests; --crossplane-update-snapshots takes intended changes"),
    ("generate", "crossplane-lite generate --check", "whether the models are those of the definitions"),
    ("pyproject.toml", "crossplane-lite image --base PATH", "the function's image, without Docker"),
    ("package", "crossplane-lite xpkg build", "its package; xpkg push puts it into a registry"),
)


def next_steps() -> Iterator[str]:
    """Yield the lines about the project in the current folder; none if it has no project file.

    Raises:
        InputError: The project file can't be read, or isn't TOML.
        MissingExtraError: Python 3.10 needs tomli to read the file, and it isn't installed.
    """
    found = project.find(Path())
    if found is None:
        return
    is_operation = "operation" in (found.tables.get("preview") or ())
    yield f"{Path().absolute().name} is a project ({found.file}). Next:"
    yield ""
    for needed, command, about in _STEPS:
        if needed == "preview" and is_operation:
            if not command.endswith("render"):
                continue
            command += " op"
        if needed in found.tables or Path(needed).exists():
            yield f"  {command:<41} {about}"
    yield ""
    yield "crossplane-lite --help lists all commands."
