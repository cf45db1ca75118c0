"""A KRM function in Go on kyaml, as kpt's and kustomize's own are.

It labels each item, as the function of `benchmarks.krm` does. It is built through the Go module
proxy, in the user's cache.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from benchmarks.models import SkipRow

__all__ = ["VERSION", "built"]

VERSION = "v0.20.1"
_SOURCE = """\
package main

import (
	"fmt"
	"os"

	"sigs.k8s.io/kustomize/kyaml/kio"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

func label(items []*yaml.RNode) ([]*yaml.RNode, error) {
	for _, item := range items {
		if err := item.PipeE(yaml.SetLabel("team", "storefront")); err != nil {
			return nil, err
		}
	}
	return items, nil
}

func main() {
	list := &kio.ByteReadWriter{Reader: os.Stdin, Writer: os.Stdout, KeepReaderAnnotations: true}
	pipeline := kio.Pipeline{
		Inputs:  []kio.Reader{list},
		Filters: []kio.Filter{kio.FilterFunc(label)},
		Outputs: []kio.Writer{list},
	}
	if err := pipeline.Execute(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
"""


def built() -> str:
    """Return the path of the program; it is built where that hasn't been done.

    Raises:
        SkipRow: Go is missing, or can't build it.
    """
    caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    cache = caches / "crossplane-lite" / f"kyaml-{VERSION}"
    program = cache / "label"
    if program.exists():
        return str(program)
    go = shutil.which("go")
    if go is None:
        raise SkipRow("Go is not there to build the function on kyaml")
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as folder:
        Path(folder, "main.go").write_text(_SOURCE, encoding="utf-8")
        env = {**os.environ, "CGO_ENABLED": "0", "GOWORK": "off"}
        for step in (
            ("mod", "init", "example.org/label"),
            ("get", f"sigs.k8s.io/kustomize/kyaml@{VERSION}"),
            ("mod", "tidy"),
            ("build", "-o", "label", "."),
        ):
            command = [go, *step]
            done = subprocess.run(
                command, cwd=folder, env=env, capture_output=True, text=True, check=False
            )
            if done.returncode:
                raise SkipRow(f"Go can't build the function on kyaml: {done.stderr.strip()[-300:]}")
        os.replace(Path(folder, "label"), program)  # whoever comes second has built the same
    return str(program)
