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
from crossplane_lite._tools.simulate.effects import effects_of
from crossplane_lite._tools.simulate.report import Loss
from tests.graph.graphs import NASTY
from tests.recorder.recordings import NETWORK, at, event, write_call, writer
from tests.recorder.report.browser import Browser, browser, needs_axe, needs_browser
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
    chromium.open(simulated_page, "#@")
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


def lost(tmp_path: Path, *paths: str) -> Path:
    """Write the page of a simulation after which values and resources get lost."""
    run = simulation(chain)
    steady = run.rounds[-1].rendered
    losses = []
    for path in paths:
        name, _, field = path.partition(".")
        after = run.degrade(name, field) if field else run.drop(name)
        losses.append(Loss("degrade" if field else "drop", path, effects_of(steady, after), None, after.rendered))
    write(facts("XNetwork net", simulated(run, None, losses)), tmp_path / "lost.html")
    return tmp_path / "lost.html"


def test_it_opens_where_something_waits(chromium: Browser, simulated_page: Path) -> None:
    """Without a link's place, a page opens on the first reconcile in which something waits."""
    chromium.open(simulated_page)
    assert where(chromium) == 1
    assert "subnet waits for" in chromium.text("#moment")


def test_it_opens_where_something_is_kept(chromium: Browser, tmp_path: Path) -> None:
    """After a loss, a page opens on the reconcile that keeps what it has, and a link leads to the round before."""
    page = lost(tmp_path, "subnet", "vpc.status.atProvider.vpcId")
    chromium.open(page)
    assert "round 5 without vpc.status.atProvider.vpcId" in chromium.text("#moment")
    assert "keeps subnet, though values for them are missing" in chromium.text("#moment")
    assert "keeps 1" in chromium.text("#bars [aria-current]")
    chromium.open(page, "#XNetwork/net@round 5")
    assert where(chromium) == 5
    # Both losses are compared with the last round, and not with each other.
    chromium.press("ArrowRight")
    assert "creates subnet" in chromium.text("#moment")
    chromium.press("ArrowRight")
    assert "creates subnet" not in chromium.text("#moment") and "no longer" not in chromium.text("#moment")


def test_it_opens_where_something_is_lost(chromium: Browser, tmp_path: Path) -> None:
    """A page opens on the first reconcile that deletes something, even if another waits before it."""
    made = writer(tmp_path / "recording")
    waits = {"context": {"crossplane-lite.dev/held-back": {"f": {"held": ["b"]}}}}
    for second, (observed, desired) in enumerate([("a", "a"), ("a", ""), ("", ""), ("", "c")]):
        answer = {"desired": state(**dict.fromkeys(desired, {})), **(waits if second == 0 else {})}
        write_call(made, {"observed": state(**dict.fromkeys(observed, {}))}, answer, second, trace=f"t{second}")
    made.close()
    chromium.open(page_of(tmp_path / "recording", tmp_path / "page.html"))
    assert where(chromium) == 2
    assert "deletes" in chromium.text("#moment")


def test_it_opens_on_the_last_change(chromium: Browser, tmp_path: Path) -> None:
    """Where nothing waits and nothing is lost, a page opens on the last reconcile that differs from the one before."""
    made = writer(tmp_path / "recording")
    for second, size in enumerate([1, 2, 2, 2]):
        thing = {"a": {"spec": {"size": size}}}
        write_call(made, {"observed": state(**thing)}, {"desired": state(**thing)}, second, trace=f"t{second}")
    made.close()
    chromium.open(page_of(tmp_path / "recording", tmp_path / "page.html"))
    assert where(chromium) == 2


def test_what_the_bars_mean(chromium: Browser, tmp_path: Path) -> None:
    """Each bar has its number and what happened below it, and the legend has the colours that are there."""
    chromium.open(lost(tmp_path, "vpc.status.atProvider.vpcId"))
    bars = chromium.run("[...document.querySelectorAll('#bars li')].map(one => one.innerText.split('\\n'))")
    assert bars[0] == ["1", "creates 1, 2 wait"]
    assert bars[-2:] == [["5", "changes nothing"], ["6", "keeps 1"]]
    assert chromium.run("document.getElementById('slider').getAttribute('aria-valuetext')").endswith(": keeps 1")
    legend = chromium.text("#legend").splitlines()
    assert legend == ["keeps what it has, though a value is missing", "waits for a value", "none of these"]
    chromium.look(280)
    chromium.until("document.querySelector('#bars li')?.innerText === '1'")


def test_bars_can_be_clicked(chromium: Browser, simulated_page: Path) -> None:
    """A click below a bar shows its reconcile, and buttons with words move on from there."""
    chromium.open(simulated_page)
    chromium.click("#bars li:nth-child(3)")
    assert where(chromium) == 3
    names = chromium.run("[...document.querySelectorAll('.controls button')].map(one => one.innerText)")
    assert names == ["Previous", "Next", "Previous change", "Next change"]
    chromium.click("#on")
    assert where(chromium) == 4
    chromium.click("#back-change")
    assert where(chromium) == 3


def test_boxes_take_the_room(chromium: Browser, tmp_path: Path) -> None:
    """Boxes of the graph are as wide as the page allows; what is cut has its middle left out, and a title."""
    kind = "VeryLongKindOfTheOtherSide"
    made = writer(tmp_path / "recording")
    write_call(made, {"observed": state()}, {"desired": state(a={"kind": kind})})
    made.close()
    page = page_of(tmp_path / "recording", tmp_path / "page.html")
    width = "Number(document.querySelector('#moment rect').getAttribute('width'))"
    chromium.look(1600)
    chromium.open(page)
    lines = "[...document.querySelectorAll('#moment g text')].map(one => one.textContent)"
    assert chromium.run(lines)[1] == kind
    widest = chromium.run(width)
    chromium.look(250)
    chromium.until(f"{width} < {widest}")
    assert re.fullmatch("Very.*….*Side", chromium.run(lines)[1])
    assert kind in chromium.run("document.querySelector('#moment g title').textContent")


def test_long_kinds_and_fields(chromium: Browser, tmp_path: Path) -> None:
    """A long kind and a long field are cut in the middle, and whole in their titles."""
    kind, field = "K" * 80, "f" * 50 + "g" * 50
    made = writer(tmp_path / "recording")
    write_call(made, {"observed": state()}, {"desired": state(a={"kind": kind, "spec": {field: 1}})})
    made.close()
    chromium.open(page_of(tmp_path / "recording", tmp_path / "page.html"))
    for selector, whole in ((".change .quiet", f"{kind} of example.org/v1"), (".change .path", f"spec.{field}")):
        assert re.fullmatch(f"{whole[:9]}.*….*{whole[-9:]}", chromium.text(selector))
        assert chromium.run(f"document.querySelector('{selector}').title") == whole


def test_values_on_arrows(chromium: Browser, simulated_page: Path) -> None:
    """With a resource that is chosen, its arrows have the values that they stand for, in each reconcile."""
    chromium.open(simulated_page)
    shown = "[...document.querySelectorAll('text.value')].filter(one => getComputedStyle(one).display !== 'none')"
    labels = f"{shown}.map(one => one.lastChild.textContent)"
    assert chromium.run(labels) == []
    chromium.run("[...document.querySelectorAll('[data-node]')].find(one => /^vpc/.test(one.textContent)).focus()")
    chromium.press("Enter")
    assert chromium.run(labels) == ["vpcId"]
    assert chromium.run(f"{shown}[0].firstChild.textContent").startswith("subnet needs vpc.status.atProvider.vpcId")
    chromium.press("ArrowRight")
    assert where(chromium) == 2
    assert chromium.run(labels) == ["vpcId"]
    assert chromium.run("document.activeElement.getAttribute('aria-pressed')") == "true"
    assert chromium.run("document.activeElement.dataset.name") == "vpc"
    chromium.press("Enter")
    assert chromium.run(labels) == []
    chromium.click("[data-node]")
    assert chromium.run("document.querySelectorAll('[aria-pressed=true]').length") == 1


@needs_axe
@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [400, 1600])
def test_nobody_is_kept_out(open_browser: Browser, recorded_page: Path, tmp_path: Path, width: int, dark: bool) -> None:
    """axe finds nothing: all has names and contrast, in light and dark, on a phone and on a screen."""
    open_browser.look(width, dark=dark)
    for page in (recorded_page, lost(tmp_path, "vpc.status.atProvider.vpcId")):
        open_browser.open(page)
        assert open_browser.barriers() == []


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
@pytest.mark.parametrize("width", [360, 400, 900, 1600])
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
    chromium.open(page, "#@")
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
    chromium.open(page_of(tmp_path / "recording", tmp_path / "page.html"), "#@")
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
    chromium.open(page, "#@")
    assert chromium.text("#where") == "2000 of 2000, all XRs"
    assert chromium.run("document.querySelectorAll('#bars li').length") == 0
    assert chromium.run("document.querySelectorAll('#list li').length") == 301
    for _ in range(20):
        chromium.press("ArrowLeft")
    assert where(chromium) == 1980
