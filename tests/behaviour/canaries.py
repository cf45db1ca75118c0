"""Canaries: secret values in every place that a secret can come from, in every form, looked for in every way out.

`python -m tests.behaviour.canaries` prints the matrix: for each way in and each way out, in how many forms a canary was
found there. A value that a function prints itself can't be there at all, so each number is a leak.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import contextvars
import io
import json
import logging
import sys
import tempfile
import threading
import urllib.parse
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
import prometheus_client
import yaml

from crossplane_lite import Unstructured, composition
from crossplane_lite._core.observed import tracker
from crossplane_lite._core.paths.trees import leaves
from crossplane_lite._tools.develop.told import two_lines
from crossplane_lite._tools.recorder.masking import masked
from crossplane_lite._tools.recorder.messages import as_json
from crossplane_lite.proto import _view
from crossplane_lite.runtime import log
from crossplane_lite.runtime.calls import Calls
from crossplane_lite.runtime.metrics import Metrics
from crossplane_lite.runtime.transports.budget import Limits
from crossplane_lite.runtime.transports.status import Refused
from crossplane_lite.testing.snapshots import Snapshots
from tests.runtime.serving import channel, in_process, raw_call
from tests.support import Response, build

__all__ = ["ENDINGS", "FORMS", "WAYS_IN", "WAYS_OUT", "matrix"]

Json = dict[str, Any]

VALUE = 'Zq7/x+"Kanarienvogel" w8=Vp'
AT = "Zq7-x+Kanarien@vogel-w8.Vp"
SPLIT = "Zq7-x&Kanarien;vogel-w8&Vp"
KEY_LINES = ["MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj+/9x", "AgEAAoIBAQC7VJTUt9Us8cKjMzEfYyjiWA4R4kq2"]
PEM = "\n".join(["-----BEGIN PRIVATE KEY-----", *KEY_LINES, "-----END PRIVATE KEY-----", ""])


def b64(value: str | bytes) -> str:
    """Return a value in base64."""
    return base64.b64encode(value.encode() if isinstance(value, str) else value).decode()


# The forms in which a value is said. Each has a name, the text that is said, and what must not be seen of it.

FORMS: dict[str, Callable[[str], tuple[str, str]]] = {
    "plain": lambda v: (v, v),
    "inside of a URL": lambda v: (f"https://joe:{v}@db:5432/x", v),
    "repr": lambda v: (repr({"a": v}), repr(v)[1:-1]),
    "repr of bytes": lambda v: (repr(v.encode()), repr(v.encode())[2:-1]),
    "JSON": lambda v: (json.dumps([v]), json.dumps(v)[1:-1]),
    "base64": lambda v: (f"x: {b64(v)}", b64(v).rstrip("=")),
    "base64 for URLs": lambda v: (base64.urlsafe_b64encode(v.encode()).decode().rstrip("="),) * 2,
    "base64 of user:value": lambda v: (f"Basic {b64('joe:' + v)}", b64("joe:" + v)[8:-4]),
    "base64 of id:value": lambda v: (f"Basic {b64('four:' + v)}", b64("four:" + v)[8:-4]),
    "URL-quoted": lambda v: (urllib.parse.quote(v, safe=""),) * 2,
    "URL-quoted in part": lambda v: (urllib.parse.quote(v),) * 2,
    "URL-quoted with plus": lambda v: (urllib.parse.quote_plus(v),) * 2,
}


# The ways in: what a request has, and what compose() itself does.


def secret(**fields: Any) -> Json:
    """Return a Secret."""
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a-secret"}, **fields}


BUCKET: Json = {"apiVersion": "v1", "kind": "Bucket", "metadata": {"name": "a-bucket"}}
OBJECT: Json = {
    "apiVersion": "kubernetes.crossplane.io/v1alpha2",
    "kind": "Object",
    "metadata": {"name": "wrapped"},
    "status": {"atProvider": {"manifest": secret(data={"password": b64(VALUE)})}},
}
INI = f"[default]\naws_access_key_id = AKIA1234567890\naws_secret_access_key = {VALUE}\nregion = eu-central-1\n"
ENV = f"DB_USER=joe\nDB_PASSWORD={SPLIT}\n"
GIT = f"https://joe:ghp_firstOne11@a.example\nhttps://joe:{urllib.parse.quote(VALUE, safe='')}@b.example\n"
PIP = "[global]\nextra-index-url = https://joe:firstOne11@a.example/\n  https://joe:" + AT + "@b.example/\n"
ACCOUNT = json.dumps({"type": "service_account", "deep": [{"client_secret": VALUE}], "private_key": PEM})


def _details(ctx: Any) -> None:
    ctx.composite(Unstructured).connection_details["password"] = VALUE


def _connection_secret(ctx: Any) -> None:
    ctx.connection_secret({"password": VALUE}, namespace="default")


def _composes(ctx: Any) -> None:
    made = ctx.resource("made", Unstructured("v1", "Secret"))
    made.data = {"password": b64(VALUE)}


def _composes_text(ctx: Any) -> None:
    ctx.resource("made", Unstructured("v1", "Secret", stringData={"password": VALUE}))


WAYS_IN: dict[str, tuple[Json, Callable[[Any], None] | None, str]] = {
    "credentials": ({"credentials": {"c": {"password": VALUE.encode()}}}, None, VALUE),
    "JSON in credentials": ({"credentials": {"c": {"credentials": ACCOUNT.encode()}}}, None, VALUE),
    "INI in credentials": ({"credentials": {"c": {"creds": INI.encode()}}}, None, VALUE),
    "PEM in credentials": ({"credentials": {"c": {"tls.key": PEM.encode()}}}, None, KEY_LINES[0]),
    "PEM in JSON": ({"credentials": {"c": {"account": ACCOUNT.encode()}}}, None, "".join(KEY_LINES)),
    "URL in credentials": ({"credentials": {"c": {"dsn": f"postgres://joe:{AT}@h/x".encode()}}}, None, AT),
    "URLs in credentials": (
        {"credentials": {"c": {"brokers": f"amqp://joe:firstOne11@h1,amqp://joe:{AT}@h2".encode()}}},
        None,
        AT,
    ),
    ".git-credentials": ({"credentials": {"c": {".git-credentials": GIT.encode()}}}, None, VALUE),
    "pip.conf": ({"credentials": {"c": {"pip.conf": PIP.encode()}}}, None, AT),
    "a single pair": ({"credentials": {"c": {"config": f"aws_session_token = {VALUE}".encode()}}}, None, VALUE),
    "a value with separators": ({"credentials": {"c": {"env": ENV.encode()}}}, None, SPLIT),
    "JSON with a byte order mark": ({"credentials": {"c": {"config": ACCOUNT.encode("utf-8-sig")}}}, None, VALUE),
    "JSON in UTF-16": ({"credentials": {"c": {"config": ACCOUNT.encode("utf-16")}}}, None, VALUE),
    "details of the composite": ({"xr_connection": {"password": VALUE.encode()}}, None, VALUE),
    "details of a resource": (
        {"observed": {"b": BUCKET}, "connection": {"b": {"password": VALUE.encode()}}},
        None,
        VALUE,
    ),
    "desired details": (
        {"desired_xr": {"status": {"a": 1}}, "desired_xr_connection": {"password": VALUE.encode()}},
        None,
        VALUE,
    ),
    "observed Secret": ({"observed": {"s": secret(data={"password": b64(VALUE)})}}, None, VALUE),
    "its stringData": ({"observed": {"s": secret(stringData={"password": VALUE})}}, None, VALUE),
    "desired Secret": ({"desired": {"s": secret(data={"password": b64(VALUE)})}}, None, VALUE),
    "required Secret": ({"required": {"s": [secret(data={"password": b64(VALUE)})]}}, None, VALUE),
    "extra Secret": ({"extra": {"s": [secret(data={"password": b64(VALUE)})]}}, None, VALUE),
    "Secret in an Object": ({"observed": {"o": OBJECT}}, None, VALUE),
    "details that are set": ({}, _details, VALUE),
    "ctx.connection_secret": ({}, _connection_secret, VALUE),
    "a Secret that is composed": ({}, _composes, VALUE),
    "its own stringData": ({}, _composes_text, VALUE),
}

# A Secret among the resources of the answer is what the function is for: it is in a snapshot of them as it is.
_IN_SNAPSHOTS = {"desired Secret", "ctx.connection_secret", "a Secret that is composed", "its own stringData"}


# The ways out. What says something has the text and the context; what it gets from a run are its texts.


class Own(Exception):
    """An exception with a text of its own."""

    def __str__(self) -> str:
        return f"it is {self.args[0]}"


class Unhashable(Exception):
    """An exception that shows its arguments in its repr alone."""

    def __str__(self) -> str:
        raise RuntimeError(f"no text: {self.args[0]}")


def _chained(text: str) -> None:
    try:
        raise KeyError(text)
    except KeyError as error:
        raise LookupError("next") from error


def _during(text: str) -> None:
    try:
        raise KeyError(text)
    except KeyError:
        raise LookupError(text)  # noqa: B904


def _in_locals(text: str) -> None:
    {"a": 1}[text]


def _raising(make: Callable[[str], BaseException]) -> Callable[[str], None]:
    def end(text: str) -> None:
        raise make(text)

    return end


ENDINGS: dict[str, Callable[[str], None]] = {
    "ValueError": _raising(ValueError),
    "OSError": _raising(lambda text: OSError(5, text, text)),
    "UnicodeError": _raising(lambda text: UnicodeDecodeError("utf-8", text.encode(), 0, 1, text)),
    "an exception of its own": _raising(Own),
    "one without a text": _raising(Unhashable),
    "chained": _chained,
    "while another is handled": _during,
    "KeyError": _in_locals,
    "SystemExit": _raising(SystemExit),
    "CancelledError": _raising(asyncio.CancelledError),
}
if sys.version_info >= (3, 11):
    ENDINGS["ExceptionGroup"] = _raising(lambda text: ExceptionGroup(text, [ValueError(text)]))  # noqa: F821


@composition.function(name="told")
def told(ctx: Any) -> None:
    """Say the value of credentials in all forms, in all that commands show."""
    texts = [make(VALUE)[0] for make in FORMS.values()]
    bucket = ctx.resource("bucket", Unstructured("v1", "Bucket"))
    other = ctx.resource("other", Unstructured("v1", "Other"))
    for number, text in enumerate(texts):
        setattr(other.spec, f"field{number}", bucket.observed.status[text])
        ctx.results.warning(text)
        ctx.conditions.set(f"Canary{number}", True, reason="Canary", message=text)
        ctx.log.warning(text)
        logging.getLogger("user").warning(text)
        print(text)
        print(text, file=sys.stderr)


def _say(ctx: Any, texts: list[str], late: list[Callable[[], object]], go: threading.Event) -> None:
    """Say all texts in all ways that don't end compose()."""
    user = logging.getLogger("user")
    for number, text in enumerate(texts):
        ctx.results.warning(text)
        ctx.results.normal(f"it is {text}.")
        ctx.conditions.set(f"Canary{number}", True, reason="Canary", message=text)
        ctx.log.debug("it is %s", text)
        ctx.log.info(text)
        user.warning("it is %s", text, extra={"field": text, "deep": [{text: (text, 1)}]})
        try:
            raise ValueError(text)
        except ValueError:
            ctx.log.exception("failed")
            user.exception("failed %s", text, stack_info=True)
        warnings.warn(text, stacklevel=1)
    _start(_from_thread, texts).join()
    raising = [_start(_raise, text) for text in texts]
    for one in raising:
        one.join()
    for text in texts:
        _Ending(text)
    nested = _start(lambda: _start(_from_thread, texts).join())
    nested.join()
    with ThreadPoolExecutor(1) as pool:
        pool.submit(_from_thread, texts).result()
    context = contextvars.copy_context()
    late.append(_start(context.run, lambda: (go.wait(60), _from_thread(texts))).join)


def _start(target: Callable[..., Any], *args: Any) -> threading.Thread:
    made = threading.Thread(target=target, args=args)
    made.start()
    return made


def _from_thread(texts: list[str]) -> None:
    for text in texts:
        logging.getLogger("thread").warning("from a thread: %s", text, extra={"field": text})


class _Ending:
    """Raises an exception when it ends, which Python ignores."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __del__(self) -> None:
        raise ValueError(f"at the end: {self.text}")


def _raise(text: str) -> None:
    raise ValueError(f"from a thread: {text}")


@contextmanager
def captured() -> Iterator[dict[str, io.StringIO]]:
    """Serve functions as the server does, with all log lines in texts."""
    out = {name: io.StringIO() for name in ("JSON log", "text log")}
    root = logging.getLogger()
    handlers, level, mask = root.handlers[:], root.level, log._mask
    hooks = threading.excepthook, sys.unraisablehook
    root.handlers[:] = []
    for name, formatter in (("JSON log", log.JSONFormatter()), ("text log", log.TextFormatter())):
        handler = logging.StreamHandler(out[name])
        handler.setFormatter(formatter)
        root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    log.set_masker(tracker.mask)
    threading.excepthook, sys.unraisablehook = threading.__excepthook__, sys.__unraisablehook__  # not pytest's
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            log.log_what_python_prints()
            try:
                yield out
            finally:
                logging.captureWarnings(False)
    finally:
        threading.excepthook, sys.unraisablehook = hooks
        log.set_masker(mask)
        root.handlers[:] = handlers
        root.setLevel(level)


WAYS_OUT = (
    *("results", "conditions", "JSON log", "text log", "log of a late thread", "async def"),
    *("lines of dev", "records", "defects", "metrics", "snapshots"),
    *(f"exception: {name}" for name in ENDINGS),
)


def _requests(way: Json) -> bytes:
    return build(**way).SerializeToString()


def _answers(name: str, texts: list[str]) -> Iterator[tuple[str, str]]:
    """Yield ways out, and what came out there."""
    way, before, _ = WAYS_IN[name]
    late: list[Callable[[], object]] = []
    go = threading.Event()
    data = _requests(way)

    @composition.function(name="canary")
    def compose(ctx: Any) -> None:
        if before is not None:
            before(ctx)
        _say(ctx, texts, late, go)

    with captured() as out:
        response = compose.run(data)
        first = {name: stream.getvalue() for name, stream in out.items()}
        go.set()
        for wait in late:
            wait()
        yield "log of a late thread", "".join(stream.getvalue()[len(first[name]) :] for name, stream in out.items())
    answer = Response(response)
    yield "results", repr(answer.results) + "\n".join(text for _, text in answer.results)
    yield "conditions", "\n".join(text for _, _, text in answer.conditions.values())
    yield from first.items()
    if name not in _IN_SNAPSHOTS:
        yield "snapshots", _snapshot(answer)
    yield "lines of dev", "".join(two_lines(data, response, 1.0))
    if before is None:
        said = build(**{**way, "context": None, "input": {"texts": texts}}).SerializeToString()
        asked = _view.RunFunctionRequest.FromString(said)
        (recorded,) = masked([as_json(asked)])
        yield "records", "\n".join(str(one) for _, one in leaves(json.loads(recorded)))

    @composition.function(name="canary")
    async def coroutine(ctx: Any) -> None:
        if before is not None:
            before(ctx)
        await asyncio.create_task(_in_task(ctx, texts))
        raise ValueError("".join(texts))

    with captured() as out:
        said_async = Response(coroutine.run(data)).texts
        yield "async def", said_async + "".join(stream.getvalue() for stream in out.values())
    for kind, end in ENDINGS.items():
        yield f"exception: {kind}", "".join(_ended(end, text, data, before) for text in texts)
    yield from _watched(texts, data, before)
    if before is None:  # what compose() has made is known to its call alone
        with captured() as out:
            _defect("\n".join(texts), data)
            yield "defects", "".join(stream.getvalue() for stream in out.values())


async def _in_task(ctx: Any, texts: list[str]) -> None:
    for text in texts:
        ctx.results.warning(text)
        logging.getLogger("task").warning("%s", text)
    await asyncio.to_thread(_from_thread, texts)


def _snapshot(answer: Response) -> str:
    """Return what a snapshot of resources, results and conditions has."""
    said = {
        "results": [list(one) for one in answer.results],
        "conditions": [list(one) for one in answer.conditions.values()],
    }
    with tempfile.TemporaryDirectory() as folder:
        Snapshots(folder, update=True).check([said, *answer.resources.values()], "./canary.yaml")
        text = Path(folder, "canary.yaml").read_text()
    return f"{text}\n{_strings(list(yaml.safe_load_all(text)))}"


def _ending(end: Callable[[str], None], text: str, before: Callable[[Any], None] | None) -> Any:
    """Return a function that ends in that way."""

    @composition.function(name="canary")
    def compose(ctx: Any) -> None:
        if before is not None:
            before(ctx)
        end(text)

    return compose


def _ended(end: Callable[[str], None], text: str, data: bytes, before: Callable[[Any], None] | None) -> str:
    with captured() as out:
        answer = Response(_ending(end, text, before).run(data))
    assert answer.fatal
    return answer.texts + "".join(stream.getvalue() for stream in out.values())


def _watched(texts: list[str], data: bytes, before: Callable[[Any], None] | None) -> Iterator[tuple[str, str]]:
    """Yield what metrics have of calls that fail inside of compose(), and outside of it."""
    metrics = Metrics(lambda: iter(()))
    for text in texts:
        for run in (_ending(ENDINGS["ValueError"], text, before).run, _failing(text)):
            handle = metrics.counted(Calls(run, Limits()).handle)
            with captured(), contextlib.suppress(Refused):
                handle(data, float("inf"))
    yield "metrics", prometheus_client.generate_latest(metrics._registry).decode()


def _failing(text: str) -> Callable[[bytes], bytes]:
    """Return a function with a defect."""

    def run(_: bytes) -> bytes:
        raise RuntimeError(text)

    return run


def _defect(text: str, data: bytes) -> None:
    with in_process(_failing(text), "grpcio") as (_, address), channel(address) as opened:
        try:
            raw_call(opened, data)
        except grpc.RpcError as error:
            print(error)
        else:
            raise AssertionError("a defect is no answer")


def _decoded(text: str) -> str:
    """Return what the lines of a text say that are JSON."""
    return "\n".join(_strings(json.loads(line)) for line in text.splitlines() if line.startswith('{"ts"'))


def _strings(value: Any) -> str:
    if isinstance(value, dict):
        return "\n".join(f"{key}\n{_strings(one)}" for key, one in value.items())
    return "\n".join(map(_strings, value)) if isinstance(value, list) else str(value)


def matrix(ways_in: list[str] | None = None) -> dict[str, Counter[str]]:
    """Return for each way in, and each way out, in how many forms the canary was found."""
    found: dict[str, Counter[str]] = {}
    for name in ways_in or WAYS_IN:
        value = WAYS_IN[name][2]
        said = {form: make(value) for form, make in FORMS.items()}
        counts: Counter[str] = Counter()
        for out, text in _answers(name, [text for text, _ in said.values()]):
            lines = f"{text}\n{_decoded(text)}"
            counts[out] += sum(hidden in lines for _, hidden in said.values())
        found[name] = counts
    return found


def main() -> int:
    """Print the matrix."""
    found = matrix()
    width = max(map(len, WAYS_OUT))
    columns = list(found)
    for number, name in enumerate(columns, 1):
        print(f"{number:>3}  {name}")
    print(f"\n{'forms found':<{width}} {' '.join(f'{number:>3}' for number in range(1, len(columns) + 1))}")
    for out in WAYS_OUT:
        cells = (f"{counts[out] if out in counts else '-':>3}" for counts in found.values())
        print(f"{out:<{width}} {' '.join(cells)}")
    total = sum(counts.total() if hasattr(counts, "total") else sum(counts.values()) for counts in found.values())
    cells_tried = sum(len(counts) for counts in found.values())
    print(f"\n{cells_tried:,} cells with {len(FORMS)} forms each: {total} found")
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())
