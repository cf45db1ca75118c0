"""Functions that others have published do what their originals do, on small examples and beside the real kustomize."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from crossplane_lite import krm
from crossplane_lite.krm.files import Package
from crossplane_lite.krm.runner import answered
from tests.krm import functions_of_others as others
from tests.krm import kustomize, search
from tests.krm.test_edges import read, run_function

WEB = """\
# the shop
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web # as in the DNS
spec:
  replicas: 1 # more in production
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels:
        app: web # as above
    spec:
      containers:
      # the first
      - name: web
        image: nginx:1.0 # of the registry
        resources: {}
        env:
        - name: A
          value: "1"
      volumes:
      - name: settings
        configMap: {name: settings}
---
apiVersion: v1
kind: Service
metadata:
  name: web
spec:
  selector:
    app: web
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
data:
  a: b # why
"""

KUSTOMIZE = {
    "names": "namePrefix: dev-\nnameSuffix: -v1\n",
    "annotations": "commonAnnotations: {owner: shop}\n",
    "labels": "labels:\n- pairs: {team: web}\n  includeSelectors: true\n",
    "namespace": "namespace: prod\n",
    "images": "images:\n- name: nginx\n  newName: example.org/nginx\n  newTag: '2.0'\n",
    "replicas": "replicas:\n- name: web\n  count: 5\n",
    "patch": "patches:\n- target: {kind: Deployment, name: web}\n  path: patch.yaml\n",
    "config_map": (
        "configMapGenerator:\n- name: made\n  literals: [a=1]\n  files: [text]\n"
        "  options: {disableNameSuffixHash: true}\n"
    ),
}
# How many lines a diff has. No function here removes a value, so no comment goes.
TOUCHED = {
    "names": 8,
    "annotations": 9,
    "labels": 10,
    "namespace": 3,
    "images": 2,
    "replicas": 2,
    "patch": 5,
    "config_map": 0,
}


def _by_name(found: list[Any]) -> list[Any]:
    return sorted(found, key=lambda one: (one["kind"], one["metadata"]["name"]))


@pytest.mark.parametrize("name", KUSTOMIZE)
def test_transformers(name: str, tmp_path: Path) -> None:
    """A transformer of kustomize keeps all comments here, changes its own lines, and does nothing in a second run."""
    function: krm.Function = getattr(others, name)
    made = run_function(tmp_path, WEB.encode(), function)
    assert sorted(search.notes_in(made)) == sorted(search.notes_in(WEB.encode()))
    assert search.changed(WEB.encode(), made) <= TOUCHED[name]
    if name != "names":
        assert run_function(tmp_path, made, function) == made


@pytest.mark.real
@pytest.mark.slow
@pytest.mark.parametrize("name", KUSTOMIZE)
def test_beside_kustomize(name: str, tmp_path: Path) -> None:
    """The values are those of kustomize's own transformer. Its text differs: it prints all fields in its order."""
    program = kustomize.found()
    if program is None:
        pytest.skip("kustomize is not installed")
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    ours.mkdir()
    theirs.mkdir()
    found = read(run_function(ours, WEB.encode(), getattr(others, name)))
    for file in ours.glob("*.yaml"):
        found += read(file.read_bytes()) if file.name != "a.yaml" else []
    (theirs / "a.yaml").write_text(WEB)
    (theirs / "text").write_text("one\ntwo\n")
    head = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}}
    (theirs / "patch.yaml").write_text(others.yaml.safe_dump(head | others.PATCH))
    (theirs / "kustomization.yaml").write_text(f"resources: [a.yaml]\n{KUSTOMIZE[name]}")
    done = subprocess.run([program, "build", str(theirs)], capture_output=True, check=True)
    assert _by_name(found) == _by_name(read(done.stdout))


def test_config_map(tmp_path: Path) -> None:
    """A ConfigMap is made once, and a second run changes nothing."""
    run_function(tmp_path, WEB.encode(), others.config_map)
    made = (tmp_path / "configmap_made.yaml").read_text()
    assert (
        made
        == 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: made\ndata:\n  a: "1"\n  text: |\n    one\n    two\n'
    )
    run_function(tmp_path, WEB.encode(), others.config_map)
    assert (tmp_path / "configmap_made.yaml").read_text() == made


def test_kustomization(tmp_path: Path) -> None:
    """The files of a package are listed; a kustomization that is there keeps its other lines."""
    (tmp_path / "b.yaml").write_text(WEB)
    own = "# mine\napiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nnamePrefix: dev- # why\n"
    (tmp_path / "kustomization.yaml").write_text(own)
    run_function(tmp_path, WEB.encode(), others.kustomization)
    assert (tmp_path / "kustomization.yaml").read_text() == own + "resources:\n- a.yaml\n- b.yaml\n"
    (tmp_path / "kustomization.yaml").unlink()
    run_function(tmp_path, WEB.encode(), others.kustomization)
    assert read((tmp_path / "kustomization.yaml").read_bytes())[0]["resources"] == ["a.yaml", "b.yaml"]


def test_format(tmp_path: Path) -> None:
    """Fields come in the order of the schema, and an annotation that isn't text becomes text; comments stay."""
    source = """\
kind: Deployment
metadata:
  annotations: # notes
    bar: 100 # a number
  name: web
spec:
  template:
    spec:
      containers:
        - ports:
            - containerPort: 80 # plain
              name: http
          name: nginx # it
          image: nginx:1.0.0
apiVersion: apps/v1
"""
    expected = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  annotations: # notes
    bar: "100" # a number
spec:
  template:
    spec:
      containers:
        - name: nginx # it
          image: nginx:1.0.0
          ports:
            - name: http
              containerPort: 80 # plain
"""
    assert run_function(tmp_path, source.encode(), others.format_fields).decode() == expected


def test_standard_labels(tmp_path: Path) -> None:
    """The package's name becomes a label of its resources, their pods and their selectors."""
    (tmp_path / "Kptfile").write_text(
        "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: shop\n  annotations:\n"
        '    config.kubernetes.io/local-config: "true"\n'
    )
    made = run_function(tmp_path, WEB.encode(), others.standard_labels).decode()
    label = "app.kubernetes.io/name: shop"
    expected = (
        WEB.replace("name: web # as in the DNS\n", f"name: web # as in the DNS\n  labels:\n    {label}\n")
        .replace("{app: web}", f"{{app: web, {label}}}")
        .replace("app: web # as above\n", f"app: web # as above\n        {label}\n")
        .replace(
            "  name: web\nspec:\n  selector:\n    app: web\n",
            f"  name: web\n  labels:\n    {label}\nspec:\n  selector:\n    app: web\n    {label}\n",
        )
        .replace("  name: settings\ndata", f"  name: settings\n  labels:\n    {label}\ndata")
    )
    assert made == expected


def test_banned_keys(tmp_path: Path) -> None:
    """A validator names the resource and its file, and changes nothing."""
    (tmp_path / "a.yaml").write_text(WEB.replace("a: b # why", "private_key: x"))
    package = Package(None, [str(tmp_path)], root=str(tmp_path))
    answer = answered(others.banned_keys, package.read, package.changes)
    assert (answer.made, answer.status) == ([], 1)
    (result,) = answer.rl.results
    assert (result.severity, result.resource_ref["name"], result.file["path"]) == ("error", "settings", "a.yaml")
    assert "private_key" in result.message


def test_annotate_mutations(tmp_path: Path) -> None:
    """Comments become an annotation, and a text in which a value is to stand gets a token in its place."""
    source = (
        "apiVersion: v1\nkind: X\nmetadata:\n  name: x\n  annotations:\n    own: kept\nspec:\n"
        "  replicas: 1 # apply-time-mutation: ${example.com/namespaces/ns/Config/c:$.status.replicas}\n"
        "  env:\n  - name: A\n"
        "    value: x # apply-time-mutation: http://${example.com/v1/namespaces/ns/Db/d:$.status.host}:80\n"
    )
    annotation = """\
    config.kubernetes.io/apply-time-mutation: |
      - sourcePath: $.status.replicas
        sourceRef:
          group: example.com
          kind: Config
          name: c
          namespace: ns
        targetPath: $.spec.replicas
      - sourcePath: $.status.host
        sourceRef:
          apiVersion: example.com/v1
          kind: Db
          name: d
          namespace: ns
        targetPath: $.spec.env[0].value
        token: ${ref1}
"""
    made = run_function(tmp_path, source.encode(), others.annotate_mutations).decode()
    expected = source.replace("own: kept\n", "own: kept\n" + annotation).replace("value: x", "value: http://${ref1}:80")
    assert made == expected


BOUND = """\
apiVersion: rm.example.org/v1
kind: Project # what others belong to
metadata:
  name: project # a placeholder
  annotations:
    config.kubernetes.io/local-config: binding
---
apiVersion: x.example.org/v1
kind: Bucket
metadata: {name: a}
spec:
  projectRef: # where
    kind: Project
    name: project # of the package
  others:
  - {kind: Project, name: project} # in brackets
  - {kind: Project, name: project, external: projects/project}
"""


def test_bind() -> None:
    """The stand-in and all references to it get the name, and nothing else changes; a second run changes nothing."""
    config = "apiVersion: rm.example.org/v1\nkind: Project\nmetadata: {name: mine}\n"
    indented = "".join(f"- {one.replace(chr(10), chr(10) + '  ').rstrip(' ')}" for one in BOUND.split("---\n"))
    head = f"kind: ResourceList\nfunctionConfig: {{{config.strip().replace(chr(10), ', ')}}}\nitems:\n"
    made = others.bind.run(f"{head}{indented}".encode())
    expected = indented
    for before in ("name: project #", "name: project}"):
        expected = expected.replace(before, before.replace("project", "mine"))
    assert made.stdout.decode() == f"{head}{expected}"
    assert others.bind.run(made.stdout).stdout == made.stdout
    nobody = others.bind.run(f"{head}{indented.replace('binding', 'true')}".encode())
    assert nobody.status == 1


KPTFILE = """\
apiVersion: kpt.dev/v1
kind: Kptfile
# of the package
metadata:
  name: upf
  #close
  annotations:
    config.kubernetes.io/local-config: "true"
status:
  conditions:
    - message: update # by hand
      reason: workload.nephio.org/v1alpha1.UPFDeployment.upf
      status: "False"
      type: req.nephio.org/v1alpha1.Interface.n3
"""
NETWORK = """\
apiVersion: infra.nephio.org/v1alpha1
kind: WorkloadCluster
metadata: {name: edge}
spec:
  clusterName: edge
  cnis: [macvlan, sriov]
---
apiVersion: req.nephio.org/v1alpha1
kind: Interface
metadata:
  name: n3 # to the radio
  annotations:
    specializer.nephio.org/owner: workload.nephio.org/v1alpha1.UPFDeployment.upf
spec:
  networkInstance:
    name: vpc # shared
  cniType: sriov
  attachmentType: vlan
  ipFamilyPolicy: dualstack
---
apiVersion: req.nephio.org/v1alpha1
kind: DataNetwork
metadata: {name: internet}
spec:
  pools:
  - name: pool1 # the only one
    prefixLength: 8
"""


def _conditions(folder: Path) -> dict[str, str]:
    (kptfile,) = read((folder / "Kptfile").read_bytes())
    types = [one["type"] for one in kptfile["status"]["conditions"]]
    assert types == sorted(types)
    return {one["type"].rpartition("/")[2]: one["status"] for one in kptfile["status"]["conditions"]}


def test_claims_of_networks(tmp_path: Path) -> None:
    """Claims are made once; when they have statuses, their owners take them over, and all comments stay."""
    (tmp_path / "Kptfile").write_text(KPTFILE)
    data = NETWORK.encode()
    for function in (others.interface, others.data_network):
        assert run_function(tmp_path, data, function) == data
    assert set(_conditions(tmp_path).values()) == {"False"}
    statuses = {"n3-ipv4": "10.0.0.2/24", "n3-ipv6": "1000::2/64", "internet-pool1": "1.1.1.1/24"}
    for name, prefix in statuses.items():
        with (tmp_path / f"ipclaim_{name}.yaml").open("a") as file:
            file.write(f"status:\n  prefix: {prefix} # given\n")
    with (tmp_path / "vlanclaim_n3.yaml").open("a") as file:
        file.write("status: {vlanID: 10}\n")
    made = run_function(tmp_path, run_function(tmp_path, data, others.interface), others.data_network)
    expected = NETWORK.replace(
        "dualstack\n",
        "dualstack\nstatus:\n  ipClaimStatus:\n  - prefix: 10.0.0.2/24\n  - prefix: 1000::2/64\n"
        "  vlanClaimStatus:\n    vlanID: 10\n",
    )
    expected += "status:\n  pools:\n  - name: pool1\n    ipClaim:\n      prefix: 1.1.1.1/24\n"
    assert made.decode() == expected
    assert set(_conditions(tmp_path).values()) == {"True"}
    assert not search.notes_in(KPTFILE.encode()) - search.notes_in((tmp_path / "Kptfile").read_bytes())
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    run_function(tmp_path, run_function(tmp_path, made, others.interface), others.data_network)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_interface_without_its_network(tmp_path: Path) -> None:
    """An interface that the cluster can't have is an error, and nothing is written."""
    (tmp_path / "Kptfile").write_text(KPTFILE)
    (tmp_path / "a.yaml").write_text(NETWORK.replace("macvlan, sriov", "macvlan"))
    package = Package(None, [str(tmp_path)], root=str(tmp_path))
    answer = answered(others.interface, package.read, package.changes)
    assert (answer.made, answer.status) == ([], 1)
    assert answer.rl.results[0].field == {"path": "spec.cniType", "currentValue": "sriov"}
