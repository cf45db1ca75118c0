"""The examples on the test packages of kpt's catalog: equal files and results, but for the listed differences."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from crossplane_lite import krm
from crossplane_lite._tools.manifests.yaml import parse_documents
from crossplane_lite.krm.files import Package
from crossplane_lite.krm.runner import answered
from tests.krm import packages
from tests.krm.test_catalog import function_of

pytestmark = pytest.mark.skipif(not packages.NAMES, reason="the packages aren't beside the project")


def selected(function: krm.Function, selectors: list[dict[str, str]]) -> krm.Function:
    """Return a function that gets the items that fit one of the selectors, as kpt runs it."""

    def run(rl: krm.ResourceList) -> None:
        everything = list(rl.items)
        chosen = [one for one in everything if any(one in rl.items.where(**selector) for selector in selectors)]
        rl.items = chosen
        function(rl)
        rl.items = [*everything, *(one for one in rl.items if not any(one is other for other in everything))]

    return krm.function(name=function.name)(run)


def documents(files: dict[str, str]) -> list[str]:
    """Return what the documents of all files say, whichever files they are in."""
    texts = [text for name, text in files.items() if not name.startswith(".")]
    found = [document.content for text in texts for document in parse_documents(text, "text", extra="krm")]
    return sorted(json.dumps(one, sort_keys=True) for one in found)


@pytest.mark.parametrize("name", packages.NAMES)
def test_package(tmp_path: Path, name: str) -> None:
    """The files and results of a package are those that the catalog expects; a second run changes nothing."""
    made = packages.package(name, tmp_path)
    wanted = packages.expected(name, tmp_path / "expected")
    for run in range(2):
        found: list[dict[str, Any]] = []
        for step in packages.steps(made):
            config = tmp_path / "config.yaml"
            config.write_text(step.config or "")
            function = function_of(step.name)
            function = selected(function, step.selectors) if step.selectors else function
            package = Package(str(config) if step.config else None, [str(made)], root=str(made))
            answer = answered(function, package.read, package.changes)
            assert answer.status == 0, answer.stderr
            package.write(answer.made)
            found += [one.to_dict() for one in answer.rl.results]
        if name in packages.DIFFERENCES:
            assert packages.files(made) != wanted
            assert documents(packages.files(made)) == documents(wanted)
        else:
            assert packages.files(made) == wanted
        if run == 0 and (results := packages.results(made)) is not None:
            assert found == results


def test_the_differences() -> None:
    """There are few differences, each with a reason, and the new functions are judged, too."""
    assert len(packages.DIFFERENCES) <= 5
    assert set(packages.DIFFERENCES) <= set(packages.NAMES)
