"""Parts of the site: the reference of the command line, links to pages that GitHub can follow, and
docstrings.
"""

from __future__ import annotations

import argparse
import os
import posixpath
import re
import textwrap
from collections.abc import Iterator
from typing import Any, ClassVar

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.domains.python import PyObject
from sphinx.util.docutils import SphinxDirective

from crossplane_lite._tools.commands.hints import parser_of
from crossplane_lite._tools.commands.table import COMMANDS

__all__ = ["setup"]

# The arguments of functions whose overloads say more to type checkers than to people.
_ARGUMENTS = {
    "crossplane_lite.apply": ("function", "*values"),
    "crossplane_lite.value_or": ("value", "default"),
}
# The classes that nobody makes but the package.
_MADE_HERE = {
    "crossplane_lite.context.Context",
    "crossplane_lite.schemas.Schema",
    "crossplane_lite.testing.FatalResultError",
    "crossplane_lite.testing.InvalidStatusError",
    "crossplane_lite.testing.RenderError",
    "crossplane_lite.testing.Rendered",
    "crossplane_lite.testing.Response",
    "crossplane_lite.testing.Result",
}
# Where commands are described whose flags no parser has.
_PAGES = {
    "krm": ("../how-to/krm-functions.rst", "KRM functions"),
    "serve": ("serving.rst", "Serving"),
}


class Commands(SphinxDirective):
    """A section for each command of `crossplane-lite`, made of its parser."""

    has_content: ClassVar[bool] = False

    def run(self) -> list[nodes.Node]:
        """Return the sections."""
        self.env.note_reread()  # the parsers may have changed
        # argparse wraps by the terminal's width.
        os.environ["COLUMNS"] = "80"
        found: list[nodes.Node] = []
        for name, command in COMMANDS.items():
            section = nodes.section(ids=[f"command-{name}"], names=[f"command {name}"])
            section += nodes.title("", f"crossplane-lite {name}")
            parser = parser_of(name)
            if parser is None:
                section += nodes.paragraph(
                    "", "", *_inline(f"{command.about[0].upper()}{command.about[1:]}.")
                )
                if name in _PAGES:
                    page, title = _PAGES[name]
                    link = nodes.reference("", title, refuri=page, internal=True)
                    section += nodes.paragraph(
                        "", "", link, nodes.Text(" describes it, with its flags.")
                    )
            else:
                section += list(_described(parser, name, f"command-{name}"))
            if command.examples:
                lines = "\n".join(f"crossplane-lite {example}" for example in command.examples)
                section += nodes.paragraph("", "Examples:")
                section += nodes.literal_block(lines, lines, language="text")
            found.append(section)
        return found


def _described(parser: argparse.ArgumentParser, name: str, ident: str) -> Iterator[nodes.Node]:
    usage = textwrap.dedent(
        " " * len("usage: ") + parser.format_usage().removeprefix("usage: ")
    ).strip()
    yield nodes.literal_block(usage, usage, language="text")
    yield from _told(parser.description)
    sections: list[nodes.Node] = []
    for group in parser._action_groups:
        actions = [action for action in group._group_actions if action.help != argparse.SUPPRESS]
        plain = [action for action in actions if not isinstance(action, argparse._SubParsersAction)]
        plain = [action for action in plain if not isinstance(action, argparse._HelpAction)]
        if plain:
            title = (group.title or "").capitalize().replace("Positional arguments", "Arguments")
            yield nodes.paragraph("", "", nodes.strong("", title or "Options"))
            yield _flags(parser, plain)
        for action in actions:
            if isinstance(action, argparse._SubParsersAction):
                for word, sub in action.choices.items():
                    section = nodes.section(
                        ids=[f"{ident}-{word}"], names=[f"command {name} {word}"]
                    )
                    section += nodes.title("", f"crossplane-lite {name} {word}")
                    section += list(_described(sub, f"{name} {word}", f"{ident}-{word}"))
                    sections.append(section)
    yield from _told(parser.epilog)
    yield from sections


def _flags(
    parser: argparse.ArgumentParser, actions: list[argparse.Action]
) -> nodes.definition_list:
    found = nodes.definition_list(classes=["command-flags"])
    formatter = parser._get_formatter()
    for action in actions:
        term = nodes.term("", "", nodes.literal("", formatter._format_action_invocation(action)))
        help_ = formatter._expand_help(action) if action.help else ""
        found += nodes.definition_list_item(
            "", term, nodes.definition("", nodes.paragraph("", "", *_inline(help_)))
        )
    return found


def _told(text: str | None) -> Iterator[nodes.Node]:
    """Yield paragraphs, and literal blocks for lines that are further to the right."""
    for part in (text or "").strip("\n").split("\n\n"):
        lines = part.splitlines()
        plain = [line for line in lines if not line.startswith(" ")]
        rest = textwrap.dedent("\n".join(line for line in lines if line.startswith(" ")))
        if plain:
            whole = " ".join(plain)
            yield nodes.paragraph("", "", *_inline(whole[0].upper() + whole[1:]))
        if rest:
            yield nodes.literal_block(rest, rest, language="text")


def _inline(text: str) -> Iterator[nodes.Node]:
    """Yield text, with literals for flags and for what stands between backticks."""
    for number, part in enumerate(re.split(r"`([^`]*)`|((?<![\w-])--[a-z][\w-]*)", text)):
        if part:
            yield nodes.literal("", part) if number % 3 else nodes.Text(part)


def link_pages(app: Sphinx, doctree: nodes.document, name: str) -> None:
    """Have links to other pages' sources, which GitHub follows, lead to those pages in the site."""
    for reference in doctree.findall(nodes.reference):
        target, hash_, anchor = str(reference.get("refuri", "")).partition("#")
        if "://" in target or not target.endswith(".rst"):
            continue
        other = posixpath.normpath(posixpath.join(posixpath.dirname(name), target))
        page = other.removesuffix(".rst")
        if page in app.env.found_docs:
            reference["refuri"] = app.builder.get_relative_uri(name, page) + hash_ + anchor


def escape_docstring(
    app: Sphinx, kind: str, name: str, thing: object, options: object, lines: list[str]
) -> None:
    """Keep words that end in an underscore, such as TARGET_, from being read as links."""
    lines[:] = [re.sub(r"(?<![`\w])(\w*[A-Z])_(?![\w`])", r"\1\\_", line) for line in lines]


def skip_aliases(
    app: Sphinx, kind: str, name: str, thing: object, skip: bool, options: object
) -> bool | None:
    """Leave out the fields of named tuples, which the docstring of the class describes."""
    return True if str(getattr(thing, "__doc__", "")).startswith("Alias for field number") else None


def hide_arguments(
    app: Sphinx,
    kind: str,
    name: str,
    thing: object,
    options: object,
    signature: str | None,
    returned: str | None,
) -> tuple[str, str | None] | None:
    """Leave out the arguments of classes that nobody makes but the package."""
    return ("", None) if name in _MADE_HERE else None


def show_one_signature(app: Sphinx, domain: str, kind: str, content: addnodes.desc_content) -> None:
    """Show the names of arguments in the place of overloads that only a type checker can read."""
    described = content.parent
    first, *others = described.findall(addnodes.desc_signature)
    names = _ARGUMENTS.get(f"{first.get('module')}.{first.get('fullname')}")
    if names is None:
        return
    for other in others:
        described.remove(other)
    for part in [
        *first.findall(addnodes.desc_returns),
        *first.findall(addnodes.desc_parameterlist),
    ]:
        first.remove(part)
    arguments = addnodes.desc_parameterlist()
    arguments += [
        addnodes.desc_parameter("", "", addnodes.desc_sig_name("", name)) for name in names
    ]
    first += arguments


def level_captions(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object
) -> None:
    """Say the level of the headings of page lists: a heading without one can't be read aloud as
    such.
    """
    for key in ("body", "furo_navigation_tree"):
        if key in context:
            context[key] = context[key].replace('role="heading">', 'role="heading" aria-level="2">')


def setup(app: Sphinx) -> dict[str, Any]:
    """Add the directive and the links."""
    app.add_directive("commands", Commands)
    app.connect("doctree-resolved", link_pages)
    # after the theme has made its navigation
    app.connect("html-page-context", level_captions, priority=900)
    app.connect("autodoc-process-docstring", escape_docstring)
    app.connect("autodoc-process-signature", hide_arguments)
    app.connect("object-description-transform", show_one_signature)
    app.connect("autodoc-skip-member", skip_aliases)
    for field in PyObject.doc_field_types:
        if field.name == "variable":
            field.label = "Attributes"  # the word of the docstrings
    return {"parallel_read_safe": True, "parallel_write_safe": True}
