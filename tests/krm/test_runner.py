"""What a KRM function's process gives back, whatever goes in and whatever the function does."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from crossplane_lite import krm
from tests.krm.processes import LIST, ROOT, program, run, value

# stdout


NOISES = {
    "print": "print('noise')",
    "print without a newline": "print('noise', end='')",
    "sys.stdout": "import sys\nsys.stdout.write('noise')",
    "sys.__stdout__": "import sys\nsys.__stdout__.write('noise')",
    "file descriptor": "import os\nos.write(1, b'noise')",
    "subprocess": "import subprocess\nsubprocess.run(['echo', 'noise'], check=True)",
    "os.system": "import os\nos.system('echo noise')",
    "child that lives on": "import subprocess\nsubprocess.Popen(['sh', '-c', 'echo noise'], stdout=1)",
    "a C library": "import ctypes\nctypes.CDLL(None).puts(b'noise')",
    "at exit": "import atexit\natexit.register(print, 'noise')",
    "a thread that is waited for at exit": (
        "import threading\nmain = threading.main_thread()\n"
        "def late():\n    main.join()\n    print('noise', flush=True)\nthreading.Thread(target=late).start()"
    ),
    "replaced stdout": "import sys\nsys.stdout = open(1, 'w', closefd=False)\nprint('noise')",
}


@pytest.mark.sample(4)
@pytest.mark.parametrize("noise", NOISES.values(), ids=NOISES)
def test_stdout_is_the_lists(tmp_path: Path, noise: str) -> None:
    """Whatever writes to stdout writes to stderr, and stdout has the ResourceList alone."""
    done = run(program(tmp_path, noise))
    assert (done.stdout, done.status) == (LIST, 0)
    assert "noise" in done.stderr or "child" in noise or "Popen" in noise


@pytest.mark.slow
def test_prints_of_the_module(tmp_path: Path) -> None:
    """What is printed before main() isn't on stdout either: by `krm run` always, else while it is buffered."""
    file = program(tmp_path, "pass")
    file.write_text(f"print('noise')\n{file.read_text()}")
    done = run(file)
    assert (done.stdout, done.stderr) == (LIST, "noise\n")
    command = ["-m", "crossplane_lite", "krm", "run", "function:transform"]
    done = run(command, cwd=tmp_path, env={"PYTHONUNBUFFERED": "1"})
    assert (done.stdout, done.stderr) == (LIST, "noise\n")


def test_forked_process(tmp_path: Path) -> None:
    """A process that the function forks, and that goes on to the end of it, doesn't answer a second time."""
    done = run(program(tmp_path, "import os\nchild = os.fork()\nif child:\n    os.waitpid(child, 0)"))
    assert (done.stdout, done.status) == (LIST, 0)


def test_closed_python_stdout(tmp_path: Path) -> None:
    """A function that closes sys.stdout and file descriptor 1 doesn't close ours."""
    done = run(
        program(tmp_path, "import os, sys\nsys.stdout.close()\ntry:\n    os.close(1)\nexcept OSError:\n    pass")
    )
    assert (done.stdout, done.status) == (LIST, 0)


# Exit status and results


def test_error_result(tmp_path: Path) -> None:
    """A result of severity error makes the exit status 1; the ResourceList is written, and stderr has the error."""
    done = run(program(tmp_path, "rl.results.error('no limit', rl.items[0], 'spec.type')"))
    assert done.status == 1
    assert len(done.value["items"]) == 2
    assert done.results == [
        {
            "message": "no limit",
            "severity": "error",
            "resourceRef": {"apiVersion": "v1", "kind": "Service", "name": "web"},
            "field": {"path": "spec.type", "currentValue": "ClusterIP"},
            "file": {"path": "web.yaml"},
        }
    ]
    assert done.stderr == "error: Service web spec.type: no limit (web.yaml)\n"


def test_other_results(tmp_path: Path) -> None:
    """Warnings and infos leave the exit status 0; stderr has the warnings."""
    done = run(program(tmp_path, "rl.results.warning('careful')\nrl.results.info('by the way')"))
    assert (done.status, done.stderr) == (0, "warning: careful\n")
    assert [result["severity"] for result in done.results] == ["warning", "info"]


def test_exception_for_want_of_a_config() -> None:
    """Who forgot functionConfig learns that, and not only which attribute None hasn't."""

    def transform(rl: krm.ResourceList[Any]) -> None:
        rl.items[0].labels["team"] = rl.config.team

    output = krm.function(transform).run(LIST)
    assert output.status == 1
    assert "; there is no functionConfig, so rl.config is None" in output.stderr.splitlines()[-1]
    assert "there is no functionConfig" not in krm.function(transform).run(LIST + b"functionConfig: {kind: A}\n").stderr


def test_exception(tmp_path: Path) -> None:
    """An exception is an error result with type, text, file and line; the items are as they came; stderr says where."""
    body = (
        "rl.items[0].labels['a'] = 'b'\nrl.items.remove(rl.items[1])\nrl.results.info('first')\nraise ValueError('no')"
    )
    done = run(program(tmp_path, body))
    assert done.status == 1
    assert done.stdout.startswith(LIST)
    assert done.results == [
        {"message": "first", "severity": "info"},
        {"message": "ValueError: no (function.py:9)", "severity": "error"},
    ]
    lines = done.stderr.splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert lines[1].endswith('function.py", line 9, in transform')
    assert lines[-1] == "error: ValueError: no (function.py:9)"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("class Odd(Exception):\n    def __str__(self): raise RuntimeError\nraise Odd", "Odd (function.py:8)"),
        ("raise ValueError('\\udc80 \\0 \\x1b')", "ValueError: \\udc80 \0 \x1b (function.py:6)"),
        ("raise KeyError('two\\nlines')", "KeyError: 'two\\nlines' (function.py:6)"),
        ("def f(): f()\nf()", "RecursionError: maximum recursion depth exceeded (function.py:6)"),
        ("import asyncio\nraise asyncio.CancelledError", "CancelledError (function.py:7)"),
        ("raise GeneratorExit", "GeneratorExit (function.py:6)"),
        ("raise SystemExit('not like this')", "not like this"),
        ("import sys\nsys.exit(1)", "the function ended with exit status 1"),
        ("import sys\nsys.exit(256)", "the function ended with exit status 256"),
        ("import sys\nsys.exit(-1)", "the function ended with exit status -1"),
        (
            "return 5",
            "UsageError: transform() must return nothing (got an integer); "
            "change rl.items and add to rl.results instead",
        ),
        ("rl.items[0].spec.type = object()", None),
        ("rl.items[0].metadata.name = '\\udc80'", None),
        ("rl.items[0].annotations['internal.config.kubernetes.io/path'] = 'x.yaml'", None),
    ],
)
def test_exceptions_of_all_kinds(tmp_path: Path, body: str, message: str | None) -> None:
    """Whatever is raised, there is an answer with the items as they came, and status 1."""
    done = run(program(tmp_path, body))
    assert done.status == 1
    assert done.stdout.startswith(LIST)
    (result,) = done.results
    assert result["severity"] == "error"
    assert message is None or result["message"] == message


@pytest.mark.slow
def test_exit_status_of_its_own(tmp_path: Path) -> None:
    """sys.exit(0) is an end like any other; another status is kept, with an error and the items as they came."""
    done = run(program(tmp_path, "import sys\nrl.items[0].labels['a'] = 'b'\nsys.exit(0)"))
    assert (done.status, done.value["items"][0]["metadata"]["labels"]) == (0, {"a": "b"})
    done = run(program(tmp_path, "import sys\nrl.items[0].labels['a'] = 'b'\nsys.exit(7)"))
    assert done.status == 7
    assert done.stdout.startswith(LIST)
    assert [result["message"] for result in done.results] == ["the function ended with exit status 7"]


def test_interrupted(tmp_path: Path) -> None:
    """Ctrl-C ends the process with status 130 and nothing on stdout, which no orchestrator takes for an answer."""
    # One long sleep would go on if the signal came just before it.
    body = "import sys, time\nprint('waiting', file=sys.stderr, flush=True)\nwhile True: time.sleep(0.01)"
    process = subprocess.Popen(
        [sys.executable, program(tmp_path, body)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        text=True,
    )
    assert process.stdin is not None and process.stderr is not None
    process.stdin.write(LIST.decode())
    process.stdin.close()
    process.stdin = None
    assert process.stderr.readline() == "waiting\n"
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=30)
    assert (stdout, stderr, process.returncode) == ("", "function.py: interrupted\n", 130)


def test_config_that_does_not_fit(tmp_path: Path) -> None:
    """A functionConfig that the class can't be made of is an error that names the field; the function isn't called."""
    file = tmp_path / "function.py"
    file.write_text(
        "import attrs\nfrom crossplane_lite import krm\n\n@attrs.define\nclass Config:\n    replicas: int\n\n"
        "@krm.function\ndef transform(rl: krm.ResourceList[Config]):\n    raise AssertionError\n\ntransform.main()\n"
    )
    data = (
        LIST
        + b"functionConfig:\n  apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: c}\n  data: {replicas: many}\n"
    )
    done = run(file, data)
    assert done.status == 1
    assert done.stdout.startswith(data)
    (result,) = done.results
    assert result["field"]["path"] == "data.replicas"


# Input that can't be read


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", "the input is empty"),
        (b" \n\n", "the input is empty"),
        (b"---\n", "it holds 0"),
        (b"a: [1\n", "line 2"),
        (b"\xff\xfea\x00", "UTF-8"),
        (b"kind: ResourceList\nitems:\n- a: \xff\n", "line 3: this is not UTF-8"),
        (b"apiVersion: v1\nkind: Service\n", "kind 'Service'"),
        (b"[]\n", "must be a mapping"),
        (b"text", "must be a mapping"),
        (b"apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n", "items: []"),
        (b"kind: ResourceList\nitems: 5\n", "items must be a list"),
        (b"kind: ResourceList\nitems: [5]\n", "items[0] must be an object"),
        (b"kind: ResourceList\nitems: []\nresults: 5\n", "results must be a list"),
        (b"kind: ResourceList\nitems: []\nfunctionConfig: 5\n", "functionConfig must be an object"),
        (b"kind: ResourceList\nitems: []\nitems: []\n", "occurs twice"),
        (b"kind: ResourceList\nitems: []\n---\nkind: ResourceList\nitems: []\n", "it holds 2"),
        (b"kind: ResourceList\nx: " + b"[" * 5000, "nested more than"),
        (b"\0" * 10, "isn't text"),
    ],
)
def test_unreadable_input(data: bytes, text: str) -> None:
    """What is no ResourceList gives one line on stderr, status 1 and nothing on stdout."""

    @krm.function
    def transform(rl: krm.ResourceList) -> None:
        raise AssertionError

    output = transform.run(data)
    assert (output.stdout, output.status) == (b"", 1)
    assert output.stderr.startswith("transform: ")
    assert output.stderr.count("\n") == 1
    assert text in output.stderr


def test_unreadable_input_of_a_process(tmp_path: Path) -> None:
    """A process says the same, on its stderr."""
    done = run(program(tmp_path, "pass"), b"")
    assert (done.stdout, done.status) == (b"", 1)
    assert done.stderr == "transform: the input is empty; it must be a ResourceList\n"


def shell(tmp_path: Path, line: str, data: bytes = LIST) -> tuple[bytes, str, int]:
    """Run a shell line in which $FN is a function that changes nothing."""
    (tmp_path / "list").write_bytes(data)
    fn = f"{sys.executable} {program(tmp_path, 'pass')}"
    done = subprocess.run(
        ["bash", "-c", line],
        capture_output=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "FN": fn},
        timeout=60,
        check=False,
    )
    return done.stdout, done.stderr.decode(), done.returncode


@pytest.mark.slow
def test_closed_streams(tmp_path: Path) -> None:
    """A closed stdin or stdout is status 1 with a message; a closed stderr changes nothing."""
    assert shell(tmp_path, "$FN <&-") == (b"", "function.py: can't read stdin: stdin is closed\n", 1)
    assert shell(tmp_path, "$FN < list >&-") == (
        b"",
        "function.py: can't write to stdout: it is closed\n",
        1,
    )
    assert shell(tmp_path, "$FN < list 2>&-") == (LIST, "", 0)
    assert shell(tmp_path, "$FN <&- >&- 2>&-") == (b"", "", 1)


def test_stdin_that_fails(tmp_path: Path) -> None:
    """A stdin that can't be read, here because it is open for writing only, is told."""
    stdout, stderr, status = shell(tmp_path, "$FN 0> other")
    assert (stdout, status) == (b"", 1)
    assert stderr == "function.py: can't read stdin: Bad file descriptor\n"


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
def test_full_disk(tmp_path: Path) -> None:
    """A stdout that takes nothing more is status 1 with a message, and so it stays if stderr is full, too."""
    assert shell(tmp_path, "$FN < list > /dev/full") == (
        b"",
        "function.py: can't write to stdout: No space left on device\n",
        1,
    )
    assert shell(tmp_path, "$FN < list > /dev/full 2> /dev/full") == (b"", "", 1)
    assert shell(tmp_path, "$FN < list 2> /dev/full") == (LIST, "", 0)


def test_reader_that_went_away(tmp_path: Path) -> None:
    """A reader that closes the pipe early gets no traceback, and the status isn't 0."""
    big = LIST + b"# " + b"x" * 1_000_000 + b"\n"
    _, stderr, status = shell(tmp_path, "$FN < list | head -c 10 > /dev/null; exit ${PIPESTATUS[0]}", big)
    assert (stderr, status) == ("", 1)


def test_pipes_that_do_not_wait(tmp_path: Path) -> None:
    """Pipes in non-blocking mode, which some programs leave behind, are read and written to their end."""
    file = program(tmp_path, "pass")
    in_read, in_write = os.pipe()
    out_read, out_write = os.pipe()
    for fd in (in_read, out_write):
        os.set_blocking(fd, False)
    big = LIST + b"# " + b"x" * 1_000_000 + b"\n"
    process = subprocess.Popen(
        [sys.executable, file], stdin=in_read, stdout=out_write, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    os.close(in_read)
    os.close(out_write)
    with open(in_write, "wb") as stdin:
        stdin.write(big)
    with open(out_read, "rb") as stdout:
        assert stdout.read() == big
    assert process.wait(timeout=30) == 0


@pytest.mark.slow
def test_ten_megabytes(tmp_path: Path) -> None:
    """An input of 10 MB is answered, each item that wasn't changed byte for byte."""
    item = LIST.partition(b"items:\n")[2]
    items = [item.replace(b"name: web", b"name: w%d" % at).replace(b"name: api", b"name: a%d" % at) for at in range(9)]
    filler = b"- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: big}\n  data:\n    text: |\n"
    data = (
        LIST.partition(b"items:\n")[0] + b"items:\n" + b"".join(items) + filler + b"      0123456789abcdef\n" * 440_000
    )
    assert len(data) > 10_000_000
    done = run(program(tmp_path, "rl.items[-1].labels['a'] = 'b'"), data)
    assert done.status == 0
    assert done.stdout.startswith(data[: data.index(filler)])
    assert len(done.stdout) < len(data) + 100


@pytest.mark.slow
def test_json(tmp_path: Path) -> None:
    """JSON in gives JSON out, also with the results of an exception."""
    data = json.dumps({**value(LIST), "items": value(LIST)["items"][:1]}).encode()
    done = run(program(tmp_path, "rl.items[0].labels['a'] = 'b'"), data)
    assert json.loads(done.stdout)["items"][0]["metadata"]["labels"] == {"a": "b"}
    done = run(program(tmp_path, "raise ValueError"), data)
    assert json.loads(done.stdout)["results"][0]["severity"] == "error"


# Roles


def validator(body: Any) -> krm.Function:
    """Return a validator."""
    return krm.function(role="validator")(body)


CHANGES = {
    "changed": lambda rl: rl.items[0].labels.update(a="b"),
    "removed": lambda rl: rl.items.remove(rl.items[0]),
    "added": lambda rl: rl.items.upsert("apiVersion: v1\nkind: Service\nmetadata: {name: new}\n") and None,
    "changed, and written": lambda rl: rl.items[0].labels.update(a="b") or rl.write() and None,
}


@pytest.mark.parametrize("change", CHANGES)
def test_validator_that_changes_items(change: str) -> None:
    """Whatever a validator does to items, they go out as they came; an error names the resource."""
    output = validator(CHANGES[change]).run(LIST)
    assert output.status == 1
    assert output.stdout.startswith(LIST)
    (result,) = value(output.stdout)["results"]
    assert result["message"] == (
        f"a validator must not change items: this one was {change.partition(',')[0]}"
        "; a function that changes items needs role='transformer'"
    )
    assert result["resourceRef"]["name"] == ("new" if change == "added" else "web")


def test_validator_that_changes_back() -> None:
    """What a validator has changed back isn't held against it."""

    def body(rl: krm.ResourceList) -> None:
        rl.items[0].labels["a"] = "b"
        del rl.items[0]["metadata"]["labels"]

    output = validator(body).run(LIST)
    assert (output.stdout, output.status) == (LIST, 0)


def test_validator_that_finds_nothing() -> None:
    """A validator's items go out byte for byte, with its results."""

    def body(rl: krm.ResourceList) -> None:
        for item in rl.items:
            _ = item.get("spec.type"), item.labels.get("a"), item.get("spec.ports[0].port")
        rl.results.warning("hm", rl.items[0])

    output = validator(body).run(LIST)
    assert output.status == 0
    assert output.stdout.startswith(LIST)
    assert len(value(output.stdout)["results"]) == 1


@pytest.mark.slow
@pytest.mark.sample(1)
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_printing_beside_the_function(tmp_path: Path, unbuffered: str) -> None:
    """What a program prints below the decorator goes to stderr where a function runs, also without a buffer."""
    file = program(tmp_path, "print('in it')")
    text = file.read_text().replace("\n\nif __name__", "\n\nprint('below', flush=True)\n\nif __name__")
    file.write_text(text)
    done = run(file, env={"PYTHONUNBUFFERED": unbuffered})
    assert (done.stdout, done.status) == (LIST, 0)
    assert sorted(done.stderr.split("\n")) == ["", "below", "in it"]
    # A program that makes a function and does something else prints as ever.
    file.write_text(text.replace("transform.main()", "print(len(transform.run(b'').stdout))"))
    done = run(file, env={"PYTHONUNBUFFERED": unbuffered})
    assert (done.stdout, done.status) == (b"below\n0\n", 0)


UNREADABLE = b"""\
apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: one}
  data: {a: b}
- apiVersion: v1 # kept
  kind: ConfigMap
  metadata:
    name: twice
    annotations:
      internal.config.kubernetes.io/path: 'a/b.yaml'
  data:
    a: 1
    a: |
      2

- apiVersion: v1
  kind: ConfigMap
  metadata: {name: three}
"""


def test_an_item_that_can_not_be_read_goes_through() -> None:
    """A key that occurs twice stops only a function that reads the item; then the message has file and line."""

    def label(rl: krm.ResourceList) -> None:
        for item in rl.items.where(kind="ConfigMap"):
            item.labels["x"] = "z"

    def read(rl: krm.ResourceList) -> None:
        for item in rl.items:
            item.labels["x"] = "z"

    def turn(rl: krm.ResourceList) -> None:
        rl.items = list(reversed(rl.items))
        rl.items[2].labels["x"] = "z"

    output = krm.function(label).run(UNREADABLE)
    assert (output.status, output.stderr) == (0, "")
    labelled = UNREADABLE.replace(b"name: one}", b"name: one, labels: {x: z}}")
    assert output.stdout == labelled.replace(b"name: three}", b"name: three, labels: {x: z}}")
    output = krm.function(read).run(UNREADABLE)
    assert (output.status, output.stdout[: len(UNREADABLE)]) == (1, UNREADABLE)
    assert "a/b.yaml, ConfigMap twice (items[1]), line 9 of the item: the key 'a' occurs twice" in output.stderr
    turned = krm.function(turn).run(UNREADABLE).stdout
    bad = UNREADABLE[
        UNREADABLE.index(b"- apiVersion: v1 # kept") : UNREADABLE.index(
            b"\n- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: three"
        )
    ]
    assert bad in turned
    assert turned.index(b"name: three") < turned.index(b"name: twice") < turned.index(b"name: one, labels")
