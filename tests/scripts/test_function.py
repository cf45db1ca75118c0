"""The function that runs the script in its step's input."""

from __future__ import annotations

import os
import textwrap
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from crossplane_lite import testing
from crossplane_lite.cli import main
from crossplane_lite.scripts import function, limit
from crossplane_lite.scripts.limit import TooLong, run_limited
from crossplane_lite.scripts.text import LARGEST, compiled
from tests.render import files as files_of
from tests.runtime.serving import channel, raw_call, serving

XR = {"apiVersion": "example.org/v1", "kind": "Shop", "metadata": {"name": "shop"}, "spec": {"size": "small"}}

SCRIPT = """\
def compose(ctx):
    xr = ctx.composite(Unstructured)
    settings = ctx.resource("settings", Unstructured("v1", "ConfigMap"))
    settings.data.size = xr.observed.spec.size
    consumer = ctx.resource("consumer", Unstructured("v1", "ConfigMap"))
    consumer.data.size = settings.observed.data.size
"""


def answer(script: Any, **more: Any) -> testing.Response:
    """Return the answer to a request whose input has a script."""
    return testing.run(function, testing.request(XR, input={"script": script, **more}))


def fatal(script: Any, **more: Any) -> str:
    """Return the one fatal result of a script."""
    (result,) = answer(textwrap.dedent(script) if isinstance(script, str) else script, **more).fatal
    return result.message if hasattr(result, "message") else str(result)


def test_a_script() -> None:
    """A script composes as a function does: what needs a value that isn't there is held back."""
    response = answer(SCRIPT)
    assert not response.fatal
    assert response.desired["settings"]["data"] == {"size": "small"}
    assert response.held_back == ["consumer"]


def test_what_a_script_may_use() -> None:
    """Shipped models, the whole package, parameters, `async def`, and the decorator of a packaged function."""
    script = """
    from crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta import v1 as metav1
    SIZES = {"a": 1}

    @composition.function
    async def compose(ctx):
        config = ctx.resource("config", Unstructured("v1", "ConfigMap"))
        config.metadata.labels = {"size": str(SIZES["a"])}
        config.data.value = ctx.input["parameters"]["value"]
        assert metav1.ObjectMeta and apply and Observable and NULL is not UNSET
    """
    response = answer(textwrap.dedent(script), parameters={"value": "x"})
    assert not response.fatal
    assert response.desired["config"]["data"] == {"value": "x"}


@pytest.mark.parametrize(
    ("script", "text"),
    [
        ("def compose(ctx):\n    x = 1\n    return x +\n", "the script, line 3: invalid syntax: return x +"),
        ("def compose(ctx):\n    ctx\n    1 / 0\n", "ZeroDivisionError: division by zero (script:3)"),
        ("import json\ndef compose(ctx):\n    json.loads('{')\n", "(script:3)"),
        ("x = 1\nraise ValueError('no')\n", "ValueError: no (script:2)"),
        ("x = 1", "the script has no compose(ctx)"),
        ("compose = 1", "the script has no compose(ctx)"),
        ("def compose():\n    pass", "compose() is called with one argument, the Context"),
        ("def compose(ctx):\n    return 1", "compose() must return nothing"),
        ("\0", "the script"),
        ("(" * 5000, "the script"),
    ],
)
def test_errors_name_the_line(script: str, text: str) -> None:
    """What is wrong with a script is one fatal result with the line inside of the script."""
    assert text in fatal(script)


def test_tracebacks_show_the_line(caplog: pytest.LogCaptureFixture) -> None:
    """The log shows the line of the script that failed, also when another one was compiled after it."""
    script = "def compose(ctx):\n    first = 1\n    raise ValueError(first)\n"
    for one in (script, "def compose(ctx):\n    pass\n    pass\n", script):
        answer(one)
    ends = [one.getMessage().rstrip().splitlines()[-2:] for one in caplog.records if "raised" in one.getMessage()]
    assert ends == [["    raise ValueError(first)", "ValueError: 1"]] * 2


def test_errors_of_the_input() -> None:
    """An input without a script, with a wrong type or with a misspelt field says what to do."""
    (result,) = testing.run(function, testing.request(XR)).fatal
    assert "the step has no script" in str(result)
    assert "input.script must be a string (got an object)" in fatal({"a": "b"})
    assert "input.timeoutSecond is not a field; did you mean 'timeoutSeconds'?" in fatal(SCRIPT, timeoutSecond=1)
    assert "input.size is not a field" in fatal(SCRIPT, size=1)
    for wrong in (0, -1, 61, True, "5"):
        assert "input.timeoutSeconds must be a number above 0, and at most 60" in fatal(SCRIPT, timeoutSeconds=wrong)


def test_size() -> None:
    """A script that is too large is refused before anything looks at it."""
    assert "it must have at most 262,144" in fatal("#" * LARGEST + "\n")
    assert "has no compose" in fatal("#" * LARGEST)


@pytest.mark.slow
@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "where",
    [
        "    while True: pass",
        "    while True:\n        try:\n            while True: pass\n        except Exception: pass",
    ],
)
def test_time(where: str) -> None:
    """A script that doesn't end is ended, and the server's thread is free again, even where it catches all errors."""
    before = time.monotonic()
    assert "the script takes longer than 0.2 seconds" in fatal(f"def compose(ctx):\n{where}\n", timeoutSeconds=0.2)
    assert time.monotonic() - before < 20
    assert not answer(SCRIPT).fatal


@pytest.mark.slow
def test_time_of_statements_outside_of_compose() -> None:
    """The limit counts for what a script does when its text comes for the first time, too."""
    assert "takes longer than 0.2 seconds" in fatal("while True: pass", timeoutSeconds=0.2)


@pytest.fixture
def endless() -> Iterator[int]:
    """A descriptor whose read ends with the test, and with it the thread that reads.

    A thread that has an exception to come and doesn't run Python holds others up: CPython 3.11 stands still where
    another thread is traced meanwhile.
    """
    reader, writer = os.pipe()
    before = set(threading.enumerate())
    yield reader
    os.close(writer)
    for thread in set(threading.enumerate()) - before:
        thread.join(60)
        assert not thread.is_alive()
    os.close(reader)


@pytest.mark.slow
def test_a_call_of_c(endless: int) -> None:
    """A script that waits in a call of C is answered in time as well."""
    script = f"import os\ndef compose(ctx):\n    os.read({endless}, 1)\n"
    assert "takes longer than 0.2 seconds" in fatal(script, timeoutSeconds=0.2)


def test_limit_hits_no_other_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Code that ends just before it is ended keeps its thread until then: its number can't be another thread's."""
    go = threading.Event()
    found: list[threading.Thread] = []
    end = limit._end

    def end_late(run: Any) -> None:
        go.set()
        assert run.over.wait(60)
        run.thread.join(0.1)
        assert run.thread.is_alive()
        found.append(run.thread)
        end(run)

    monkeypatch.setattr(limit, "_end", end_late)
    with pytest.raises(TooLong):
        run_limited(lambda: go.wait(60) and None, 0.01)
    found[0].join(60)
    assert not found[0].is_alive()


@pytest.mark.slow
def test_limit_comes_in_time_or_never(endless: int) -> None:
    """Code that ends just when the limit comes either counts as too long or as done, and what comes later is safe."""
    for number in range(60):
        done = []

        def work(number: int = number, done: list[int] = done) -> None:
            time.sleep(0.0005 + number * 2e-5)
            done.append(1)

        try:
            run_limited(work, 0.001)
            assert done
        except TooLong:
            pass
    time.sleep(0.3)
    run_limited(lambda: None, 60)
    with pytest.raises(TooLong):
        run_limited(lambda: os.read(endless, 1), 0.01)
    with pytest.raises(ValueError, match="no"):
        run_limited(lambda: int("no"), 60)


def test_a_text_is_compiled_once() -> None:
    """The same text is one compiled function, also for calls at the same time; another text is another one."""
    script = "import itertools\nCOUNT = itertools.count()\nnext(COUNT)\ndef compose(ctx):\n    pass\n"
    found = []
    threads = [threading.Thread(target=lambda: found.append(compiled(script))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({id(getattr(one, "__self__", one)) for one in [*found, compiled(script)]}) == 1
    assert compiled(script + "#") is not compiled(script)


INPUT = """\
input:
  apiVersion: scripts.fn.crossplane.io/v1beta1
  kind: Script
  script: |
"""
COMPOSITION = files_of.composition_of(
    "Shop", "shop", files_of.step("script", "function-script", INPUT + textwrap.indent(SCRIPT, " " * 4))
)
FUNCTIONS = files_of.function("function-script", "crossplane_lite.scripts:function")


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files of a composite, a Composition with a script and its function, in the current folder."""
    monkeypatch.chdir(tmp_path)
    Path("xr.yaml").write_text(
        "apiVersion: example.org/v1\nkind: Shop\nmetadata: {name: shop, namespace: a}\nspec: {size: small}\n"
    )
    Path("composition.yaml").write_text(COMPOSITION)
    Path("functions.yaml").write_text(FUNCTIONS)
    return ["xr.yaml", "composition.yaml", "functions.yaml"]


def test_render(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """render works on a Composition with a script as on one with a packaged function."""
    assert main(["render", *files]) == 0
    assert capsys.readouterr().out.count("\nkind: ConfigMap") == 1


def test_simulate(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """simulate shows in which order the script's resources appear."""
    assert main(["simulate", *files]) == 0
    assert "2 resources in 2 waves" in capsys.readouterr().out


def test_graph(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """graph shows who waits for whom in a script."""
    assert main(["graph", *files, "--format", "text"]) == 0
    lines = [line.split()[:2] for line in capsys.readouterr().out.splitlines()]
    assert ["settings", "ConfigMap"] in lines
    assert ["consumer", "ConfigMap"] in lines


def test_diff(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """diff shows what another script changes of what the first one has made."""
    assert main(["render", *files]) == 0
    # Without the composite, which comes first.
    Path("observed.yaml").write_text(capsys.readouterr().out.removeprefix("---").split("\n---\n", 1)[1])
    assert main(["diff", *files, "-o", "observed.yaml"]) == 0
    assert "\n= kept: settings\n" in capsys.readouterr().out
    text = Path("composition.yaml").read_text()
    Path("composition.yaml").write_text(text.replace("= xr.observed.spec.size", '= "large"'))
    assert main(["diff", *files, "-o", "observed.yaml"]) == 0
    assert '\n    data.size: "small" -> "large"\n' in capsys.readouterr().out
    Path("composition.yaml").write_text(text.replace('ctx.resource("settings"', 'ctx.resource("options"'))
    assert main(["diff", *files, "-o", "observed.yaml"]) == 3
    assert "\n- delete settings (ConfigMap " in capsys.readouterr().out


def test_conforms(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """A script keeps to the functions specification, in the same process and served; without one, that is asked for."""
    testing.assert_conforms(function, testing.request(XR, input={"script": SCRIPT}))
    Path("input.yaml").write_text("script: |\n" + textwrap.indent(SCRIPT, "  "))
    with serving("crossplane_lite.scripts:function", "--insecure") as server:
        assert main(["conformance", server.address, "--xr", files[0], "--input", "input.yaml"]) == 0
        assert capsys.readouterr().out == "the function keeps to the functions specification\n"
        assert main(["conformance", server.address, "--xr", files[0]]) == 0
        assert "the step has no script" in capsys.readouterr().out


@pytest.mark.slow
def test_served() -> None:
    """Served as any function, it answers a call over gRPC."""
    from crossplane_lite.proto import _view

    data = testing.request(XR, input={"script": SCRIPT})
    with serving("crossplane_lite.scripts:function", "--insecure") as server, channel(server.address) as opened:
        found = _view.RunFunctionResponse.FromString(raw_call(opened, data))
    assert list(found.desired.resources) == ["settings"]
