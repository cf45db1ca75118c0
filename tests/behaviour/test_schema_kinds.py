"""Objects of real kinds, and mistakes in them."""

from __future__ import annotations

import copy
from typing import Any

import openapi_schema_validator
import pytest

from crossplane_lite import schemas
from crossplane_lite._core.models.walker import show_path
from tests.behaviour.schema_instances import DATA, Grower, crd_files, openapi_kinds, schema_of
from tests.behaviour.schema_samples import NOT_TEXT, paths

NO_DATA = f"needs real API definitions in {DATA.name} beside the checkout"
CRDS = crd_files() or [None]
DOCUMENTS = ["core_v1.json", "apps_v1.json", "batch_v1.json", "apiextensions_v1.json"]


@pytest.fixture(params=CRDS, ids=lambda path: path.stem if path else "none")
def crd(request: pytest.FixtureRequest) -> tuple[str, str, dict[str, Any]]:
    """apiVersion, kind and schema of a real CustomResourceDefinition."""
    if request.param is None:
        pytest.skip(NO_DATA)
    return schema_of(request.param)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_objects_of_real_kinds(crd: tuple[str, str, dict[str, Any]], seed: int) -> None:
    """Random objects of a real kind have no errors, and a mistake in one is found there and nowhere else."""
    api_version, kind, raw = crd
    schema = schemas.Schema(raw, "key")
    other = openapi_schema_validator.OAS30Validator(raw)
    grower = Grower(seed)
    value = grower.grow(api_version, kind, raw)
    assert schema.validate(value) == []
    assert other.is_valid(value)
    for broken in grower.mistakes(value):
        assert paths(schema.validate(broken.value)) == [show_path(list(broken.steps))], broken.what
        # A validator that knows nothing of Kubernetes agrees, but on unknown fields.
        assert other.is_valid(broken.value) is (broken.what == "unknown field"), broken


@pytest.mark.slow
@pytest.mark.parametrize("document", DOCUMENTS)
def test_objects_of_the_api_servers_own_kinds(document: str) -> None:
    """The same for the kinds of the API server itself, whose schemas refer to shared ones."""
    kinds = openapi_kinds(document)
    if not kinds:
        pytest.skip(NO_DATA)
    for kind, raw in kinds.items():
        if kind.endswith("List") or kind == "Status":
            continue
        (of,) = raw["x-kubernetes-group-version-kind"]
        schema = schemas.Schema(raw, "key")
        grower = Grower(len(kind))
        value = grower.grow("/".join(filter(None, (of["group"], of["version"]))), kind, raw)
        assert schema.validate(value) == [], kind
        for broken in grower.mistakes(value):
            if broken.what != "missing":
                assert paths(schema.validate(broken.value)) == [show_path(list(broken.steps))], (kind, broken.what)


def test_a_deployment() -> None:
    """A real Deployment fits the API server's schema, and typical mistakes in one are found."""
    raw = openapi_kinds("apps_v1.json").get("Deployment")
    if raw is None:
        pytest.skip(NO_DATA)
    container = {
        "name": "web",
        "image": "nginx",
        "ports": [{"containerPort": 80}, {"containerPort": 80, "protocol": "UDP"}],
        "resources": {"limits": {"cpu": 1, "memory": "1Gi"}},
        "livenessProbe": {"httpGet": {"port": "http"}},
        "env": [{"name": "A", "value": "x"}],
    }
    value: dict[str, Any] = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "creationTimestamp": None, "labels": {"app": "web"}},
        "spec": {
            "selector": {"matchLabels": {"app": "web"}},
            "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [container]}},
            "strategy": {"rollingUpdate": {"maxSurge": "25%", "maxUnavailable": 1}},
        },
    }
    schema = schemas.Schema(raw, "deployment")
    assert schema.validate(value) == []
    wrong = copy.deepcopy(value)
    wrong["metadata"]["lables"] = {}
    wrong["spec"]["replicas"] = "3"
    inside = wrong["spec"]["template"]["spec"]["containers"]
    inside[0]["ports"].append({"containerPort": 80})
    inside[0]["env"][0]["value"] = 5
    inside.append({"image": "nginx"})
    del wrong["spec"]["selector"]
    assert [str(error) for error in schema.validate(wrong)] == [
        "web.metadata.lables: isn't a field of the schema; did you mean 'labels'?",
        f"web.spec.replicas: {'must be an integer'} (got '3' that is a string)",
        "web.spec.selector: is required",
        f"web.spec.template.spec.containers[0].env[0].value: {NOT_TEXT}",
        "web.spec.template.spec.containers[0].ports[2]: has the same containerPort and protocol as [0]",
        "web.spec.template.spec.containers[1].name: is required",
    ]
