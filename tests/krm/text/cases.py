"""Documents as people, Helm, kustomize and orchestrators write them.

Each has the label `team: blue` added to one mapping; what changes in the text then is said with it.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["CASES", "Case", "item"]

_LABELS = ("items", 0, "metadata", "labels")


class Case(NamedTuple):
    """A document.

    Attributes:
        text: The document.
        changed: The lines that the label takes away (-) and adds (+).
        path: The mapping that gets the label.
    """

    text: str
    changed: tuple[str, ...] = ("+      team: blue",)
    path: tuple[str | int, ...] = _LABELS


def item(body: str, before: str = "", after: str = "") -> str:
    """Return a ResourceList whose only item has these lines, which begin with its dash."""
    return f"{before}apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n{body}{after}"


def _labels(labels: str, metadata: str = "", spec: str = "") -> str:
    """An item with some text as its labels, and behind them."""
    return item(f"- apiVersion: v1\n  kind: A\n  metadata:\n    name: a\n    labels:{labels}{metadata}{spec}")


_SIMPLE = _labels("\n      app: x\n")


def _spec(text: str) -> Case:
    """An item that has labels and, behind them, something that must stay as it is."""
    return Case(_labels("\n      app: x\n", spec=text))


def _replaced(old: str, new: str) -> tuple[str, ...]:
    return (f"-{old}", *(f"+{line}" for line in new.split("\n")))


CASES: dict[str, Case] = {
    # Line ends, marks, and what is around the document
    "simple": Case(_SIMPLE),
    "crlf": Case(_SIMPLE.replace("\n", "\r\n"), ("+      team: blue\r",)),
    "byte order mark": Case("\ufeff" + _SIMPLE),
    "byte order mark and crlf": Case("\ufeff" + _SIMPLE.replace("\n", "\r\n"), ("+      team: blue\r",)),
    "no final newline": Case(_SIMPLE[:-1]),
    "no final newline, more behind": Case(_SIMPLE + "functionConfig: {a: b}"),
    "blank lines at the end": Case(_SIMPLE + "\n\n\n"),
    "document markers": Case("---\n" + _SIMPLE + "...\n"),
    "directive": Case("%YAML 1.1\n---\n" + _SIMPLE + "...\n"),
    "comment on the marker": Case("--- # start\n" + _SIMPLE),
    "empty document before": Case("---\n---\n" + _SIMPLE),
    "comment-only documents around": Case("# nothing\n---\n# only this\n---\n" + _SIMPLE + "---\n# end\n"),
    "ends with a marker": Case(_SIMPLE + "---\n"),
    "license comment": Case("# Copyright\n# License\n\n" + _SIMPLE),
    "comments at the end": Case(_SIMPLE + "# end\n\n  # deeper\n"),
    "trailing spaces": Case(_SIMPLE.replace("kind: A", "kind: A   ").replace("labels:", "labels:  ")),
    "tabs before comments": Case(_SIMPLE.replace("app: x", "app: x\t# why").replace("kind: A", "kind:\tA")),
    "white space in blank lines": Case(_SIMPLE.replace("  metadata", "   \n      \n  metadata")),
    # Comments
    "file's head comment behind the dash": Case(_SIMPLE.replace("- api", "- # file\n  api")),
    "head comment of several lines": Case(_SIMPLE.replace("- api", "- # file\n  # second\n\n  # third\n  api")),
    "comments everywhere": Case(
        _labels(" # labels\n      # app\n      app: x # the app\n      # foot\n", "    # name\n    x: y\n  # end\n")
    ),
    "comment without space before the label": Case(_labels(" #\n      app: x #\n")),
    "commented-out labels": Case(_labels("\n      app: x\n      # tier: y\n    # old: z\n", "    x: y\n")),
    "comment at column zero": Case(_labels("\n#     tier: y\n      app: x\n# foot\n", "    x: y\n")),
    "comment that looks like yaml": Case(_labels("\n      app: x # {a: [}\n", spec="  # - x: |\n  spec: 1\n")),
    "hash in values": Case(_labels("\n      app: a#b\n      url: 'x # y'\n", spec='  c: "# no"\n  d: x#\n')),
    "blank lines between fields": Case(_labels("\n\n      app: x\n\n", "\n    x: y\n\n")),
    # Indentation
    "wide sequences": Case(_labels("\n      app: x\n", spec="  spec:\n    ports:\n      - port: 1\n        name: x\n")),
    "compact sequences": Case(_labels("\n      app: x\n", spec="  spec:\n    ports:\n    - port: 1\n      name: x\n")),
    "mixed sequences": _spec("  a:\n  - 1\n  b:\n    - 2\n  c:\n      -   d: 3\n          e: 4\n"),
    "four columns": Case(
        item("-   kind: A\n    metadata:\n        labels:\n            app: x\n"), ("+            team: blue",)
    ),
    "one column": Case(item("- kind: A\n  metadata:\n   labels:\n    app: x\n   name: y\n"), ("+    team: blue",)),
    "items indented": Case(
        item("  - kind: A\n    metadata:\n      labels:\n        app: x\n"), ("+        team: blue",)
    ),
    "dash on its own line": Case(
        item("-\n    kind: A\n    metadata:\n      labels:\n        a: b\n"), ("+        team: blue",)
    ),
    "lists in lists": _spec("  a:\n  - - 1\n    - 2\n  - - - x\n  -\n    - y\n"),
    "uneven keys": Case(_labels("\n      app : x\n      tier:    y\n")),
    # Scalars
    "literal block": _spec("  a: |\n    # no comment\n    b: c\n\n    d\n  e: 1\n"),
    "literal block, strip": _spec("  a: |-\n    b\n\n\n  e: 1\n"),
    "literal block, keep": _spec("  a: |+\n    b\n\n\n  e: 1\n"),
    "folded block": _spec("  a: >\n    b\n    c\n\n    d\n      e\n  e: 1\n"),
    "folded block, strip and keep": _spec("  a: >-\n    b\n    c\n  d: >+\n    e\n\n  e: 1\n"),
    "indentation indicators": _spec("  a: |2\n     b\n    c\n  d: >1-\n    e\n  f: |+1\n   g\n"),
    "block with a comment on its header": _spec("  a: | # why\n    b\n"),
    "block of blank lines": _spec("  a: |\n\n\n  b: |+\n\n  c: 1\n"),
    "block in a list": _spec("  a:\n  - |\n    b\n  - >-\n    c\n  -   |\n    d\n"),
    "block scalar as the last label": Case(_labels("\n      app: |\n        x\n\n", "    x: y\n")),
    "kept block as the last label": Case(_labels("\n      app: |+\n        x\n\n", "    x: y\n")),
    "block with tabs and spaces at line ends": _spec("  a: |\n    b  \n    \tc\n    d\t\n"),
    "script": _spec("  a: |\n    #!/bin/sh\n    set -e\n    if [ x ]; then\n      echo '---'\n    fi\n"),
    "long plain scalar of several lines": _spec("  a: one two\n    three\n\n    four # end\n  b: 1\n"),
    "several lines in double quotes": _spec('  a: "one\n    two \\\n    three\n\n    four" # end\n  b: 1\n'),
    "several lines in single quotes": _spec("  a: 'one ''x''\n    two\n\n  four'\n  b: 1\n"),
    "plain scalar on the next line": _spec("  a:\n    b\n  c: # why\n    d\n"),
    "escapes": _spec('  a: "\\t\\x41\\u00e9\\U0001F600\\\\ \\" \\/"\n'),
    "single quotes around": Case(_labels("\n      'app': 'x'\n"), ("+      'team': 'blue'",)),
    "double quotes around": Case(_labels('\n      app: "x"\n      tier: "y"\n'), ('+      team: "blue"',)),
    "non-ascii": Case(_labels("\n      größe: ölig\n      名前: 値 # コメント\n      e: 😀\n")),
    "numbers and words": _spec("  a: 0644\n  b: 0o17\n  c: 1e3\n  d: yes\n  e: 12:30:45\n  f: =\n  g: ~\n  h: 1_000\n"),
    "nulls": _spec("  a:\n  b: ~\n  c: null # none\n  d:   # none\n  e:\n  - \n  -\n"),
    "keys like values": _spec("  yes: 1\n  80: 2\n  1.5: 3\n  null: 4\n  'a b': 5\n  \"c: d\": 6\n  ? e\n  : 7\n"),
    "tags": _spec('  a: !!str 5\n  b: !!int "5"\n  c: ! x\n  d: !!map {a: b}\n  e: !!seq\n  - 1\n'),
    # Brackets
    "flow labels": Case(_labels(" {app: x}\n"), _replaced("    labels: {app: x}", "    labels: {app: x, team: blue}")),
    "flow labels with spaces": Case(
        _labels(" { app: x, tier: y } # flow\n"),
        _replaced("    labels: { app: x, tier: y } # flow", "    labels: { app: x, tier: y, team: blue } # flow"),
    ),
    "flow labels on lines": Case(
        _labels(" {\n      app: x, # app\n      tier: y # tier\n    }\n"),
        ("-      tier: y # tier", "+      tier: y, # tier", "+      team: blue"),
    ),
    "flow with a comma at the end": Case(
        _labels(" {\n      app: x,\n    }\n"),
        ("+      team: blue,",),
    ),
    "flow item": Case(
        item("- {kind: A, metadata: {labels: {app: x}}}\n"),
        _replaced("- {kind: A, metadata: {labels: {app: x}}}", "- {kind: A, metadata: {labels: {app: x, team: blue}}}"),
    ),
    "flow elsewhere": _spec("  a: [1, 'b' , {c: [d]},]\n  e: {f: g,\n    h: i}\n  j: [k: l]\n  m: [\n  n\n  ]\n"),
    "empty flow labels": Case(_labels(" {}\n"), ("-    labels: {}", "+    labels:", "+      team: blue")),
    "empty flow labels with comment": Case(
        _labels(" {} # none yet\n", "    x: y\n"),
        ("-    labels: {} # none yet", "+    labels: # none yet", "+      team: blue"),
    ),
    "no value for labels": Case(_labels("\n", "    x: y\n")),
    "no value for labels, with comment": Case(_labels(" # none\n      # app: x\n", "    x: y\n")),
    "null labels": Case(_labels(" null\n"), ("-    labels: null", "+    labels:", "+      team: blue")),
    "no labels": Case(
        item("- kind: A\n  metadata:\n    name: a # name\n    # end\n  spec: 1\n"),
        ("+    labels:", "+      team: blue"),
    ),
    "no metadata": Case(item("- kind: A # a\n\n# end\n"), ("+  metadata:", "+    labels:", "+      team: blue")),
    # Anchors
    "anchors elsewhere": _spec("  a: &x\n    b: 1\n  c: *x\n  d:\n    <<: *x\n    e: 2\n  f: &y [1]\n  g: *y\n"),
    "anchored labels nobody uses": Case(_labels(" &l\n      app: x\n")),
    "labels that others use": Case(
        _labels(" &l\n      app: x\n", spec="  spec:\n    matchLabels: *l # same\n"),
        ("+      team: blue", "-    matchLabels: *l # same", "+    matchLabels: # same", "+      app: x"),
    ),
    "labels by alias": Case(
        item("- kind: A\n  common: &l\n    app: x\n  metadata:\n    labels: *l\n"),
        ("-    labels: *l", "+    labels:", "+      app: x", "+      team: blue"),
    ),
    "labels with a merge key": Case(
        item("- kind: A\n  common: &l\n    app: x\n  metadata:\n    labels:\n      <<: *l\n      tier: y\n")
    ),
    "labels that are merged elsewhere": Case(
        _labels(" &l\n      app: x\n", spec="  spec:\n    <<: *l\n    b: 1\n"),
        ("+      team: blue", "-    <<: *l", "+    app: x"),
    ),
    # JSON
    "json, compact": Case(
        '{"kind":"ResourceList","items":[{"kind":"A","metadata":{"labels":{"app":"x"}}}]}',
        _replaced(
            '{"kind":"ResourceList","items":[{"kind":"A","metadata":{"labels":{"app":"x"}}}]}',
            '{"kind":"ResourceList","items":[{"kind":"A","metadata":{"labels":{"app":"x","team":"blue"}}}]}',
        ),
    ),
    "json, with spaces": Case(
        '{"items": [{"kind": "A", "metadata": {"labels": {"app": "x"}}}]}\n',
        _replaced(
            '{"items": [{"kind": "A", "metadata": {"labels": {"app": "x"}}}]}',
            '{"items": [{"kind": "A", "metadata": {"labels": {"app": "x", "team": "blue"}}}]}',
        ),
    ),
    "json, pretty": Case(
        '{\n  "items": [\n    {\n      "metadata": {\n        "labels": {\n          "app": "x"\n        }\n'
        "      }\n    }\n  ]\n}\n",
        ('-          "app": "x"', '+          "app": "x",', '+          "team": "blue"'),
    ),
    "json, tabs": Case(
        '{\n\t"items": [\n\t\t{\n\t\t\t"metadata": {\n\t\t\t\t"labels": {\n\t\t\t\t\t"a": 1.0,\n'
        '\t\t\t\t\t"b": "\\ud83d\\ude00\\/"\n'
        "\t\t\t\t}\n\t\t\t}\n\t\t}\n\t]\n}",
        ('-\t\t\t\t\t"b": "\\ud83d\\ude00\\/"', '+\t\t\t\t\t"b": "\\ud83d\\ude00\\/",', '+\t\t\t\t\t"team": "blue"'),
    ),
    "json, empty labels": Case(
        '{\n  "items": [\n    {\n      "metadata": {\n        "labels": {}\n      }\n    }\n  ]\n}\n',
        ('-        "labels": {}', '+        "labels": {', '+          "team": "blue"', "+        }"),
    ),
    # Whole programs' habits
    "helm": Case(
        item(
            "- # Source: chart/templates/deployment.yaml\n  apiVersion: apps/v1\n  kind: Deployment\n  metadata:\n"
            "    name: release-name-chart\n    labels:\n      helm.sh/chart: chart-0.1.0\n"
            '      app.kubernetes.io/version: "1.16.0"\n      app.kubernetes.io/managed-by: Helm\n'
            "  spec:\n    template:\n      spec:\n        containers:\n          - name: chart\n"
            '            securityContext:\n              {}\n            image: "nginx:1.16.0"\n'
            "            args:\n              - --a=b\n              - |\n                c\n\n"
            "            ports:\n              - name: http\n                containerPort: 80\n"
            "                protocol: TCP\n"
        )
    ),
    "kustomize": Case(
        item(
            '- apiVersion: v1\n  data:\n    a.properties: |-\n      b=c\n      d=e\n    f: "true"\n  kind: ConfigMap\n'
            "  metadata:\n    annotations:\n      config.kubernetes.io/origin: |\n        path: a.yaml\n    labels:\n"
            "      app: x\n    name: a\n"
        )
    ),
    "kpt": Case(
        item(
            "- # Copyright 2024\n  apiVersion: v1\n  kind: Service # kpt-set: ${kind}\n  metadata: # kpt-merge: /a\n"
            "    name: a\n    labels:\n      app: x # kpt-set: ${app}\n    annotations:\n"
            "      internal.config.kubernetes.io/index: '0'\n      internal.config.kubernetes.io/path: 'service.yaml'\n"
            "      internal.config.kubernetes.io/seqindent: 'wide'\n",
            after="functionConfig:\n  apiVersion: v1\n  kind: ConfigMap\n  data:\n    a: b\n",
        )
    ),
    "openapi": _spec(
        "  schema:\n    openAPIV3Schema:\n      description: |-\n        Foo: bar.\n\n        More\n      properties:\n"
        "        spec:\n          x-kubernetes-validations:\n          - rule: self.a == 'b'\n            message: >-\n"
        "              not\n              a\n          pattern: ^[a-z]+:\\d$\n          enum: ['', \"b\", ~]\n"
    ),
}
