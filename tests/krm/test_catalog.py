"""The examples that do what functions of kpt's catalog are documented to do: tables of what goes in and out."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from crossplane_lite import krm
from crossplane_lite.krm.files import Package
from crossplane_lite.krm.runner import answered

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "krm" / "catalog"
NAMES = sorted(file.stem for file in FOLDER.glob("*.py") if file.stem not in ("__init__", "fields"))

DEPLOYMENT = """\
# The shop.
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web # as in the DNS
spec:
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels:
        app: web
    spec:
      containers:
      - name: web
        image: nginx:1.0 # of the registry
"""
SERVICE = "apiVersion: v1\nkind: Service\nmetadata:\n  name: web\nspec:\n  selector:\n    app: web\n"


def config_map(**data: str) -> str:
    """Return a functionConfig as kpt makes it of arguments."""
    lines = "".join(f"  {key}: {value}\n" for key, value in data.items())
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: config\ndata:\n{lines}"


def custom(kind: str, fields: str) -> str:
    """Return a functionConfig of a kind of its own."""
    return f"apiVersion: fn.kpt.dev/v1alpha1\nkind: {kind}\nmetadata:\n  name: config\n{fields}"


def function_of(name: str) -> krm.Function:
    """Return the function in an example's module."""
    module = importlib.import_module(f"examples.krm.catalog.{name}")
    (found,) = [one for one in vars(module).values() if isinstance(one, krm.Function)]
    return found


def ran(folder: Path, name: str, config: str | None, text: str) -> tuple[str, list[str]]:
    """Run a function on a file; return what becomes of it, and the results."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config").write_text(config or "")
    (folder / "a.yaml").write_text(text)
    package = Package(str(folder / "config") if config else None, [str(folder / "a.yaml")], root=str(folder))
    answer = answered(function_of(name), package.read, package.changes)
    assert answer.stderr == "" or "Traceback" not in answer.stderr
    changed = [(now or b"").decode() for _, _, now in answer.made]
    return (changed[0] if changed else text), [str(one) for one in answer.rl.results]


# name, functionConfig, what goes in, what comes out
TABLE: list[tuple[str, str, str, str]] = [
    (
        "set_labels",
        config_map(team="shop"),
        f"{DEPLOYMENT}---\n{SERVICE}",
        DEPLOYMENT.replace("as in the DNS\n", "as in the DNS\n  labels:\n    team: shop\n")
        .replace("{app: web}", "{app: web, team: shop}")
        .replace("        app: web\n", "        app: web\n        team: shop\n")
        + "---\n"
        + SERVICE.replace("name: web\n", "name: web\n  labels:\n    team: shop\n").replace(
            "    app: web\n", "    app: web\n    team: shop\n"
        ),
    ),
    (
        "set_labels",
        custom(
            "SetLabels", "labels:\n  a: b\nadditionalLabelFields:\n- path: data/selector\n  kind: Own\n  create: true\n"
        ),
        "apiVersion: x/v1\nkind: Own\nmetadata:\n  name: o\n  labels: {a: c}\n",
        "apiVersion: x/v1\nkind: Own\nmetadata:\n  name: o\n  labels: {a: b}\ndata:\n  selector:\n    a: b\n",
    ),
    (
        "set_labels",
        custom(
            "SetLabels",
            "labels:\n  a: b\nadditionalLabelFields:\n- path: x/y\n  group: other\n- path: x/y\n  version: v2\n",
        ),
        "apiVersion: x/v1\nkind: Own\nmetadata:\n  name: o\nx:\n  y: {c: d}\n",
        "apiVersion: x/v1\nkind: Own\nmetadata:\n  name: o\n  labels:\n    a: b\nx:\n  y: {c: d}\n",
    ),
    (
        "set_labels",
        config_map(a="b"),
        "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata:\n  name: p\nspec: {}\n---\n"
        "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: n}\nspec:\n"
        "  ingress:\n  - from:\n    - podSelector:\n        matchLabels: {x: y}\n",
        "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata:\n  name: p\n  labels:\n    a: b\nspec: {}\n---\n"
        "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: n, labels: {a: b}}\nspec:\n"
        "  ingress:\n  - from:\n    - podSelector:\n        matchLabels: {x: y, a: b}\n",
    ),
    (
        "set_annotations",
        config_map(color="orange", fruit="apple"),
        DEPLOYMENT,
        DEPLOYMENT.replace(
            "as in the DNS\n", "as in the DNS\n  annotations:\n    color: orange\n    fruit: apple\n"
        ).replace(
            "        app: web\n", "        app: web\n      annotations:\n        color: orange\n        fruit: apple\n"
        ),
    ),
    (
        "set_annotations",
        custom(
            "SetAnnotations",
            'annotations:\n  a: "1"\nadditionalAnnotationFields:\n- path: data/selector/annotations\n  kind: Own\n'
            "  create: true\n",
        ),
        "apiVersion: x/v1\nkind: Own\nmetadata:\n  name: o\n  annotations:\n    a: '0'\n",
        "apiVersion: x/v1\nkind: Own\nmetadata:\n  name: o\n  annotations:\n    a: '1'\n"
        "data:\n  selector:\n    annotations:\n      a: '1'\n",
    ),
    (
        "set_namespace",
        config_map(namespace="staging"),
        "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: old\n---\n"
        "apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: sa\n  namespace: example\n  annotations:\n"
        "    config.kubernetes.io/depends-on: /namespaces/example/ServiceAccount/foo\n---\n"
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata:\n  name: rb\n  namespace: example\n"
        "  annotations:\n    config.kubernetes.io/depends-on: /namespaces/example/ServiceAccount/sa\n"
        "subjects:\n- kind: ServiceAccount\n  name: default\n  namespace: example\n- kind: ServiceAccount\n"
        "  name: other\n"
        "  namespace: example\n---\n"
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: cr\n---\n"
        "apiVersion: apiregistration.k8s.io/v1\nkind: APIService\nmetadata:\n  name: as\nspec:\n  service:\n"
        "    namespace: x # where\n",
        "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: staging\n---\n"
        "apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: sa\n  namespace: staging\n  annotations:\n"
        "    config.kubernetes.io/depends-on: /namespaces/example/ServiceAccount/foo\n---\n"
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata:\n  name: rb\n  namespace: staging\n"
        "  annotations:\n    config.kubernetes.io/depends-on: /namespaces/staging/ServiceAccount/sa\n"
        "subjects:\n- kind: ServiceAccount\n  name: default\n  namespace: staging\n- kind: ServiceAccount\n"
        "  name: other\n"
        "  namespace: example\n---\n"
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: cr\n---\n"
        "apiVersion: apiregistration.k8s.io/v1\nkind: APIService\nmetadata:\n  name: as\nspec:\n  service:\n"
        "    namespace: staging # where\n",
    ),
    (
        "delete_annotations",
        config_map(annotationKeys="a,b"),
        "apiVersion: v1\nkind: A\nmetadata:\n  name: n\n  annotations:\n    a: x # one\n    c: y # two\n---\n"
        "apiVersion: v1\nkind: A\nmetadata:\n  name: m\n  annotations: {a: x, b: y}\n---\n"
        "apiVersion: v1\nkind: A\nmetadata:\n  name: l\n  annotations:\n    a: x\n"
        "    config.kubernetes.io/local-config: 'true'\n",
        "apiVersion: v1\nkind: A\nmetadata:\n  name: n\n  annotations:\n    c: y # two\n---\n"
        "apiVersion: v1\nkind: A\nmetadata:\n  name: m\n---\n"
        "apiVersion: v1\nkind: A\nmetadata:\n  name: l\n  annotations:\n    a: x\n"
        "    config.kubernetes.io/local-config: 'true'\n",
    ),
    (
        "search_replace",
        config_map(**{"by-path": "spec.**.image", "by-value-regex": "'nginx:(.*)'", "put-value": "web:${1}"}),
        DEPLOYMENT,
        DEPLOYMENT.replace("nginx:1.0", "web:1.0"),
    ),
    (
        "search_replace",
        config_map(**{"by-path": "spec.replicas", "put-value": "'3'"}),
        DEPLOYMENT,
        f"{DEPLOYMENT}  replicas: '3'\n".replace("'3'", '"3"'),
    ),
    (
        "search_replace",
        config_map(**{"by-value": "web", "put-comment": "'kpt-set: ${name}'"}),
        SERVICE,
        SERVICE.replace("name: web", "name: web # kpt-set: ${name}").replace("app: web", "app: web # kpt-set: ${name}"),
    ),
    (
        "upsert_resource",
        "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec:\n  type: LoadBalancer\n",
        "# one\n" + SERVICE,
        "# one\napiVersion: v1\nkind: Service\nmetadata:\n  name: web\nspec:\n  type: LoadBalancer\n",
    ),
    (
        "apply_replacements",
        custom(
            "ApplyReplacements",
            "replacements:\n- source: {kind: Service, name: web, fieldPath: spec.selector.app}\n  targets:\n"
            "  - select: {kind: Deployment}\n    fieldPaths: ['spec.template.spec.containers.[name=web].image']\n"
            "    options: {delimiter: ':', index: 1}\n",
        ),
        f"{DEPLOYMENT}---\n{SERVICE}",
        f"{DEPLOYMENT}---\n{SERVICE}".replace("nginx:1.0", "nginx:web"),
    ),
    (
        "set_enforcement_action",
        config_map(enforcementAction="warn"),
        "apiVersion: constraints.gatekeeper.sh/v1\nkind: A\nmetadata: {name: n}\nspec: {} # s\n",
        "apiVersion: constraints.gatekeeper.sh/v1\nkind: A\nmetadata: {name: n}\n"
        "spec: # s\n  enforcementAction: warn\n",
    ),
    (
        "set_image",
        config_map(name="nginx", newName="bitnami/nginx", newTag="1.21.4"),
        DEPLOYMENT,
        DEPLOYMENT.replace("nginx:1.0", "bitnami/nginx:1.21.4"),
    ),
    (
        "set_image",
        config_map(name="nginx", digest='"sha256:abc"'),
        DEPLOYMENT,
        DEPLOYMENT.replace("nginx:1.0", "nginx@sha256:abc"),
    ),
    ("set_image", config_map(name="nginx", newName="other"), DEPLOYMENT, DEPLOYMENT.replace("nginx:1.0", "other:1.0")),
    ("set_image", config_map(name="ngin", newTag="x"), DEPLOYMENT, DEPLOYMENT),
    (
        "set_image",
        config_map(name="localhost:5000/a", newTag="x"),
        DEPLOYMENT.replace("nginx:1.0", "localhost:5000/a"),
        DEPLOYMENT.replace("nginx:1.0", "localhost:5000/a:x"),
    ),
    (
        "set_image",
        custom(
            "SetImage",
            "image: {name: nginx, newTag: '2'}\nadditionalImageFields:\n- group: dev.example.com\n  version: v1\n"
            "  kind: MyKind\n  path: spec/manifest/images[]/image\n",
        ),
        "apiVersion: dev.example.com/v1\nkind: MyKind\nmetadata:\n  name: m\nspec:\n  manifest:\n    images:\n"
        "    # one\n    - image: nginx:1\n    - image: redis:1\n",
        "apiVersion: dev.example.com/v1\nkind: MyKind\nmetadata:\n  name: m\nspec:\n  manifest:\n    images:\n"
        "    # one\n    - image: nginx:2\n    - image: redis:1\n",
    ),
    (
        "ensure_name_substring",
        config_map(prepend="dev-"),
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings # c\n---\n"
        "apiVersion: v1\nkind: Secret\nmetadata:\n  name: the-dev-secret\n---\n"
        "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: n\n---\n"
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\nspec:\n  volumes:\n  - configMap:\n      name: settings # v\n"
        "  - configMap: {name: elsewhere}\n  - secret: {secretName: the-dev-secret}\n"
        "  containers:\n  - envFrom:\n    - configMapRef: {name: settings}\n",
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: dev-settings # c\n---\n"
        "apiVersion: v1\nkind: Secret\nmetadata:\n  name: the-dev-secret\n---\n"
        "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: n\n---\n"
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: dev-p\nspec:\n  volumes:\n  - configMap:\n"
        "      name: dev-settings # v\n"
        "  - configMap: {name: elsewhere}\n  - secret: {secretName: the-dev-secret}\n"
        "  containers:\n  - envFrom:\n    - configMapRef: {name: dev-settings}\n",
    ),
    (
        "ensure_name_substring",
        custom(
            "EnsureNameSubstring",
            "substring: -prod\neditMode: append\nadditionalNameFields:\n- path: spec/name\n  kind: MyOwnResource\n",
        ),
        "apiVersion: x/v1\nkind: MyOwnResource\nmetadata:\n  name: a\nspec:\n  name: b\n---\n"
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: r}\n---\n"
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: rb}\n"
        "roleRef: {kind: Role, name: r}\n",
        "apiVersion: x/v1\nkind: MyOwnResource\nmetadata:\n  name: a-prod\nspec:\n  name: b-prod\n---\n"
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: r-prod}\n---\n"
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: rb-prod}\n"
        "roleRef: {kind: Role, name: r-prod}\n",
    ),
    (
        "apply_setters",
        config_map(image="ubuntu", replicas='"3"'),
        "apiVersion: v1\nkind: Deployment\nmetadata:\n  name: nginx-deployment # kpt-set: ${image}-deployment\n"
        "spec:\n  replicas: 1 # kpt-set: ${replicas}\n  text: '1' # kpt-set: ${replicas}\n"
        "  other: 1 # kpt-set: ${none}\n",
        "apiVersion: v1\nkind: Deployment\nmetadata:\n  name: ubuntu-deployment # kpt-set: ${image}-deployment\n"
        "spec:\n  replicas: 3 # kpt-set: ${replicas}\n  text: '3' # kpt-set: ${replicas}\n"
        "  other: 1 # kpt-set: ${none}\n",
    ),
    (
        "apply_setters",
        config_map(env="|\n    - prod\n    - dev"),
        "apiVersion: v1\nkind: MyKind\nmetadata:\n  name: foo\nenvironments: # kpt-set: ${env}\n  - dev # d\n"
        "  - stage\n"
        "more: [a] # kpt-set: ${env}\n",
        "apiVersion: v1\nkind: MyKind\nmetadata:\n  name: foo\nenvironments: # kpt-set: ${env}\n  - prod\n  - dev # d\n"
        "more: [prod, dev] # kpt-set: ${env}\n",
    ),
    (
        "apply_setters",
        config_map(tag='"2.0"'),
        "apiVersion: v1\nkind: A\nmetadata:\n  name: a\nimage: nginx:1.0 # kpt-set: ${image}:${tag}\n",
        "apiVersion: v1\nkind: A\nmetadata:\n  name: a\nimage: nginx:2.0 # kpt-set: ${image}:${tag}\n",
    ),
    (
        "create_setters",
        config_map(image="ubuntu", replicas='"3"'),
        "apiVersion: v1\nkind: Deployment\nmetadata:\n  name: ubuntu-deployment\nspec:\n  replicas: 3\n",
        "apiVersion: v1\nkind: Deployment\nmetadata:\n  name: ubuntu-deployment # kpt-set: ${image}-deployment\n"
        "spec:\n  replicas: 3 # kpt-set: ${replicas}\n",
    ),
    (
        "create_setters",
        config_map(env="|\n    - stage\n    - dev", image="nginx", tag="1.16.1"),
        "apiVersion: v1\nkind: MyKind\nmetadata:\n  name: foo\nenvironments:\n  - dev\n  - stage\nflow: [dev, stage]\n"
        "image: nginx:1.16.1 # kpt-set: ${old}\n",
        "apiVersion: v1\nkind: MyKind\nmetadata:\n  name: foo\nenvironments: # kpt-set: ${env}\n  - dev\n  - stage\n"
        "flow: [dev, stage] # kpt-set: ${env}\nimage: nginx:1.16.1 # kpt-set: ${image}:${tag}\n",
    ),
]


def _ids(rows: list[Any]) -> list[str]:
    return [f"{row[0]}-{at}" for at, row in enumerate(rows)]


@pytest.mark.parametrize(("name", "config", "before", "after"), TABLE, ids=_ids(TABLE))
def test_behaviour(tmp_path: Path, name: str, config: str, before: str, after: str) -> None:
    """What comes out is what the catalog documents, with everything else as it was; a second run changes nothing."""
    found, results = ran(tmp_path / "1", name, config, before)
    assert found == after
    assert all(one.startswith("info: ") for one in results)
    assert ran(tmp_path / "2", name, config, after)[0] == after


# The packages of the catalog show the last two of these.
WITHOUT_CONFIG = ("list_setters", "enable_gcp_services", "remove_local_config_resources")
# name, functionConfig, what goes in, the beginning of the last result
REFUSED: list[tuple[str, str | None, str, str]] = [
    *((name, None, SERVICE, "error: functionConfig ") for name in NAMES if name not in WITHOUT_CONFIG),
    ("set_labels", custom("Other", ""), SERVICE, "error: Other config: functionConfig must be a ConfigMap or of kind"),
    (
        "apply_setters",
        config_map(env="|\n    - prod\n    - dev"),
        "apiVersion: v1\nkind: A\nmetadata:\n  name: a\nenvironments: # kpt-set: ${env}\n  main: dev\n",
        "error: A a environments: ",
    ),
    ("set_image", config_map(newTag="x"), DEPLOYMENT, "error: functionConfig must have name"),
    ("set_image", config_map(name="nginx"), DEPLOYMENT, "error: functionConfig must have newName, newTag or digest"),
    (
        "set_image",
        config_map(name="nginx", newTag="x", digest="y"),
        DEPLOYMENT,
        "error: functionConfig can't have both",
    ),
    ("ensure_name_substring", config_map(prepend="a", append="b"), SERVICE, "error: functionConfig must have a string"),
    (
        "ensure_name_substring",
        config_map(prepend="a-"),
        f"{SERVICE}---\n{SERVICE.replace('name: web', 'name: a-web')}",
        "error: DuplicateResourceError: there are two items Service a-web (a.yaml)",
    ),
    (
        "apply_setters",
        config_map(a="x"),
        "apiVersion: v1\nkind: A\nmetadata: {name: n}\nb: c # kpt-set: ${a}-${b}\n",
        "error: A n b: values must be given for the setters b (a.yaml)",
    ),
    (
        "apply_setters",
        config_map(a="x"),
        "apiVersion: v1\nkind: A\nmetadata: {name: n}\nb: # kpt-set: ${a}\n- c\n",
        "error: A n b: the setter ${a} must be a list",
    ),
    (
        "create_setters",
        config_map(a="c"),
        "apiVersion: v1\nkind: A\nmetadata: {name: n}\nb: [c, d]\n",
        "warning: A n b[0]: ${a} has no place: there is no place for a comment behind b[0] of A n (a.yaml); in",
    ),
    (
        "create_setters",
        config_map(a="c"),
        "apiVersion: v1\nkind: A\nmetadata: {name: n}\nb: c # why\n",
        "warning: A n b: ${a} has no place, because of another comment",
    ),
]


@pytest.mark.parametrize(("name", "config", "text", "result"), REFUSED, ids=_ids(REFUSED))
def test_what_is_refused(tmp_path: Path, name: str, config: str | None, text: str, result: str) -> None:
    """What a function can't do is a result, and the file stays as it is."""
    found, (*_, told) = ran(tmp_path, name, config, text)
    assert (found, told[: len(result)]) == (text, result)


def test_listing(tmp_path: Path) -> None:
    """list-setters tells name, value, type and count of each setter."""
    text = (
        "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: my-nginx\nspec:\n"
        "  replicas: 4 # kpt-set: ${nginx-replicas}\n  list: # kpt-set: ${list}\n  - a\n  - b\n"
        '  image: "nginx:1.16.1" # kpt-set: nginx:${tag}\n  again: 1.16.1 # kpt-set: ${tag}\n'
    )
    assert ran(tmp_path, "list_setters", None, text) == (
        text,
        [
            "info: Name: list, Value: [a, b], Type: list, Count: 1",
            "info: Name: nginx-replicas, Value: 4, Type: int, Count: 1",
            "info: Name: tag, Value: 1.16.1, Type: str, Count: 2",
        ],
    )
    assert ran(tmp_path, "list_setters", None, SERVICE)[1] == ["info: no setters were found"]


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", NAMES)
def test_as_a_program(name: str) -> None:
    """Each file is a program that says what it is for."""
    command = [sys.executable, str(FOLDER / f"{name}.py"), "--doc"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert f'"name": "{name.replace("_", "-")}"' in done.stdout
    assert done.stderr == ""


def test_all_are_in_the_table() -> None:
    """Every function of the folder has rows."""
    rows: list[Any] = [*TABLE, *REFUSED]
    assert {row[0] for row in rows} | set(WITHOUT_CONFIG) == set(NAMES)
