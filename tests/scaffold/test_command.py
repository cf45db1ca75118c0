"""`crossplane-lite init`: projects that work as they are written."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from crossplane_lite._tools.scaffold import command as init
from crossplane_lite.cli import main
from tests import wheels
from tests.packaging.support import root_folder
from tests.wheels import ROOT

CRDS = ROOT.parent / "shared" / "data" / "crds"
VPC = ROOT / "examples" / "vpc" / "xrd.yaml"
CLUSTER_SCOPED = (
    "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: as.example.org}\n"
    "spec:\n  group: example.org\n  names: {kind: A, plural: as}\n  scope: Cluster\n  versions:\n"
    "  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object,\n"
    "     x-kubernetes-preserve-unknown-fields: true}}}\n"
)
IN_NAMESPACES = CLUSTER_SCOPED.replace("scope: Cluster", "scope: Namespaced").replace("kind: A", "kind: B")
IN_NAMESPACES = IN_NAMESPACES.replace("plural: as", "plural: bs").replace("as.example.org", "bs.example.org")


def install(folder: Path, source: dict[str, object] | None) -> None:
    """Write what pip writes for a crossplane-lite that is installed from a source, or from the index."""
    metadata = folder / "crossplane_lite-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: crossplane-lite\nVersion: 1.0\n")
    if source is not None:
        (metadata / "direct_url.json").write_text(json.dumps(source))


@pytest.fixture
def here(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, which is the current one; crossplane-lite is from the index."""
    monkeypatch.chdir(tmp_path)
    index = tmp_path_factory.mktemp("index")
    install(index, None)
    monkeypatch.syspath_prepend(index)
    return tmp_path


@pytest.fixture
def unrendered(monkeypatch: pytest.MonkeyPatch) -> None:
    """init doesn't start a process that renders the example, as tests of the other files don't need it."""
    monkeypatch.setattr(init, "_write_snapshot", lambda *_: None)


@pytest.fixture(params=[False, pytest.param(True, marks=pytest.mark.slow)], ids=["written", "rendered"])
def rendered(request: pytest.FixtureRequest) -> bool:
    """Whether projects are rendered, too, in processes of their own."""
    if not request.param:
        request.getfixturevalue("unrendered")
    return bool(request.param)


def run(*command: str, cwd: Path) -> str:
    """Run a command of crossplane-lite in a project, in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-m", "crossplane_lite", *command],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_what_it_requires(here: Path, unrendered: None) -> None:
    """A project requires the package without extras, and its author those for a terminal; no file has a flag."""
    assert main(["init", "net"]) == 0
    text = (here / "net" / "pyproject.toml").read_text()
    assert 'dependencies = ["crossplane-lite"]' in text and 'dev = ["crossplane-lite[cli]", "mypy", "pytest"]' in text
    files = [path for path in (here / "net").rglob("*.yaml") if ".github" not in path.parts]
    assert len(files) >= 5
    assert [path for path in files if "--" in path.read_text().replace("---", "")] == []


@pytest.mark.slow
def test_two_commands_to_the_first_render(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """init writes a project whose example renders at once, as it says first, with its package right."""
    assert main(["init", "my-net"]) == 0
    said = capsys.readouterr().out
    project = here / "my-net"
    install, show = commands((project / "README.md").read_text())[:2]
    assert show == ".venv/bin/crossplane-lite render"
    assert said.splitlines() == [
        "my-net: 25 files of a new function, my-net",
        *("next:", "  cd my-net", "  crossplane-lite render"),
        *("then, for tests and types:", f"  {install}"),
    ]
    shown = run("render", cwd=project)
    assert shown.count("\nkind: ConfigMap") == 1
    assert run("render", "example/xr.yaml", "example/composition.yaml", "example/functions.yaml", cwd=project) == shown
    assert "stable after" in run("simulate", cwd=project)
    assert "flowchart" in run("graph", "--simulate", cwd=project)
    assert "ConfigMap" in run("diff", cwd=project)
    assert "function-my-net for" not in run("xpkg", "build", "-o", "a.xpkg", cwd=project)
    assert run("xpkg", "verify", "a.xpkg", cwd=project).endswith("are right\n")
    written = [
        path for path in project.rglob("*") if path.is_file() and path.suffix in (".py", ".toml", ".md", ".yaml")
    ]
    assert [path for path in written if re.search(r"\$[a-z{]", path.read_text())] == []


def test_what_the_readme_says_of_models(here: Path, unrendered: None) -> None:
    """The README names the folder crds as a source where it is one, and how `add` makes models of more kinds."""
    crd = here / "crd.yaml"
    crd.write_text(CLUSTER_SCOPED)
    for name, flags in (("a", []), ("b", ["--crd", str(crd)])):
        assert main(["init", name, *flags]) == 0
        readme = (here / name / "README.md").read_text()
        said = "Models come from `xrd.yaml` and the definitions in `crds`, as" in readme
        assert said is (here / name / "crds").exists() is bool(flags)
        assert ('"xrd.yaml", "crds"' in (here / name / "crossplane-lite.toml").read_text()) is bool(flags)
        assert ".venv/bin/crossplane-lite add PACKAGE.xpkg KIND ..." in readme


def test_names_differ(here: Path, unrendered: None) -> None:
    """Two projects of one name mark their resources with different names."""
    marks = set()
    for folder in ("a", "b"):
        assert main(["init", f"{folder}/net"]) == 0
        text = (here / folder / "net" / "net" / "function.py").read_text()
        marks.update(re.findall(r'name="(net-[0-9a-f]{6})"', text))
    assert len(marks) == 2


def test_a_folder_that_is_not_empty(here: Path, unrendered: None, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder with anything in it is refused, and nothing is written; an empty one is taken."""
    (here / "net").mkdir()
    (here / "net" / "notes").write_text("mine")
    for template in ("composition", "operation", "krm"):
        assert main(["init", "net", "--template", template]) == 2
        assert (
            "net isn't an empty folder (it has notes): choose another name, or delete the folder (nothing was written)"
            in capsys.readouterr().err
        )
    assert os.listdir("net") == ["notes"]
    assert main(["init", "net/notes", "--template", "krm"]) == 2
    assert "net/notes exists and isn't a folder: choose another name (nothing was written)" in capsys.readouterr().err
    (here / "net" / "notes").unlink()
    assert main(["init", "net", "--template", "operation"]) == 0


@pytest.mark.parametrize(
    "name", ["Net", "1a", "a_b", "class", "json", "grpc", "a" * 51, "-a", "a--b", "ä", "yaml", "packaging", "yes"]
)
def test_names(here: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    """A name that can't be a project's, or whose package would hide another, is refused."""
    assert main(["init", "--template", "composition", "--", name]) == 2
    assert "can't be the name of a function" in capsys.readouterr().err
    assert os.listdir() == []


def test_files_that_are_not_right(here: Path, unrendered: None, capsys: pytest.CaptureFixture[str]) -> None:
    """An XRD and CRDs that are something else are named, and nothing is written."""
    (here / "a.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
    assert main(["init", "net", "--xrd", "a.yaml"]) == 2
    assert "a.yaml must hold one CompositeResourceDefinition and nothing else" in capsys.readouterr().err
    assert main(["init", "net", "--crd", "a.yaml"]) == 2
    assert "there is no CustomResourceDefinition in a.yaml" in capsys.readouterr().err
    assert main(["init", "net", "--crd", "xpkg://localhost:1/a:v1"]) == 2
    assert "run `crossplane-lite add xpkg://localhost:1/a:v1` in the project" in capsys.readouterr().err
    assert main(["init", "net", "--crd", "none.yaml"]) == 2
    assert "none.yaml" in capsys.readouterr().err
    assert main(["init", "net", "--template", "krm", "--xrd", "a.yaml"]) == 2
    assert "--xrd and --crd work only with --template composition" in capsys.readouterr().err
    assert main(["init", "net", "--sdk-from", "./none"]) == 2
    assert "--sdk-from must be a folder or file that exists" in capsys.readouterr().err
    assert os.listdir() == ["a.yaml"]


def test_models_are_made_again(
    here: Path, unrendered: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The project's file says what its models are made of: they are current, and change with the definitions."""
    assert main(["init", "net"]) == 0
    monkeypatch.chdir("net")
    assert main(["generate", "--check"]) == 0
    xrd = Path("xrd.yaml")
    xrd.write_text(xrd.read_text().replace("size:", "extent:"))
    assert main(["generate", "--check"]) == 1
    assert "field removed: NetSpec.size at spec" in capsys.readouterr().out
    assert main(["generate"]) == 0
    assert main(["generate", "--check"]) == 0
    assert Path(".github/workflows/ci.yaml").read_text().count("- run: crossplane-lite generate --check\n") == 1


def test_the_old_name(here: Path) -> None:
    """`krm init` writes what `init --template krm` writes."""
    assert main(["krm", "init", "a/set-team"]) == 0
    assert main(["init", "b/set-team", "--template", "krm"]) == 0
    files = [sorted(path.relative_to(here / top) for path in (here / top).rglob("*")) for top in ("a", "b")]
    assert files[0] == files[1]
    assert "crossplane-lite[krm]" in (here / "a" / "set-team" / "pyproject.toml").read_text()


@pytest.mark.skipif(not CRDS.exists(), reason="the definitions are not there")
def test_the_document_of_an_api_server(here: Path, rendered: bool) -> None:
    """Kinds of an OpenAPI document get models, and the function composes none of its lists and reviews."""
    apps = str(CRDS.parent / "openapi" / "apps_v1.json")
    assert main(["init", "net", "--crd", apps, "--crd", str(CRDS / "s3.aws.m.upbound.io_buckets.yaml")]) == 0
    function = Path("net/net/function.py").read_text()
    assert re.findall(r'ctx.resource\("(.*?)"', function) == ["bucket"]
    assert Path("net/net/models/io/k8s/api/apps/v1.py").exists()
    assert main(["init", "app", "--crd", apps]) == 0
    assert re.findall(r'ctx.resource\("(.*?)"', Path("app/app/function.py").read_text()) == ["settings", "consumer"]
    if rendered:
        run("render", cwd=here / "app")


@pytest.mark.parametrize(
    ("crds", "scope"),
    [
        ([CLUSTER_SCOPED], "Cluster"),
        ([IN_NAMESPACES], "Namespaced"),
        ([CLUSTER_SCOPED, IN_NAMESPACES], "Cluster"),
    ],
)
def test_scopes(here: Path, rendered: bool, capsys: pytest.CaptureFixture[str], crds: list[str], scope: str) -> None:
    """A new XRD has the scope in which its composite can compose every kind, and the project's tests pass."""
    flags = []
    for number, text in enumerate(crds):
        Path(f"{number}.yaml").write_text(text)
        flags += ["--crd", f"{number}.yaml"]
    assert main(["init", "net", *flags]) == 0
    assert capsys.readouterr().err == ""
    assert f"  scope: {scope}\n" in Path("net/xrd.yaml").read_text()
    if not rendered:
        return
    shown = run("simulate", "--format", "yaml", cwd=here / "net")
    assert len(re.findall("^kind: [AB]$", shown, re.MULTILINE)) == len(crds)
    assert ("namespace: default" in shown) is (IN_NAMESPACES in crds)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "pytest", "-q"]
    done = subprocess.run(command, cwd=here / "net", env=environment, capture_output=True, text=True, check=False)
    assert "2 passed" in done.stdout, done.stdout + done.stderr


def test_a_scope_that_does_not_fit(here: Path, rendered: bool, capsys: pytest.CaptureFixture[str]) -> None:
    """A given XRD in a namespace can't compose what is in none: that is said, and the function leaves it out."""
    Path("a.yaml").write_text(CLUSTER_SCOPED)
    Path("b.yaml").write_text(IN_NAMESPACES)
    assert main(["init", "zero"]) == 0
    flags = ["--xrd", "zero/xrd.yaml", "--crd", "a.yaml"]
    for name, more, kinds in (("one", [], ["settings", "consumer"]), ("two", ["--crd", "b.yaml"], ["b"])):
        assert main(["init", name, *flags, *more]) == 0
        assert "Zero is in a namespace and A is not" in capsys.readouterr().err
        function = Path(name, name, "function.py").read_text()
        assert re.findall(r'ctx.resource\("(.*?)"', function) == kinds
        if rendered:
            run("render", cwd=here / name)


@pytest.mark.parametrize(
    ("told", "place"),
    [
        ({"url": "file:///a%20b/c.whl", "archive_info": {}}, "'/a b/c.whl'"),
        ({"url": "https://example.org/c.whl", "archive_info": {}}, "https://example.org/c.whl"),
        (
            {"url": "https://example.org/c", "vcs_info": {"vcs": "git", "commit_id": "1f"}},
            "git+https://example.org/c@1f",
        ),
        (None, None),
    ],
)
def test_a_package_that_is_not_of_the_index(
    here: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    told: dict[str, object] | None,
    place: str | None,
) -> None:
    """Where the package came from a file or an address, init without --sdk-from names that, and writes nothing."""
    install(here / "from", told)
    monkeypatch.syspath_prepend(here / "from")
    assert main(["init", "fn", "--template", "krm"]) == (0 if place is None else 2)
    said = capsys.readouterr().err
    assert ("--sdk-from" in said) is (place is not None) is not Path("fn").exists()
    assert (
        place is None or f"was installed from {place}, and pip's index may not have it: add --sdk-from {place}" in said
    )
    assert main(["init", "other", "--template", "krm", "--sdk-from", "1.0"]) == 0


def test_dockerfile(here: Path, unrendered: None) -> None:
    """Both stages have the base of one argument, and the image ends as nobody by number."""
    assert main(["init", "net"]) == 0
    text = (here / "net" / "Dockerfile").read_text()
    assert re.findall(r"^FROM (.*)$", text, re.MULTILINE) == ["${BASE} AS build", "${BASE}"]
    assert re.search(r"^ARG BASE=python:3\.\d+-slim-bookworm$", text, re.MULTILINE)
    assert text.index("USER 65534:65534") < text.index('ENTRYPOINT ["python", "-m", "net.function"]')
    settings = re.search(r"^ENV (.*)$", text[text.index("COPY --from=build") :], re.MULTILINE)
    assert settings is not None
    assert settings[1].split() == ["PYTHONDONTWRITEBYTECODE=1", "MALLOC_ARENA_MAX=1"]
    kept = re.findall(r"^!(\S+)$", (here / "net" / ".dockerignore").read_text(), re.MULTILINE)
    assert kept == ["pyproject.toml", "net"]
    assert all((here / "net" / name).exists() for name in kept)


def test_models_that_git_would_ignore(here: Path, unrendered: None, capsys: pytest.CaptureFixture[str]) -> None:
    """Where git ignores a generated model, generate says so; the project's own list keeps them."""
    subprocess.run(["git", "init", "-q", "."], check=True, capture_output=True)
    (here / ".gitignore").write_text("org/\n")
    assert main(["init", "net"]) == 0
    capsys.readouterr()
    assert main(["generate", "net/xrd.yaml", "-o", "models"]) == 0
    said = capsys.readouterr().err
    assert re.search(
        r"warning: git ignores .*models/org/.* and \d+ more, because .*\.gitignore has 'org/' in line 1", said
    )
    (here / "models" / ".gitignore").write_text("!**\n")
    assert main(["generate", "net/xrd.yaml", "-o", "models"]) == 0
    assert capsys.readouterr().err == ""


@pytest.fixture(scope="module")
def sdk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package as a wheel."""
    return wheels.build(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory, sdk: Path) -> Path:
    """The programs of a fresh virtual environment with the wheel and nothing else that a new user lacks."""
    folder = tmp_path_factory.mktemp("venv")
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    command = [folder / "bin" / "pip", "install", "-q", f"{sdk}[cli]"]
    subprocess.run(command, check=True, capture_output=True, timeout=600)
    return folder / "bin"


def commands(readme: str) -> list[str]:
    """Return the commands of a README in their order."""
    return [line.strip() for line in readme.splitlines() if line.startswith("    ")]


PROJECTS = {
    "composition": [],
    "with-definitions": [
        *("--xrd", str(VPC)),
        *(
            "--crd",
            str(CRDS / "ec2.aws.upbound.io_vpcs.yaml"),
            "--crd",
            str(CRDS / "rds.aws.upbound.io_instances.yaml"),
        ),
    ],
    "operation": ["--template", "operation"],
    "krm": ["--template", "krm"],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", PROJECTS)
def test_the_readme_in_a_fresh_environment(tmp_path: Path, installed: Path, sdk: Path, name: str) -> None:
    """Every command of a new project's README that needs no other program works, from an empty folder to the "
    "package."""
    if name == "with-definitions" and not CRDS.exists():
        pytest.skip("the definitions are not there")
    environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "VIRTUAL_ENV")}
    environment["PATH"] = f"{installed}{os.pathsep}{environment['PATH']}"

    def shell(command: str, cwd: Path) -> str:
        done = subprocess.run(
            command, shell=True, cwd=cwd, env=environment, capture_output=True, text=True, timeout=600, check=False
        )
        expected = 1 if "--diff" in command else 0  # as diff itself
        assert done.returncode == expected, f"{command}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    shell(" ".join(["crossplane-lite", "init", "my-fn", "--sdk-from", str(sdk), *PROJECTS[name]]), tmp_path)
    project = tmp_path / "my-fn"
    root_folder(project / "base")
    programs = ("docker", "skopeo", "kpt", "config", "container", "image:")
    done = []
    for command in commands((project / "README.md").read_text()):
        if not command.startswith(programs):
            done.append(command)
            shell(command, project)
    assert len(done) >= 5
    if name != "krm":
        assert (project / "function-my-fn.xpkg").exists()
        example = "op example/operation.yaml" if name == "operation" else "example/xr.yaml example/composition.yaml"
        shown = shell(f".venv/bin/crossplane-lite render {example} example/functions.yaml", project)
        assert shown.count("kind: ") >= 2
        if name != "operation":
            assert "in 2 waves" in shell(".venv/bin/crossplane-lite simulate", project)
