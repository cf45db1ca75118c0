"""`crossplane-lite check`: what goes wrong silently in the source of functions, and what doesn't."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from crossplane_lite.cli import main

ROOT = Path(__file__).resolve().parents[2]
HEAD = """\
import itertools
import json
from crossplane_lite import Unstructured, apply, composition, json_dumps, value_or

NAMES = []
SIZES = dict(a=1)
COUNT = 0
NUMBERS = itertools.count()
NAMED = Unstructured("example.org/v1", "Named")


@composition.function
def compose(ctx: composition.Context) -> None:
    xr = ctx.composite(Unstructured)
    vpc = ctx.resource("vpc", Unstructured("example.org/v1", "VPC"))
    subnet = ctx.resource("subnet", Unstructured("example.org/v1", "Subnet"))
    vpc_id = vpc.observed.status.id
"""
FIRST = HEAD.count("\n") + 1

WRONG = {
    "is None": ("if vpc_id is None:\n    return", "CL001"),
    "is not None": ("if vpc.observed.status.a.b is not None:\n    return", "CL001"),
    "is None, of an element": ("if vpc.observed.status.zones[0].id is None:\n    return", "CL001"),
    "is None, of any step's": ('if ctx.observed["vpc"].status.id is None:\n    return', "CL001"),
    "is None, in an expression": ("subnet.spec.a = 1 if vpc_id is None else 2", "CL001"),
    "== None": ("if vpc_id == None:\n    return", "CL001"),
    "== True": ("if vpc.observed.status.isDefault == True:\n    return", "CL002"),
    "is False": ("if vpc.observed.status.isDefault is False:\n    return", "CL002"),
    "type": ("if type(vpc_id) is str:\n    return", "CL003"),
    "hash": ("subnet.spec.hash = str(hash(vpc_id))", "CL009"),
    "hash of what is there": ("subnet.spec.zone = 'abc'[hash(xr.observed.metadata.name) % 3]", "CL009"),
    "the order of a set": ("subnet.spec.ids = list({one for one in xr.observed.spec.ids})", "CL009"),
    "a set, joined": ("subnet.spec.ids = ','.join(set(xr.observed.spec.ids))", "CL009"),
    "pickle.dumps": ("subnet.spec.sum = str(pickle.dumps(vpc.observed.status))", "CL005"),
    "or, of constants": ("if xr.observed.spec.size == 'small' or 'medium':\n    return", "CL010"),
    "value_or, turned round": ("subnet.spec.a = value_or('vpc-default', vpc_id)", "CL011"),
    "a loop that waits": ("while not vpc_id:\n    time.sleep(1)", "CL012"),
    "a default in a part": ("def part(tags={}):\n    tags['a'] = 'b'", "CL006"),
    "sorted": ("subnet.spec.ids = sorted([vpc_id, 'a'])", "CL004"),
    "set": ("subnet.spec.ids = [*set([vpc_id])]", "CL004"),
    "json.dumps": ("subnet.spec.text = json.dumps({'a': [vpc_id]})", "CL005"),
    "a dict": ("tags = {'a': 'b'}\nsubnet.spec.tags = tags\ntags['c'] = 'd'", "CL007"),
    "a list from a set": ("subnet.spec.ids = [one for one in set(xr.observed.spec.ids)]", "CL009"),
    "the length of what is missing": ("subnet.spec.two = len(vpc.observed.status.zones) == 2", "CL004"),
    "a text of what is missing": ("subnet.spec.sum = hashlib.sha256(repr(vpc.observed.status).encode())", "CL005"),
    "or, of constants alone": ("if xr.observed.spec.size == ('small' or 'medium'):\n    return", "CL010"),
    "a default that is added to": ("def part(names=[]):\n    names += ['b']", "CL006"),
    "a tuple without its comma": ("for zone in ('eu-central-1a'):\n    pass", "CL017"),
    "all exceptions": ("try:\n    size = int(vpc_id)\nexcept Exception:\n    size = 20", "CL018"),
    "all exceptions, without a name": ("try:\n    size = int(vpc_id)\nexcept:\n    size = 20", "CL018"),
    "a short text without its f": ("name = 'a'\nsubnet.spec.name = 'app-{name}'", "CL015"),
    "a colon as in YAML": ("subnet.spec.vpcId: vpc_id", "CL014"),
    "a colon behind an item": ("subnet.spec.tags['a']: vpc_id", "CL014"),
    "a text without its f": ("subnet.spec.vpcId = '{vpc.observed.status.id}'", "CL015"),
    "a text of the composite without its f": ("subnet.spec.name = 'a-{xr.observed.metadata.name}'", "CL015"),
    "a comparison on a line": ("subnet.spec.size == 3", "CL016"),
    "a token": ("subnet.spec.suffix = f'app-{secrets.token_hex(4)}'", "CL008"),
    "a module's list": ("NAMES.append('d')", "CL013"),
    "a module's dict": ("SIZES['a'] = 1", "CL013"),
    "a module's counter": ("subnet.spec.a = next(NUMBERS)", "CL013"),
    "a module's number": ("global COUNT\nCOUNT += 1", "CL013"),
    "a list": ("zones = []\nsubnet.spec.zones = zones\nzones.append('d')", "CL007"),
}

RIGHT = {
    "the user's values": "if xr.observed.spec.window is None:\n    return",
    "a question": "if not vpc_id:\n    return",
    "a default": "if value_or(vpc_id, None) is None:\n    return",
    "a name with two meanings": "vpc_id = None\nif vpc_id is None:\n    return",
    "a loop's name": "for vpc_id in []:\n    if vpc_id is None:\n        return",
    "metadata": "if vpc.observed.metadata.deletionTimestamp is None:\n    return",
    "readiness": "if vpc.observed.ready is True:\n    return",
    "desired state": "if vpc.spec.a is None:\n    return",
    "a text": "subnet.spec.text = json.dumps({'a': f'{vpc_id}'})",
    "json_dumps": "subnet.spec.text = json_dumps({'a': vpc_id})",
    "apply": "subnet.spec.ids = apply(sorted, [vpc_id])",
    "a dict before": "tags = {'a': 'b'}\ntags['c'] = 'd'\nsubnet.spec.tags = tags",
    "a dict in a loop": "tags = {}\nfor one in 'ab':\n    subnet.spec.tags = tags\n    tags[one] = 'b'",
    "the field": "tags = {'a': 'b'}\nsubnet.spec.tags = tags\nsubnet.spec.tags['c'] = 'd'",
    "another dict": "tags = {'a': 'b'}\nsubnet.spec.tags = dict(tags)\ntags['c'] = 'd'",
    "a token that is made once": "subnet.spec.a = ctx.once(subnet.observed.spec.a, lambda: secrets.token_hex(4))",
    "a default that stays": "def part(tags={}):\n    return {**tags, 'a': 'b'}",
    "a set in order": "subnet.spec.ids = sorted({one for one in xr.observed.spec.ids})",
    "or, of comparisons": "if xr.observed.spec.size == 'small' or xr.observed.spec.size == 'medium':\n    return",
    "or, of a value": "subnet.spec.a = xr.observed.spec.a or 'medium'",
    "a loop of numbers": "n = 3\nwhile n:\n    n -= 1",
    "a list of the same name": "NAMES = []\nNAMES.append('d')",
    "a module's list that is read": "subnet.spec.names = [*NAMES, *SIZES]\nsubnet.spec.count = NAMES.count('d')",
    "a copy of a module's dict": "sizes = dict(SIZES)\nsizes['a'] = 1",
    "a resource by a module's name": "NAMED.spec.a = 1",
    "an exception that is told": "try:\n    size = 1\nexcept Exception as error:\n    ctx.results.warning(str(error))",
    "an exception of its own": "try:\n    size = 1\nexcept ValueError:\n    size = 20",
    "the length of what the user wrote": "subnet.spec.count = len(xr.observed.spec.ids)",
    "a set of a set": "subnet.spec.ids = sorted([one for one in sorted(set(xr.observed.spec.ids))])",
    "letters": "for zone in 'abc':\n    pass",
    "a type": "size: int = 3\nsubnet.spec.size = size",
    "a text of another language": "subnet.spec.text = '{{ .Values.name }} {name.first} ${vpc}'",
    "a text that is formatted": "subnet.spec.text = 'a-{xr.name}'.format(xr=xr)",
    "an f-string": "subnet.spec.text = f'a-{xr.observed.metadata.name}'",
    "sorted names": "subnet.spec.names = sorted(ctx.observed)",
}


def written(folder: Path, body: str) -> str:
    """Write a function with these lines, and return the file."""
    file = folder / "function.py"
    file.write_text(HEAD + "".join(f"    {line}\n" for line in body.splitlines()))
    return str(file)


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """Previews of other tests import a module of this name, too."""
    yield
    sys.modules.pop("function", None)


@pytest.mark.parametrize(("body", "code"), WRONG.values(), ids=WRONG)
def test_what_goes_wrong(body: str, code: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is one line with the file, the place, the rule and what to write, and the exit status is 1."""
    file = written(tmp_path, body)
    assert main(["check", file]) == 1
    (line,) = capsys.readouterr().out.splitlines()
    place, number, column, rest = line.split(":", 3)
    assert place == file
    assert rest.split()[0] == code
    assert int(number) in range(FIRST, FIRST + body.count("\n") + 1)
    assert int(column) > 4


@pytest.mark.parametrize("body", RIGHT.values(), ids=RIGHT)
def test_what_is_right(body: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is said of what means the same in every call, or isn't known."""
    assert main(["check", written(tmp_path, body)]) == 0
    assert capsys.readouterr() == ("", "")


def test_a_default_that_changes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A list that is a default, and that the function changes, is one list for all calls."""
    (tmp_path / "a.py").write_text(
        "def part(ctx, names=[]):\n    names.append(1)\n\n\ndef other(names=[]):\n    return len(names)\n"
    )
    assert main(["check", str(tmp_path)]) == 1
    assert capsys.readouterr().out.startswith(f"{tmp_path}/a.py:1:21: CL006 ")


def test_a_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Without FILE the code of a project is read, beside what is installed for it; elsewhere, FILE is missing."""
    monkeypatch.chdir(tmp_path)
    for name in ("net/function.py", "venv/lib/other.py"):
        Path(name).parent.mkdir(parents=True)
        Path(name).write_text("def part(ctx, names=[]):\n    names.append(1)\n")
    Path("venv/pyvenv.cfg").touch()
    with pytest.raises(SystemExit, match="2"):
        main(["check"])
    assert "give FILE: the current folder has no crossplane-lite.toml" in capsys.readouterr().err
    Path("crossplane-lite.toml").touch()
    assert main(["check"]) == 1
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("net/function.py:1:21: CL006 ")


def test_examples_are_right(capsys: pytest.CaptureFixture[str]) -> None:
    """The examples, the pages' and the benchmarks' functions, and those of real runs, have none of these habits."""
    of_tests = [f"tests/{name}" for name in ("cluster", "docs", "guard", "runtime", "simulate")]
    folders = [str(ROOT / name) for name in ("examples", "benchmarks", *of_tests)]
    assert main(["check", *folders]) == 0
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("text", ["def compose(:\n", "a = '\0'"])
def test_what_is_not_python(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file that isn't Python is refused with its place."""
    (tmp_path / "a.py").write_text(text)
    assert main(["check", str(tmp_path / "a.py")]) == 2
    assert "a.py" in capsys.readouterr().err


def test_a_function_without_a_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Previews warn of it, once, with the name that keeps the marks; nothing is said once that is written."""
    (tmp_path / "xr.yaml").write_text("apiVersion: example.org/v1\nkind: XNetwork\nmetadata: {name: net}\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    for module, name in (("without_name", ""), ("with_name", "(name='with_name.compose')")):
        (tmp_path / f"{module}.py").write_text(HEAD.replace("composition.function", f"composition.function{name}"))
        assert main(["render", "xr.yaml", "--function", f"{module}:compose"]) == 0
        said = [line for line in capsys.readouterr().err.splitlines() if "has no name" in line]
        assert len(said) == (not name)
        assert all(line.startswith("warning: without_name.py: ") for line in said)
        assert all(line.endswith("write @composition.function(name='without_name.compose')") for line in said)


def test_previews_say_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Previews warn of the same, once, with the line."""
    written(tmp_path, "if vpc_id is None:\n    return")
    (tmp_path / "xr.yaml").write_text("apiVersion: example.org/v1\nkind: XNetwork\nmetadata: {name: net}\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    for command in ("render", "simulate"):
        main([command, "xr.yaml", "--function", "function:compose"])
        said = [line for line in capsys.readouterr().err.splitlines() if "CL001" in line]
        assert len(said) == 1
        assert f"function.py:{FIRST}: vpc_id is never None" in said[0]


def test_each_rule_is_on_the_page() -> None:
    """The page of previews has a row for each rule, and none for others."""
    page = (ROOT / "docs" / "how-to" / "render.rst").read_text(encoding="utf-8")
    assert sorted(re.findall(r"^   \* - ``(CL\d+)``$", page, re.MULTILINE)) == sorted(
        {code for _, code in WRONG.values()}
    )
