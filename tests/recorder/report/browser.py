"""Chromium, driven over a pipe by the DevTools protocol."""

from __future__ import annotations

import base64
import importlib.util
import itertools
import json
import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

__all__ = ["PROGRAM", "Browser", "browser", "needs_axe", "needs_browser"]

_NAMES = ("chromium", "chromium-browser", "google-chrome", "chromium-headless-shell")
PROGRAM = next(filter(None, map(shutil.which, _NAMES)), None)

needs_browser = pytest.mark.skipif(PROGRAM is None, reason="Chromium is not installed")

_AXE = importlib.util.find_spec("axe_core_python")

needs_axe = pytest.mark.skipif(_AXE is None, reason="the package axe-core-python is not installed")

_SECONDS = 60
# Chromium reads commands from its descriptor 3, and writes answers to 4.
_START = """\
import fcntl, os, sys
reads, writes = (fcntl.fcntl(int(one), fcntl.F_DUPFD, 100) for one in sys.argv[1:3])
os.dup2(reads, 3)
os.dup2(writes, 4)
os.execv(sys.argv[3], sys.argv[3:])
"""
_KEYS = {"ArrowLeft": 37, "ArrowRight": 39, "Home": 36, "End": 35, "Tab": 9, "Enter": 13}


class Browser:
    """One page of a browser.

    Attributes:
        problems: All that the console has said, all exceptions and all breaches of the page's policy.
        requests: The addresses that the page has asked for.
    """

    def __init__(self, to: int, back: int) -> None:
        self._to, self._back = to, back
        self._numbers = itertools.count(1)
        self._rest = b""
        self._events: list[dict[str, Any]] = []
        self._session: str | None = None
        self.problems: list[str] = []
        self.requests: list[str] = []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def send(self, method: str, **params: Any) -> Any:
        """Call a method of the protocol, and return its result."""
        number = next(self._numbers)
        session = {"sessionId": self._session} if self._session else {}
        os.write(self._to, json.dumps({"id": number, "method": method, "params": params, **session}).encode() + b"\0")
        while True:
            message = self._message()
            if message.get("id") == number:
                assert "error" not in message, message
                return message["result"]

    def open(self, page: Path, fragment: str = "") -> None:
        """Open a page, and wait until its script has run."""
        self.send("Page.navigate", url="about:blank")
        self.send("Page.navigate", url=f"{page.resolve().as_uri()}{fragment}")
        self.until("document.readyState == 'complete' && !document.getElementById('app')?.hidden"
                   " || document.getElementById('problem')?.textContent")  # fmt: skip

    def run(self, expression: str) -> Any:
        """Return the value of an expression in the page."""
        found = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def until(self, expression: str) -> None:
        """Wait until an expression is true."""
        end = time.monotonic() + _SECONDS
        while not self.run(expression):
            assert time.monotonic() < end, expression
            time.sleep(0.05)

    def press(self, key: str, *, shift: bool = False) -> None:
        """Press a key."""
        about = {"key": key, "code": key, "windowsVirtualKeyCode": _KEYS[key], "modifiers": 8 if shift else 0}
        self.send("Input.dispatchKeyEvent", type="rawKeyDown", **about)
        self.send("Input.dispatchKeyEvent", type="keyUp", **about)

    def click(self, selector: str) -> None:
        """Click in the middle of an element."""
        box = f"document.querySelector({json.dumps(selector)}).getBoundingClientRect()"
        x, y, width, height = self.run(f"(({{x, y, width, height}}) => [x, y, width, height])({box})")
        about = {"x": x + width / 2, "y": y + height / 2, "button": "left", "clickCount": 1}
        self.send("Input.dispatchMouseEvent", type="mousePressed", **about)
        self.send("Input.dispatchMouseEvent", type="mouseReleased", **about)

    def look(self, width: int, *, dark: bool = False, height: int = 900) -> None:
        """Set the size of the window, and whether the user likes it dark."""
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", features=[scheme])

    def picture(self, file: Path) -> None:
        """Write what the window shows to a PNG file."""
        file.write_bytes(base64.b64decode(self.send("Page.captureScreenshot", format="png")["data"]))

    def barriers(self) -> list[str]:
        """Return what axe finds in the page that keeps people out, each with the first place."""
        assert _AXE is not None and _AXE.origin is not None
        # Its script isn't one that the page's policy allows.
        self.send("Page.setBypassCSP", enabled=True)
        self.run(f"{(Path(_AXE.origin).parent / 'axe.min.js').read_text(encoding='utf-8')};0")
        found = self.run("axe.run(document, {resultTypes: ['violations']}).then(found => found.violations.map("
                         "one => `${one.id}: ${one.nodes[0].target} ${one.nodes[0].failureSummary}`))")  # fmt: skip
        self.send("Page.setBypassCSP", enabled=False)
        return list(found)

    def text(self, selector: str = "body") -> str:
        """Return the text that an element shows."""
        found = self.run(f"document.querySelector({json.dumps(selector)}).innerText")
        assert isinstance(found, str)
        return found

    def _message(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            assert select.select([self._back], [], [], _SECONDS)[0], "the browser doesn't answer"
            read = os.read(self._back, 1 << 16)
            assert read, "the browser has ended"
            self._rest += read
        line, _, self._rest = self._rest.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        self._note(message.get("method"), message.get("params", {}))
        return message

    def _note(self, method: str | None, params: Any) -> None:
        if method == "Runtime.consoleAPICalled":
            self.problems.append(str([one.get("value", one.get("description")) for one in params["args"]]))
        elif method == "Runtime.exceptionThrown":
            self.problems.append(json.dumps(params["exceptionDetails"]))
        elif method == "Log.entryAdded":
            self.problems.append(params["entry"]["text"])
        elif method == "Page.javascriptDialogOpening":
            self.problems.append(f"a dialog: {params['message']}")
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])


@contextmanager
def browser(folder: Path) -> Iterator[Browser]:
    """Yield a page of a browser whose profile is in a folder."""
    assert PROGRAM is not None
    (reads, to), (back, writes) = os.pipe(), os.pipe()
    flags = [
        *("--headless=new", "--remote-debugging-pipe", f"--user-data-dir={folder}", "--no-first-run", "--disable-gpu"),
        *("--disable-background-networking", "--disable-dev-shm-usage", "--hide-scrollbars"),
        *(["--no-sandbox"] if os.geteuid() == 0 else []),
    ]
    command = [sys.executable, "-c", _START, str(reads), str(writes), PROGRAM, *flags]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            command, pass_fds=(reads, writes), stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
        )
    os.close(reads)
    os.close(writes)
    try:
        yield Browser(to, back)
    finally:
        os.close(to)
        os.close(back)
        try:
            process.wait(10)  # it ends when its pipe does
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
