"""The site: it builds without a warning, each link in it leads somewhere, and nothing is shown raw."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from crossplane_lite._tools.commands.hints import _flags, parser_of
from crossplane_lite._tools.commands.table import COMMANDS
from tests.docs.blocks import ROOT, blocks, pages
from tests.recorder.report.browser import PROGRAM, browser, needs_axe, needs_browser
from tests.runtime.serving import run_command

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site's folder, built from the pages as they are."""
    folder = tmp_path_factory.mktemp("site")
    flags = ["-W", "--keep-going", "-q", "-b", "html", "-d", str(folder / "trees")]
    command = [sys.executable, "-m", "sphinx", *flags, str(ROOT / "docs"), str(folder / "html")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    return folder / "html"


class _Page(HTMLParser):
    """Collects what a page links to, what can be linked to in it, and its text.

    Attributes:
        links: The addresses that it links to.
        anchors: The places in it that can be linked to.
        tags: The tags of the article, in their order.
        prose: The article's text, without code.
        code: The code inside of sentences.
    """

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors = {""}
        self.tags: list[str] = []
        self.prose, self.code = "", []  # type: str, list[str]
        self._open: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.anchors.update(value for value in (given.get("id"), given.get("name")) if value)
        key = {"a": "href", "link": "href", "img": "src", "script": "src"}.get(tag, "")
        if given.get(key):
            self.links.append(str(given[key]))
        if tag in ("article", "code", "pre", "script"):
            self._open.append(tag)
        if "article" in self._open:
            self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._open and self._open[-1] == tag:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        if self._open == ["article"]:
            self.prose += data
        elif self._open == ["article", "code"]:
            self.code.append(data)


def test_links(site: Path) -> None:
    """Each link to a page, an anchor, a picture or a style sheet of the site has one."""
    found = {path: _Page(path) for path in site.rglob("*.html")}
    assert len(found) > 40
    broken = []
    for path, page in found.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.exists() or (target in found and unquote(parts.fragment) not in found[target].anchors):
                broken.append(f"{path.relative_to(site)}: {link}")
    assert not broken


def test_every_page_is_in_the_navigation(site: Path) -> None:
    """The front page's navigation leads to each page."""
    links = {urlsplit(link).path for link in _Page(site / "index.html").links}
    names = {path.relative_to(ROOT / "docs").with_suffix(".html").as_posix() for path in pages()[1:]}
    assert names - links <= {"index.html"}


def test_nothing_is_raw(site: Path) -> None:
    """No page shows markup, code as a quotation, a dash in the place of `--`, or a type made of a sentence."""
    raw = {
        "markup": r"`|::$",
        "a dash": r"\u2013[a-z]",
        "a split docstring": r"(?m)^(Return )?[Tt]ype:?$",
        "a generated docstring": "Alias for field number",
    }
    found = []
    for path in sorted(site.rglob("*.html")):
        page = _Page(path)
        found += [f"{path.name}: {what}" for what, pattern in raw.items() if re.search(pattern, page.prose)]
        found += [f"{path.name}: a quotation"] * ("blockquote" in page.tags)
        found += [f"{path.name}: {code}" for code in page.code if re.search(r"`|\bcrossplane_lite\._[a-z]", code)]
    assert not found


def test_the_first_sentence(site: Path) -> None:
    """Each page begins with a sentence, before its first section, table or block."""
    found = []
    for page in pages()[1:]:
        tags = _Page((site / page.relative_to(ROOT / "docs")).with_suffix(".html")).tags
        after = next(
            (tag for tag in tags[tags.index("h1") :] if tag in ("p", "section", "table", "pre", "ul", "dl")), ""
        )
        if after != "p":
            found.append(page.name)
    assert found == ["changelog.rst"], "the changelog alone begins with a version"


def test_whole_rows(site: Path) -> None:
    """No row of a table goes on in the next one: a simple table begins a row wherever its first column has text."""
    text = "".join(
        path.read_text(encoding="utf-8")
        for path in (site / "explanation", site / "reference")
        for path in sorted(path.glob("*.html"))
    )
    rows = re.findall(r"<tr[^>]*>(.*?)</tr>", text, flags=re.DOTALL)
    assert len(rows) > 300
    cells = [
        [re.sub(r"<[^>]*>", "", cell).strip() for cell in re.findall(r"<td.*?</td>", row, flags=re.DOTALL)]
        for row in rows
    ]
    assert [row for row in cells if row and row[0].endswith(",")] == []


def test_the_command_line(site: Path) -> None:
    """The reference has each command with each of its flags, in the groups of --help and in their order."""
    text = (site / "reference" / "command-line.html").read_text(encoding="utf-8")
    for name in COMMANDS:
        section = text.partition(f'id="command-{name}"')[2].partition('<section id="command-')[0]
        assert section, name
        parser = parser_of(name)
        if parser is None:
            continue
        for flag in _flags(parser).keys() - {"-h", "--help"}:
            assert flag in text, f"{name} {flag}"
        groups = re.findall(r"(?m)^([a-z][\w -]*):$", parser.format_help().partition("\n\n")[2])
        titles = {"positional arguments": "Arguments"}
        wanted = [titles.get(group, group.capitalize()) for group in groups if group != "examples"]
        shown = re.findall(r"<p><strong>(.*?)</strong></p>", section)
        # The page has no list of --help alone, nor of commands, which have sections of their own.
        bare = {"Options", "Arguments"} - set(shown)
        assert shown == [title for title in wanted if title not in bare], name


def test_the_flags_of_a_server() -> None:
    """The page on serving has the flags of `serve --help`, in their order."""
    page = (ROOT / "docs" / "reference" / "serving.rst").read_text(encoding="utf-8")
    shown = [flag for line in re.findall(r"(?m)^``--.*(?=\n    )", page) for flag in re.findall(r"``(--[a-z-]+)", line)]
    help_ = run_command("serve", "--help").stdout
    assert shown == re.findall(r"(?m)^  (--[a-z-]+)", help_)


def test_blocks_are_those_that_docutils_sees() -> None:
    """The collector finds each code block that Sphinx shows, and no other."""
    import docutils.core
    import docutils.nodes
    from docutils.parsers.rst import Directive, directives, roles
    from docutils.parsers.rst.directives.body import CodeBlock

    class Code(CodeBlock):
        option_spec = {**CodeBlock.option_spec, "caption": directives.unchanged}

    class Nothing(Directive):
        has_content = True
        optional_arguments = 9
        option_spec = dict.fromkeys(
            ("maxdepth", "glob", "hidden", "caption", "members", "no-members", "sorted", "widths"), directives.unchanged
        )

        def run(self) -> list[docutils.nodes.Node]:
            return []

    directives.register_directive("code-block", Code)
    for name in ("toctree", "autofunction", "autoclass", "autoexception", "automodule", "commands", "glossary"):
        directives.register_directive(name, Nothing)
    directives.register_directive("py:data", Nothing)
    roles.register_generic_role("doc", docutils.nodes.literal)
    compared = 0
    for page in pages():
        if page.name == "changelog.rst":
            continue
        tree = docutils.core.publish_doctree(
            page.read_text(encoding="utf-8"),
            source_path=str(page),
            settings_overrides={"report_level": 5, "syntax_highlight": "none"},
        )
        seen = [node.astext().split() for node in tree.findall(docutils.nodes.literal_block)]
        ours = [block.text.split() for block in blocks(page) if block.mark != "setup" and block.text]
        assert ours == seen, page
        compared += len(seen)
    assert compared > 150


# Shows each page in a frame of a width, and writes down the pages that are wider than their frame.
_MEASURING = """<!DOCTYPE html><body><pre id="found"></pre><script>
async function measured() {
  const wide = [];
  for (const page of PAGES) for (const width of [360, 768, 1400]) {
    const frame = document.createElement("iframe");
    frame.width = width; frame.height = 900; frame.src = page;
    document.body.append(frame);
    await new Promise(done => frame.onload = done);
    const found = frame.contentDocument.documentElement.scrollWidth;
    if (found > width) wide.push(page + " at " + width + ": " + found);
    frame.remove();
  }
  document.getElementById("found").textContent = "measured " + PAGES.length + "\\n" + wide.join("\\n");
}
measured();
</script>"""


@needs_browser
def test_no_page_is_wider_than_its_window(site: Path) -> None:
    """In a real browser no page has to be scrolled sideways, at the width of a phone, a tablet and a screen."""
    assert PROGRAM is not None
    names = sorted(path.relative_to(site).as_posix() for path in site.rglob("*.html"))
    (site / "measuring.html").write_text(_MEASURING.replace("PAGES", json.dumps(names)), encoding="utf-8")
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files"]
    command = [PROGRAM, *flags, "--virtual-time-budget=600000", "--dump-dom", (site / "measuring.html").as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    (site / "measuring.html").unlink()
    found = re.search(r'<pre id="found">measured (\d+)\n(.*?)</pre>', done.stdout, re.DOTALL)
    assert found is not None, done.stderr[-500:]
    assert int(found[1]) == len(names) > 40
    assert found[2].strip() == ""


@needs_browser
@needs_axe
@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [400, 1600])
def test_nobody_is_kept_out_of_the_front_page(site: Path, tmp_path: Path, width: int, dark: bool) -> None:
    """axe finds nothing on the front page, in light and dark, on a phone and on a screen."""
    with browser(tmp_path) as chromium:
        chromium.look(width, dark=dark)
        chromium.open(site / "index.html")
        assert chromium.barriers() == []


@needs_browser
def test_words_that_stay_whole(site: Path, tmp_path: Path) -> None:
    """On a phone, a command in a sentence is broken only if no line has room for it, and a title not within a word."""
    whole = """[...document.querySelectorAll('article h1, article p > code')].filter(one => {
        const range = document.createRange();
        range.selectNodeContents(one);
        return new Set([...range.getClientRects()].map(box => box.top)).size > 1;
    }).map(one => one.innerText)"""
    with browser(tmp_path) as chromium:
        chromium.look(400)
        chromium.open(site / "index.html")
        assert chromium.run(whole) == []
