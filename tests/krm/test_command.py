"""The command line of KRM functions: help, documentation, files, differences."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.krm.processes import LIST, ROOT, program, run, value

FUNCTION = '''\
from __future__ import annotations

import enum

import attrs

from crossplane_lite import krm


class Size(enum.Enum):
    SMALL = "small"
    LARGE = "large"


@attrs.define
class Rule:
    """A rule."""

    path: str = attrs.field(metadata={"help": "a field's path"})
    weight: float = 1.5


@attrs.define
class Config:
    """What to do.

    Attributes:
        team: who owns it
    """

    team: str
    size: Size = attrs.field(default=Size.SMALL, metadata={"help": "how large"})
    rules: list[Rule] = attrs.field(factory=list, metadata={"help": "the rules"})
    extra: dict[str, int] = attrs.field(factory=dict)
    note: str | None = None


@krm.function(name="label")
def transform(rl: krm.ResourceList[Config | None]) -> None:
    """Set the label of a team.

    On every resource.
    """
    print("noise")
    for item in rl.items:
        item.labels["team"] = rl.config.team if rl.config else "none"
    if rl.config and rl.config.note:
        rl.results.error(rl.config.note, rl.items[0])


print("noise at import")

if __name__ == "__main__":
    transform.main()
'''

CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: config\ndata:\n  team: web\n"
WEB = (
    "# head\napiVersion: v1\nkind: Service\nmetadata:\n  name: web # why\n"
    "---\nkind: B\napiVersion: v1\nmetadata: {name: b}\n"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a function, a config and a file of resources."""
    (tmp_path / "function.py").write_text(FUNCTION)
    (tmp_path / "config.yaml").write_text(CONFIG)
    (tmp_path / "items").mkdir()
    (tmp_path / "items" / "web.yaml").write_text(WEB)
    return tmp_path


def both(folder: Path, *arguments: str, data: bytes = b"") -> tuple[bytes, str, int]:
    """Run the function's own program and `crossplane-lite krm run`; both must do the same."""
    own = run(["function.py"], data, *arguments, cwd=folder, env={"COLUMNS": "100"})
    ours = run(
        ["-m", "crossplane_lite", "krm", "run", "function:transform"],
        data,
        *arguments,
        cwd=folder,
        env={"COLUMNS": "100"},
    )
    name = "crossplane-lite krm run function:transform"
    assert ours.status == own.status
    if b"usage:" not in own.stdout:
        assert ours.stdout == own.stdout
        told = ours.stderr.replace(f"{name}:", "function.py:").replace("crossplane-lite krm:", "function.py:")
        assert sorted(told.splitlines()) == sorted(own.stderr.splitlines())
    return own


@pytest.mark.slow
def test_help(folder: Path) -> None:
    """--help has the docstring, the arguments, and each field of the config with type, default and help."""
    stdout, stderr, status = both(folder, "--help")
    text = stdout.decode()
    assert (stderr, status) == ("noise at import\n", 0)
    assert "Set the label of a team.\n\nOn every resource.\n" in text
    assert "--diff" in text
    told = text[text.index("functionConfig:") :]
    assert told.startswith(
        "functionConfig:\n"
        "  What to do.\n\n"
        "  team: string, required\n"
        "      who owns it\n"
        '  size: "small" | "large", default "small"\n'
        "      how large\n"
        "  rules: list of object, default []\n"
        "      the rules\n"
        "  rules[].path: string, required\n"
        "      a field's path\n"
        "  rules[].weight: number, default 1.5\n"
        "  extra: map of integer, default {}\n"
        "  note: string or null\n\n"
        "Without arguments"
    )
    assert "Exit status: 0; 1 if" in told


@pytest.mark.slow  # processes
def test_help_without_a_config(tmp_path: Path) -> None:
    """A function without docstring and config class has help too."""
    file = tmp_path / "function.py"
    file.write_text(
        "from crossplane_lite import krm\n@krm.function(role='validator')\ndef check(rl): pass\ncheck.main()\n"
    )
    text = run(file, None, "-h").stdout.decode()
    assert "The KRM function check, a validator." in text
    assert "functionConfig:" not in text


@pytest.mark.slow
def test_doc(folder: Path) -> None:
    """--doc is JSON: name, description, role, the version of the specification, and the config's schema."""
    stdout, _, status = both(folder, "--doc")
    told = json.loads(stdout)
    assert status == 0
    config = told.pop("config")
    assert told == {
        "name": "label",
        "description": "Set the label of a team.\n\nOn every resource.",
        "role": "transformer",
        "specification": "config.kubernetes.io/v1",
    }
    assert config["required"] == ["team"]
    assert config["properties"]["team"] == {"description": "who owns it", "type": "string"}
    assert config["properties"]["size"] == {
        "description": "how large",
        "type": "string",
        "default": "small",
        "enum": ["small", "large"],
    }
    assert config["properties"]["rules"]["items"]["properties"]["path"]["description"] == "a field's path"


@pytest.mark.slow
def test_files(folder: Path) -> None:
    """With -f and files a ResourceList is printed, with the annotations of files."""
    stdout, _, status = both(folder, "-f", "config.yaml", "items")
    told = value(stdout)
    assert status == 0
    assert [item["metadata"]["labels"] for item in told["items"]] == [{"team": "web"}] * 2
    assert told["items"][1]["metadata"]["annotations"] == {
        "internal.config.kubernetes.io/path": "web.yaml",
        "internal.config.kubernetes.io/index": "1",
    }
    assert told["functionConfig"]["data"] == {"team": "web"}
    assert b"- # head\n" in stdout


@pytest.mark.slow
def test_unwrap(folder: Path) -> None:
    """-o unwrap prints the documents, as they are in files; of a list on stdin, too."""
    wanted = WEB.replace("# why\n", "# why\n  labels:\n    team: web\n").replace(
        "{name: b}", "{name: b, labels: {team: web}}"
    )
    stdout, _, status = both(folder, "-f", "config.yaml", "-o", "unwrap", "items/web.yaml")
    assert (stdout.decode(), status) == (wanted, 0)
    stdout, _, _ = both(folder, "-f", "config.yaml", "-o", "unwrap", "-", data=WEB.encode())
    assert stdout.decode() == wanted
    stdout, _, _ = both(folder, "-o", "unwrap", data=LIST)
    assert stdout.startswith(b"# The shop's own.\napiVersion: v1\n")
    assert (folder / "items" / "web.yaml").read_text() == WEB


@pytest.mark.slow
def test_diff(folder: Path) -> None:
    """--diff prints what would change in each file, with status 1; nothing and 0 where nothing would."""
    stdout, stderr, status = both(folder, "-f", "config.yaml", "--diff", "items")
    assert status == 1
    assert "noise" in stderr
    assert stdout.decode() == (
        "--- a/items/web.yaml\n+++ b/items/web.yaml\n@@ -3,7 +3,9 @@\n kind: Service\n metadata:\n   name: web # why\n"
        "+  labels:\n+    team: web\n ---\n kind: B\n apiVersion: v1\n-metadata: {name: b}\n"
        "+metadata: {name: b, labels: {team: web}}\n"
    )
    assert (folder / "items" / "web.yaml").read_text() == WEB
    both_in_place = run(["function.py"], b"", "-f", "config.yaml", "-i", "items", cwd=folder)
    assert both_in_place.status == 0
    assert both(folder, "-f", "config.yaml", "--diff", "items")[0::2] == (b"", 0)


@pytest.mark.slow  # four processes
def test_diff_is_a_patch(folder: Path) -> None:
    """What --diff prints is what patch takes, also for a file without a newline at its end."""
    file = folder / "items" / "web.yaml"
    file.write_text(WEB.rstrip("\n"))
    stdout, _, _ = both(folder, "-f", "config.yaml", "--diff", "items")
    assert b"\\ No newline at end of file\n" in stdout
    subprocess.run(["patch", "-p1"], input=stdout, cwd=folder, check=True, capture_output=True)
    assert both(folder, "-f", "config.yaml", "--diff", "items")[0::2] == (b"", 0)


@pytest.mark.slow  # two processes
def test_diff_of_stdin(folder: Path) -> None:
    """--diff without files compares the lists of stdin and stdout."""
    stdout, _, status = both(folder, "--diff", data=LIST)
    assert status == 1
    assert stdout.startswith(b"--- a/<stdin>\n+++ b/<stdin>\n")
    assert b"\n+    labels:\n+      team: none\n" in stdout


@pytest.mark.slow  # two processes
def test_diff_on_a_terminal(folder: Path) -> None:
    """--diff is coloured on a terminal, and not where NO_COLOR is set."""
    for no_colour in ("", "1"):
        ours, theirs = pty.openpty()
        done = subprocess.run(
            [sys.executable, "function.py", "-f", "config.yaml", "--diff", "items"],
            cwd=folder,
            stdout=theirs,
            stderr=subprocess.DEVNULL,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": no_colour},
            timeout=60,
            check=False,
        )
        os.close(theirs)
        seen = os.read(ours, 100_000)
        os.close(ours)
        assert done.returncode == 1
        assert (b"\x1b[32m+  labels:\x1b[0m" in seen) == (not no_colour)


def test_in_place(folder: Path) -> None:
    """--in-place changes files and says which; with an error nothing is written."""
    (folder / "items" / "other.yaml").write_text("# nothing\n")
    done = run(["function.py"], b"", "-f", "config.yaml", "--in-place", "items", cwd=folder)
    assert (done.stdout, done.status) == (b"", 0)
    assert "items/web.yaml" in done.stderr.splitlines()
    now = (folder / "items" / "web.yaml").read_text()
    assert "  labels:\n    team: web\n" in now
    assert (folder / "items" / "other.yaml").read_text() == "# nothing\n"
    (folder / "config.yaml").write_text(f"{CONFIG.replace('web', 'other')}  note: no\n")
    done = run(["function.py"], b"", "-f", "config.yaml", "--in-place", "items", cwd=folder)
    assert (done.stdout, done.status) == (b"", 1)
    assert "error: Service web: no" in done.stderr
    assert (folder / "items" / "web.yaml").read_text() == now


@pytest.mark.slow  # processes
def test_a_directory_is_the_package(tmp_path: Path) -> None:
    """Of a single directory, new files and moved items stay in it, wherever the function is run."""
    made = "{'apiVersion': 'v1', 'kind': 'ConfigMap', 'metadata': {'name': 'made'}}"
    file = program(tmp_path, f"rl.items.upsert({made})\nrl.items.where(name='web')[0].move_to('app/svc.yaml')")
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "web.yaml").write_text(WEB)
    stdout, _, _ = run(file, b"", "--diff", "package", cwd=tmp_path)
    assert [line for line in stdout.decode().splitlines() if line.startswith("+++ ")] == [
        "+++ b/package/web.yaml",
        "+++ b/package/app/svc.yaml",
        "+++ b/package/configmap_made.yaml",
    ]
    for directory, cwd in (("package", tmp_path), (".", tmp_path / "package"), (str(tmp_path / "package"), ROOT)):
        assert run(file, b"", "--in-place", directory, cwd=cwd).status == 0
    there = [one.relative_to(tmp_path).as_posix() for one in sorted(tmp_path.rglob("*.yaml"))]
    assert there == ["package/app/svc.yaml", "package/configmap_made.yaml", "package/web.yaml"]


@pytest.mark.slow
@pytest.mark.sample(1)
@pytest.mark.parametrize("path", ["../made.yaml", "/tmp/made.yaml"])
def test_nothing_is_written_outside(tmp_path: Path, path: str) -> None:
    """A new item's file must be within the package; where it isn't, nothing is written."""
    marks = {"internal.config.kubernetes.io/path": path}
    made = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "made", "annotations": marks}}
    file = program(tmp_path, f"rl.items.add({made})\nrl.items[0].labels['a'] = 'b'")
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "web.yaml").write_text(WEB)
    done = run(file, b"", "--in-place", "package", cwd=tmp_path)
    assert (done.stdout, done.status) == (b"", 2)
    assert "must be within the package; nothing was written" in done.stderr
    assert (tmp_path / "package" / "web.yaml").read_text() == WEB


@pytest.mark.slow
@pytest.mark.sample(1)
@pytest.mark.parametrize("flag", ["--diff", "--in-place", "--output=unwrap"])
def test_infos(folder: Path, flag: str) -> None:
    """Where no ResourceList is printed, stderr has results of severity info as well."""
    function = folder / "function.py"
    function.write_text(FUNCTION.replace('print("noise")', 'rl.results.info("by the way", rl.items[0])'))
    done = run(["function.py"], b"", "-f", "config.yaml", flag, "items", cwd=folder)
    assert "info: Service web: by the way (web.yaml)\n" in done.stderr


@pytest.mark.slow  # two processes
def test_generator_without_items(folder: Path) -> None:
    """-f alone is for generators: there are no items, and stdin isn't waited for."""
    stdout, _, status = both(folder, "-f", "config.yaml")
    assert (value(stdout)["items"], status) == ([], 0)


@pytest.mark.slow
@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["-f", "not-there.yaml"], "can't read not-there.yaml"),
        (["not-there"], "can't read not-there"),
        (["--in-place"], "--in-place changes files, and none are given"),
        (["--in-place", "-"], "--in-place can't change documents from stdin"),
    ],
)
def test_wrong_files(folder: Path, arguments: list[str], text: str) -> None:
    """What can't be read is named on stderr, with status 2 and nothing on stdout."""
    stdout, stderr, status = both(folder, *arguments, data=WEB.encode() if "-" in arguments else LIST)
    assert (stdout, status) == (b"", 2)
    assert [text in line for line in stderr.splitlines() if line.startswith("function.py: ")] == [True]


@pytest.mark.slow
@pytest.mark.sample(1)
@pytest.mark.parametrize("arguments", [["--nonsense"], ["-o", "xml"], ["--diff", "--in-place", "items"], ["-f"]])
def test_wrong_arguments(folder: Path, arguments: list[str]) -> None:
    """A wrong command line is status 2 with its usage on stderr and nothing on stdout."""
    done = run(["function.py"], b"", *arguments, cwd=folder)
    assert (done.stdout, done.status) == (b"", 2)
    assert "usage: function.py" in done.stderr


@pytest.mark.slow  # two processes
def test_program_without_stdin(folder: Path) -> None:
    """A closed stdin and a closed stdout are told with files, too."""
    command = f"{sys.executable} function.py -f config.yaml"
    for line, text in (
        (f"{command} - <&-", "can't read stdin: stdin is closed"),
        (f"{command} items >&-", "can't write to stdout: it is closed"),
    ):
        done = subprocess.run(
            ["bash", "-c", line],
            cwd=folder,
            capture_output=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            check=False,
        )
        assert done.returncode in (1, 2)
        assert text in done.stderr.decode()


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ([], "usage: crossplane-lite krm run"),
        (["walk"], "crossplane-lite krm: there is no command 'walk'"),
        (["rum"], "crossplane-lite krm: there is no command 'rum'; did you mean 'run'?"),
        (["run"], "crossplane-lite krm: run needs a function first, as module:function"),
        (["run", "--diff"], "usage: crossplane-lite krm run"),
        (["run", "function"], "is not module:function, for example main:transform"),
        (["run", "nowhere:transform"], "there is no module 'nowhere'"),
        (["run", "function:transfrom"], "did you mean 'transform'?"),
        (["run", "function:Config"], "not a KRM function; is the decorator @krm.function missing?"),
        (["init"], "crossplane-lite init: error: the following arguments are required: NAME"),
    ],
)
def test_wrong_krm_command(folder: Path, arguments: list[str], text: str) -> None:
    """A wrong `crossplane-lite krm` is status 2 with what is wrong on stderr and nothing on stdout."""
    done = run(["-m", "crossplane_lite", "krm", *arguments], LIST, cwd=folder)
    assert (done.stdout, done.status) == (b"", 2)
    assert text in done.stderr


@pytest.mark.sample(1)
@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["run", "--help"]])
def test_krm_help(folder: Path, arguments: list[str]) -> None:
    """`crossplane-lite krm --help` lists what there is."""
    done = run(["-m", "crossplane_lite", "krm", *arguments], b"", cwd=folder)
    assert done.status == 0
    assert b"crossplane-lite krm init DIR" in done.stdout


@pytest.mark.slow  # processes
def test_skipping_what_can_not_be_read(tmp_path: Path) -> None:
    """--skip-unreadable passes over a template with a warning, and changes other documents; without it all stops."""
    template = "apiVersion: v1\nkind: {{ .Values.kind }}\n"
    (tmp_path / "a.yaml").write_text(f"# c\napiVersion: v1\nkind: A\n---\n{template}")
    file = program(tmp_path, "for item in rl.items: item.labels['a'] = 'b'")
    done = run(file, None, "--in-place", str(tmp_path / "a.yaml"))
    assert (done.status, done.stdout) == (1, b"")
    assert re.search(r"a.yaml, line 6: this is a template", done.stderr)
    done = run(file, None, "--in-place", "--skip-unreadable", str(tmp_path / "a.yaml"))
    assert done.status == 0
    assert re.search(r"^warning: skipped: .*a.yaml, line 6: this is a template", done.stderr)
    assert (
        tmp_path / "a.yaml"
    ).read_text() == f"# c\napiVersion: v1\nkind: A\nmetadata:\n  labels:\n    a: b\n---\n{template}"
    done = run(file, LIST, "--skip-unreadable", "--diff")
    assert "--skip-unreadable is for files" in done.stderr
