"""What kpt and `kustomize fn run` were seen to send, kept as files: accepted, and edited like anything else."""

from __future__ import annotations

from pathlib import Path

import pytest

from crossplane_lite.krm.resource_list import ResourceList

FILES = sorted((Path(__file__).parent / "sent").glob("*.yaml"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_untouched(file: Path) -> None:
    """It can be read, merge keys with their tag too, and goes out byte for byte."""
    data = file.read_bytes()
    rl = ResourceList.read(data)
    assert rl.items[0]["other"] == {"a": "1", "b": "c"}
    assert rl.write() == data


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_an_annotation(file: Path) -> None:
    """A new annotation has the quotes of the author's own ones; those of the orchestrator don't count."""
    data = file.read_text()
    for number in range(2):
        rl = ResourceList.read(data.encode())
        for item in rl.items:
            item.annotations["color"] = "orange"
        assert rl.write().decode().count("\n      color: orange\n") == len(rl.items) - ("owner" in data)
        assert ('      color: "orange"\n' in rl.write().decode()) == ("owner" in data)
        assert number == 0 or rl.write().decode() == data
        data = rl.write().decode()


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_beside_a_merge_key(file: Path) -> None:
    """An edit beside it keeps it as it came; one of what is merged writes it out."""
    data = file.read_text()
    rl = ResourceList.read(data.encode())
    rl.items[0].other.b = "d"
    rl.items[0].other.e = "f"
    assert rl.write().decode() == data.replace("b: c # of its own\n", "b: d # of its own\n    e: f\n")
    rl = ResourceList.read(data.encode())
    rl.items[0].data.a = "2"
    assert rl.write().decode() == data.replace('a: "1"', 'a: "2"').replace(
        "    !!merge <<: *d\n    b: c # of its own\n", '    b: c # of its own\n    a: "1"\n'
    )


def test_a_licence_moves_to_the_next_item() -> None:
    """When a file's first item goes, the next one of that file gets the licence above it."""
    rl = ResourceList.read(FILES[0].read_bytes())
    rl.items.remove(rl.items[0])
    text = rl.write().decode()
    assert (
        "items:\n- # Copyright of the shop\n  # What all of it shares.\n  apiVersion: v1\n  kind: ConfigMap\n" in text
    )
    assert text.count("Copyright") == 1
    assert rl.write().decode() == text
