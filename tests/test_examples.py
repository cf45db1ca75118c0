"""The examples, against the specification that they come from."""

from __future__ import annotations

from pathlib import Path

import pytest

from crossplane_lite.cli import main

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = ROOT / "examples" / "storage_bucket"
SEED = ROOT.parent / "shared" / "seeds" / "python-sdk-design-spec.txt"
CRDS = ROOT.parent / "shared" / "data" / "crds"

# Where the provider's definitions have moved on since the specification was written, and what the generator calls
# its classes.
CHANGED = {
    "storagebucketv1alpha1": "xstoragebucketv1alpha1",
    "bucketv1beta1": "bucketv1beta2",
    "=[bucketv1beta2.VersioningItem(enabled=versioning)]": "=bucketv1beta2.Versioning(enabled=versioning)",
    "bucketaclv1beta1.ACLForProvider": "bucketaclv1beta1.ForProvider",
}


def _code(text: str) -> list[str]:
    lines = [line.rstrip() for line in text.splitlines()]
    return [line for line in lines if line and not line.lstrip().startswith(("import ", "from "))]


def test_the_storage_bucket_has_the_specifications_lines() -> None:
    """From the decorator on, the example is the specification's basic example, line by line, but for what changed."""
    if not SEED.is_file():
        pytest.skip(f"the specification is not at {SEED}")
    text = SEED.read_text(encoding="utf-8")
    wanted = text[text.index("@composition.function\n") : text.index("Key UX Principles")]
    for old, new in CHANGED.items():
        assert old in wanted
        wanted = wanted.replace(old, new)
    source = (EXAMPLE / "function.py").read_text(encoding="utf-8")
    assert _code(source[source.index("@composition.function\n") :]) == _code(wanted)
    assert len(_code(wanted)) > 25


def test_the_storage_buckets_models_are_generated(tmp_path: Path) -> None:
    """Generating again, from the provider's definitions and the example's own, gives the models that are there."""
    pytest.importorskip("yaml", reason="PyYAML is not installed")
    sources = [CRDS / f"storage.gcp.upbound.io_{name}.yaml" for name in ("buckets", "bucketacls")]
    if not all(source.is_file() for source in sources):
        pytest.skip(f"the provider's definitions are not in {CRDS}")
    arguments = ["generate", EXAMPLE / "xrd.yaml", *sources, "--versions", "storage", "--no-descriptions"]
    assert main([*map(str, arguments), "-o", str(tmp_path / "model")]) == 0

    def files(folder: Path) -> dict[str, str]:
        found = (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc")
        return {str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in found}

    assert files(tmp_path / "model") == files(EXAMPLE / "model")
