"""The page on models: its commands run in their order, and print what it shows."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crossplane_lite._tools.codegen import add
from crossplane_lite._tools.codegen.options import PROJECT, make_parser
from crossplane_lite._tools.commands.hints import _flags
from crossplane_lite.cli import main
from tests.codegen.generated import crd, obj
from tests.codegen.test_cluster import CRDS, native
from tests.programs.api_server import ApiServer, needs_kubectl, serving
from tests.wheels import ROOT

Json = dict[str, Any]

PAGE = (ROOT / "docs" / "how-to" / "make-models.rst").read_text(encoding="utf-8")
BLOCKS = [
    textwrap.dedent(block).strip("\n") + "\n" for block in re.findall(r"(?:::|:: \w+)\n\n((?: {4}[^\n]*\n|\n)+)", PAGE)
]
COMMANDS = [block.strip() for block in BLOCKS if block.startswith("crossplane-lite ")]
XRD, CLUSTER, ALONE, USES, AGAIN, CHECK = COMMANDS

CODE = '''\
"""What the network composes."""

from network.models.org.example.aws.function import v1 as functionv1

config = functionv1.LoggingConfig(logFormat="JSON")
function = functionv1.ForProvider(loggingConfig=config, imageUri="registry.example.org/image")
'''


def function(*, is_new: bool = False) -> Json:
    """Return the definition of a function of AWS in two versions of its provider."""
    config = obj(logFormat="s", **({"systemLogLevel": "s"} if is_new else {}))
    written = obj(loggingConfig=config, **({"timeout": "i"} if is_new else {"timeout": "s", "imageUri": "s"}))
    schema = obj(spec=obj(forProvider=written), status=obj(atProvider=obj(loggingConfig=obj(logFormat="s"))))
    return crd(schema, group="aws.example.org", kind="Function")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with the definitions that the page speaks of, which is the current folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "network").mkdir()
    (tmp_path / "network" / "__init__.py").touch()
    (tmp_path / "network" / "function.py").write_text(CODE)
    (tmp_path / "crds").mkdir()
    (tmp_path / "crds" / "function.yaml").write_text(json.dumps(function()))
    version = {"name": "v1", "served": True, "referenceable": True, "schema": {"openAPIV3Schema": obj(spec=obj(a="s"))}}
    xrd = {
        "apiVersion": "apiextensions.crossplane.io/v2",
        "kind": "CompositeResourceDefinition",
        "metadata": {"name": "networks.example.org"},
        "spec": {"group": "example.org", "names": {"kind": "Network", "plural": "networks"}, "versions": [version]},
    }
    (tmp_path / "xrd.yaml").write_text(json.dumps(xrd))
    return tmp_path


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[[str], tuple[int, str]]:
    """Run a command line of the page, and return its exit status and what it printed."""

    def running(line: str) -> tuple[int, str]:
        import shlex

        capsys.readouterr()
        return main(shlex.split(line)[1:]), capsys.readouterr().out

    return running


def test_the_commands(project: Path, run: Callable[[str], tuple[int, str]]) -> None:
    """From the first models to a new version of a provider: the file repeats the first command, the check tells."""
    status, printed = run(XRD)
    assert status == 0
    imports = next(block for block in BLOCKS if block.startswith("import them with"))
    assert printed.endswith(imports)
    (project / PROJECT).write_text(next(block for block in BLOCKS if block.startswith("[generate]")))
    assert ALONE == AGAIN
    before = (project / "network/models/.crossplane-lite.json").read_bytes()
    assert run(ALONE)[0] == 0
    assert (project / "network/models/.crossplane-lite.json").read_bytes() == before
    assert run(CHECK)[0] == 0
    (project / "crds" / "function.yaml").write_text(json.dumps(function(is_new=True)))
    status, printed = run(CHECK)
    assert status == 1
    shown = next(block for block in BLOCKS if block.startswith("1 module changed"))
    assert shown.partition("the new models")[0] in printed
    assert run(AGAIN)[0] == 0
    assert run(CHECK)[0] == 0
    (project / "crds" / "function.yaml").write_text("[")
    status, printed = run(CHECK)
    assert status == 1
    assert "1 module removed: " in printed


@pytest.mark.slow
def test_the_lines_that_break(project: Path, run: Callable[[str], tuple[int, str]]) -> None:
    """The report of a new version with the code's lines is what the page shows."""
    assert run(XRD)[0] == 0
    (project / PROJECT).write_text(next(block for block in BLOCKS if block.startswith("[generate]")))
    (project / "crds" / "function.yaml").write_text(json.dumps(function(is_new=True)))
    status, printed = run(USES)
    assert status == 1
    shown = next(block for block in BLOCKS if block.startswith("1 module changed"))
    column = re.compile(r"(?<=py:6:)\d+")  # versions of mypy differ in it
    assert column.sub("", shown) in column.sub("", printed)


@pytest.mark.slow
@needs_kubectl
def test_a_cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Callable[[str], tuple[int, str]]) -> None:
    """The command that reads a cluster makes the models of what it chooses."""
    monkeypatch.chdir(tmp_path)
    api = ApiServer([CRDS])
    api.objects = [crd(obj(spec=obj(size="i")), group="demo.example.org", kind="Thing")]
    api.documents = {"apis/apps/v1": ("B" * 16, native("apps", "apps", "Deployment"))}
    with serving(tmp_path, monkeypatch, api):
        status, printed = run(CLUSTER)
    assert (status, printed.split(",")[0]) == (0, "2 kinds")
    assert (tmp_path / "cluster/models/io/k8s/api/apps/v1.py").is_file()


def test_flags() -> None:
    """Each flag that the page names is one of the commands'."""
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", PAGE))
    assert len(named) > 6
    assert named <= _flags(make_parser()).keys() | _flags(add.make_parser()) | {"--raw"}
