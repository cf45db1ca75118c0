"""Editing YAML and JSON in the text itself: parts that nobody touches leave byte for byte as they came.

    text = parse(sys.stdin.buffer.read())
    for item in text.root.child("items").children():
        if item.get(["kind"]) == "Deployment":
            item.set(["metadata", "labels", "team"], "blue")
    sys.stdout.buffer.write(text.dump())

`parse` gives a `Text`; `text.root` is its one document and `text.documents` are all that hold anything. Both, and the
elements of a list (`children()`), are `YamlNode`s. A node is a unit: it can be read (`value`, `get`, `has`), edited at
paths (`set`, `delete`, `insert`, `move`), and put elsewhere in its list, or left out (`arrange`). Paths are sequences
of keys and indexes. Values are those of JSON, as kpt, kustomize and kubectl read them (see
`_base.yaml_scalars`), always copies.
`text.dump()` gives the stream with its edits. The same edits once more change nothing.

How an edit changes the text
-----------------------------
- A new value is compared with the old one, field by field; only differences are written. Elements of lists
  are told apart by being equal, then by name, port or path, then by common content and by place.
- A changed value keeps its quotes, or stays a block (`|`, and `>` where that can say it), or stays in brackets.
  Strings are quoted where any reader, of YAML 1.1 or 1.2, would take them for something else.
- A field that is new comes behind the last one, in the indentation, and with the quotes, that are around it. One that
  is deleted and set again is back in its old place.
- A removed value takes its own lines, the comment lines directly above it, not further to the right than it begins, and
  those below that are further to the right. Comments after a blank line stay, as do all blank lines, and the comments
  above the first field of a document or of an element: `- # comment` never moves. An element that moves takes the same
  with it. A value that is replaced by one of another kind loses the comments inside of it.
- A mapping or list that becomes empty is written `{}` or `[]`; an empty one that gets something is written in lines,
  but in brackets inside of brackets, or if there are comments in its own. Comments that belong to none of the entries
  stay when all of these go.
- An alias, or a field of a merge key, is written out where it is edited. Where an anchor's value is edited, removed,
  or moved behind an alias of it, the aliases are written out and keep the value they had.
- `? key` is kept, also where its value is edited; one without a value, one in brackets, and `[key: value]` are written
  in the usual way where they, or their neighbours in the same mapping, are edited.

Why it is done this way
-----------------------
A library that reads a document and prints it again has to know all that a person may have meant by a space. Of 56
documents in styles that people use, ruamel.yaml 0.19 gives back 27 byte for byte, Go's kyaml 29; the output of
ruamel.yaml when a label is added moves the comment behind an item's dash, and moves it further each time. It takes
3.9 s to read 1 MB (1,216 items) and 2.3 s to write it. Libraries that patch the text do better, but fail past 32,768
lines, are quadratic, need Python 3.12, or change more than they are told to.

libyaml says where each scalar begins and ends, to the character, and where each flow collection does; it is exact in
all but two points, and `_layout` makes up for them: a block collection's end is where the next token begins, and a
block scalar's end is behind its blank lines. So the text is kept, and edits are spliced into it. PyYAML's parser gives
108,000 events for that 1 MB in 0.09 s; reading it into the light tree takes 0.2 s, all its values 0.1 s, a label on
each tenth item and writing 0.04 s: 0.26 s in all, against 8 to 15 s of ruamel.yaml 0.19.1 in the same run on the same,
busy machine. Events rather than PyYAML's nodes, because it builds those by recursion in C, which deep input crashes.

Edited text is read once more before it goes out, item by item, and each changed file as a whole (`_check`): of
20 MB in which every item gets a label this takes a quarter of all time. Comments that are set go into the text behind
all other edits (`_comments`), because they belong to values wherever these are by then.

Nothing here imports more than PyYAML and `re`; the modules that edit and write are loaded with the first edit.
"""

from ._nodes import YamlNode as YamlNode
from ._parse import Text as Text
from ._parse import parse as parse

__all__ = ["Text", "YamlNode", "parse"]
