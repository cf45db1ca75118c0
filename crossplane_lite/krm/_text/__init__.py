"""Edits YAML and JSON in the text itself: all parts without an edit stay byte for byte the same.

    text = parse(sys.stdin.buffer.read())
    for item in text.root.child("items").children():
        value = item.value()
        if value["kind"] == "Deployment":
            value["metadata"]["labels"] = {"team": "blue"}
            item.assign(value)
    sys.stdout.buffer.write(text.dump())

`parse` returns a `Text`. `text.root` is its only document, and `text.documents` has all documents
that aren't empty. Documents, and the elements of a list (`children()`), are `YamlNode`s. A node can
be read (`value`, `get`), and a document or an item gets a new value as a whole (`assign`). The
value may have nodes in it: those of items that stay, or of another text. Values are those of JSON,
as kpt, kustomize and kubectl read them (see `_core.base.scalars`). Values that are read are copies.
`text.dump()` returns the stream with its edits. If a function makes the same edits again in its own
output, nothing changes.

How an edit changes the text
-----------------------------
- A new value is compared with the old one, field by field, and only differences are written. An
  element of a list is compared with the equal element of the old list, else with the one that has
  the same name, port or path, else with one that has something in common, or the same position.
- A changed string keeps its quotes, or its block (`|`, and `>` if the string can be written so). A
  changed list or mapping keeps its brackets. A string is quoted if any reader, of YAML 1.1 or 1.2,
  would read it as another type.
- Fields are written in the order that the value has. A new field gets the indentation and the
  quotes of its neighbours. A field that is deleted and set again becomes the last one, as in a
  dict.
- A value is removed with its own lines, with the comment lines directly above it unless they are
  indented more, and with the comment lines below it that are indented more. Comments after a blank
  line stay. So do all blank lines, and the comments above the first field of a document or of an
  element: `- # comment` never moves. An element that moves takes the same lines with it. A value
  that is replaced by one of another kind loses the comments inside of it.
- A value that moves to another key, object, list or document takes its lines along, indented as its
  new place needs it (`Text.moved`). A field with a new key and an equal value is the old field; a
  string is known again by itself.
- A mapping or list that becomes empty is written `{}` or `[]`. An empty one that gets entries is
  written in lines; but in brackets if it is inside of brackets. Comments that belong to no entry of
  a block stay when all entries are removed.
- An alias, or a field of a merge key, is replaced by a copy of its value if it is edited. If the
  value of an anchor is edited, removed, or moved to a position after one of its aliases, copies of
  the old value replace the aliases.
- `? key` is kept, also if its value is edited.
- If lines are written behind a block scalar at the end of a file without a final newline, its
  header gets `-`, and its value stays. A block that keeps its blank lines has as many of them as
  its value, and lines of spaces behind a block become empty where they would be a part of it.
- Nothing is written anew. If the edited text wouldn't say what it must, that is an error with the
  line and the reason.

Why it is done this way
-----------------------
A library that reads a document and prints it again must know the meaning of every space in it. Of
56 documents in styles that people use, ruamel.yaml 0.19 gives back 27 byte for byte, Go's kyaml 29;
the output of ruamel.yaml when a label is added moves the comment behind an item's dash, and moves
it further each time. It takes 3.9 s to read 1 MB (1,216 items) and 2.3 s to write it. Libraries
that patch the text do better, but fail after 32,768 lines, are quadratic, need Python 3.12, or
change more than the edit.

libyaml says at which character each scalar and each collection in brackets begins and ends. Only
two positions aren't exact, and `_layout` corrects them: libyaml puts the end of a collection in
lines where the next token begins, and the end of a block scalar after its blank lines. So the text
is kept, and edits are written into it. PyYAML's parser gives 108,000 events for that 1 MB in 0.09
s; reading it into nodes takes 0.2 s, all its values 0.1 s, a label on each tenth item and writing
0.04 s: 0.26 s in all, against 8 to 15 s of ruamel.yaml 0.19.1 in the same run on the same, busy
machine. PyYAML's own nodes aren't used: it builds them by recursion in C, and deep input would
crash it.

Edited text is read once more before it is returned (`_check`), which takes a third of all time.
Comments that are set go into the text of their
item after all other edits (`_comments`), because they belong to values, which may have moved. The
item keeps this text.

Nothing here imports more than PyYAML and `re`; the modules that edit and write are loaded with the
first edit.
"""

from ._nodes import YamlNode as YamlNode
from ._parse import Text as Text
from ._parse import Unreadable as Unreadable
from ._parse import parse as parse

__all__ = ["Text", "Unreadable", "YamlNode", "parse"]
