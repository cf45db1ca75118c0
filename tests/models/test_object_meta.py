"""The forms of names, labels and annotations beside those that Kubernetes' own code takes."""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from crossplane_lite._core.base import names
from crossplane_lite._core.resources import object_meta
from crossplane_lite.errors import EncodeError

PROGRAM = """package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/api/validation/path"
	forms "k8s.io/apimachinery/pkg/util/validation"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var text string
		if err := json.Unmarshal(lines.Bytes(), &text); err != nil {
			panic(err)
		}
		fmt.Println(
			len(forms.IsQualifiedName(text)) == 0,
			len(forms.IsQualifiedName(strings.ToLower(text))) == 0,
			len(forms.IsValidLabelValue(text)) == 0,
			len(validation.NameIsDNSSubdomain(text, false)) == 0,
			len(validation.NameIsDNSSubdomain(text, true)) == 0,
			len(validation.ValidateNamespaceName(text, false)) == 0,
			text != "" && len(path.IsValidPathSegmentName(text)) == 0,
		)
	}
}
"""
MODULE = "module forms\n\ngo 1.24.0\n\nrequire k8s.io/apimachinery v0.35.3\n"
FORMS = (
    names.is_key,
    object_meta._is_annotation_key,
    names.is_label_value,
    names.is_subdomain,
    lambda text: names.is_subdomain(object_meta._with_more(text)),
    names.is_dns_label,
    object_meta._is_segment,
)


def texts() -> list[str]:
    """Return texts that are nearly of these forms, and some that aren't at all."""
    chance = random.Random(7)
    usual = ["a", "Z", "9", "-", "_", ".", "/"]
    odd = ["\u00e9", "\n", " ", "%", ":", "\u0663", "\u212a", "\u0130", "\U0001f600", "\x00"]
    found = ["", ".", "..", "-", "/", "a/", "/a", "a//b", *odd]
    for _ in range(30_000):
        letters = usual if chance.random() < 0.8 else usual + odd
        found.append("".join(chance.choice(letters) for _ in range(chance.choice([1, 2, 3, 4, 5, 8, 12]))))
    for length in (1, 62, 63, 64, 65, 252, 253, 254, 255):
        for part in ("a", "a.", "a-b.", "A_", f"{'a' * 63}."):
            text = (part * length)[:length]
            found += [text, f"{text[:-1]}a", f"{text[:-1]}-", f"x/{text}", f"{text}/x", f"{text[:-1]}a/x"]
    return found


@pytest.mark.slow
@pytest.mark.real
@pytest.mark.skipif(shutil.which("go") is None, reason="go isn't installed")
def test_forms_are_those_of_kubernetes(tmp_path: Path) -> None:
    """Each form takes just what apimachinery takes."""
    (tmp_path / "main.go").write_text(PROGRAM)
    (tmp_path / "go.mod").write_text(MODULE)
    subprocess.run(["go", "build", "-mod=mod", "-o", "forms", "."], cwd=tmp_path, check=True, timeout=600)
    given = texts()
    answer = subprocess.run(
        [str(tmp_path / "forms")],
        input="".join(f"{json.dumps(text)}\n" for text in given),
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    lines = answer.stdout.splitlines()
    assert len(lines) == len(given)
    wrong = [
        (text, at)
        for text, line in zip(given, lines, strict=True)
        for at, (form, theirs) in enumerate(zip(FORMS, line.split(), strict=True))
        if form(text) is not (theirs == "true")
    ]
    assert not wrong


@pytest.mark.parametrize(
    ("metadata", "text"),
    [
        ({"labels": ["a"]}, "metadata.labels: must be a mapping (got a list)"),
        ({"annotations": "a"}, "metadata.annotations: must be a mapping (got a string)"),
        (
            {"labels": {"on": False}},
            'metadata.labels.on: must be a string (got False that is a boolean); write "false"',
        ),
        ({"finalizers": "a"}, "metadata.finalizers: must be a list (got a string)"),
        ({"ownerReferences": ["a"]}, "metadata.ownerReferences[0]: must be an object (got a string)"),
    ],
)
def test_data_that_no_model_has_checked(metadata: object, text: str) -> None:
    """Data of another shape than metadata has is refused with its path."""
    data = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}
    with pytest.raises(EncodeError, match=f"^{re.escape(text)}$"):
        object_meta.check_metadata(data, [], None, "a")


def test_no_metadata() -> None:
    """Of a resource without metadata there is nothing to refuse."""
    object_meta.check_metadata({"apiVersion": "v1", "kind": "ConfigMap"}, [], None, "a")


_BEFORE = {"name": "A_B", "labels": {"a b": "c"}, "finalizers": ["a b"], "ownerReferences": [{"apiVersion": 1}]}


@pytest.mark.parametrize(
    ("more", "path"),
    [
        ({}, ""),
        ({"name": "A_C"}, "metadata.name"),
        ({"labels": {"a b": "c", "d e": "f"}}, 'metadata.labels["d e"]'),
        ({"labels": {"a b": "d"}}, 'metadata.labels["a b"]'),
        ({"finalizers": ["a b", "c d"]}, "metadata.finalizers[1]"),
        ({"finalizers": ["c d", "a b"]}, "metadata.finalizers[0]"),
        ({"ownerReferences": [{"apiVersion": 1}, {"apiVersion": 2}]}, "metadata.ownerReferences[1].apiVersion"),
    ],
)
def test_what_a_previous_function_desires(more: dict[str, object], path: str) -> None:
    """What a previous function desires in the same place isn't refused, and what is new beside it is."""
    data = {"apiVersion": "a/v1", "kind": "X", "metadata": {**_BEFORE, **more}}
    if not path:
        object_meta.check_metadata(data, [], _BEFORE, "a")
        return
    with pytest.raises(EncodeError) as caught:
        object_meta.check_metadata(data, [], _BEFORE, "a")
    assert caught.value.path == path
