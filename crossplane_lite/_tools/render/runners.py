"""Chooses for each function of a pipeline whether it runs in this process, or is called on a server over gRPC.

A function that `--function` names runs in this process. For other functions, annotations of the Function document
(a manifest of kind Function) decide:

======================================================  =========================================================
``render.crossplane.io/runtime``                        ``Development``: a running server is called over gRPC;
                                                        ``InProcess``: the function runs in this process.
``render.crossplane.io/runtime-development-target``     The server's address, ``localhost:9443`` by default.
``render.crossplane.io/runtime-in-process-target``      The function's ``module:function``.
======================================================  =========================================================

If these annotations are missing, Crossplane's own `render` starts a container, but this package raises an error.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from ..._core.base.texts import near_name
from ...errors import InputError
from ..manifests.yaml import Document
from .inputs import labels
from .pipeline import Runner, Step

if TYPE_CHECKING:
    from .functions import Remote

__all__ = ["IN_PROCESS", "RUNTIME", "TARGET", "Dial", "assign", "dialling", "in_process", "runners"]

Dial = Callable[[str], "Remote"]
"""Returns a runner for the address of a server."""

RUNTIME: Final = "render.crossplane.io/runtime"
"""The annotation of a Function that says how the function is run: `Development` or `InProcess`."""
TARGET: Final = "render.crossplane.io/runtime-development-target"
"""The annotation of a Function with the address of its running server."""
IN_PROCESS: Final = "render.crossplane.io/runtime-in-process-target"
"""The annotation of a Function with the `module:function` that runs in this process."""

_DEFAULT_TARGET: Final = "localhost:9443"


def assign(given: Iterable[tuple[str | None, str]], steps: Sequence[Step]) -> dict[str, str]:
    """Return the `module:function` of each function that `--function` names, by the function's name in the pipeline.

    Args:
        given: The values of `--function`: pairs of the function's name in the pipeline and the `module:function`. The
            name can be None if the pipeline has only one function.
        steps: The pipeline's steps.

    Raises:
        InputError: A name is given twice; no step calls a function with this name; or the name is None, but the
            pipeline has several functions.
    """
    names = sorted({step.function for step in steps})
    found: dict[str, str] = {}
    for name, target in given:
        if name is None:
            if len(names) != 1:
                raise InputError(
                    f"--function {target} doesn't say which function of the pipeline it is ({', '.join(names)}): add "
                    f"the name, as in --function {names[0]}={target}"
                )
            name = names[0]
        if name not in names:
            raise InputError(
                f"--function {name}={target}: no step calls a function {name!r}; the steps call {', '.join(names)}"
            )
        if name in found:
            raise InputError(f"--function is given twice for {name!r}: {found[name]} and {target}")
        found[name] = target
    return found


def dialling(given: argparse.Namespace) -> Dial:
    """Return the maker of runners for servers, with the certificates that a command line names (`flags.add_tls`)."""
    from .functions import Remote

    return partial(Remote, tls_certs_dir=given.tls_certs_dir, tls_server_name=given.tls_server_name)


def runners(
    steps: Sequence[Step],
    targets: Mapping[str, str],
    documents: Mapping[str, Document],
    dial: Dial | None = None,
) -> dict[str, Runner]:
    """Return the runner of each function of a pipeline (the object that calls it), by the function's name.

    Functions that run in this process are imported. No function is called yet.

    Args:
        steps: The pipeline's steps.
        targets: The `module:function` of functions, by the function's name, as returned by `assign`. A function in
            `targets` needs no document.
        documents: The Function documents by name.
        dial: Makes the runners of functions that are called on a server. None means that they are called without TLS.

    Raises:
        InputError: A function is neither in `targets` nor in `documents`, it can't be imported, the annotations of its
            document can't be used, or the certificates for its server can't be.
    """
    found: dict[str, Runner] = {}
    for step in steps:
        name = step.function
        if name in found:
            continue
        if name in targets:
            found[name] = in_process(targets[name], f"--function {targets[name]}")
        elif name in documents:
            found[name] = _described(name, documents[name], dial)
        else:
            known = sorted({*targets, *documents})
            raise InputError(
                f"{step.where}: functionRef.name: no function {name!r} was given (given: {', '.join(known) or 'none'})"
                f"{near_name(name, known) or ':'} add its Function document to the FUNCTIONS file, or give --function "
                f"{name}=module:function"
            )
    return found


def _described(name: str, document: Document, dial: Dial | None) -> Runner:
    """Return the runner that the annotations of a Function object ask for.

    Raises:
        InputError: The annotations ask for Docker (the default) or something unknown, they lack the `module:function`,
            or the function can't be imported.
    """
    annotations = labels(document, "metadata", "annotations")
    runtime = annotations.get(RUNTIME, "Docker")
    if runtime == "Development":
        from .functions import Remote

        return (dial or Remote)(annotations.get(TARGET) or _DEFAULT_TARGET)
    if runtime == "InProcess":
        target = annotations.get(IN_PROCESS)
        if not target:
            raise InputError(
                f"{document.where} ({name}): {RUNTIME}: InProcess needs the annotation {IN_PROCESS}: "
                "module:function, too"
            )
        return in_process(target, f"{document.where} ({name}): annotation {IN_PROCESS}")
    if runtime == "Docker":
        raise InputError(
            f"{document.where} ({name}): this command doesn't start Docker containers: give --function "
            f"{name}=module:function; or start the function yourself, and add the annotation {RUNTIME}: Development to "
            "this document"
        )
    raise InputError(
        f"{document.where} ({name}): the annotation {RUNTIME} is {runtime!r}, and must be Development or InProcess"
    )


def in_process(target: str, where: str) -> Runner:
    """Import a function, and return its runner.

    Args:
        target: The `module:function`.
        where: What names it, for messages.

    Raises:
        InputError: The function can't be imported.
    """
    from ...composition import Function
    from ...runtime.load import load_runner
    from .functions import InProcess, OfMessages

    try:
        found = load_runner(target)
    except InputError as e:
        raise InputError(f"{where}: {e}") from e
    return InProcess(found, target) if isinstance(found, Function) else OfMessages(found, target)
