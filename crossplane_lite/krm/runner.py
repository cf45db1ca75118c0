"""Runs a KRM function on a ResourceList, so that the output is a complete ResourceList, also if the function fails.

Orchestrators (kpt, kustomize) read stdout even if the exit status isn't 0, so a wrong stdout is worse than an error. An
empty stdout with status 0 makes them delete every file, and they can't parse other text next to the ResourceList. If
the input can't be read, stdout is empty and the status is 1.
"""

from __future__ import annotations

import os

from ..errors import CrossplaneLiteError, InputError, UsageError
from ._process import INTERRUPTED, Output, Stdout, complain, read_stdin
from .resource_list import ResourceList
from .results import has_reference

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any, Generic, TypeAlias, TypeVar

    from ._runnable import Runnable
    from .resource import Resource

    T = TypeVar("T")
    Reader: TypeAlias = Callable[..., ResourceList[Any]]

    class _Made(Generic[T]): ...

else:
    T = object

    class _Made:
        __slots__ = ()
        __class_getitem__ = classmethod(lambda cls, item: cls)


__all__ = ["KUSTOMIZE_FIELD", "Answer", "answered", "run", "serve"]

KUSTOMIZE_FIELD = "crossplane-lite/kustomize-field"
"""An annotation of functionConfig that says in which field of kustomization.yaml the functionConfig is listed.

Its value is `transformers` or `validators`.
"""

_HERE = os.path.dirname(os.path.dirname(__file__)) + os.sep
_LOCAL = "config.kubernetes.io/local-config"
_KUSTOMIZE_ID = "kustomize.config.k8s.io/id"
_OTHER_ROLE = "; a function that changes items needs role='transformer'"
_HINT = (
    "kustomize takes items that a validator returns for changed ones. Give the functionConfig the annotation "
    f"{KUSTOMIZE_FIELD}, with the field of kustomization.yaml that lists it: validators or transformers"
)


def serve(load: Callable[[], Runnable], program: str) -> int:
    """Read a ResourceList from this process's stdin, run a function on it, and write the ResourceList to stdout.

    Args:
        load: Imports and returns the function. Nothing that the import prints reaches stdout.
        program: The process's name in messages.

    Returns:
        The exit status. It is 0; 1 if the input can't be read, the output can't be written, the function raises, or a
        result has the severity error; the number from 1 to 255 that the function gives to `sys.exit`; or 130 after
        Ctrl-C.

    Raises:
        InputError: The function can't be loaded.
    """
    import gc

    # A list has many objects, which stay to the end. The garbage collector would take a tenth of all time.
    gc.disable()
    try:
        try:
            stdout = Stdout()
            data = read_stdin(f"{program}: reading a ResourceList from the terminal; --help lists other ways to run it")
        except OSError as error:
            complain(f"{program}: can't read stdin or write to stdout: {error.strerror or error}")
            return 1
        return stdout.finish(program, run(load(), data))
    except KeyboardInterrupt:
        complain(f"{program}: interrupted")
        return INTERRUPTED


def run(function: Runnable, data: bytes) -> Output:
    """Run a function on one ResourceList in YAML or JSON, and return the output, as `Function.run` describes.

    If `data` can't be read, stdout is empty, the status is 1, and stderr says why.
    """
    try:
        if not data.strip():
            raise InputError("the input is empty; it must be a ResourceList")
        answer = answered(
            function, lambda cls=None, needed=False: ResourceList._read(data, cls, needed=needed), ResourceList.write
        )
    except InputError as error:
        return Output(b"", 1, f"{function.name}: {error}\n")
    return Output(answer.made, answer.status, answer.stderr)


class Answer(_Made[T]):
    """The result of one run of a KRM function.

    Attributes:
        rl: The ResourceList after the run.
        made: The value that the argument `finish` of `answered` returned for the ResourceList, such as its text.
        status: The exit status, as in `Output`.
        stderr: Text for people, as in `Output`.
    """

    __slots__ = ("made", "rl", "status", "stderr")

    def __init__(self, rl: ResourceList[Any], made: T, status: int, stderr: str) -> None:
        self.rl = rl
        self.made = made
        self.status = status
        self.stderr = stderr


def answered(function: Runnable, read: Reader, finish: Callable[[ResourceList[Any]], T]) -> Answer[T]:
    """Run a function on a ResourceList.

    Args:
        function: The function.
        read: Reads the input and returns a new ResourceList. It is called again after an error, to get the unchanged
            items. Its arguments are the config class, and whether a functionConfig is needed; both may be left out.
        finish: Turns the ResourceList into `Answer.made`.

    Returns:
        The result. If the function or `finish` raises, or functionConfig doesn't fit the config class, the items are
        those of the input, and the results have an error. Changes that a validator makes are dropped in the same way.

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
            return _answer(rl, finish, "")
        came = _Came(rl)
        _call(function, rl)
        return _finished(function, read, finish, rl, came)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # also SystemExit and CancelledError: there must be an answer
        return _failed(function, read, finish, rl, error)


class _Came:
    """The items of the input, for checks after the run.

    Attributes:
        items: The items.
        configs: The items that are the functionConfig, because kustomize gives it to generators as an item, too.
    """

    def __init__(self, rl: ResourceList[Any]) -> None:
        self.items = list(rl.items)
        # kustomize gives generators their functionConfig as an item.
        self.configs = [item for item in self.items if _is_config(item, rl.function_config)]


def _call(function: Runnable, rl: ResourceList[Any]) -> None:
    try:
        function(rl)
    except SystemExit as error:
        if error.code not in (None, 0):
            raise


def _finished(
    function: Runnable, read: Reader, finish: Callable[[ResourceList[Any]], T], rl: ResourceList[Any], came: _Came
) -> Answer[T]:
    """Return the result of a function that has returned.

    If a validator has changed items, each change becomes an error, and the items are those of the input. If an
    annotation of functionConfig says that kustomize lists the validator under `validators`, the items are left out of
    the output, because kustomize treats returned items as changed. If kustomize runs it without such an annotation,
    stderr gets a hint.

    Raises:
        UsageError: The function has changed the annotation by which kustomize recognises the functionConfig.
    """
    if function.role != "validator":
        _check_configs(rl, came)
        return _answer(rl, finish, "")
    changed = rl._text.is_changed or any(item._is_changed for item in rl.items)
    if changed or not _is_same(rl.items, came.items):
        fresh = _renewed(read, rl)
        for problem, item in _changes(rl, came, list(fresh.items)):
            if has_reference(item):
                fresh.results.error(f"a validator must not change items: this one was {problem}{_OTHER_ROLE}", item)
            else:
                place = dict(zip(("path", "index"), item._place or (), strict=False)) or None
                text = f"a validator must not change items: {item._what} was {problem}{_OTHER_ROLE}"
                fresh.results.error(text, file=place)
        return _answer(fresh, finish, "")
    if not came.items or not all(_annotation(item, _KUSTOMIZE_ID) for item in came.items):
        return _answer(rl, finish, "")
    field = _annotation(rl.function_config, KUSTOMIZE_FIELD)
    if field == "validators":
        rl.items.clear()
    return _answer(rl, finish, "" if field in ("transformers", "validators") else f"{function.name}: {_HINT}\n")


def _answer(rl: ResourceList[Any], finish: Callable[[ResourceList[Any]], T], stderr: str, status: int = 0) -> Answer[T]:
    made = finish(rl)
    if rl.has_errors and not status:
        status = 1
    # kustomize build drops results; without stderr its users wouldn't see the mistakes.
    told = "".join(f"{result}\n" for result in rl.results._own if result.severity in ("error", "warning"))
    return Answer(rl, made, status, stderr + told)


def _failed(
    function: Runnable,
    read: Reader,
    finish: Callable[[ResourceList[Any]], T],
    rl: ResourceList[Any],
    error: BaseException,
) -> Answer[T]:
    """Return the result of a function that raised: the items of the input, its results so far, and an error."""
    stderr = "" if isinstance(error, SystemExit) else _trace(error)
    answer = _renewed(read, rl)
    text = _text(error, function.file)
    if "'NoneType' object" in text and rl._config is None:
        text += "; there is no functionConfig, so rl.config is None"
    # Half of a character, which the name of a file may have, can't be written.
    answer.results.error(text.encode(errors="backslashreplace").decode())
    status = error.code if isinstance(error, SystemExit) and isinstance(error.code, int) else 1
    return _answer(answer, finish, stderr, status if 0 < status < 256 else 1)


def _renewed(read: Reader, rl: ResourceList[Any]) -> ResourceList[Any]:
    """Read the input again, and return its ResourceList with the results that the function has added to `rl`."""
    fresh = read()
    fresh.results._own += rl.results._own
    return fresh


# Errors


def _text(error: BaseException, home: str) -> str:
    """Return a text about an exception: its type, its message, and the file and line of the function's code.

    The file and line are left out if no code of the function was running. For SystemExit, the text is the exit status
    or the message alone.

    Args:
        error: The exception.
        home: The path of the file with the function's code.
    """
    if isinstance(error, SystemExit):
        return f"the function ended with exit status {error.code}" if isinstance(error.code, int) else str(error.code)
    try:
        text = ": ".join(part for part in (type(error).__name__, str(error)) if part)
    except Exception:  # an exception whose own text can't be made
        text = type(error).__name__
    from .._call.error_text import authors_frame

    frame = authors_frame(error, home)
    if frame is None or frame.filename.startswith(_HERE):
        return text
    return f"{text} ({os.path.basename(frame.filename)}:{frame.lineno})"


def _trace(error: BaseException) -> str:
    """Return the traceback of an exception as text. It begins with the first line that isn't this package's code.

    It is empty for an error of this package that was raised before or after the function ran.
    """
    import traceback

    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename.startswith(_HERE):
        trace = trace.tb_next
    if trace is None and isinstance(error, CrossplaneLiteError):
        return ""  # raised by this package before or after the function: no line of the function is in it
    return "".join(traceback.format_exception(type(error), error, trace or error.__traceback__))


# Roles


def _annotation(resource: Resource | None, key: str) -> Any:
    return None if resource is None else resource._peek("metadata", "annotations", key)


def _is_config(item: Resource, config: Resource | None) -> bool:
    """Return whether `item` is the functionConfig, which kustomize sends to generators as an item, too.

    It has the same apiVersion, kind and name, and both have the annotation `config.kubernetes.io/local-config`.
    """
    if config is None or _annotation(config, _LOCAL) is None or _annotation(item, _LOCAL) is None:
        return False
    return all(
        item._peek(*steps) == config._peek(*steps) for steps in (("apiVersion",), ("kind",), ("metadata", "name"))
    )


def _check_configs(rl: ResourceList[Any], came: _Came) -> None:
    for item in came.configs:
        if any(one is item for one in rl.items) and _annotation(item, _LOCAL) != _annotation(
            rl.function_config, _LOCAL
        ):
            raise UsageError(
                f"{item._where} is the functionConfig: keep its annotation {_LOCAL}, without which kustomize takes the "
                "functionConfig for a resource, or remove the item"
            )


def _is_same(items: Sequence[Resource], others: Sequence[Resource]) -> bool:
    return len(items) == len(others) and all(one is other for one, other in zip(items, others, strict=True))


def _changes(rl: ResourceList[Any], came: _Came, fresh: list[Resource]) -> Iterator[tuple[str, Resource]]:
    """Yield each change that a validator has made: "removed", "changed", "added" or "moved", and the item.

    If items were moved and none was added, "moved" is yielded once, with the first item of the input.

    Args:
        rl: The ResourceList after the run.
        came: The items of the input, with the changes of the validator.
        fresh: The items of the input, read again. These are yielded, except for added ones.
    """
    now = {id(item) for item in rl.items}
    for item, before in zip(came.items, fresh, strict=True):
        if id(item) not in now:
            yield "removed", before
        elif item != before:
            yield "changed", before
    known = {id(item) for item in came.items}
    added = [item for item in rl.items if id(item) not in known]
    yield from (("added", item) for item in added)
    kept = [item for item in came.items if id(item) in now]
    if not added and not _is_same([item for item in rl.items if id(item) in known], kept):
        yield "moved", fresh[0]
