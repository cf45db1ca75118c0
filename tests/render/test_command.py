"""`crossplane-lite render` from the command line: what it prints where, and with which exit status."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml as pyyaml  # type: ignore[import-untyped]

from crossplane_lite.cli import main
from crossplane_lite.runtime import log
from tests.manifests.registry import Registry, packaged, registry
from tests.render.files import COMPOSITION, FUNCTIONS, HERE, XR, function, put
from tests.runtime.certificates import Authority, write
from tests.runtime.serving import ROOT, run_command, serving

__all__ = ["registry"]

SECRET = "apiVersion: v1\nkind: Secret\nmetadata: {name: cloud, namespace: system}\nstringData: {password: hush}\n"
CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: buckets.example.org}
spec:
  group: example.org
  names: {kind: Bucket, plural: buckets}
  scope: Cluster
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties: {spec: {type: object, properties: {size: {type: string}}}}
"""
OPERATION = """\
apiVersion: ops.crossplane.io/v1alpha1
kind: WatchOperation
metadata: {name: restart}
spec:
  watch: {apiVersion: v1, kind: ConfigMap}
  operationTemplate:
    spec:
      mode: Pipeline
      pipeline:
        - step: one
          functionRef: {name: f}
"""


@pytest.fixture(autouse=True)
def logging_as_before() -> Iterator[None]:
    """The root logger and the masker as they were, at the end."""
    root = logging.getLogger()
    handlers, level, masker = root.handlers[:], root.level, log._mask
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    log.set_masker(masker)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a composite, a Composition, its functions and their credentials."""
    return put(tmp_path, xr=XR, composition=COMPOSITION, functions=FUNCTIONS, secret=SECRET)


def files(folder: Path) -> list[str]:
    """Return the arguments that name the three files, and the credentials."""
    named = [str(folder / f"{name}.yaml") for name in ("xr", "composition", "functions", "secret")]
    return [*named[:3], "--function-credentials", named[3]]


def shown(text: str) -> list[dict[str, Any]]:
    """Return the documents of an output, each of which comes after a line `---`."""
    found = list(pyyaml.safe_load_all(text))
    assert text.startswith("---\n")
    assert text.count("---\n") == len(found)
    return found


def test_pipeline(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    """The composite is printed with what all steps made of its status, then what they compose; results are told."""
    assert main(["render", *files(folder)]) == 0
    captured = capsys.readouterr()
    xr, bucket = shown(captured.out)
    assert (xr["status"]["level"], xr["status"]["password"]) == ("high", "hush")
    assert xr["metadata"] == {"name": "photos"}
    (reference,) = xr["spec"].pop("crossplane")["resourceRefs"]
    assert reference == {"apiVersion": bucket["apiVersion"], "kind": "Bucket", "name": bucket["metadata"]["name"]}
    assert xr["spec"] == {}
    assert bucket["spec"] == {"size": 3}
    assert bucket["metadata"]["annotations"]["crossplane.io/composition-resource-name"] == "bucket"
    assert captured.err.splitlines() == [
        'normal: Pipeline step "tell": told (Told)',
        'warning: Pipeline step "tell": mind the gap',
    ]


def test_everything(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    """With -r -x -c results, the whole composite and the context are printed, and nothing is told on stderr."""
    assert main(["render", *files(folder), "-rxc", "--context-values", 'environment={"a": [1, 2]}']) == 0
    captured = capsys.readouterr()
    xr, bucket, selected, told, gap, unready, context = shown(captured.out)
    assert [one["kind"] for one in xr["spec"].pop("crossplane")["resourceRefs"]] == ["Bucket"]
    assert (xr["spec"], xr["metadata"]) == ({"size": 3}, {"name": "photos", "labels": {"team": "shop"}})
    assert xr["status"]["environment"] == {"a": [1, 2]}
    assert bucket["kind"] == "Bucket"
    assert told == {
        "apiVersion": "render.crossplane.io/v1beta1",
        "kind": "Result",
        "severity": "Normal",
        "reason": "Told",
        "message": 'Pipeline step "tell": told',
    }
    assert (gap["severity"], gap["reason"]) == ("Warning", "ComposeResources")
    assert selected["reason"] == "SelectComposition"
    assert unready["message"] == 'Composed resource "bucket" is not yet ready'
    assert context == {
        "apiVersion": "render.crossplane.io/v1beta1",
        "kind": "Context",
        "fields": {"environment": {"a": [1, 2]}, "told": True},
    }
    assert captured.err == ""


def test_times_and_order(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    """Conditions have a fixed time, and the keys of every document are sorted."""
    assert main(["render", *files(folder)]) == 0
    out = capsys.readouterr().out
    xr = shown(out)[0]
    assert {one["lastTransitionTime"] for one in xr["status"]["conditions"]} == {"2024-01-01T00:00:00Z"}
    work: list[Any] = shown(out)
    while work:
        value = work.pop()
        if isinstance(value, dict):
            assert list(value) == sorted(value)
        work += value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


def test_observed(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    """An observed resource that isn't desired any more, and is the composite's, is told; so is nothing else."""
    put(folder, xr=XR.replace("name: photos", "name: photos\n  uid: u"))
    owner = "ownerReferences: [{apiVersion: example.org/v1, kind: XBucket, name: photos, uid: u, controller: true}]"
    put(
        folder / "observed",
        **{
            name: f"apiVersion: example.org/v1\nkind: Bucket\nmetadata:\n  name: photos-{name}\n  {owner}\n"
            f"  annotations: {{crossplane.io/composition-resource-name: {name}}}\n"
            for name in ("bucket", "old")
        },
    )
    assert main(["render", str(folder / "xr.yaml"), f"--function={HERE}:bucket", "-o", str(folder / "observed")]) == 0
    captured = capsys.readouterr()
    _, bucket = shown(captured.out)
    assert bucket["metadata"]["name"] == "photos-bucket"
    assert captured.err.splitlines() == [
        "deleted: old (example.org/v1 Bucket photos-old) is observed and not desired any more",
    ]


@pytest.mark.slow
def test_over_grpc(folder: Path) -> None:
    """A pipeline of a function in process and another over gRPC, in processes of their own."""
    with serving(f"{HERE}:bucket", "--insecure", "--debug") as server:
        target = function("function-bucket", runtime="Development", runtime_development_target=server.address)
        put(folder, functions=target + function("function-tell", f"{HERE}:tell"))
        done = run_command("render", *files(folder))
    assert done.returncode == 0, done.stderr
    xr, bucket = shown(done.stdout)
    assert xr["status"]["level"] == "high"
    assert bucket["spec"] == {"size": 3}


@pytest.mark.slow
def test_over_grpc_with_mutual_tls(folder: Path) -> None:
    """Servers with mutual TLS are called with the certificate that a flag names."""
    authority = Authority()
    there, here = (write(folder / name, authority.issue(name), authority) for name in ("there", "here"))
    with serving(f"{HERE}:bucket", "--tls-certs-dir", str(there)) as server:
        target = function("function-bucket", runtime="Development", runtime_development_target=server.address)
        put(folder, functions=target + function("function-tell", f"{HERE}:tell"))
        done = run_command("render", *files(folder), "--tls-certs-dir", str(here))
        named = run_command("render", *files(folder), "--tls-certs-dir", str(here), "--tls-server-name", "example.org")
    assert done.returncode == 0, done.stderr
    assert shown(done.stdout)[1]["spec"] == {"size": 3}
    assert named.returncode == 1
    assert "--tls-server-name" in named.stderr


@pytest.mark.slow
def test_dead_address(folder: Path) -> None:
    """A function that isn't there ends it within the timeout: a line on stderr, nothing on stdout, status 1."""
    put(folder, functions=function("function-bucket", runtime="Development", runtime_development_target="127.0.0.1:1"))
    done = run_command("render", *files(folder), "--timeout", "5s", f"--function=function-tell={HERE}:tell")
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("crossplane-lite render: ")
    assert '"bucket"' in line
    assert "127.0.0.1:1" in line


@pytest.mark.slow
def test_fatal(folder: Path) -> None:
    """A fatal result is on stderr, after what was reported before, nothing is on stdout, and the status is 1."""
    put(folder, functions=function("function-tell", "tests.runtime.functions:failing"))
    done = run_command("render", *files(folder), f"--function=function-bucket={HERE}:tell")
    assert (done.returncode, done.stdout) == (1, "")
    lines = done.stderr.splitlines()
    assert 'warning: Pipeline step "bucket": mind the gap' in lines
    last = lines[-1]
    assert last.startswith('crossplane-lite render: pipeline step "tell" returned a fatal result: ')
    assert "no such bucket class" in last


def test_one_function(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    """A function alone is a pipeline of one step, from the current directory as well."""
    assert main(["render", str(folder / "xr.yaml"), "--function", f"{HERE}:bucket"]) == 0
    assert [one["kind"] for one in shown(capsys.readouterr().out)] == ["XBucket", "Bucket"]
    source = "from crossplane_lite import composition\n@composition.function(name='alone')\ndef compose(ctx): pass\n"
    (folder / "alone.py").write_text(source)
    done = run_command("render", "xr.yaml", "--function", "alone:compose", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert [one["kind"] for one in shown(done.stdout)] == ["XBucket"]


@pytest.mark.slow
def test_functions_that_print(folder: Path) -> None:
    """What a function prints, when it is imported or called, is on stderr: stdout has the documents alone."""
    source = "from crossplane_lite import composition\nprint('imported')\n"
    (folder / "chatty.py").write_text(f"{source}@composition.function(name='a')\ndef compose(ctx): print('called')\n")
    done = run_command("render", "xr.yaml", "--function", "chatty:compose", cwd=folder)
    assert (done.returncode, done.stderr.splitlines()) == (0, ["imported", "called"])
    assert [one["kind"] for one in shown(done.stdout)] == ["XBucket"]


@pytest.mark.slow
def test_order_of_keys(folder: Path) -> None:
    """The keys of all objects are sorted, so that every process prints the same."""
    arguments = ("render", str(folder / "xr.yaml"), "--function", "tests.runtime.functions:many_keys")
    outputs = {run_command(*arguments, env={"PYTHONHASHSEED": seed}).stdout for seed in ("1", "2", "3")}
    assert len(outputs) == 1
    _, found = shown(outputs.pop())
    assert list(found["data"]) == sorted(found["data"])
    assert list(found["spec"]["a"]) == ["c", "d"]
    assert len(found["data"]) == 26


def test_unanswered_requirement(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    """A requirement that nothing was found for is told on stderr, and one that was answered isn't."""
    arguments = ["render", str(folder / "xr.yaml"), "--function", "tests.runtime.functions:requiring"]
    assert main(arguments) == 0
    line = "not found: step requiring requires vpcs: ec2.aws.upbound.io/v1beta1 VPC with labels env=prod"
    assert capsys.readouterr().err.splitlines() == [line]
    vpc = "apiVersion: ec2.aws.upbound.io/v1beta1\nkind: VPC\nmetadata: {name: a, labels: {env: prod}}\n"
    assert main([*arguments, "-e", str(put(folder, vpc=vpc) / "vpc.yaml")]) == 0
    assert capsys.readouterr().err == ""


def test_invalid_resources(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    """With --crds what doesn't fit its schema is told with the file and the path; it is printed, and status 1."""
    put(folder / "crds", bucket=CRD)
    arguments = ["render", str(folder / "xr.yaml"), "--function", f"{HERE}:bucket", "--crds", str(folder / "crds")]
    assert main(arguments) == 1
    captured = capsys.readouterr()
    assert [one["kind"] for one in shown(captured.out)] == ["XBucket", "Bucket"]
    (line,) = captured.err.splitlines()
    assert line.startswith("invalid: bucket.spec.size: ")
    assert "bucket.yaml" in line
    put(folder / "crds", bucket=CRD.replace("{type: string}", "{type: integer}"))
    assert main(arguments) == 0
    assert capsys.readouterr().err == ""


def test_definitions_of_a_registry(capsys: pytest.CaptureFixture[str], folder: Path, registry: Registry) -> None:
    """--crds takes a package by its name, on the command line and in the project file, and needs no registry again."""
    digest = registry.add("v1", *packaged(content=CRD.encode()))
    name = f"xpkg://{registry.address}/team/a:v1"
    arguments = ["render", str(folder / "xr.yaml"), "--function", f"{HERE}:bucket"]
    assert main([*arguments, "--crds", name]) == 1
    told = capsys.readouterr().err
    place = f"(schema of example.org/v1 Bucket in {registry.address}/team/a:v1:package.yaml, document 1 (line 1)"
    assert told.startswith("invalid: bucket.spec.size: ")
    assert place in told
    registry.clear()
    Path("crossplane-lite.toml").write_text(f'[preview]\ncrds = ["{name}@{digest}"]\n')
    assert main(arguments) == 1
    assert capsys.readouterr().err == told
    assert main([*arguments, "--crds", name]) == 1
    assert capsys.readouterr().err == told


def test_a_kind_that_cannot_be_looked_up(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    """A resource whose apiVersion can't be parsed can't be checked with --crds; all are printed, and status 1."""
    put(folder / "crds", bucket=CRD)
    arguments = ["render", str(folder / "xr.yaml"), "--function", f"{HERE}:odd", "--crds", str(folder / "crds")]
    assert main(arguments) == 1
    captured = capsys.readouterr()
    assert [one["apiVersion"] for one in shown(captured.out)] == ["example.org/v1", "a/b/c"]
    (line,) = captured.err.splitlines()
    assert line.startswith("crossplane-lite render: ")
    assert "a/b/c" in line


def test_kinds_without_schemas(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    """A kind that --crds knows no schema of is told, and no fault."""
    put(folder / "crds", bucket=CRD.replace("Bucket", "Other"))
    arguments = ["render", str(folder / "xr.yaml"), "--function", f"{HERE}:bucket", "--crds", str(folder / "crds")]
    assert main(arguments) == 0
    (line,) = capsys.readouterr().err.splitlines()
    command = "kubectl get --raw /openapi/v3/apis/example.org/v1"
    assert line == f"not checked: 1 of 1 (bucket: no schema of example.org/v1 Bucket; a file for --crds: {command})"


def test_versions_without_schemas(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    """A version that the definitions in --crds lack is invalid, and status 1."""
    put(folder / "crds", bucket=CRD.replace("name: v1", "name: v2"))
    arguments = ["render", str(folder / "xr.yaml"), "--function", f"{HERE}:bucket", "--crds", str(folder / "crds")]
    assert main(arguments) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("invalid: bucket.apiVersion: v1 isn't a version of the kind (")
    assert line.endswith(" has v2 of Bucket of example.org)")


@pytest.mark.parametrize("command", ["render", "simulate"])
def test_crds_without_definitions(capsys: pytest.CaptureFixture[str], folder: Path, command: str) -> None:
    """A path of --crds that defines nothing is told, though another one has definitions."""
    put(folder / "crds", bucket=CRD)
    xr = str(folder / "xr.yaml")
    arguments = [command, xr, "--function", f"{HERE}:bucket", "--crds", str(folder / "crds"), "--crds", xr]
    assert main(arguments) == 2
    assert f"{xr} has no definition of a kind: give CustomResourceDefinitions" in capsys.readouterr().err


def test_operation(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    """An Operation is printed with its status, then what it applies; with -o all of it."""
    config = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: team}\ndata: {a: b}\n"
    put(folder, operation=OPERATION, config=config)
    arguments = ["render", "op", str(folder / "operation.yaml"), "--function", f"f={HERE}:patch"]
    arguments += ["-w", str(folder / "config.yaml")]
    assert main(arguments) == 0
    captured = capsys.readouterr()
    operation, applied = shown(captured.out)
    assert operation["metadata"] == {"name": "restart", "labels": {"ops.crossplane.io/watchoperation": "restart"}}
    assert "spec" not in operation
    assert {one["type"]: one["status"] for one in operation["status"]["conditions"]}["Succeeded"] == "True"
    assert applied == {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "copy-of-c", "namespace": "team"},
        "data": {"a": "b"},
    }
    assert main([*arguments, "-o", "-c"]) == 0
    operation, _ = shown(capsys.readouterr().out)  # the context is empty
    assert operation["spec"]["pipeline"] == [{"step": "one", "functionRef": {"name": "f"}}]


def test_failing_operation(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    """A fatal result of an Operation is on stderr, nothing is on stdout, and the status is 1."""
    put(folder, operation=OPERATION)
    name = "tests.runtime.functions:failing"
    assert main(["render", "op", str(folder / "operation.yaml"), "--function", name]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "no such bucket class" in captured.err.splitlines()[-1]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["gone.yaml", "--function", f"{HERE}:bucket"], "can't read gone.yaml: No such file or directory"),
        (["xr.yaml", "--function", "nowhere:compose"], "there is no module 'nowhere'"),
        (["xr.yaml", "--function", "tests.runtime.functions:plain"], "not a composition function"),
        (["xr.yaml", "--function", f"{HERE}:bucket", "-o", "xr.yaml"], "this is the composite itself, XBucket photos"),
        (["xr.yaml"], "without a COMPOSITION, --function must name the one function to run (none is given)"),
        (["xr.yaml", "xr.yaml", "functions.yaml"], "must be Composition of apiextensions.crossplane.io/v1"),
        (["xr.yaml", "composition.yaml"], "no function 'function-bucket' was given (given: none)"),
        (["xr.yaml", "composition.yaml", "xr.yaml"], "and must be Function of pkg.crossplane.io/v1"),
        (["xr.yaml", "composition.yaml", "empty"], "there is no .yaml, .yml or .json file in empty"),
        (["empty", "composition.yaml"], "empty is a directory; one composite resource is expected"),
        (["nothing.yaml", "composition.yaml"], "nothing.yaml must hold one composite resource (it holds 0 documents)"),
        (["twice.yaml", "composition.yaml"], "twice.yaml, line 2: the key 'a' occurs twice"),
        (["no.yaml", "composition.yaml"], "no.yaml, line 1: "),
        (["xr.yaml", "composition.yaml", "functions.yaml", "-e", "empty"], "there is no .yaml, .yml or .json file"),
        (["xr.yaml", "composition.yaml", "functions.yaml", "-e", "list.yaml"], "items[0] must be a mapping (got "),
        (["xr.yaml", "composition.yaml", "functions.yaml", "--function-credentials", "xr.yaml"], "be Secret of v1"),
        (["xr.yaml", "composition.yaml", "functions.yaml", "--context-values", "a=["], "--context-values a, line 2: "),
        (["xr.yaml", "composition.yaml", "functions.yaml", "--xrd", "composition.yaml"], "composition.yaml"),
        (["xr.yaml", "composition.yaml", "functions.yaml", "--crds", "gone"], "gone"),
        (["xr.yaml", "composition.yaml", "functions.yaml", "-s", "gone"], "gone"),
        (["op", "xr.yaml"], "must be Operation, CronOperation or WatchOperation of ops.crossplane.io/v1alpha1"),
        (["op", "operation.yaml"], "no function 'f' was given (given: none)"),
        (["op", "operation.yaml", "-w", "xr.yaml"], "watches resources with the apiVersion v1, and xr.yaml"),
    ],
)  # fmt: skip
def test_bad_input(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    folder: Path,
    arguments: list[str],
    text: str,
) -> None:
    """Bad input is one line on stderr that names the place, nothing on stdout, and status 2."""
    monkeypatch.chdir(folder)
    put(folder, nothing="", twice="a: 1\na: 2\n", no="\t[", list="apiVersion: v1\nkind: List\nitems: [1]\n")
    put(folder, large=XR.replace("size: 3", "size: 9007199254740993"), operation=OPERATION)
    (folder / "empty").mkdir()
    assert main(["render", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    (line,) = captured.err.splitlines()
    assert line.startswith("crossplane-lite render: ")
    assert text in line


def test_missing_credentials(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    """A step's Secret that no file has fails the reconcile with the step and the credential."""
    assert main(["render", *files(folder)[:3]]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    last = captured.err.splitlines()[-1]
    assert 'cannot get Composition pipeline step "tell" credential "cloud" from Secret' in last


@pytest.mark.slow
def test_deep_input(folder: Path) -> None:
    """A file that is nested without end is one line, and no traceback."""
    put(folder, xr=f"{XR}  deep: {'[' * 3000}{']' * 3000}\n")
    done = run_command("render", str(folder / "xr.yaml"), "-x", "--function", f"{HERE}:bucket")
    assert "Traceback" not in done.stderr
    assert (done.returncode, len(done.stderr.splitlines())) in ((0, 0), (2, 1))


def test_what_a_run_imports(folder: Path) -> None:
    """Functions in process need no gRPC, and a plain run nothing that only other flags need."""
    program = (
        "import json, sys, io, contextlib\n"
        "from crossplane_lite.cli import main\n"
        "with contextlib.redirect_stdout(io.StringIO()):\n    assert main(sys.argv[1:]) == 0\n"
        "print(json.dumps(sorted(sys.modules)))"
    )
    command = [sys.executable, "-c", program, "render", *files(folder)]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=60, check=True)
    unwanted = ("grpc", "asyncio", "jsonschema_rs", "graphviz", "difflib")
    unwanted += (
        "crossplane_lite._tools.codegen",
        "crossplane_lite._tools.simulate",
        "crossplane_lite._tools.graph",
        "pytest",
    )
    unwanted += tuple(f"crossplane_lite._tools.render.{name}" for name in ("kubectl", "watch", "defaults"))
    unwanted += ("crossplane_lite._tools.manifests.sources", "crossplane_lite._tools.kubernetes.rules")
    modules = json.loads(done.stdout)
    found = [name for name in modules if any((name + ".").startswith(one + ".") for one in unwanted)]
    assert found == []


def test_a_resource_under_another_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An observed resource that no step composes is told, where a new one is of the same kind."""
    made = '{"apiVersion": "example.org/v1", "kind": "Thing"}'
    body = f"resource.update(rsp.desired.resources['new'], {made})"
    source = f"from crossplane_lite import resource\n\n\ndef compose(req, rsp):\n    {body}\n"
    (tmp_path / "of_messages.py").write_text(source)
    (tmp_path / "xr.yaml").write_text("apiVersion: example.org/v1\nkind: XNet\nmetadata: {name: net, uid: u}\n")
    annotations = "{crossplane.io/composition-resource-name: old}"
    (tmp_path / "observed.yaml").write_text(
        f"apiVersion: example.org/v1\nkind: Thing\nmetadata: {{name: a, annotations: {annotations}}}\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert main(["render", "xr.yaml", "--function", "of_messages:compose", "-o", "observed.yaml"]) == 0
    told = "warning: old is observed, and no step composes it; the new resource new is of the same kind"
    assert told in capsys.readouterr().err.splitlines()
