"""What orchestrators make of a function's stranger answers: each is made impossible, or harmless.

The rows of the table of orchestrators (kpt fn eval, kustomize build, kustomize fn run) that go wrong, one test for
each; its docstring says the row and why it doesn't happen here. Below, the real programs run real functions, where they
are installed. kustomize is also looked for at the path in the environment variable KUSTOMIZE, and where
`tests/krm/kustomize.py` builds it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.krm import kustomize
from tests.krm.processes import HEAD, LIST, ROOT, program, run, value

# What kustomize build sends: no comments, no path, an id of several lines.
KUSTOMIZE = b"""\
apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- apiVersion: v1
  kind: Service
  metadata:
    annotations:
      kustomize.config.k8s.io/id: |
        kind: Service
        name: web
        version: v1
      config.kubernetes.io/index: '0'
      internal.config.kubernetes.io/index: '0'
      internal.config.kubernetes.io/annotations-migration-resource-id: '0'
      internal.config.kubernetes.io/id: '1'
      config.k8s.io/id: '1'
    name: web
functionConfig:
  apiVersion: example.org/v1
  kind: Check
  metadata:
    annotations:
      config.kubernetes.io/local-config: 'true'%s
    name: check
"""
# The same to a generator, which gets its functionConfig as the only item.
GENERATOR = b"""\
apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- apiVersion: example.org/v1
  kind: Generate
  metadata:
    annotations:
      config.kubernetes.io/local-config: 'true'
      config.kubernetes.io/index: '0'
      internal.config.kubernetes.io/index: '0'
      internal.config.kubernetes.io/id: '1'
      config.k8s.io/id: '1'
    name: shop
  spec: {count: 2}
functionConfig:
  apiVersion: example.org/v1
  kind: Generate
  metadata:
    annotations:
      config.kubernetes.io/local-config: 'true'
    name: shop
  spec: {count: 2}
"""

ADD = "rl.items.add({'apiVersion': 'v1', 'kind': 'ConfigMap', 'metadata': {'name': 'made'}, 'data': {'a': 'b'}})"


# The rows of the table


@pytest.mark.slow
def test_error_result_with_status_0(tmp_path: Path) -> None:
    """Row "error result, exit 0": all of them pass. An error result always makes the exit status 1 here."""
    for body in ("rl.results.error('no')", "import sys\nrl.results.error('no')\nsys.exit(0)"):
        assert run(program(tmp_path, body)).status == 1


def test_status_not_0(tmp_path: Path) -> None:
    """Row "exit status not 0": nothing is written. stdout has the whole ResourceList with the error all the same."""
    done = run(program(tmp_path, "rl.results.error('no', rl.items[0])"))
    assert done.status == 1
    assert done.stdout.startswith(LIST)
    assert done.results[0]["resourceRef"]["name"] == "web"


@pytest.mark.parametrize(
    "body", ["pass", "rl.items.clear()", "import sys\nsys.exit()", "import sys\nsys.stdout.close()", "raise Exception"]
)
@pytest.mark.slow
def test_empty_stdout_with_status_0(tmp_path: Path, body: str) -> None:
    """Row "empty stdout, exit 0": kpt deletes every file. stdout is only empty together with another status."""
    file = program(tmp_path, body)
    assert value(run(file).stdout)["kind"] == "ResourceList"
    for unreadable in (b"", b"\n", b"kind: List\nitems: []\n", b"{"):
        done = run(file, unreadable)
        assert (done.stdout, done.status) == (b"", 1)


@pytest.mark.parametrize(
    "made", ["@krm.function\ndef transform(rl): pass\n", "krm.from_composition(__import__('composed').compose)\n"]
)
@pytest.mark.slow
def test_without_main(tmp_path: Path, made: str) -> None:
    """The same row: a program that forgets main() writes nothing, so it says so and its status is 1."""
    (tmp_path / "composed.py").write_text(
        "from crossplane_lite import composition\n@composition.function\ndef compose(ctx): pass\n"
    )
    file = tmp_path / "function.py"
    file.write_text(HEAD + made)
    done = run(file)
    assert (done.stdout, done.status) == (b"", 1)
    assert done.stderr == (
        "function.py: no KRM function was run; the program must end with a call of the function's main()\n"
    )
    # What it is imported for, or started for with arguments, is its own business; so is an error of its own.
    for command in (["-c", "import function"], ["function.py", "--version"]):
        assert run(command, cwd=tmp_path) == (b"", "", 0)
    file.write_text(f"{HEAD}{made}\n1 / 0\n")
    assert "no KRM function" not in run(file).stderr


@pytest.mark.slow
def test_items_left_out(tmp_path: Path) -> None:
    """Row "leaves out `items`": kpt fails, kustomize takes the wrapper for a resource. An empty list is `items: []`."""
    done = run(program(tmp_path, "rl.items.clear()"))
    assert (done.value["items"], done.status) == ([], 0)
    assert b"items: []" in done.stdout
    for body in ("rl.items = None", "del rl.items"):
        done = run(program(tmp_path, body))
        assert (len(done.value["items"]), done.status) == (2, 1)


@pytest.mark.parametrize("data", [LIST, LIST + b"---\n", b"---\n" + LIST, LIST + b"...\n", b"---\n" + LIST + b"---\n"])
@pytest.mark.slow
def test_ends_with_dashes(tmp_path: Path, data: bytes) -> None:
    """Row "ends with `---`": kpt fails, kustomize fn run replaces files. No function can add one."""
    done = run(program(tmp_path, "print('---')\nrl.items[0].labels['a'] = 'b'\nrl.results.info('---')"), data)
    assert done.status == 0
    assert done.stdout.count(b"\n---\n") == data.count(b"\n---\n")
    assert value(LIST)["items"][1] == done.value["items"][1]


@pytest.mark.parametrize("body", ["print('x')", "import os\nos.write(1, b'x')", "import os\nos.system('echo x')"])
@pytest.mark.slow
def test_something_else_on_stdout(tmp_path: Path, body: str) -> None:
    """Row "prints something else to stdout": kpt and kustomize can't parse it. It goes to stderr."""
    done = run(program(tmp_path, body))
    assert (done.stdout, done.status) == (LIST, 0)
    assert done.stderr.strip() == "x"


@pytest.mark.parametrize(
    "body",
    [
        "rl.items[0].annotations = {}",
        "rl.items[0].annotations = {'a': 'b'}",
        "rl.items[0].metadata = {'name': 'web'}",
        "del rl.items[0].metadata['annotations']",
        "rl.items[0].delete('metadata.annotations')",
        "rl.items[0].annotations.clear()",
        "rl.items[0].annotations['internal.config.kubernetes.io/path'] = 'x.yaml'",
        "rl.items[0].annotations['config.kubernetes.io/path'] = 'x.yaml'",
        "del rl.items[0].annotations['internal.config.kubernetes.io/index']",
    ],
)
@pytest.mark.slow
def test_annotations_dropped(tmp_path: Path, body: str) -> None:
    """Row "drops annotations": kpt and kustomize fn run rename files. They stay, or the change is refused."""
    done = run(program(tmp_path, body))
    before, now = (content["items"][0]["metadata"]["annotations"] for content in (value(LIST), done.value))
    assert {key: now[key] for key in before} == before
    if "] = 'x.yaml'" in body or "index" in body:
        assert done.status == 1
        assert "internal.config.kubernetes.io" in done.results[0]["message"] or "path" in done.results[0]["message"]


@pytest.mark.parametrize("key", ["internal.config.kubernetes.io/id", "config.k8s.io/id"])
@pytest.mark.slow
def test_only_the_id_dropped(tmp_path: Path, key: str) -> None:
    """Row "drops only the id": kpt loses comments and order. Removing or changing one is refused."""
    for body in (f"del rl.items[0].annotations[{key!r}]", f"rl.items[0].annotations[{key!r}] = '7'"):
        done = run(program(tmp_path, body))
        assert (done.status, done.stdout.startswith(LIST)) == (1, True)
        assert key in done.results[0]["message"]


def test_copy_of_an_item(tmp_path: Path) -> None:
    """Row "drops only the id", the other way round: an id that is there twice mixes two items up. A copy has none."""
    body = "import copy\nnew = copy.deepcopy(rl.items[0])\nnew.name = 'copy'\nrl.items.add(new)"
    done = run(program(tmp_path, body))
    assert done.status == 0
    ids = [item["metadata"].get("annotations", {}).get("config.k8s.io/id") for item in done.value["items"]]
    assert ids == ["1", "2", None]


def test_answer_in_json(tmp_path: Path) -> None:
    """Row "answers in JSON": files of kpt turn into flow style. YAML that comes in goes out as YAML, JSON as JSON."""
    body = f"{ADD}\nrl.items[0].spec = {{'ports': [{{'port': 80}}]}}"
    done = run(program(tmp_path, body))
    assert done.status == 0
    assert b"- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: made\n  data:\n    a: b\n" in done.stdout
    with pytest.raises(ValueError, match="Expecting value"):
        json.loads(done.stdout)
    assert json.loads(run(program(tmp_path, body), json.dumps(value(LIST)).encode()).stdout) == done.value


def test_anchors_across_items(tmp_path: Path) -> None:
    """Row "anchors across items": kpt writes them to a file, kustomize doesn't know them. Values are written out."""
    body = "\n".join(
        [
            "shared = {'a': {'b': ['c', 'c']}}",
            "for item in rl.items:",
            "    item.spec = {'one': shared, 'other': shared}",
            "rl.items.add({'apiVersion': 'v1', 'kind': 'X', 'metadata': {'name': 'x'}, 'spec': shared})",
            "rl.items[1].spec.more = rl.items[0].spec.one",
        ]
    )
    done = run(program(tmp_path, body))
    assert done.status == 0
    assert b"&" not in done.stdout
    assert b"*" not in done.stdout
    assert done.value["items"][1]["spec"]["more"] == {"a": {"b": ["c", "c"]}}


# Roles


@pytest.mark.parametrize("field", ["validators", "transformers", ""])
@pytest.mark.slow
def test_validator_under_kustomize_build(tmp_path: Path, field: str) -> None:
    """A kustomize validator must give no items, a transformer must not lose them: an annotation says which it is.

    kustomize sends both the same list. Without the annotation nothing gets lost, and stderr says what to do.
    """
    annotation = f"\n      crossplane-lite/kustomize-field: {field}" if field else ""
    data = KUSTOMIZE % annotation.encode()
    file = program(tmp_path, "rl.results.warning('hm', rl.items[0])", decorator="@krm.function(role='validator')")
    done = run(file, data)
    assert done.status == 0
    assert len(done.results) == 1
    if field == "validators":
        assert done.value["items"] == []
    else:
        assert done.stdout.startswith(data)
    assert ("crossplane-lite/kustomize-field" in done.stderr) == (not field)


def test_validator_under_kpt(tmp_path: Path) -> None:
    """A kpt validator that gives no items deletes every file: the annotation doesn't count where kpt is the sender."""
    config = KUSTOMIZE[KUSTOMIZE.index(b"functionConfig") :] % b"\n      crossplane-lite/kustomize-field: validators"
    done = run(program(tmp_path, "pass", decorator="@krm.function(role='validator')"), LIST + config)
    assert (done.stdout, done.stderr, done.status) == (LIST + config, "", 0)


@pytest.mark.slow
def test_generator_under_kustomize_build(tmp_path: Path) -> None:
    """A kustomize generator gets its functionConfig as an item, and must keep config.kubernetes.io/local-config."""
    decorator = "@krm.function(role='generator')"
    done = run(program(tmp_path, ADD, decorator=decorator), GENERATOR)
    assert done.status == 0
    assert done.stdout.startswith(GENERATOR.partition(b"functionConfig")[0])
    assert [item["kind"] for item in done.value["items"]] == ["Generate", "ConfigMap"]
    for body in (
        "del rl.items[0].annotations['config.kubernetes.io/local-config']",
        "rl.items[0].annotations = {}",
        "rl.items[0].annotations['config.kubernetes.io/local-config'] = 'false'",
    ):
        done = run(program(tmp_path, f"{ADD}\n{body}", decorator=decorator), GENERATOR)
        assert done.status == 1
        assert done.stdout.startswith(GENERATOR)
        assert "Generate shop is the functionConfig: keep its annotation" in done.results[0]["message"]
    done = run(program(tmp_path, f"{ADD}\nrl.items.remove(rl.items[0])", decorator=decorator), GENERATOR)
    assert (done.status, len(done.value["items"])) == (0, 1)


# The real programs


def tool(name: str) -> str:
    """Return the path of an orchestrator, or skip."""
    found = kustomize.found() if name == "kustomize" else shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def orchestrate(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run an orchestrator in a folder, without any network."""
    home = folder.parent / "home"
    home.mkdir(exist_ok=True)
    env = {**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(home), "KPT_DISABLE_ANALYTICS": "1"}
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, env=env, timeout=120, check=False)


def script(folder: Path, body: str, decorator: str = "@krm.function") -> Path:
    """Write a function as a program that starts by its own path, which is outside of the package's folder."""
    file = folder.parent / "fn"
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    file.write_text(f"#!{sys.executable}\n{HEAD}\n{decorator}\ndef transform(rl):\n{lines}\n\ntransform.main()\n")
    file.chmod(0o755)
    return file


WEB = """\
# The shop's own.
apiVersion: v1
kind: Service
metadata:
  name: web # as in the DNS
spec:
  ports:
  # in the clear
  - port: 80
"""
API = "apiVersion: v1\nkind: Service\nmetadata: {name: api}\n"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A folder with two files of resources."""
    folder = tmp_path / "package"
    folder.mkdir()
    (folder / "web.yaml").write_text(WEB)
    (folder / "api.yaml").write_text(API)
    return folder


def contents(folder: Path) -> dict[str, str]:
    """Return what the files of a folder hold."""
    return {file.name: file.read_text() for file in folder.iterdir() if file.is_file()}


@pytest.mark.slow  # programs of others
@pytest.mark.real
def test_kpt_keeps_files(package: Path) -> None:
    """kpt fn eval: one label is one new line in a file, and what wasn't touched is byte for byte as it was."""
    kpt = tool("kpt")
    fn = script(package, "rl.items.where(name='web')[0].labels['a'] = 'b'\nprint('noise')")
    for _ in range(3):
        done = orchestrate(package, kpt, "fn", "eval", ".", "--exec", str(fn))
        assert done.returncode == 0, done.stderr
        assert contents(package) == {
            "web.yaml": WEB.replace("as in the DNS\n", "as in the DNS\n  labels:\n    a: b\n"),
            "api.yaml": API,
        }


@pytest.mark.slow  # programs of others
@pytest.mark.real
def test_kpt_and_errors(package: Path) -> None:
    """kpt fn eval: an error result and an exception fail, are shown, and write nothing."""
    kpt = tool("kpt")
    for body, text in (
        ("rl.items[0].labels['a'] = 'b'\nrl.results.error('not like this', rl.items[0])", "not like this"),
        ("rl.items.clear()\nraise ValueError('broken')", "ValueError: broken (fn:"),
    ):
        done = orchestrate(package, kpt, "fn", "eval", ".", "--exec", str(script(package, body)))
        assert done.returncode != 0
        assert text in done.stderr
        assert contents(package) == {"web.yaml": WEB, "api.yaml": API}


@pytest.mark.slow  # programs of others
@pytest.mark.real
def test_kpt_adds_and_deletes(package: Path) -> None:
    """kpt fn eval: what is added gets a file in block style, what is removed loses it."""
    kpt = tool("kpt")
    body = f"{ADD}\nrl.items[-1].move_to('sub/made.yaml')\nrl.items.remove(rl.items.where(name='api')[0])"
    done = orchestrate(package, kpt, "fn", "eval", ".", "--exec", str(script(package, body)))
    assert done.returncode == 0, done.stderr
    assert contents(package) == {"web.yaml": WEB}
    made = (package / "sub" / "made.yaml").read_text()
    assert made == "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: made\ndata:\n  a: b\n"


@pytest.mark.slow  # programs of others
@pytest.mark.real
def test_kpt_and_validators(package: Path) -> None:
    """kpt fn eval: a validator leaves files alone, whatever it did to items."""
    kpt = tool("kpt")
    decorator = "@krm.function(role='validator')"
    for body, is_fine in (("rl.results.info('fine')", True), ("rl.items.clear()", False)):
        fn = script(package, body, decorator)
        done = orchestrate(package, kpt, "fn", "eval", ".", "--type", "validator", "--exec", str(fn))
        assert (done.returncode == 0) == is_fine, done.stderr
        assert contents(package) == {"web.yaml": WEB, "api.yaml": API}


@pytest.mark.slow  # programs of others
@pytest.mark.real
def test_kpt_without_a_config(package: Path) -> None:
    """kpt fn eval: what it sends where nobody gave a functionConfig counts as none."""
    kpt = tool("kpt")
    fn = script(package, "rl.results.error(f'config is {rl.config!r}')")
    done = orchestrate(package, kpt, "fn", "eval", ".", "--exec", str(fn))
    assert "config is None" in done.stderr
    done = orchestrate(package, kpt, "fn", "eval", ".", "--exec", str(fn), "--", "a=b")
    assert "ConfigMap" in done.stderr


def kustomization(package: Path, field: str, fn: Path, more: str = "") -> None:
    """Make a package one of kustomize's, with a function in a field of it."""
    (package / "kustomization.yaml").write_text(f"resources: [web.yaml, api.yaml]\n{field}: [fn-config.yaml]\n")
    (package / "fn-config.yaml").write_text(
        "apiVersion: example.org/v1\nkind: Fn\nmetadata:\n  name: fn\n  annotations:\n"
        f"    config.kubernetes.io/function: |\n      exec:\n        path: ../{fn.name}\n{more}"
    )


def build(package: Path) -> subprocess.CompletedProcess[str]:
    """Run kustomize build."""
    flags = ["--enable-alpha-plugins", "--enable-exec", "--load-restrictor", "LoadRestrictionsNone"]
    return orchestrate(package, tool("kustomize"), "build", *flags, ".")


@pytest.mark.slow
@pytest.mark.real
def test_kustomize_transformer(package: Path) -> None:
    """kustomize build: a transformer's change is there, an error or an exception fails with the reason on stderr."""
    kustomization(package, "transformers", script(package, "rl.items[0].labels['a'] = 'b'\nprint('noise')"))
    done = build(package)
    assert done.returncode == 0, done.stderr
    assert "labels:\n    a: b\n" in done.stdout
    assert "internal.config" not in done.stdout
    for body, text in (("rl.results.error('no')", "error: no"), ("raise ValueError('broken')", "ValueError: broken")):
        kustomization(package, "transformers", script(package, body))
        done = build(package)
        assert (done.returncode != 0, done.stdout) == (True, "")
        assert text in done.stderr


@pytest.mark.slow
@pytest.mark.real
def test_kustomize_generator(package: Path) -> None:
    """kustomize build: a generator's resources are there, its functionConfig isn't among them."""
    kustomization(package, "generators", script(package, ADD, "@krm.function(role='generator')"))
    done = build(package)
    assert done.returncode == 0, done.stderr
    assert "kind: ConfigMap" in done.stdout
    assert "kind: Fn" not in done.stdout


@pytest.mark.slow
@pytest.mark.real
def test_kustomize_validator(package: Path) -> None:
    """kustomize build: a validator passes in both fields with the annotation, without it nothing gets lost silently."""
    fn = script(package, "rl.results.info('fine')", "@krm.function(role='validator')")
    for field in ("validators", "transformers"):
        kustomization(package, field, fn, f"    crossplane-lite/kustomize-field: {field}\n")
        done = build(package)
        assert done.returncode == 0, done.stderr
        assert done.stdout.count("kind: Service") == 2
    kustomization(package, "validators", fn)
    done = build(package)
    assert done.returncode == 0 or "crossplane-lite/kustomize-field" in done.stderr
    kustomization(package, "transformers", fn)
    assert build(package).stdout.count("kind: Service") == 2


@pytest.mark.real
def test_kustomize_validator_that_finds_something(package: Path) -> None:
    """kustomize build: an error of a validator fails, and says what and where."""
    fn = script(package, "rl.results.error('no port', rl.items[0])", "@krm.function(role='validator')")
    kustomization(package, "validators", fn, "    crossplane-lite/kustomize-field: validators\n")
    done = build(package)
    assert (done.returncode != 0, done.stdout) == (True, "")
    assert "error: Service web: no port" in done.stderr


@pytest.mark.real
def test_kustomize_fn_run(package: Path) -> None:
    """kustomize fn run: comments and files stay, and an error writes nothing."""
    binary = tool("kustomize")
    body = "item = rl.items.where(name='web')[0]\nitem.labels['a'] = 'b'\nprint('noise')"
    kustomization(package, "transformers", script(package, body))
    (package / "kustomization.yaml").unlink()
    done = orchestrate(package, binary, "fn", "run", "--enable-exec", ".")
    assert done.returncode == 0, done.stderr
    assert contents(package)["web.yaml"].startswith("# The shop's own.\n")
    assert "  name: web # as in the DNS\n  labels:\n    a: b\n" in contents(package)["web.yaml"]
    before = contents(package)
    script(package, "rl.items.clear()\nraise ValueError('broken')")
    done = orchestrate(package, binary, "fn", "run", "--enable-exec", ".")
    assert (done.returncode != 0, contents(package)) == (True, before)
