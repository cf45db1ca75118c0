"""Runs a KRM function on a ResourceList, so that the output is a complete ResourceList, also if the
function fails.

Orchestrators (kpt, kustomize) read stdout even if the exit status isn't 0, so a wrong stdout is
worse than an error. An empty stdout with status 0 makes them delete every file, and they can't
parse other text next to the ResourceList. If the input can't be read, stdout is empty and the
status is 1.
"""

from __future__ import annotations

import sys
from collections import namedtuple

from .._core.base import stdio
from .._core.base.folder import PACKAGE
from ..errors import CrossplaneLiteError, InputError, UsageError
from .annotations import LOCAL
from .resource_list import ResourceList
from .results import has_reference

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, TypeAlias

    from .functions import Function
    from .resource import Resource

    Reader: TypeAlias = Callable[..., ResourceList[Any]]

__all__ = ["KUSTOMIZE_FIELD", "Answer", "Output", "answered", "finish", "run", "serve", "tell"]

KUSTOMIZE_FIELD = "crossplane-lite/kustomize-field"
"""An annotation of functionConfig that says in which field of kustomization.yaml the functionConfig
is listed.

Its value is `transformers` or `validators`.
"""

_KUSTOMIZE_ID = "kustomize.config.k8s.io/id"
_OTHER_ROLE = "; a function that changes items needs role='transformer'"
_HINT = (
    "kustomize takes items that a validator returns for changed ones. Give the functionConfig the"
    f" annotation {KUSTOMIZE_FIELD}, with the field of kustomization.yaml that lists it: validators"
    " or transformers"
)


class Output:
    """The output of one run of a KRM function.

    Attributes:
        stdout: The text of the ResourceList; empty if the input can't be read. For `krm run`, the
            text that its flags ask for.
        status: The exit status. It is 0; 1 if the input can't be read, the function raises, or a
            result has the severity error; or the number from 1 to 255 that the function gives to
            `sys.exit`.
        stderr: Text for people: the results that are errors or warnings, and the traceback of an
            exception.
    """

    __slots__ = ("status", "stderr", "stdout")

    def __init__(self, stdout: bytes, status: int, stderr: str) -> None:
        self.stdout = stdout
        self.status = status
        self.stderr = stderr

    def __repr__(self) -> str:
        return f"Output(stdout={self.stdout!r}, status={self.status}, stderr={self.stderr!r})"


def finish(program: str, output: Output) -> int:
    """Write a function's output to stderr and stdout, and return the exit status.

    Args:
        program: The process's name in messages.
        output: The output.

    Returns:
        The output's status; 1 if that is 0 and the output can't be written. If the reader of stdout
        has gone, as `head` does, no message says so.
    """
    tell(output.stderr)
    try:
        stdio.write(output.stdout)
    except BrokenPipeError:
        return output.status or 1
    except OSError as error:
        tell(f"{program}: {error.strerror or error}")
        return output.status or 1
    return output.status


def tell(text: str) -> None:
    """Write a text to stderr, with a line break at its end; an empty text isn't written."""
    try:
        sys.stderr.write(text if text.endswith("\n") or not text else text + "\n")
    except (OSError, ValueError, AttributeError):
        # the function has closed the stream, or it was closed
        pass


def serve(load: Callable[[], Function], program: str) -> int:
    """Read a ResourceList from this process's stdin, run a function on it, and write the
    ResourceList to stdout.

    Args:
        load: Imports and returns the function. Nothing that the import prints reaches stdout.
        program: The process's name in messages.

    Returns:
        The exit status. It is 0; 1 if the input can't be read, the output can't be written, the
        function raises, or a result has the severity error; or the number from 1 to 255 that the
        function gives to `sys.exit`.

    Raises:
        InputError: The function can't be loaded.
    """
    import gc

    # A list has many objects, which stay to the end. The garbage collector would take a tenth of
    # all time.
    gc.disable()
    try:
        stdio.take(is_ours=False)
        data = stdio.read(
            f"{program}: reading a ResourceList from the terminal; --help lists other ways to"
            " run it"
        )
    except OSError as error:
        tell(f"{program}: can't read stdin: {error.strerror or error}")
        return 1
    output = run(load(), data)
    gc.freeze()  # at the end of the process nobody needs to find them again
    return finish(program, output)


def run(function: Function, data: bytes) -> Output:
    """Run a function on one ResourceList in YAML or JSON, and return the output, as `Function.run`
    describes.

    If `data` can't be read, stdout is empty, the status is 1, and stderr says why.
    """
    try:
        if not data.strip():
            raise InputError("the input is empty; it must be a ResourceList")
        answer = answered(
            function,
            lambda cls=None, needed=False: ResourceList.read(data, cls, needed=needed),
            ResourceList.write,
        )
    except InputError as error:
        return Output(b"", 1, f"{function.name}: {error}\n")
    return Output(answer.made, answer.status, answer.stderr)


Answer = namedtuple("Answer", "rl made status stderr")
"""The result of one run of a KRM function: the ResourceList after the run; what the argument
`finish` of `answered` has returned for it, such as its text; the exit status and the text for
people, as in `Output`."""


def answered(
    function: Function, read: Reader, finish: Callable[[ResourceList[Any]], Any]
) -> Answer:
    """Run a function on a ResourceList.

    Args:
        function: The function.
        read: Reads the input and returns a new ResourceList. It is called again after an error, to
            get the unchanged items. Its arguments are the config class, and whether a
            functionConfig is needed; both may be left out.
        finish: Turns the ResourceList into `Answer.made`.

    Returns:
        The result. If the function or `finish` raises, or functionConfig doesn't fit the config
        class, the items are those of the input, and the results have an error. Changes that a
        validator makes are dropped in the same way.

    Raises:
        InputError: The input can't be read.
        KeyboardInterrupt: Ctrl-C was pressed.
    """
    problem: BaseException | None = None
    try:
        rl = read(function.config_class, not function.is_config_optional)
    except UsageError as error:  # the function's annotation or its config class is wrong
        problem = error
        rl = read()
    try:
        if problem is not None:
            raise problem
        if rl.has_errors:  # functionConfig doesn't fit the function
            return _answer(rl, finish(rl))
        came = list(rl.items)
        configs = [item for item in came if _is_config(item, rl.function_config)]
        try:
            function(rl)
        except SystemExit as error:
            if error.code not in (None, 0):
                raise
        if function.role == "validator":
            rl, hint = _validated(function, read, rl, came)
            return _answer(rl, finish(rl), hint)
        _check_configs(rl, configs)
        rl.items._check_new()
        return _answer(rl, finish(rl))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # also SystemExit and CancelledError: there must be an answer
        fresh, stderr, status = _failed(function, _renewed(read, rl), error)
        return _answer(fresh, finish(fresh), stderr, status)


def _answer(rl: ResourceList[Any], made: Any, stderr: str = "", status: int = 0) -> Answer:
    # kustomize build drops results; without stderr its users wouldn't see the mistakes.
    told = "".join(
        f"{result}\n" for result in rl.results._own if result.severity in ("error", "warning")
    )
    return Answer(rl, made, status or int(rl.has_errors), stderr + told)


def _validated(
    function: Function, read: Reader, rl: ResourceList[Any], came: list[Resource]
) -> tuple[ResourceList[Any], str]:
    """Return the ResourceList that a validator returns, and a hint for stderr.

    If it has changed items, each change becomes an error, and the items are those of the input. If
    an annotation of functionConfig says that kustomize lists the validator under `validators`, the
    items are left out of the output, because kustomize treats returned items as changed. Without
    such an annotation, kustomize's users get a hint.
    """
    is_written = bool(rl._text.wanted)
    if (
        is_written
        or any(item._is_changed for item in came)
        or [*map(id, rl.items)] != [*map(id, came)]
    ):
        fresh = _renewed(read, rl)
        for problem, item in _changes(rl, came, list(fresh.items)):
            if has_reference(item):
                fresh.results.error(
                    f"a validator must not change items: this one was {problem}{_OTHER_ROLE}", item
                )
            else:
                place = dict(zip(("path", "index"), item._place or (), strict=False)) or None
                text = f"a validator must not change items: {item._what} was {problem}{_OTHER_ROLE}"
                fresh.results.error(text, file=place)
        return fresh, ""
    if not came or not all(_annotation(item, _KUSTOMIZE_ID) for item in came):
        return rl, ""
    field = _annotation(rl.function_config, KUSTOMIZE_FIELD)
    if field == "validators":
        rl.items.clear()
    return rl, "" if field in ("transformers", "validators") else f"{function.name}: {_HINT}\n"


def _failed(
    function: Function, fresh: ResourceList[Any], error: BaseException
) -> tuple[ResourceList[Any], str, int]:
    """Add the error of a function that raised to the items of the input; return them, the traceback
    and the status.
    """
    text = _text(error, function.file)
    if "'NoneType' object" in text and fresh._config is None:
        text += "; there is no functionConfig, so rl.config is None"
    # Half of a character, which the name of a file may have, can't be written.
    fresh.results.error(text.encode(errors="backslashreplace").decode())
    status = error.code if isinstance(error, SystemExit) and isinstance(error.code, int) else 1
    return (
        fresh,
        "" if isinstance(error, SystemExit) else _trace(error),
        status if 0 < status < 256 else 1,
    )


def _renewed(read: Reader, rl: ResourceList[Any]) -> ResourceList[Any]:
    """Read the input again, and return its ResourceList with the results that the function has
    added to `rl`.
    """
    fresh = read()
    fresh.results._own += rl.results._own
    return fresh


# Errors


def _text(error: BaseException, home: str) -> str:
    """Return a text about an exception: its type, its message, and the file and line of the
    function's code.

    The file and line are left out if no code of the function was running. For SystemExit, the text
    is the exit status or the message alone.

    Args:
        error: The exception.
        home: The path of the file with the function's code.
    """
    if isinstance(error, SystemExit):
        return (
            f"the function ended with exit status {error.code}"
            if isinstance(error.code, int)
            else str(error.code)
        )
    from .._core.call.texts import named

    return named(error, home)


def _trace(error: BaseException) -> str:
    """Return the traceback of an exception as text. It begins with the first line that isn't this
    package's code.

    It is empty for an error of this package that was raised before or after the function ran.
    """
    import traceback

    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename.startswith(PACKAGE):
        trace = trace.tb_next
    if trace is None and isinstance(error, CrossplaneLiteError):
        # raised by this package before or after the function: no line of the function is in it
        return ""
    return "".join(traceback.format_exception(type(error), error, trace or error.__traceback__))


# Roles


def _annotation(resource: Resource | None, key: str) -> Any:
    return None if resource is None else resource._peek("metadata", "annotations", key)


def _is_config(item: Resource, config: Resource | None) -> bool:
    """Return whether `item` is the functionConfig, which kustomize sends to generators as an item,
    too.

    It has the same apiVersion, kind and name, and both have the annotation
    `config.kubernetes.io/local-config`.
    """
    if config is None or _annotation(config, LOCAL) is None or _annotation(item, LOCAL) is None:
        return False
    return all(
        item._peek(*steps) == config._peek(*steps)
        for steps in (("apiVersion",), ("kind",), ("metadata", "name"))
    )


def _check_configs(rl: ResourceList[Any], configs: list[Resource]) -> None:
    left = {id(item) for item in rl.items}
    for item in configs:
        if id(item) in left and _annotation(item, LOCAL) != _annotation(rl.function_config, LOCAL):
            raise UsageError(
                f"{item._where} is the functionConfig: keep its annotation {LOCAL}, without which"
                " kustomize takes the functionConfig for a resource, or remove the item"
            )


def _changes(
    rl: ResourceList[Any], came: list[Resource], fresh: list[Resource]
) -> Iterator[tuple[str, Resource]]:
    """Yield each change that a validator has made: "removed", "changed", "added" or "moved", and
    the item.

    If items were moved and none was added, "moved" is yielded once, with the first item of the
    input.

    Args:
        rl: The ResourceList after the run.
        came: The items of the input, with the changes of the validator.
        fresh: The items of the input, read again. These are yielded, except for added ones.
    """
    now = {id(item) for item in rl.items}
    for item, before in zip(came, fresh, strict=True):
        if id(item) not in now:
            yield "removed", before
        elif item != before:
            yield "changed", before
    known = {id(item) for item in came}
    added = [item for item in rl.items if id(item) not in known]
    yield from (("added", item) for item in added)
    kept = [item for item in came if id(item) in now]
    if not added and [*map(id, rl.items)] != [*map(id, kept)]:
        yield "moved", fresh[0]
