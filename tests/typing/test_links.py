"""The package's links to its stubs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.typing.checkers import ROOT
from tests.typing.trees import LINKS, PACKAGE, STUBS, copy_of_the_project, without_links


@pytest.mark.parametrize("path", LINKS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_stub_in_the_package_is_a_relative_link_to_its_place_in_stubs(path: Path) -> None:
    """The package has no stub of its own, and the link holds wherever the project is copied to."""
    assert path.is_symlink(), f"{path.relative_to(ROOT)} is a file of its own; git config core.symlinks may be false"
    assert os.readlink(path) == os.path.relpath(STUBS / path.relative_to(ROOT), path.parent)
    assert path.is_file()


def test_each_stub_is_linked_once() -> None:
    """All that `stubs` holds is stubs, and the package has one link to each."""
    stubs = sorted(path.relative_to(STUBS) for path in STUBS.rglob("*") if not path.is_dir())
    assert stubs == [path.relative_to(ROOT) for path in LINKS]
    assert {path.suffix for path in stubs} == {".pyi"}
    links = [path for path in PACKAGE.rglob("*") if path.is_symlink()]
    assert sorted(links) == LINKS


USE = """
import crossplane_lite.cli, crossplane_lite.proto.v1.run_function_pb2 as fnv1
import crossplane_lite.proto.v1beta1.run_function_pb2 as fnv1beta1
from crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta.v1 import ObjectMeta
for module in (fnv1, fnv1beta1):
    message = module.RunFunctionRequest(meta={"tag": ObjectMeta(name="a").name})
    assert module.RunFunctionRequest.FromString(message.SerializeToString()).meta.tag == "a"
print(crossplane_lite.__file__)
"""


@pytest.mark.slow
def test_the_package_works_where_links_are_text(tmp_path: Path) -> None:
    """A checkout without links imports, makes messages and models, and renders the example."""
    pytest.importorskip("yaml", reason="PyYAML is not installed")
    root = without_links(copy_of_the_project(tmp_path / "project", "examples/storage_bucket"))
    # PYTHONPATH of the tests may name the project itself.
    environment = {**os.environ, "PYTHONPATH": str(root)}

    def run(*arguments: str) -> str:
        command = [sys.executable, *arguments]
        done = subprocess.run(
            command, cwd=root, env=environment, capture_output=True, text=True, timeout=120, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert Path(run("-c", USE).strip()) == root / "crossplane_lite" / "__init__.py"
    example = "examples/storage_bucket"
    function = "examples.storage_bucket.function:compose"
    rendered = run("-m", "crossplane_lite", "render", f"{example}/xr.yaml", "--function", function)
    assert rendered == (ROOT / example / "expected" / "first.yaml").read_text()
