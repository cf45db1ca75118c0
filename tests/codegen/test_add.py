"""`crossplane-lite add`: kinds of one more source come to a project's models, and its file remembers them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from crossplane_lite._tools.codegen import cluster
from crossplane_lite._tools.codegen.options import PROJECT, project_table
from crossplane_lite._tools.manifests import project as projects
from crossplane_lite._tools.manifests.yaml import Document, load_documents
from crossplane_lite.cli import main
from tests.codegen.generated import crd, obj
from tests.manifests.registry import Registry, packaged, registry

__all__ = ["registry"]


def source(name: str, *kinds: str, group: str = "aws.example.org", **fields: str) -> None:
    """Write a file with definitions of kinds."""
    Path(name).write_text("\n---\n".join(map(json.dumps, definitions(*kinds, group=group, **fields))))


def definitions(*kinds: str, group: str = "aws.example.org", **fields: str) -> list[Any]:
    """Return definitions of kinds."""
    made = []
    for kind in kinds:
        definition: Any = crd(obj(spec=obj(**(fields or {"a": "s"}))))
        definition["spec"]["group"] = group
        definition["spec"]["names"] = {"kind": kind, "plural": f"{kind.lower()}s"}
        definition["metadata"] = {"name": f"{kind.lower()}s.{group}"}
        made.append(definition)
    return made


def modules() -> list[str]:
    """Return the kinds that have models."""
    return sorted(path.parent.name for path in Path("models").rglob("v1.py"))


def add(*arguments: str) -> int:
    """Run the command."""
    return main(["add", *arguments])


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test has a folder of its own."""
    monkeypatch.chdir(tmp_path)


def test_named_kinds_of_a_source() -> None:
    """The kinds that are named get models, in a new project too, and `generate` makes the same ones again."""
    source("ec2.yaml", "VPC", "Subnet", "Route")
    assert add("ec2.yaml", "VPC", "subnet") == 0
    assert modules() == ["subnet", "vpc"]
    assert project_table(projects.read(Path(PROJECT))) == {
        "sources": ["ec2.yaml"],
        "output": "models",
        "only": ["aws.example.org/VPC", "aws.example.org/Subnet"],
    }
    assert main(["generate", "--check"]) == 0
    assert add("ec2.yaml", "aws.example.org/Route") == 0
    assert modules() == ["route", "subnet", "vpc"]


def test_what_the_project_has_stays() -> None:
    """Kinds of earlier sources stay, whether the file has chosen among them or not, and so do its comments."""
    source("xrd.yaml", "App", group="example.org")
    text = '# ours\n[generate] # models\nsources = [\n  "xrd.yaml", # the XRD\n]\noutput = "models"\n\n[other]\nx = 1\n'
    Path(PROJECT).write_text(text)
    source("ec2.yaml", "VPC", "Subnet")
    assert add("ec2.yaml", "VPC") == 0
    assert modules() == ["app", "vpc"]
    now = Path(PROJECT).read_text()
    assert now.startswith("# ours\n[generate] # models\n")
    assert now.endswith("\n[other]\nx = 1\n")
    source("s3.yaml", "Bucket", group="s3.example.org")
    assert add("s3.yaml") == 0
    assert modules() == ["app", "bucket", "vpc"]


def test_all_kinds_where_some_are_chosen(capsys: pytest.CaptureFixture[str]) -> None:
    """Without names, the kinds of the source are chosen by name, a line for each where they are many."""
    source("ec2.yaml", "VPC", "Subnet")
    assert add("ec2.yaml", "VPC") == 0
    kinds = [f"Kind{number}" for number in range(5)]
    source("more.yaml", *kinds, group="more.example.org")
    assert add("more.yaml") == 0
    only = ["aws.example.org/VPC", *(f"more.example.org/{kind}" for kind in kinds)]
    assert project_table(projects.read(Path(PROJECT)))["only"] == only
    file = Path(PROJECT)
    file.write_text(file.read_text().replace('    "more.example.org/Kind3",\n', ""))
    assert main(["generate"]) == 0
    assert modules() == ["kind0", "kind1", "kind2", "kind4", "vpc"]
    assert add("ec2.yaml") == 0
    assert modules() == ["kind0", "kind1", "kind2", "kind4", "subnet", "vpc"]
    assert "note:" not in capsys.readouterr().out


def test_all_kinds_where_nothing_is_chosen() -> None:
    """Without names all kinds of the source come, and nothing is chosen among those that were there."""
    source("xrd.yaml", "App", group="example.org")
    assert add("xrd.yaml", "-o", "models") == 0
    source("ec2.yaml", "VPC", "Subnet")
    assert add("ec2.yaml") == 0
    assert modules() == ["app", "subnet", "vpc"]
    assert "only" not in project_table(projects.read(Path(PROJECT)))


def test_a_kind_of_several_groups(capsys: pytest.CaptureFixture[str]) -> None:
    """A kind of several groups comes from all, which is said; one that is deleted from the file goes again."""
    for group in ("a.example.org", "b.example.org"):
        source(f"{group}.yaml", "Bucket", "Role", group=group)
    Path("all.yaml").write_text("\n---\n".join(path.read_text() for path in sorted(Path().glob("?.*.yaml"))))
    assert add("all.yaml", "b.example.org/Role") == 0
    assert "note:" not in capsys.readouterr().out
    assert add("all.yaml", "bucket") == 0
    assert "note: a.example.org/Bucket, b.example.org/Bucket have one name" in capsys.readouterr().out
    assert modules() == ["bucket", "bucket", "role"]
    file = Path(PROJECT)
    file.write_text(file.read_text().replace('"a.example.org/Bucket", ', ""))
    assert main(["generate"]) == 0
    assert modules() == ["bucket", "role"]


def test_previews_know_the_source() -> None:
    """A project's previews check what is composed by the new source, or by the one that takes its place."""
    source("ec2-v1.yaml", "VPC")
    source("ec2-v2.yaml", "VPC", a="i")
    Path("crds").mkdir()
    source("crds/s3.yaml", "Bucket", group="s3.example.org")
    Path("xr.yaml").touch()
    Path(PROJECT).write_text('[preview]\nxr = "xr.yaml" # ours\n')

    def crds() -> object:
        return projects.read(Path(PROJECT)).tables["preview"].get("crds")

    assert add("ec2-v1.yaml", "VPC") == 0
    assert crds() == ["ec2-v1.yaml"]
    assert add("crds") == add("crds/s3.yaml") == 0
    assert crds() == ["ec2-v1.yaml", "crds"]
    assert add("ec2-v2.yaml", "--upgrade") == 0
    assert crds() == ["crds", "ec2-v2.yaml"]
    Path("more").mkdir()
    source("more/rds.yaml", "Instance", group="rds.example.org")
    assert add("more/*.yaml") == 0
    assert crds() == ["crds", "ec2-v2.yaml", "more/rds.yaml"]
    assert 'xr = "xr.yaml" # ours\n' in Path(PROJECT).read_text()


def test_upgrade(capsys: pytest.CaptureFixture[str]) -> None:
    """A newer source takes the place of the one with the same kinds, with the kinds that were chosen, and a report."""
    source("xrd.yaml", "App", group="example.org")
    source("ec2-v1.yaml", "VPC", "Subnet", a="s", b="s")
    source("ec2-v2.yaml", "VPC", "Subnet", a="s", c="i")
    assert add("xrd.yaml") == add("ec2-v1.yaml", "VPC") == 0
    capsys.readouterr()
    assert add("ec2-v2.yaml", "--upgrade") == 0
    assert modules() == ["app", "vpc"]
    assert project_table(projects.read(Path(PROJECT)))["sources"] == ["xrd.yaml", "ec2-v2.yaml"]
    assert "1 module changed, 1 in a way that may break code" in capsys.readouterr().out


@pytest.mark.parametrize("named", ["crds", "crds/", "./crds", "crds/ec2.yaml"])
def test_upgrade_of_a_folder(named: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Where another folder takes the place of `crds`, previews leave `crds`, and no command asks for it again."""
    for folder, type_ in (("crds", "s"), ("new", "i")):
        Path(folder).mkdir()
        source(f"{folder}/ec2.yaml", "VPC", a=type_)
    Path("xr.yaml").touch()
    preview = f'[preview]\nxr = "xr.yaml"\ncrds = ["{named}"]\n'
    Path(PROJECT).write_text(f'[generate]\nsources = ["crds"]\noutput = "models"\n\n{preview}')
    assert add("new", "--upgrade") == main(["generate"]) == 0
    assert "warning" not in capsys.readouterr().err
    assert projects.read(Path(PROJECT)).tables["preview"]["crds"] == ["new"]


def test_a_chosen_kind_that_is_gone(capsys: pytest.CaptureFixture[str]) -> None:
    """A kind that the file chooses and a newer source lacks is told with its place, and no other kind is proposed."""
    source("ec2-v1.yaml", "VPC", "Subnet")
    source("ec2-v2.yaml", "VPC")
    assert add("ec2-v1.yaml", "VPC", "Subnet") == 0
    place = f"{PROJECT}: generate.only: aws.example.org/Subnet matches no kind; the kinds are aws.example.org/VPC\n"
    assert add("ec2-v2.yaml", "--upgrade") == 2
    assert capsys.readouterr().err.endswith(place)
    Path("ec2-v2.yaml").rename("ec2-v1.yaml")
    assert main(["generate"]) == 2
    assert capsys.readouterr().err.endswith(place)
    assert main(["generate", "--only", "*/Subnet"]) == 2
    assert "--only */Subnet matches no kind" in capsys.readouterr().err


def test_kinds_of_a_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a kubectl context the kinds are those of its cluster, and the file remembers the context."""
    asked = []

    def served(context: str, only: list[str]) -> list[Document]:
        asked.append(context)
        return [*load_documents(Path("served.yaml"))]

    source("xrd.yaml", "App", group="example.org")
    source("served.yaml", "VPC", "Subnet")
    monkeypatch.setattr(cluster, "documents", served)
    assert add("xrd.yaml") == 0
    assert add("--kube-context", "dev", "VPC") == 0
    assert modules() == ["app", "vpc"]
    assert project_table(projects.read(Path(PROJECT)))["kube-context"] == "dev"
    assert set(asked) == {"dev"}


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["ec2.yaml", "VCP"], "ec2.yaml has no kind VCP; did you mean 'VPC'?"),
        (["nope.yaml"], "nope.yaml"),
        (["ec2.yaml", "other.org/VPC"], "has no kind other.org/VPC"),
        (["s3.yaml", "--upgrade"], "leave --upgrade out"),
    ],
)
def test_nothing_changes_after_an_error(arguments: list[str], text: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What can't be added is told, and the project is as it was."""
    source("ec2.yaml", "VPC", "Subnet")
    source("s3.yaml", "Bucket", group="s3.example.org")
    assert add("ec2.yaml", "VPC") == 0
    before = Path(PROJECT).read_text()
    assert add(*arguments) == 2
    assert text in capsys.readouterr().err
    assert Path(PROJECT).read_text() == before
    assert modules() == ["vpc"]


@pytest.mark.parametrize("kind", ["VPC", "ec2.example.org/VPC"])
def test_a_kind_without_a_source(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A kind in the place of the source is told as such."""
    with pytest.raises(SystemExit):
        add(kind)
    assert f"there is no file {kind}: if it is a kind, give a SOURCE that has it first" in capsys.readouterr().err


def test_a_new_project_that_can_not_be_made(capsys: pytest.CaptureFixture[str]) -> None:
    """Where the first models can't be made, there is no file either."""
    source("ec2.yaml", "VPC")
    Path("models").write_text("a file in the way")
    assert add("ec2.yaml") == 2
    assert not Path(PROJECT).exists()
    assert "models" in capsys.readouterr().err


def test_a_file_that_can_not_be_edited(capsys: pytest.CaptureFixture[str]) -> None:
    """A table that the command can't edit is left as it is, and the message says what to do."""
    source("ec2.yaml", "VPC")
    Path(PROJECT).write_text('generate = {sources = ["xrd.yaml"], output = "models"}\n')
    source("xrd.yaml", "App", group="example.org")
    assert add("ec2.yaml") == 2
    assert "in lines of their own" in capsys.readouterr().err
    assert Path(PROJECT).read_text().startswith("generate = {")


def test_a_source_that_is_gone(capsys: pytest.CaptureFixture[str]) -> None:
    """A source of the project that doesn't exist any more is named with what to do, and comes back when it is added."""
    source("old.yaml", "VPC")
    Path(PROJECT).write_text('[generate]\nsources = ["old.yaml"]\noutput = "models"\n[preview]\ncrds = ["old.yaml"]\n')
    before = Path(PROJECT).read_text()
    Path("old.yaml").unlink()
    source("new.yaml", "VPC", "Subnet")
    for more in ([], ["Subnet"], ["--upgrade"]):
        assert add("new.yaml", *more) == 2
        said = capsys.readouterr().err
        assert f"{PROJECT} lists old.yaml, which isn't there any more: replace it in sources and crds\n" in said
        assert Path(PROJECT).read_text() == before
    Path("new.yaml").rename("old.yaml")
    assert add("old.yaml") == 0
    assert modules() == ["subnet", "vpc"]


def test_without_a_source(capsys: pytest.CaptureFixture[str]) -> None:
    """Neither a source nor a cluster is an error of the command line."""
    with pytest.raises(SystemExit) as caught:
        add()
    assert caught.value.code == 2
    assert "SOURCE" in capsys.readouterr().err


def test_adding_again() -> None:
    """A source and kinds that the project has, however they are written there, come in once."""
    source("ec2.yaml", "VPC", "Subnet")
    for name, only in (("./ec2.yaml", "AWS.example.org/*"), (str(Path("ec2.yaml").absolute()), "aws.example.org/vpc")):
        Path(PROJECT).write_text(f'[generate]\nsources = ["{name}"]\nonly = ["{only}"]\n')
        assert add("ec2.yaml", "VPC") == add("ec2.yaml", "VPC") == 0
        table = project_table(projects.read(Path(PROJECT)))
        assert (table["sources"], table["only"]) == (["ec2.yaml"], [only])


def test_a_source_outside_of_the_project(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The file has the way to a source from its own folder, and who adds one outside of that is told."""
    source("ec2.yaml", "VPC")
    Path("project").mkdir()
    outside = Path("ec2.yaml").absolute()
    monkeypatch.chdir("project")
    assert add(str(outside)) == 0
    assert project_table(projects.read(Path(PROJECT)))["sources"] == ["../ec2.yaml"]
    assert f"note: {outside} lies outside of the project" in capsys.readouterr().err
    outside.rename("ec2.yaml")
    Path(PROJECT).unlink()
    assert add("ec2.yaml") == 0
    assert "outside" not in capsys.readouterr().err


def test_kinds_of_kubernetes(capsys: pytest.CaptureFixture[str]) -> None:
    """Kubernetes' own kinds come with the tools; the models are those of the file, and previews need no file."""
    assert add("kubernetes", "Deployment", "Service") == 0
    assert project_table(projects.read(Path(PROJECT))) == {
        "sources": ["kubernetes"],
        "output": "models",
        "only": ["apps/Deployment", "core/Service"],
    }
    assert Path("models/io/k8s/api/apps/v1.py").is_file()
    assert main(["generate", "--check"]) == 0
    source("ec2.yaml", "VPC")
    assert add("ec2.yaml", "VPC") == 0
    assert add("kubernetes", "Secret") == 0
    assert project_table(projects.read(Path(PROJECT)))["sources"] == ["ec2.yaml", "kubernetes"]
    text = Path("models/io/k8s/api/core/v1.pyi").read_text()
    assert "class Secret(" in text and "class Service(" in text
    capsys.readouterr()
    assert add("kubernetes", "Ingres") == 2
    assert capsys.readouterr().err == "crossplane-lite add: kubernetes has no kind Ingres; did you mean 'Ingress'?\n"


def test_a_kind_of_kubernetes_without_its_source(capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever names a kind of Kubernetes alone is told the source."""
    with pytest.raises(SystemExit):
        add("Secret")
    assert "`crossplane-lite add kubernetes Secret`" in capsys.readouterr().err


def test_a_file_called_kubernetes() -> None:
    """A file of this name is a file."""
    source("kubernetes", "VPC")
    assert add("kubernetes", "VPC") == 0
    assert modules() == ["vpc"]


@pytest.mark.parametrize(
    ("only", "left"),
    [
        ([], ["aws.example.org/Subnet", "aws.example.org/VPC"]),
        (["aws.example.org/*"], ["aws.example.org/Subnet", "aws.example.org/VPC"]),
        (["aws.example.org/Route", "*/VPC"], ["*/VPC"]),
    ],
)
def test_a_kind_is_taken_out(only: list[str], left: list[str]) -> None:
    """A kind goes from the models; the others stay, however the file names them."""
    source("ec2.yaml", "VPC", "Subnet", "Route")
    more = f"only = {json.dumps(only)}\n" if only else ""
    Path(PROJECT).write_text(f'[generate]\nsources = ["ec2.yaml"]\noutput = "models"\n{more}')
    assert main(["generate"]) == 0
    assert add("--remove", "route") == 0
    assert project_table(projects.read(Path(PROJECT)))["only"] == left
    assert "route" not in modules() and "vpc" in modules()


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (["VPN"], "have no kind VPN; did you mean 'VPC'?"),
        (["VPC", "Subnet"], "must keep a kind"),
        ([], "--remove needs the kinds"),
    ],
)
def test_nothing_to_take_out(names: list[str], text: str, capsys: pytest.CaptureFixture[str]) -> None:
    """An unknown kind, the last one and none at all are refused, and nothing changes."""
    source("ec2.yaml", "VPC", "Subnet")
    assert add("ec2.yaml", "VPC", "Subnet") == 0
    before = Path(PROJECT).read_text()
    assert add("--remove", *names) == 2
    assert text in capsys.readouterr().err
    assert Path(PROJECT).read_text() == before


def test_a_package_of_a_registry(registry: Registry, capsys: pytest.CaptureFixture[str]) -> None:
    """The file has the digest; another tag of the name moves nothing until --upgrade, and no network is needed then."""
    Path("xr.yaml").touch()
    Path(PROJECT).write_text('[preview]\nxr = "xr.yaml"\n')
    name = f"xpkg://{registry.address}/team/a:v1"
    first = registry.add("v1", *packaged(*definitions("VPC", "Subnet", a="s")))
    assert add(name, "VPC") == 0
    project = projects.read(Path(PROJECT))
    assert project_table(project)["sources"] == project.preview()["crds"] == [f"{name}@{first}"]
    second = registry.add("v1", *packaged(*definitions("VPC", "Subnet", b="i")))
    capsys.readouterr()
    for source in (name, name.removeprefix("xpkg://")):
        assert add(source, "Subnet") == 0
        told = f"note: the tag of {name} has moved: it stands for {second} now, and {PROJECT} keeps {first}; --upgrade"
        assert capsys.readouterr().err.startswith(told)
    assert modules() == ["subnet", "vpc"]
    assert add(name, "--upgrade") == 0
    project = projects.read(Path(PROJECT))
    assert project_table(project)["sources"] == project.preview()["crds"] == [f"{name}@{second}"]
    registry.clear()
    capsys.readouterr()
    assert main(["generate", "--check"]) == add(name, "VPC") == 0
    assert capsys.readouterr().err.startswith(f"note: whether {name} has moved isn't known: {registry.address} refuses")
    assert add(name, "--upgrade") == 2


def test_a_digest_that_is_given(registry: Registry) -> None:
    """A package that is named with its digest is that one, whatever its tag stands for."""
    first = registry.add("v1", *packaged(*definitions("VPC")))
    registry.add("v1", *packaged(*definitions("Subnet")))
    name = f"xpkg://{registry.address}/team/a:v1@{first}"
    assert add(name) == 0
    assert modules() == ["vpc"]
    assert registry.paths()[0] == f"manifests/{first}"
    assert project_table(projects.read(Path(PROJECT)))["sources"] == [name]


def test_another_version_of_a_package(registry: Registry) -> None:
    """Another tag takes the place of the one with the same kinds."""
    registry.add("v1", *packaged(*definitions("VPC", a="s")))
    second = registry.add("v2", *packaged(*definitions("VPC", a="i")))
    name = f"xpkg://{registry.address}/team/a"
    assert add(f"{name}:v1") == add(f"{name}:v2", "--upgrade") == 0
    assert project_table(projects.read(Path(PROJECT)))["sources"] == [f"{name}:v2@{second}"]
