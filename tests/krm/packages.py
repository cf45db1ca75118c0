"""The test packages of kpt's catalog, of which copies lie beside this project: how each is run, and what comes out."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from crossplane_lite._tools.manifests.yaml import parse_documents

__all__ = ["DIFFERENCES", "NAMES", "Step", "expected", "files", "package", "results", "steps"]

DATA: Final = Path(__file__).resolve().parents[3] / "shared" / "data" / "krm-catalog"
NAMES: Final = sorted(folder.name for folder in DATA.iterdir()) if DATA.is_dir() else []

_RENAMED = "the expected file is out of date: it is of a function that took the items' file names away"
DIFFERENCES: Final = {
    "ensure-name-substring-imperative": _RENAMED,
    "ensure-name-substring-prefix": _RENAMED,
    "ensure-name-substring-suffix": _RENAMED,
}
"""The packages whose files differ from the expected ones, each with the reason."""

CONTEXT: Final = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: kptfile.kpt.dev
  annotations:
    config.kubernetes.io/local-config: "true"
data:
  name: example
"""


class Step(NamedTuple):
    """One run of a function: its name, its functionConfig, and which resources it gets (all without selectors)."""

    name: str
    config: str | None
    selectors: list[dict[str, str]]


def _one(path: Path) -> Any:
    (document,) = parse_documents(path.read_text(), str(path), extra="krm")
    return document.content


def package(name: str, folder: Path) -> Path:
    """Return a copy of a package."""
    made = folder / "package"
    shutil.copytree(DATA / name, made)
    if (made / ".expected" / "exec.sh").exists():  # it calls `kpt pkg init`, which writes this file
        (made / "package-context.yaml").write_text(CONTEXT)
    return made


def steps(made: Path) -> Iterator[Step]:
    """Yield how the functions of a package are run."""
    config = made / ".expected" / "config.yaml"
    if config.exists() and (given := _one(config)).get("testType") == "eval":
        text = _config_map(given["args"]) if "args" in given else None
        if "fnConfig" in given:
            text = (made / ".expected" / given["fnConfig"]).resolve().read_text()
        yield Step(_name(given["image"]), text, [])
        return
    for one in _one(made / "Kptfile")["pipeline"]["mutators"]:
        text = (made / one["configPath"]).read_text() if "configPath" in one else None
        text = _config_map(one["configMap"]) if "configMap" in one else text
        yield Step(_name(one["image"]), text, one.get("selectors", []))


def _name(image: str) -> str:
    return image.rpartition("/")[2].partition(":")[0].replace("-", "_")


def _config_map(data: dict[str, str]) -> str:
    lines = "".join(f"  {key}: {value!r}\n" for key, value in data.items())
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: function-input\ndata:\n{lines}"


def files(made: Path) -> dict[str, str]:
    """Return the files of a package without those that say what is expected."""
    found = (file for file in made.rglob("*") if file.is_file() and ".expected" not in file.parts)
    return {str(file.relative_to(made)): file.read_text() for file in sorted(found)}


def expected(name: str, folder: Path) -> dict[str, str]:
    """Return the files that must come out."""
    folder.mkdir()
    made = package(name, folder)
    (made / "package-context.yaml").unlink(missing_ok=True)
    patch = made / ".expected" / "diff.patch"
    if patch.exists() and patch.stat().st_size:
        subprocess.run(["git", "apply", str(patch)], cwd=made, check=True, env={"GIT_CEILING_DIRECTORIES": str(folder)})
    return files(made)


def results(made: Path) -> list[dict[str, Any]] | None:
    """Return the results that must come out; None if the package doesn't say it."""
    file = made / ".expected" / "results.yaml"
    return [one for step in _one(file)["items"] for one in step["results"]] if file.exists() else None
