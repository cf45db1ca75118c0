"""The page in a real browser: keyboard, links, sizes, dark mode, hostile recordings, large ones."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from crossplane_lite._tools.recorder.recording import Recording
from crossplane_lite._tools.recorder.report.facts import facts
from crossplane_lite._tools.recorder.report.moments import recorded, simulated
from crossplane_lite._tools.recorder.report.page import write
from tests.graph.graphs import NASTY
from tests.recorder.recordings import NETWORK, at, event, write_call, writer
from tests.recorder.report.browser import Browser, browser, needs_browser
from tests.recorder.report.pages import record, state
from tests.simulate.simulating import chain
from tests.simulate.simulating import simulated as simulation

pytestmark = [needs_browser, pytest.mark.slow, pytest.mark.real]

RUN = "window.hacked = true"
HOSTILE = [
    *NASTY,
    f"</script><script>{RUN}</script>",
    f"<img src=x onerror='{RUN}'>",
    f'"><svg onload="{RUN}">',
    f"javascript:{RUN}",
    f"';{RUN};//",
    f"${{{RUN}}}",
    f"]]><!--<script>{RUN}</script>-->",
    *("__proto__", "constructor", "hidden", "\u2028", "@", "#", "%", "%zz", "a@b#c"),
]
_DANGEROUS = """[...document.querySelectorAll('#app *')].filter(element =>
    element.matches('script, style, img, iframe, object, embed, base, link, meta')
    || [...element.attributes].some(one => one.name.startsWith('on')
    || ['src', 'srcdoc', 'style', 'action'].includes(one.name)
    || one.name === 'href' && !one.value.startsWith('#'))).map(element => element.outerHTML)"""


@pytest.fixture(scope="module")
def open_browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """One browser for all tests."""
    with browser(tmp_path_factory.mktemp("profile")) as made:
        yield made


@pytest.fixture
def chromium(open_browser: Browser) -> Iterator[Browser]:
    """A browser that has nothing to complain about in the end, and that has asked for nothing but the page."""
    open_browser.problems.clear()
    open_browser.requests.clear()
    open_browser.look(1400)
    yield open_browser
    assert open_browser.problems == []
    assert {url.partition(":")[0] for url in open_browser.requests} <= {"file", "about"}
    assert open_browser.run("performance.getEntriesByType('resource').length") == 0


def page_of(recording: Path, file: Path) -> Path:
    """Write the page of a recording."""
    found = Recording(recording)
    write(facts(recording.name, recorded(found, {}), found.notes), file)
    return file


@pytest.fixture
def simulated_page(tmp_path: Path) -> Path:
    """The page of a simulation of five rounds and one composite."""
    write(facts("XNetwork net", simulated(simulation(chain), None)), tmp_path / "page.html")
    return tmp_path / "page.html"


@pytest.fixture
def recorded_page(tmp_path: Path) -> Path:
    """The page of a recording of three composites, of which one waits and one fails."""
    made = writer(tmp_path / "recording")
    things: dict[str, Any] = {"a": {"spec": {"size": 1}}, "b": {"spec": {"size": 1}}}
    for second in range(6):
        answer: dict[str, Any] = {"desired": state(**things)}
        if second == 3:
            things = {"a": {"spec": {"size": 2}}}
        for name in ("one", "two"):
            about = {"trace": f"{name}{second}", "subject": NETWORK._replace(name=name)}
            write_call(made, {"observed": state(**things)}, answer, second + (name == "two") / 2, **about)
    write_call(made, {"observed": state()}, "connection refused", 9, trace="x", subject=NETWORK._replace(name="bad"))
    made.close()
    return page_of(tmp_path / "recording", tmp_path / "page.html")


def where(chromium: Browser) -> int:
    """Return the number of the reconcile that is shown."""
    return int(chromium.text("#where").split()[0])


def test_steps_by_keyboard(chromium: Browser, simulated_page: Path) -> None:
    """Arrow keys move through time from anywhere, the slider follows, and they stop at both ends."""
    chromium.open(simulated_page)
    last = where(chromium)
    assert last == int(chromium.run("document.getElementById('slider').max")) + 1
    chromium.press("ArrowRight")
    assert where(chromium) == last
    for number in reversed(range(1, last)):
        chromium.press("ArrowLeft")
        assert where(chromium) == number
        assert chromium.run("document.getElementById('slider').value") == str(number - 1)
    chromium.press("ArrowLeft")
    assert where(chromium) == 1
    assert "subnet waits for vpc.status.atProvider.vpcId" in chromium.text("#moment")
    assert "held back" in chromium.run("document.querySelector('#moment svg').textContent")
    chromium.run("document.getElementById('slider').focus()")
    chromium.press("ArrowRight")
    assert where(chromium) == 2
    chromium.press("End")
    assert where(chromium) == last
    assert "held back" not in chromium.run("document.querySelector('#moment svg').textContent")


def test_arrows_in_the_filter_stay_there(chromium: Browser, recorded_page: Path) -> None:
    """In the filter's field, arrow keys move the cursor, and what is typed chooses among the XRs."""
    chromium.open(recorded_page)
    before = where(chromium)
    chromium.run("document.getElementById('filter').focus()")
    chromium.send("Input.insertText", text="team/t")
    chromium.press("ArrowLeft")
    assert where(chromium) == before
    assert "team/two" in chromium.text("#list") and "team/one" not in chromium.text("#list")


def test_from_change_to_change(chromium: Browser, recorded_page: Path) -> None:
    """With shift, arrow keys jump over reconciles that are as the ones before."""
    chromium.open(recorded_page, "#XNetwork/team/one@")
    assert where(chromium) == 6
    found = []
    for _ in range(3):
        chromium.press("ArrowLeft", shift=True)
        found.append(where(chromium))
    assert found == [5, 4, 1]
    chromium.press("ArrowRight", shift=True)
    assert where(chromium) == 4
    assert "deletes" not in chromium.text("#moment")
    chromium.press("ArrowRight", shift=True)
    assert "no longer: b" in chromium.text("#moment")


def test_links_keep_the_place(chromium: Browser, recorded_page: Path) -> None:
    """The address names the composite and the time, and shows the same when it is opened again."""
    chromium.open(recorded_page, "#XNetwork/team/two@")
    for _ in range(2):
        chromium.press("ArrowLeft")
    link, shown = f"#XNetwork/team/two@{at(3.5)}", chromium.text("#moment")
    chromium.until(f"location.hash == {json.dumps(link)}")
    chromium.open(recorded_page, link)
    assert chromium.text("#moment") == shown
    # The beginning of a time means the last reconcile before it, as on the command line.
    chromium.open(recorded_page, f"#XNetwork/team/two@{at(3.5)[:-8]}")
    assert chromium.text("#moment") == shown


def test_links_to_xrs(chromium: Browser, recorded_page: Path) -> None:
    """A click on an XR shows its last reconcile, and the way through time is its own; `all` has all of them."""
    chromium.open(recorded_page)
    assert chromium.text("#where") == "13 of 13, all XRs"
    assert "connection refused" in chromium.text("#moment .error")
    chromium.run("[...document.querySelectorAll('#list a')].find(a => a.innerText.includes('one')).click()")
    chromium.until("document.getElementById('where').textContent == '6 of 6, XNetwork/team/one'")
    chromium.run("document.querySelector('#list a').click()")
    chromium.until("document.getElementById('where').textContent == '13 of 13, all XRs'")


@pytest.mark.parametrize(
    "fragment", ["#%", "#nobody@never", "#@", "#@zzz", "#__proto__", f"#<img src=x onerror={RUN}>"]
)
def test_links_that_lead_nowhere(chromium: Browser, recorded_page: Path, fragment: str) -> None:
    """An address with any other text shows the last reconcile of all."""
    chromium.open(recorded_page, fragment)
    assert chromium.text("#where") == "13 of 13, all XRs"


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [360, 768, 1400])
def test_it_fits(chromium: Browser, recorded_page: Path, tmp_path: Path, width: int, dark: bool) -> None:
    """The page is no wider than the window, from 360 pixels on, and follows the choice of light or dark."""
    chromium.look(width, dark=dark)
    for page in (recorded_page, page_of(hostile(tmp_path / "hostile"), tmp_path / "hostile.html")):
        chromium.open(page, "#@18:30")
        assert chromium.run("document.documentElement.scrollWidth") == width
        colour = chromium.run("getComputedStyle(document.documentElement).backgroundColor")
        red = int(re.findall(r"\d+", colour)[0])
        assert (red < 50) if dark else (red > 200)


def hostile(folder: Path) -> Path:
    """Record strings that try to run scripts, in all places."""
    made = writer(folder)
    names = [text.replace("\ud800", "?") or "x" for text in HOSTILE]
    for second, text in enumerate(names):
        things = {name: {"kind": text, "spec": {text: text, "list": [{"name": text, "value": name}]}} for name in names}
        observed, desired = state(**{names[0]: things[names[0]]}), state(**things)
        composite = observed["composite"]["resource"]
        composite["status"] = {
            "conditions": [{"type": text, "status": text, "reason": text, "message": text}],
        }
        desired["composite"]["resource"]["status"] = {text: text}
        answer = {
            "desired": desired,
            "results": [{"severity": "SEVERITY_NORMAL", "message": text, "reason": text}],
            "conditions": [{"type": text, "status": "STATUS_CONDITION_TRUE", "reason": text, "message": text}],
            "context": {
                "crossplane-lite.dev/held-back": {text: {"held": [text]}},
            },
        }
        subject = NETWORK._replace(kind=text, namespace=text, name=text)
        about: dict[str, Any] = {"trace": text + str(second), "step": text, "function": text, "subject": subject}
        write_call(made, {"observed": observed}, answer, second, **about)
        made.write(event("request", **{**about, "trace": f"time{second}"})._replace(time=text), b"{}")
        write_call(made, {"observed": observed}, text, second + 0.5, **{**about, "trace": f"error{second}"})
        made.write(event("request", second, **{**about, "trace": f"lost{second}"}), b"{}")
    made.close()
    return folder


def test_a_hostile_recording_runs_nothing(chromium: Browser, tmp_path: Path) -> None:
    """Strings of any kind, in any place of a recording, are shown as they are, and run nothing."""
    page = page_of(hostile(tmp_path / "hostile"), tmp_path / "hostile.html")
    chromium.open(page)
    elements = chromium.run("document.querySelectorAll('script, style, img, iframe, object, embed, base').length")
    assert elements == 3  # the style, the data and the script
    seen = set()
    count = int(chromium.run("document.getElementById('slider').max")) + 1
    assert count == 4 * len(HOSTILE)
    for _ in range(count):
        assert chromium.run(_DANGEROUS) == []
        seen.add(chromium.run("document.querySelector('#moment h2').textContent"))
        chromium.run("document.querySelectorAll('#moment details').forEach(one => one.open = true)")
        chromium.press("ArrowLeft")
        assert chromium.run("typeof window.hacked") == "undefined"
    assert any("<script>" in one for one in seen) and any("onerror" in one for one in seen)


def test_the_policy_holds(open_browser: Browser, simulated_page: Path) -> None:
    """If the script were to make HTML or a script from text, the browser would refuse it."""
    open_browser.open(simulated_page)
    for attack in (
        f"document.body.innerHTML = {json.dumps(f'<img src=x onerror={RUN}>')}",
        f"document.body.append(Object.assign(document.createElement('script'), {{text: {json.dumps(RUN)}}}))",
        f"document.body.setAttribute('onclick', {json.dumps(RUN)}); document.body.click()",
        "fetch('https://example.org/')",
    ):
        tried = f"(async () => {{ {attack} }})().then(() => 0, () => 0)"
        open_browser.run(f"{tried}.then(() => document.body && document.body.click())")
        assert open_browser.run("typeof window.hacked") == "undefined"
    assert open_browser.problems


def test_after_a_failure(chromium: Browser, tmp_path: Path) -> None:
    """What a step changes is compared with the last reconcile in which the step answered, over a failure between."""
    made = writer(tmp_path / "recording")
    for second, answer in enumerate([{"desired": state(a={})}, "connection refused", {"desired": state(a={}, b={})}]):
        write_call(made, {"observed": state()}, answer, second, trace=f"t{second}")
    made.close()
    chromium.open(page_of(tmp_path / "recording", tmp_path / "page.html"))
    shown = chromium.text("#moment section")
    assert "adds b" in shown and "1 as before" in shown
    chromium.press("ArrowLeft")
    assert "connection refused" in chromium.text("#moment .error")


def test_no_reconcile(chromium: Browser, tmp_path: Path) -> None:
    """The page of an empty recording says so."""
    writer(tmp_path / "recording").close()
    chromium.open(page_of(tmp_path / "recording", tmp_path / "page.html"))
    assert "no reconcile" in chromium.text("#problem")


def test_a_large_recording(chromium: Browser, tmp_path: Path) -> None:
    """2,000 reconciles of 300 composites make a page of at most a tenth of the recording, and each step is quick."""
    run = simulation(chain)
    one = record(tmp_path / "one", run)
    lines = [json.loads(line) for file in sorted(one.iterdir()) for line in file.read_text().splitlines()[1:]]
    contents = {line["content"]: line["json"] for line in lines if "json" in line}
    made = writer(tmp_path / "many", 1 << 26, 1 << 30)
    calls = list(Recording(one).calls)
    for number in range(2000):
        name = f"net-{number % 300:03}"
        call = calls[number // 300 % len(calls)]
        asked, answered = (
            json.loads(json.dumps(contents[content.hash]).replace("net", name))
            for content in (call.asked, call.answered)
            if content
        )
        subject = NETWORK._replace(name=name, uid=name)
        write_call(made, asked, answered, number / 40, trace=f"t{number}", subject=subject)
    made.close()
    page = page_of(tmp_path / "many", tmp_path / "page.html")
    size = sum(file.stat().st_size for file in (tmp_path / "many").iterdir())
    assert page.stat().st_size < 0.1 * size
    chromium.open(page)
    assert chromium.text("#where") == "2000 of 2000, all XRs"
    assert chromium.run("document.querySelectorAll('#list li').length") == 301
    for _ in range(20):
        chromium.press("ArrowLeft")
    assert where(chromium) == 1980
