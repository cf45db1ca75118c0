"""What the command is told, by arguments and by a project's file."""

from __future__ import annotations

from pathlib import Path

import pytest

from crossplane_lite._tools.codegen.options import PROJECT, Options, make_parser, read
from crossplane_lite.errors import InputError

WHOLE = """
[generate]
sources = ["crds/*.yaml", "xrd.yaml", "-"]
kube-context = "dev"
output = "network/models"
only = ["*/Bucket"]
versions = "all"
uses = ["network"]
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own, which is the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_arguments() -> None:
    """Arguments alone say everything; a project's file is not read where a source is named."""
    Path(PROJECT).write_text("no TOML at all")
    wanted = Options(["a", "b"], None, Path("m"), [], "served", [], False, False, False)
    assert read(["a", "b", "-o", "m"]) == wanted
    assert read(["--kube-context", "-o", "m"]) == wanted._replace(sources=[], kube_context="")
    assert read(["a", "--kube-context=dev", "-o", "m"]).kube_context == "dev"
    flags = "--only x/Y --only z/* --versions all --uses u --check --report json -v"
    assert read(["a", "b", "-o", "m", *flags.split()]) == Options(
        *(["a", "b"], None, Path("m"), ["x/Y", "z/*"], "all", [Path("u")], True, True, True)
    )


def test_a_projects_file() -> None:
    """Without a source the project's file says all of it."""
    Path(PROJECT).write_text(WHOLE)
    sources = ["crds/*.yaml", "xrd.yaml", "-"]
    assert read([]) == Options(
        *(sources, "dev", Path("network/models"), ["*/Bucket"], "all"),
        *([Path("network")], False, False, False, Path(PROJECT), f"{PROJECT}: generate.only:"),
    )


def test_arguments_count_before_the_file() -> None:
    """What an argument says counts instead of what the file says, one by one."""
    Path(PROJECT).write_text(WHOLE)
    found = read(["-o", "m", "--only", "a/B", "--versions", "served", "--check", "--uses", "x.py"])
    assert (found.output, found.only, found.versions) == (Path("m"), ["a/B"], "served")
    assert (found.is_check, found.uses) == (True, [Path("x.py")])
    assert found.sources == ["crds/*.yaml", "xrd.yaml", "-"]


def test_another_file() -> None:
    """--project names the file; paths in it are as seen from its folder."""
    Path("deep").mkdir()
    Path("deep/models.toml").write_text('[generate]\nsources = ["crds", "/a/b"]\noutput = "models"\nuses = ["."]\n')
    found = read(["--project", "deep/models.toml"])
    assert (found.sources, found.output) == (["deep/crds", "/a/b"], Path("deep/models"))
    assert found.uses == [Path("deep")]
    assert found.project == Path("deep/models.toml")
    found = read(["x", "--project", "deep/models.toml"])
    assert (found.sources, found.project) == (["x"], None)


def test_a_project_that_is_not_there() -> None:
    """A file that --project names and that isn't there is an error that says so."""
    with pytest.raises(InputError, match=r"^can't read none\.toml: No such file or directory$"):
        read(["--project", "none.toml"])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a = ", "is not TOML: "),
        ("a = 1", "must have a table [generate]"),
        ("generate = 3", "generate must be a table, [generate] (got 3)"),
        ('[generate]\nsource = ["a"]', "[generate] has no key 'source'; did you mean 'sources'?"),
        ('[generate]\nsources = "a"', "generate.sources must be a list of strings (got 'a')"),
        ("[generate]\nsources = [3]", "generate.sources must be a list of strings (got [3])"),
        ("[generate]\noutput = false", "generate.output must be a string (got false)"),
        ('[generate]\nversions = "new"', "generate.versions must be served, storage or all (got 'new')"),
        ('[generate]\noutput = "m"', "[generate] has neither sources nor kube-context: add one of the two"),
    ],
)
def test_a_wrong_file(text: str, problem: str) -> None:
    """A file that isn't what it should be is one line with its name and the place."""
    Path(PROJECT).write_text(text)
    with pytest.raises(InputError) as caught:
        read(["-o", "m"])
    assert str(caught.value).startswith(f"{PROJECT}")
    assert problem in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ([], "give a SOURCE or --kube-context; the current folder has no crossplane-lite.toml"),
        (["a"], "-o/--output"),
    ],
)
def test_too_little(capsys: pytest.CaptureFixture[str], arguments: list[str], problem: str) -> None:
    """Where nobody says what to read, or where to write, the usage says so."""
    with pytest.raises(SystemExit) as caught:
        read(arguments)
    assert caught.value.code == 2
    assert problem in capsys.readouterr().err


def test_a_file_that_is_not_there() -> None:
    """A file that --project names must be there."""
    with pytest.raises(InputError, match=r"can't read none\.toml"):
        read(["--project", "none.toml"])


def test_the_files_keys_are_flags() -> None:
    """Each key of the file has an argument of its name."""
    flags = {flag for action in make_parser()._actions for flag in (*action.option_strings, action.dest)}
    keys = ("sources", "kube-context", "output", "only", "versions", "uses")
    assert all(key in flags or f"--{key}" in flags for key in keys)
