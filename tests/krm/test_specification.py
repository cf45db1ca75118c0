"""The functions specification's own example, through a real process.

The texts are verbatim, but for their line breaks, which the copy of the specification beside this project has lost.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SEED = ROOT.parent / "shared" / "seeds" / "krm-functions-specification.txt"

INPUT = """\
apiVersion: config.kubernetes.io/v1
kind: ResourceList
functionConfig:
  apiVersion: foo-corp.com/v1
  kind: FulfillmentCenter
  metadata:
    name: staging
  spec:
    address: "100 Main St."
items:
  - apiVersion: v1
    kind: Service
    metadata:
      name: wordpress
      labels:
        app: wordpress
      annotations:
        internal.config.kubernetes.io/index: "0"
        internal.config.kubernetes.io/path: "service.yaml"
    spec: # Example comment
      type: LoadBalancer
      selector:
        app: wordpress
        tier: frontend
      ports:
        - protocol: TCP
          port: 80
"""

OUTPUT = """\
apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
  - apiVersion: v1
    kind: Service
    metadata:
      name: wordpress
      labels:
        app: wordpress
      annotations:
        internal.config.kubernetes.io/index: "0"
        internal.config.kubernetes.io/path: "service.yaml"
    spec: # Example comment
      type: LoadBalancer
      selector:
        app: wordpress
        tier: frontend
      ports:
        - protocol: TCP
          port: 80
results:
  - message: "Invalid type. Expected: integer, given: string"
    severity: error
    resourceRef:
      apiVersion: v1
      kind: Service
      name: wordpress
    field:
      path: spec.ports.0.port
    file:
      path: service.yaml
"""

# The example's port is an integer, and what its output complains of is a string; this one complains as it does.
FUNCTION = '''
from __future__ import annotations

import attrs

from crossplane_lite import krm


@attrs.define
class Place:
    address: str


@attrs.define
class FulfillmentCenter:
    spec: Place


@krm.function(role="validator")
def validate(rl: krm.ResourceList[FulfillmentCenter]) -> None:
    """Check the ports of a fulfillment center's Services."""
    assert rl.config.spec.address == "100 Main St."
    for service in rl.items.where(kind="Service"):
        for index in range(len(service.spec.ports)):
            field = f"spec.ports.{index}.port"
            assert service.get(field) == 80
            rl.results.error("Invalid type. Expected: integer, given: string", service, field, current=None)


if __name__ == "__main__":
    validate.main()
'''


def words(text: str) -> str:
    """Return a text on one line, as the copy of the specification has it."""
    return " ".join(text.split())


@pytest.mark.parametrize("text", [INPUT, OUTPUT], ids=["input", "output"])
def test_the_texts_are_the_specifications(text: str) -> None:
    """Input and output stand in the specification word for word."""
    if not SEED.is_file():
        pytest.skip(f"the specification is not at {SEED}")
    assert f"```yaml {words(text)} ```" in words(SEED.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def answer(tmp_path_factory: pytest.TempPathFactory) -> subprocess.CompletedProcess[bytes]:
    """What a process of the validation function answers to the input."""
    program = tmp_path_factory.mktemp("function") / "validate.py"
    program.write_text(FUNCTION, encoding="utf-8")
    return subprocess.run(
        [sys.executable, str(program)],
        input=INPUT.encode(),
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )


def test_the_output_is_the_specifications(answer: subprocess.CompletedProcess[bytes]) -> None:
    """The process answers with the specification's output, byte for byte.

    That leaves functionConfig out, which is no output; ours stays where it was, with its comments.
    """
    config = INPUT[INPUT.index("functionConfig:\n") : INPUT.index("items:\n")]
    printed = answer.stdout.decode()
    assert printed.count(config) == 1
    assert printed.replace(config, "") == OUTPUT


def test_the_values_are_the_specifications(answer: subprocess.CompletedProcess[bytes]) -> None:
    """Whatever the quotes, another parser reads the same items and results."""
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    printed, wanted = yaml.safe_load(answer.stdout), yaml.safe_load(OUTPUT)
    assert printed.pop("functionConfig") == yaml.safe_load(INPUT)["functionConfig"]
    assert printed == wanted


def test_an_error_fails_the_process(answer: subprocess.CompletedProcess[bytes]) -> None:
    """The exit status says that the validation failed, and stderr says why, for people."""
    assert answer.returncode == 1
    assert b"error: Service wordpress spec.ports.0.port: Invalid type." in answer.stderr
