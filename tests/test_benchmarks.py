"""The definitions that the benchmarks make where there are no real ones."""

from __future__ import annotations

import re
from typing import Any

import pytest

from benchmarks import definitions, models
from crossplane_lite.codegen.definitions import definitions as read
from crossplane_lite.codegen.generate import generate, select
from crossplane_lite.render.yaml import Document


def _schema(crd: dict[str, Any]) -> dict[str, Any]:
    (version,) = crd["spec"]["versions"]
    schema: dict[str, Any] = version["schema"]["openAPIV3Schema"]
    return schema


@pytest.mark.parametrize("crd", [definitions.bucket(), definitions.cluster()], ids=["Bucket", "Cluster"])
def test_made_definitions_have_the_declared_numbers_of_classes(crd: dict[str, Any]) -> None:
    """The generator makes as many classes of a made definition as are declared for it."""
    modules = generate(select(read([Document("crd.yaml", crd)]).kinds, "storage")).modules
    (text,) = (text for file, text in modules.items() if not file.endswith("__init__.py"))
    classes = re.findall(r'^        "(\w+)": "', text, re.MULTILINE)
    assert len(set(classes)) == len(classes) == definitions.CLASSES[crd["spec"]["names"]["kind"]]


@pytest.mark.parametrize(
    ("crd", "levels"),
    [
        (definitions.bucket(), [1, 2, 6, 37, 21]),
        (definitions.cluster(), [1, 2, 6, 138, 225, 119, 44, 27, 22, 8]),
    ],
    ids=["Bucket", "Cluster"],
)
def test_made_definitions_are_as_deep_as_the_real_ones(crd: dict[str, Any], levels: list[int]) -> None:
    """A made definition has its objects on as many levels as the real one, with about as many on each."""
    assert definitions.objects(_schema(crd)) == levels


def test_made_definitions_are_always_the_same() -> None:
    """Two definitions that are made one after the other are equal, the order of their fields included."""
    assert repr(definitions.cluster()) == repr(definitions.cluster())
    assert repr(definitions.bucket()) == repr(definitions.bucket())


def test_a_directory_without_the_definitions_is_refused(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A directory that BENCHMARK_CRDS names must have the files; nothing is made in their place."""
    monkeypatch.setenv("BENCHMARK_CRDS", str(tmp_path))
    models.find_real.cache_clear()
    try:
        with pytest.raises(FileNotFoundError, match=f"BENCHMARK_CRDS: {re.escape(str(tmp_path))} must have the files"):
            models.source()
    finally:
        models.find_real.cache_clear()
