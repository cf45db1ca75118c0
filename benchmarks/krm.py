"""Rows of KRM functions: one label beside ruamel.yaml and beside Go's kyaml, and the start of a
process.
"""

from __future__ import annotations

import functools
import io
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks import kyaml, processes
from benchmarks.measuring import Reach, Row, Samples, in_turns
from benchmarks.models import SkipRow

__all__ = ["ROWS"]

_ITEMS = 1216
_EACH = 10
_ROUNDS = 3
_STARTS = 31
_THEIRS = "ruamel.yaml"
_BARE = "import yaml"
_GO = "kyaml"
_MANY = 5_000

# As people write them, with comments in all places and all kinds of quotes; about 850 bytes each.
_DEPLOYMENT = """\
- # number {n} of many
  apiVersion: apps/v1
  kind: Deployment
  metadata:
    name: web-{n}  # also the name of its Service
    namespace: "team-{team}"
    labels: {{app: web-{n}, tier: 'front'}}
    annotations:
      internal.config.kubernetes.io/path: 'team-{team}/web-{n}.yaml'
      internal.config.kubernetes.io/index: '0'
  spec:
    replicas: {replicas}
    selector:
      matchLabels: {{app: web-{n}}}
    template:
      metadata:
        labels:
          app: web-{n}
      spec:
        # the only one
        containers:
          - name: web
            image: "registry.example.com/team-{team}/web:1.{n}"
            args: ["--port", "8080", --verbose]
            ports:
              - containerPort: 8080   # plain HTTP
            env:
              - name: GREETING
                value: "hello: {n}"
              - name: MODE
                value: 'on'
            resources:
              limits: {{cpu: 500m, memory: 256Mi}}
"""
_CONFIG_MAP = """\
- apiVersion: v1
  kind: ConfigMap
  metadata:
    name: settings-{n}
    namespace: team-{team}
    labels:
      app: web-{n}   # whose settings these are
      example.com/tier: front
    annotations:
      internal.config.kubernetes.io/path: 'team-{team}/settings-{n}.yaml'
      internal.config.kubernetes.io/index: '0'
  data:
    # read at the start
    application.properties: |
      server.port=8080
      server.name=web-{n}.team-{team}.example.com

      # replicas of the database
      database.replicas={replicas}
      database.url=jdbc:postgresql://db-{n}.example.com:5432/app
    nginx.conf: |-
      server {{
        listen 8080;
        location / {{
          proxy_pass http://web-{n}:8080;
        }}
      }}
    empty: ""
    quoted: 'it''s {n}'
    folded: >
      many words that are
      one line for whoever reads them
"""

_FUNCTION = """
from crossplane_lite import krm

@krm.function
def transform(rl: krm.ResourceList) -> None:
    for resource in rl.items:
        resource.labels["team"] = "storefront"

if __name__ == "__main__":
    transform.main()
"""
_SMALL = b"""\
apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- apiVersion: v1
  kind: ConfigMap
  metadata:
    name: settings
"""


def _data(many: int = _ITEMS) -> bytes:
    lines = ["apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"]
    for n in range(many):
        template = _CONFIG_MAP if n % 3 else _DEPLOYMENT
        lines.append(template.format(n=n, team=n % 7, replicas=n % 5 + 1))
    lines.append(
        "functionConfig:\n  apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: config}\n"
    )
    return "".join(lines).encode()


def _ruamel(data: bytes) -> bytes:
    from ruamel.yaml import YAML

    yaml = YAML(typ="rt")
    yaml.preserve_quotes = True
    yaml.width = 1 << 20
    document = yaml.load(data)
    for item in document["items"][::_EACH]:
        item["metadata"]["labels"]["team"] = "storefront"
    out = io.BytesIO()
    yaml.dump(document, out)
    return out.getvalue()


def _ours() -> Any:
    from crossplane_lite import krm

    @krm.function
    def transform(rl: krm.ResourceList) -> None:
        for item in rl.items[::_EACH]:
            item.labels["team"] = "storefront"

    return transform


def _assert_same(data: bytes, theirs: bytes, ours: bytes) -> None:
    """Both answers have the same values, and ours has one more line, or one changed one, for each
    item that changed.
    """
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    found = [yaml.load(text, loader) for text in (theirs, ours)]
    assert found[0] == found[1]
    labelled = [
        item for item in found[1]["items"] if item["metadata"]["labels"].get("team") == "storefront"
    ]
    assert len(labelled) == len(range(0, _ITEMS, _EACH))
    before = set(data.decode().splitlines())
    assert len([line for line in ours.decode().splitlines() if line not in before]) <= len(labelled)


def _one_label() -> Samples:
    try:
        import ruamel.yaml  # noqa: F401
    except ModuleNotFoundError:
        raise SkipRow("ruamel.yaml is not installed") from None
    data = _data()
    assert 1_000_000 <= len(data) <= 1_100_000, len(data)
    function = _ours()
    answers: dict[str, bytes] = {}

    def timed(side: str) -> float:
        start = processes.time.perf_counter()
        answers[side] = _ruamel(data) if side == _THEIRS else function.run(data).stdout
        return processes.time.perf_counter() - start

    sides = {side: functools.partial(timed, side) for side in (_THEIRS, "ours")}
    in_turns(sides, 1)
    _assert_same(data, answers[_THEIRS], answers["ours"])
    return in_turns(sides, _ROUNDS)


def _start() -> Samples:
    environment = {**os.environ, "PYTHONPATH": str(processes.ROOT)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "function.py")
        program.write_text(_FUNCTION, encoding="utf-8")
        commands = {_BARE: ["-c", "import yaml"], "ours": [str(program)]}

        def start(side: str) -> float:
            start = processes.time.perf_counter()
            done = subprocess.run(
                [sys.executable, *commands[side]],
                input=_SMALL,
                env=environment,
                capture_output=True,
                check=False,
            )
            seconds = processes.time.perf_counter() - start
            assert done.returncode == 0, done.stderr[-2000:]
            assert done.stdout == (
                _SMALL + b"    labels:\n      team: storefront\n" if side == "ours" else b""
            )
            return seconds

        sides = {side: functools.partial(start, side) for side in commands}
        in_turns(sides, 2)  # leaves byte code behind
        return in_turns(sides, _STARTS)


def _beside_go() -> Samples:
    """Return seconds of CPU of a whole process that labels each item."""
    data = _data(_MANY)
    environment = {**os.environ, "PYTHONPATH": str(processes.ROOT)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "function.py")
        program.write_text(_FUNCTION, encoding="utf-8")
        commands = {_GO: [kyaml.built()], "ours": [sys.executable, str(program)]}

        def spent(side: str) -> float:
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            done = subprocess.run(
                commands[side], input=data, env=environment, capture_output=True, check=False
            )
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            assert done.returncode == 0, done.stderr[-2000:]
            assert done.stdout.count(b"storefront") == _MANY  # in whichever quotes
            return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

        sides = {side: functools.partial(spent, side) for side in commands}
        in_turns(sides, 1)  # leaves byte code behind
        return in_turns(sides, _ROUNDS)


_GROWN = 2_000


def _growing() -> Samples:
    """Return seconds per item: of a list as `half`, of one of twice its length as `ours`."""
    import time

    from crossplane_lite.krm import ResourceList

    def timed(size: int) -> float:
        items = "".join(_CONFIG_MAP.format(n=n, team=n % 7, replicas=1) for n in range(size))
        rl = ResourceList.read(f"kind: ResourceList\nitems:\n{items}".encode())
        start = time.perf_counter()
        for n, item in enumerate(rl.items):
            rl.items.upsert({**item.to_dict(), "data": {"a": "b"}})
            item.name = f"new-{n}"
            if n % 3 == 0:
                rl.items.remove(item)
        table = rl.items[0]
        for n in range(size):
            table.set(f"data.list[name=x{n}].value", n)
        rl.write()
        return (time.perf_counter() - start) / size

    sides = {"half": functools.partial(timed, _GROWN), "ours": functools.partial(timed, 2 * _GROWN)}
    return in_turns(sides, _ROUNDS)


ROWS = (
    Row(
        "KRM: upsert, rename, remove and set by name, per item of twice as many",
        ("half", "ours"),
        _growing,
        (Reach("half", 1.15),),
    ),
    Row(
        "KRM: one label on each tenth of 1,216 items, 1 MB",
        (_THEIRS, "ours"),
        _one_label,
        (Reach(_THEIRS, 1 / 6),),
    ),
    Row(
        "KRM: CPU of a process that labels 5,000 items, 4.3 MB",
        (_GO, "ours"),
        _beside_go,
        (Reach(_GO, 1.3),),
    ),
    Row(
        "KRM: process of a function with raw config", (_BARE, "ours"), _start, (Reach(_BARE, 1.3),)
    ),
)
