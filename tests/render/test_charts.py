"""Values in Releases of provider-helm: checked by the schema of the chart, as Helm does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from crossplane_lite import Unstructured, composition, testing
from crossplane_lite._tools.render.charts import Charts
from crossplane_lite.cli import main
from crossplane_lite.errors import InputError
from tests.render import gate

SCHEMA = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "type": "object",
    "required": ["image", "replicas"],
    "additionalProperties": False,
    "properties": {
        "image": {"$ref": "#/definitions/image"},
        "replicas": {"type": "integer", "minimum": 1},
        "password": {"type": "string", "minLength": 8},
    },
    "definitions": {
        "image": {
            "type": "object",
            "required": ["tag"],
            "properties": {"tag": {"type": "string"}, "repo": {"type": "string"}},
        }
    },
}
HERE = "tests.render.test_charts"


@composition.function(auto_ready=True)
def right(ctx: composition.Context) -> None:
    """Compose a Release with right values, one of which isn't there yet."""
    made = gate.vpc(ctx).observed.status.id
    release(ctx, image={"tag": made, "repo": f"a/{made}"}, password="long enough")


@composition.function(auto_ready=True)
def wrong(ctx: composition.Context) -> None:
    """Compose a Release with mistakes, which waits."""
    release(ctx, replcas=3, replicas="two", image={"tag": gate.vpc(ctx).observed.status.id})


def release(ctx: composition.Context, **values: Any) -> None:
    """Compose a Release of the chart."""
    spec = {"forProvider": {"chart": {"name": "redis"}, "namespace": "default", "values": values}}
    ctx.resource("redis", Unstructured("helm.m.crossplane.io/v1beta1", "Release", spec=spec))


def chart(folder: Path, values: str | None = "replicas: 1\n", schema: Any = SCHEMA) -> Path:
    """Write a chart below a folder."""
    home = folder / "charts" / "redis"
    home.mkdir(parents=True)
    (home / "Chart.yaml").write_text("apiVersion: v2\nname: redis\nversion: 1.0.0\n", encoding="utf-8")
    if values is not None:
        (home / "values.yaml").write_text(values, encoding="utf-8")
    text = schema if isinstance(schema, str) else json.dumps(schema)
    (home / "values.schema.json").write_text(text, encoding="utf-8")
    return folder / "charts"


def found(folder: Path, values: Any, **parameters: Any) -> list[str]:
    """Return the mistakes in values of a Release, without the place of the schema."""
    one = {"spec": {"forProvider": {"chart": {"name": "redis"}, "values": values, **parameters}}}
    where = f" (schema in {folder / 'redis' / 'values.schema.json'})"
    return [line.removesuffix(where) for line in Charts([str(folder)]).mistakes("redis", one)]


def test_mistakes(tmp_path: Path) -> None:
    """Unknown values with the near name, wrong types and what is missing are told with the path."""
    assert sorted(found(chart(tmp_path), {"replcas": 3, "replicas": 0, "image": {"repo": 1}})) == [
        'redis.spec.forProvider.values.image.repo: 1 is not of type "string"',
        'redis.spec.forProvider.values.image: "tag" is a required property',
        "redis.spec.forProvider.values.replicas: 0 is less than the minimum of 1",
        "redis.spec.forProvider.values: replcas isn't a value of the chart; did you mean 'replicas'?",
    ]


def test_the_charts_own_values(tmp_path: Path) -> None:
    """What is required may be among the chart's values; a null takes one away."""
    folder = chart(tmp_path)
    assert found(folder, {"image": {"tag": "1"}}) == []
    (line,) = found(folder, {"image": {"tag": "1"}, "replicas": None})
    assert line == 'redis.spec.forProvider.values: "replicas" is a required property'


def test_values_from_elsewhere(tmp_path: Path) -> None:
    """Where values come from elsewhere, or the chart's own aren't there, nothing is missing."""
    folder = chart(tmp_path)
    assert found(folder, {}, set=[{"name": "image.tag", "value": "1"}]) == []
    (folder / "redis" / "values.yaml").unlink()
    assert found(folder, {}) == []
    assert found(folder, None) == []


def test_other_charts(tmp_path: Path) -> None:
    """A chart that has no schema here isn't checked, nor is a Release without a chart's name."""
    charts = Charts([str(chart(tmp_path))])
    for spec in ({"forProvider": {"chart": {"name": "other"}, "values": {"x": 1}}}, {"forProvider": {}}, {}):
        assert list(charts.mistakes("a", {"spec": spec})) == []


@pytest.mark.parametrize(
    ("schema", "text"), [("{", "is not JSON: "), ({"type": "nothing"}, "can't be used: ")], ids=["json", "schema"]
)
def test_schemas_that_are_none(tmp_path: Path, schema: Any, text: str) -> None:
    """A schema that can't be used is an error that names its file."""
    with pytest.raises(InputError) as caught:
        found(chart(tmp_path, schema=schema), {"x": 1})
    assert f"values.schema.json {text}" in str(caught.value)


@pytest.mark.parametrize(("command", "status"), [("render", 1), ("simulate", 1), ("diff", 4)])
def test_previews(tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str, status: int) -> None:
    """Each preview checks the values of Releases that wait, too, by a chart's folder among --crds."""
    arguments = [*gate.files(tmp_path), "--crds", str(chart(tmp_path))]
    assert main([command, *arguments, "--function", f"{HERE}:right"]) == 0
    said = "".join(capsys.readouterr())
    assert "invalid" not in said
    assert main([command, *arguments, "--function", f"{HERE}:wrong"]) == status
    said = "".join(capsys.readouterr())
    for problem in ("did you mean 'replicas'?", '"two" is not of type "integer"'):
        assert f"{problem} (schema in " in said.replace("\n", " ")


def test_tests(tmp_path: Path) -> None:
    """So does the testing package."""
    with pytest.raises(testing.InvalidResourceError, match="did you mean 'replicas'"):
        testing.render(gate.XR, wrong, crds=[str(chart(tmp_path))])
