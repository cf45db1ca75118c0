"""The examples under the real orchestrators: kpt, where it is on the PATH, and kustomize, which Go builds.

Each function runs on the same files in each way, and makes of them what it makes without an orchestrator. A second run
changes nothing.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from crossplane_lite._tools.manifests.yaml import parse_documents
from tests.krm import kustomize, packages
from tests.krm.processes import HEAD, ROOT

# Building takes long where it hasn't been done.
pytestmark = [pytest.mark.real, pytest.mark.slow]

EXAMPLES = ROOT / "examples" / "krm"

WEB = """\
# Copyright of the shop

# What people see.
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web # kpt-set: ${name}
  namespace: shop
  annotations:
    owner: "shop"
spec:
  replicas: 1 # kpt-set: ${replicas}
  selector:
    matchLabels:
      app: web
  template:
    metadata:
      labels:
        app: web # as above
    spec:
      volumes:
      - name: settings
        configMap:
          name: settings
      containers:
      # the first
      - name: web
        image: nginx:1.0 # of the registry
        resources:
          limits:
            cpu: 100m
            memory: 64Mi
---
# Where they find it.
apiVersion: v1
kind: Service
metadata:
  name: web
  namespace: shop
spec:
  selector:
    app: web
  ports:
  # in the clear
  - port: 80
"""
SETTINGS = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
  namespace: shop
data:
  # three lines
  text: |
    one
    two # no comment
  quoted: 'it''s'
"""
FILES = {"web.yaml": WEB, "settings.yaml": SETTINGS}


class Case(NamedTuple):
    """An example, with the functionConfig that it gets beside kind, apiVersion and metadata."""

    path: str
    config: str = ""
    kind: str = "v1 ConfigMap"

    def config_text(self, annotations: str = "") -> str:
        """Return the functionConfig."""
        api_version, _, kind = self.kind.partition(" ")
        head = f"apiVersion: {api_version}\nkind: {kind}\nmetadata:\n  name: fn-config\n"
        return head + (f"  annotations:\n{annotations}" if annotations else "") + self.config


TRANSFORMERS = {
    "set-labels": Case("catalog/set_labels.py", "data:\n  team: web\n"),
    "set-annotations": Case("catalog/set_annotations.py", "data:\n  color: orange\n"),
    "set-namespace": Case("catalog/set_namespace.py", "data:\n  namespace: prod\n"),
    "set-image": Case("catalog/set_image.py", "data:\n  name: nginx\n  newTag: '2.0'\n"),
    "ensure-name-substring": Case("catalog/ensure_name_substring.py", "data:\n  prepend: dev-\n"),
    "apply-setters": Case("catalog/apply_setters.py", "data:\n  name: shop\n  replicas: '3'\n"),
    "create-setters": Case("catalog/create_setters.py", "data:\n  registry: nginx\n"),
    "list-setters": Case("catalog/list_setters.py", "data: {}\n"),
    "typed-set-labels": Case("set_labels/function.py", "labels:\n  team: web\n", "example.org/v1 SetLabels"),
    "typed-set-namespace": Case("set_namespace/function.py", "namespace: prod\n", "example.org/v1 SetNamespace"),
}
# What kustomize build doesn't send has nothing to work on.
NEEDS_COMMENTS = ("apply-setters", "create-setters", "list-setters")
GENERATOR = Case("generate/function.py", "image: nginx:2\n", "example.org/v1 Web")
VALIDATOR = Case("require_limits/function.py", "data: {}\n")


@pytest.fixture(scope="module")
def kpt() -> str:
    """The path of kpt."""
    found = shutil.which("kpt")
    if found is None:
        pytest.skip("kpt is not installed")
    return found


@pytest.fixture(scope="module")
def program() -> str:
    """The path of kustomize in the version that this suite is for."""
    if os.environ.get("KUSTOMIZE"):
        return os.environ["KUSTOMIZE"]
    try:
        return kustomize.built()
    except RuntimeError as error:
        pytest.skip(str(error))


def starter(folder: Path, script: Path) -> Path:
    """Write a program that starts a function by its own path, as orchestrators start programs."""
    file = folder / "fn"
    file.write_text(f'#!/bin/sh\nexec {sys.executable} {script} "$@"\n')
    file.chmod(0o755)
    return file


def packaged(folder: Path, files: dict[str, str] | None = None) -> Path:
    """Write the files into a folder of their own."""
    package = folder / "package"
    package.mkdir()
    for name, text in (FILES if files is None else files).items():
        (package / name).write_text(text)
    return package


def ran(
    folder: Path, *command: str, data: bytes | None = None, fails: bool = False
) -> subprocess.CompletedProcess[bytes]:
    """Run a program in a folder, without a home of its own."""
    home = folder.parent / "home"
    home.mkdir(exist_ok=True)
    env = {**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(home), "KPT_DISABLE_ANALYTICS": "1"}
    done = subprocess.run(command, cwd=folder, input=data, capture_output=True, env=env, timeout=120, check=False)
    assert (done.returncode != 0) == fails, (done.stdout + done.stderr).decode()
    return done


def contents(package: Path, names: Iterable[str] = FILES) -> dict[str, str]:
    """Return what files hold, without empty lines between comments, which kpt takes out where it writes a file."""
    return {name: (package / name).read_text().replace("shop\n\n#", "shop\n#") for name in names}


def alone(folder: Path, case: Case, files: dict[str, str] | None = None) -> dict[str, str]:
    """Return what a function makes of the files without an orchestrator."""
    here = folder / "alone"
    here.mkdir()
    package = packaged(here, files)
    (here / "config.yaml").write_text(case.config_text())
    script = str(EXAMPLES / case.path)
    ran(package, sys.executable, script, "-f", str(here / "config.yaml"), "--in-place", str(package))
    return contents(package, FILES if files is None else files)


@pytest.mark.parametrize("name", TRANSFORMERS)
def test_kpt_fn_eval(tmp_path: Path, kpt: str, name: str) -> None:
    """kpt fn eval: the files are what the function makes of them alone, twice over."""
    case, package = TRANSFORMERS[name], packaged(tmp_path)
    expected = alone(tmp_path, case)
    (tmp_path / "config.yaml").write_text(case.config_text())
    fn = starter(tmp_path, EXAMPLES / case.path)
    for _ in range(2):
        ran(package, kpt, "fn", "eval", ".", "--exec", str(fn), "--fn-config", str(tmp_path / "config.yaml"))
        assert contents(package) == expected


@pytest.mark.parametrize("name", TRANSFORMERS)
def test_kpt_fn_render(tmp_path: Path, kpt: str, name: str) -> None:
    """kpt fn render: the same from the pipeline of a Kptfile."""
    case, package = TRANSFORMERS[name], packaged(tmp_path)
    expected = alone(tmp_path, case)
    fn = starter(tmp_path, EXAMPLES / case.path)
    (package / "fn-config.yaml").write_text(case.config_text('    config.kubernetes.io/local-config: "true"\n'))
    (package / "Kptfile").write_text(
        "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: package\n  annotations:\n"
        '    config.kubernetes.io/local-config: "true"\npipeline:\n  mutators:\n'
        f"  - exec: {fn}\n    configPath: fn-config.yaml\n    selectors:\n    - namespace: shop\n"
        f"    - namespace: prod\n"
    )
    for _ in range(2):
        ran(package, kpt, "fn", "render", ".", "--allow-exec")
        assert contents(package) == expected


@pytest.mark.parametrize("name", TRANSFORMERS)
def test_kpt_fn_source_and_sink(tmp_path: Path, kpt: str, name: str) -> None:
    """kpt fn source, the function, kpt fn sink: the same through a shell's pipe.

    kpt fn source itself leaves out what stands above a file's first document with an empty line below it.
    """
    case, package = TRANSFORMERS[name], packaged(tmp_path)
    expected = alone(tmp_path, case)
    expected["web.yaml"] = expected["web.yaml"].removeprefix("# Copyright of the shop\n")
    (tmp_path / "config.yaml").write_text(case.config_text())
    fn = starter(tmp_path, EXAMPLES / case.path)
    for number in range(2):
        source = ran(package, kpt, "fn", "source", ".", "--fn-config", str(tmp_path / "config.yaml")).stdout
        answer = ran(package, str(fn), data=source).stdout
        ran(tmp_path, kpt, "fn", "sink", f"out{number}", data=answer)
        assert contents(tmp_path / f"out{number}") == expected
        package = tmp_path / f"out{number}"


@pytest.mark.parametrize("name", TRANSFORMERS)
def test_kustomize_fn_run(tmp_path: Path, program: str, name: str) -> None:
    """kustomize fn run: the same, with the functionConfig among the files."""
    case = TRANSFORMERS[name]
    package = packaged(tmp_path)
    expected = alone(tmp_path, case)
    fn = starter(tmp_path, EXAMPLES / case.path)
    annotation = f"    config.kubernetes.io/function: |\n      exec:\n        path: ../{fn.name}\n"
    (package / "fn-config.yaml").write_text(case.config_text(annotation))
    for _ in range(2):
        ran(package, program, "fn", "run", "--enable-exec", ".")
        assert contents(package) == expected


def kustomization(package: Path, field: str, config: str) -> None:
    """Make a package one of kustomize's, with a function in a field of it."""
    names = ", ".join(name for name in FILES if (package / name).exists())
    (package / "fn-config.yaml").write_text(config)
    (package / "kustomization.yaml").write_text(f"resources: [{names}]\n{field}: [fn-config.yaml]\n")


def values(text: str) -> list[dict[str, Any]]:
    """Return the documents of a stream, in the order of kinds and names."""
    found = [document.content for document in parse_documents(text, "text", extra="krm")]
    return sorted(found, key=lambda one: (one["kind"], one["metadata"]["name"]))


BUILD = ("build", "--enable-alpha-plugins", "--enable-exec", "--load-restrictor", "LoadRestrictionsNone", ".")


@pytest.mark.parametrize("name", [name for name in TRANSFORMERS if name not in NEEDS_COMMENTS])
def test_kustomize_build(tmp_path: Path, program: str, name: str) -> None:
    """kustomize build: a transformer's output has the same values."""
    case, package = TRANSFORMERS[name], packaged(tmp_path)
    expected = alone(tmp_path, case)
    fn = starter(tmp_path, EXAMPLES / case.path)
    annotation = f"    config.kubernetes.io/function: |\n      exec:\n        path: ../{fn.name}\n"
    kustomization(package, "transformers", case.config_text(annotation))
    found = ran(package, program, *BUILD).stdout.decode()
    assert values(found) == values("---\n".join(expected.values()))


def test_the_generator(tmp_path: Path, kpt: str, program: str) -> None:
    """The generator makes its resources in each way, and again the same."""
    package = packaged(tmp_path, {"settings.yaml": SETTINGS})
    fn = starter(tmp_path, EXAMPLES / GENERATOR.path)
    (tmp_path / "config.yaml").write_text(GENERATOR.config_text())
    before: dict[str, str] = {}
    for _ in range(2):
        ran(package, kpt, "fn", "eval", ".", "--exec", str(fn), "--fn-config", str(tmp_path / "config.yaml"))
        found = {file.name: file.read_text() for file in package.iterdir()}
        assert [one["kind"] for text in found.values() for one in values(text)].count("Deployment") == 1
        assert found["settings.yaml"] == SETTINGS
        assert before in ({}, found)
        before = found
    annotation = f"    config.kubernetes.io/function: |\n      exec:\n        path: ../{fn.name}\n"
    kustomization(package, "generators", GENERATOR.config_text(annotation))
    kinds = [one["kind"] for one in values(ran(package, program, *BUILD).stdout.decode())]
    assert kinds == ["ConfigMap", "Deployment", "Service"]


def test_the_validator(tmp_path: Path, kpt: str, program: str) -> None:
    """The validator passes what has limits and fails what hasn't, and writes nothing, in each way."""
    package = packaged(tmp_path)
    fn = starter(tmp_path, EXAMPLES / VALIDATOR.path)
    limits = "        resources:\n          limits:\n            cpu: 100m\n            memory: 64Mi\n"
    annotations = (
        f"    config.kubernetes.io/function: |\n      exec:\n        path: ../{fn.name}\n"
        "    crossplane-lite/kustomize-field: validators\n"
    )
    for text, fails in ((WEB, False), (WEB.replace(limits, ""), True)):
        (package / "web.yaml").write_text(text)
        done = ran(package, kpt, "fn", "eval", ".", "--exec", str(fn), "--type", "validator", fails=fails)
        assert contents(package) == {**FILES, "web.yaml": text.replace("shop\n\n#", "shop\n#")} or not fails
        assert (b"limits" in done.stderr) == fails
        kustomization(package, "validators", VALIDATOR.config_text(annotations))
        done = ran(package, program, *BUILD, fails=fails)
        assert done.stdout.count(b"kind: Service") == (0 if fails else 1)
        assert (b"limits" in done.stderr) == fails
        (package / "kustomization.yaml").unlink()
        done = ran(package, program, "fn", "run", "--enable-exec", ".", fails=fails)
        (package / "fn-config.yaml").unlink()
        assert contents(package)["web.yaml"] == text.replace("shop\n\n#", "shop\n#")


SHARED = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: shared
data: &d
  a: "1"
other:
  <<: *d
  b: c # of its own
"""
EDITS = """
for item in rl.items.where(name="shared"):
    item.other.b = "d"
    item.annotations["color"] = "orange"
    item.comments("data.a").line = "kpt-set: ${a}"
for item in rl.items.where(kind="Service", name="web"):
    item.name = "front"
    item.move_to("front.yaml")
for item in rl.items.where(name="settings"):
    rl.items.remove(item)
"""


def _starting(lines: str, tmp_path: Path, package: Path, by: str) -> tuple[str, ...]:
    """Write a function with these lines, and return the arguments with which kpt or kustomize runs it on a package."""
    script = tmp_path / "function.py"
    body = "".join(f"    {line}\n" if line else "" for line in lines.split("\n"))
    script.write_text(f"{HEAD}\n@krm.function\ndef transform(rl):\n{body}\n\ntransform.main()\n")
    fn = starter(tmp_path, script)
    if by == "kpt":
        return "fn", "eval", ".", "--exec", str(fn)
    (package / "fn.yaml").write_text(
        "apiVersion: example.org/v1\nkind: Fn\nmetadata:\n  name: fn\n  annotations:\n"
        f"    config.kubernetes.io/function: |\n      exec:\n        path: ../{fn.name}\n"
    )
    return "fn", "run", "--enable-exec", "."


@pytest.mark.parametrize("by", ["kpt", "kustomize"])
def test_edits(tmp_path: Path, by: str, request: pytest.FixtureRequest) -> None:
    """Merge keys, annotations, comments, renames, moves and deletions come out in the files as they were meant."""
    binary = request.getfixturevalue("kpt" if by == "kpt" else "program")
    package = packaged(tmp_path, {**FILES, "shared.yaml": SHARED})
    command = _starting(EDITS, tmp_path, package, by)
    for _ in range(2):
        ran(package, binary, *command)
        assert contents(package, ["shared.yaml", "web.yaml", "front.yaml"]) == {
            "shared.yaml": SHARED.replace("name: shared\n", "name: shared\n  annotations:\n    color: orange\n")
            .replace('a: "1"', 'a: "1" # kpt-set: ${a}')
            .replace("  <<: *d\n  b: c", "  !!merge <<: *d\n  b: d"),
            "web.yaml": WEB.partition("---\n")[0].replace("shop\n\n#", "shop\n#"),
            "front.yaml": WEB.partition("---\n")[2].replace("name: web", "name: front"),
        }
        # kustomize fn run leaves a file of which nothing is left.
        assert by == "kustomize" or not (package / "settings.yaml").exists()


def catalog_starter(folder: Path, name: str) -> Path:
    """Write a program that starts a function of the catalog."""
    fn = folder / f"fn_{name}"
    fn.write_text(f"#!/bin/sh\nexec {sys.executable} {EXAMPLES / 'catalog' / name}.py\n")
    fn.chmod(0o755)
    return fn


@pytest.mark.parametrize("name", packages.NAMES)
def test_kpt_on_packages_of_the_catalog(tmp_path: Path, kpt: str, name: str) -> None:
    """kpt makes of the catalog's packages what the catalog expects, with our functions in place of its own."""
    package = packages.package(name, tmp_path)
    wanted = packages.expected(name, tmp_path / "expected")
    is_eval = (package / ".expected" / "config.yaml").exists()
    for step in packages.steps(package):
        fn = catalog_starter(tmp_path, step.name)
        if is_eval:
            config = tmp_path / "config.yaml"
            config.write_text(step.config or "")
            given = ("--fn-config", str(config)) if step.config else ()
            ran(package, kpt, "fn", "eval", ".", "--exec", str(fn), *given)
        else:
            kptfile = package / "Kptfile"
            before = kptfile.read_text()
            kptfile.write_text(re.sub(r"image: .*", f"exec: {fn}", before))
            ran(package, kpt, "fn", "render", ".", "--allow-exec")
            kptfile.write_text(before)  # it has the path of the program, and the status of the pipeline
    found = packages.files(package)
    if name in packages.DIFFERENCES:
        assert values("---\n".join(text for key, text in found.items() if key.endswith(".yaml"))) == values(
            "---\n".join(text for key, text in wanted.items() if key.endswith(".yaml") and "kptfile" not in key)
        )
    else:
        assert found == wanted


AS_THEY_ARE = {
    "dev/web.yaml": "apiVersion: v1\nkind: Service\nmetadata:\n  name: web\n  namespace: dev\n",
    "prod/web.yaml": "apiVersion: v1\nkind: Service\nmetadata:\n  name: web\n  namespace: prod\n",
    "twice.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: tagged\ndata:\n  a: !mine x # kept\n",
    "ignored/values.yaml": "replicas: 1\n",
    "a.json": '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "json"}}\n',
}
MOVE = """
for item in rl.items.where(kind="Service"):
    item.namespace = "all"
copy = rl.items.add(rl.items.where(kind="Service")[0])
copy.name = "copy"
one, two = rl.items.where(kind="Service", name="web")
one.name, two.name = "two", "web"
"""


@pytest.mark.parametrize("by", ["kpt", "kustomize"])
def test_packages_as_they_are(tmp_path: Path, by: str, request: pytest.FixtureRequest) -> None:
    """One name in two folders, a swap of names, a copy, an item that can't be read: all of it goes through."""
    binary = request.getfixturevalue("kpt" if by == "kpt" else "program")
    package = packaged(tmp_path, {})
    for name, text in AS_THEY_ARE.items():
        (package / name).parent.mkdir(exist_ok=True)
        (package / name).write_text(text)
    (package / ".krmignore").write_text("ignored\n")
    command = _starting(MOVE, tmp_path, package, by)
    ran(package, binary, *command)
    assert (package / "dev/web.yaml").read_text() == AS_THEY_ARE["dev/web.yaml"].replace("web", "two").replace(
        "namespace: dev", "namespace: all"
    )
    assert (package / "prod/web.yaml").read_text() == AS_THEY_ARE["prod/web.yaml"].replace(" prod", " all")
    assert (package / "ignored/values.yaml").read_text() == AS_THEY_ARE["ignored/values.yaml"]
    assert "a: !mine x # kept" in (package / "twice.yaml").read_text()
    copies = [file for file in package.rglob("*.yaml") if "name: copy" in file.read_text()]
    assert [file.name for file in copies] == ["service_copy.yaml"]


def test_chains_and_merges(tmp_path: Path, kpt: str) -> None:
    """A chain of functions, a patch with merge keys and a replaced content come out in the file as they were meant."""
    package = packaged(tmp_path)
    script = tmp_path / "function.py"
    script.write_text(
        f"{HEAD}\n@krm.function\ndef patch(rl):\n    for one in rl.where(kind='Deployment'):\n"
        "        one.merge({'spec': {'template': {'spec': {'containers': [{'name': 'web', 'image': 'nginx:2'}]}}}})\n\n"
        "@krm.function\ndef switch(rl):\n    for one in rl.where(kind='ConfigMap'):\n"
        "        one.replace({**one.to_dict(), 'data': {'text': 'new'}})\n    return rl.results.info('done')\n\n"
        "krm.chain(patch, switch).main()\n"
    )
    fn = starter(tmp_path, script)
    for _ in range(2):
        done = ran(package, kpt, "fn", "eval", ".", "--exec", str(fn))
        assert b"done" in done.stderr
        found = contents(package)
        assert found["web.yaml"] == WEB.replace("nginx:1.0", "nginx:2").replace("shop\n\n#", "shop\n#")
        assert found["settings.yaml"] == SETTINGS.partition("  text: |")[0] + "  text: |-\n    new\n"
