"""The files of a new project for a KRM function, with a Dockerfile for its image.

The image follows the KRM functions specification: "A function container MUST be capable of running as a non-root user
`nobody`". It works with a read-only file system and without a network. All byte code is compiled when the image is
built, also that of the standard library, which the official Python images don't contain. To start faster, Python
doesn't compare the byte code with its source.
"""

from __future__ import annotations

import re

from .._base.yaml_scalars import booleans_of_1_1, resolve
from ..errors import InputError
from ..packaging.installing import sdk_requirement
from .project import GITIGNORE, STDLIB_BYTE_CODE, pyproject, with_values

__all__ = ["files"]

# A label of DNS, as Kubernetes wants it: the name is that of the image and of a ConfigMap. Of several dashes, dots and
# underscores package indexes make one dash, so names with anything but single dashes would have two spellings.
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_LONGEST = 63

_FUNCTION = '''"""KRM function @NAME@."""

from __future__ import annotations

import attrs

from crossplane_lite import krm


@attrs.define
class Config:
    """The fields of functionConfig, or of the data of a ConfigMap, whose strings are converted."""

    team: str = attrs.field(metadata={"help": "value of the label that every resource gets"})
    label: str = attrs.field(default="team", metadata={"help": "the label's key"})


@krm.function(name="@NAME@")
def transform(rl: krm.ResourceList[Config | None]) -> None:
    """Set the label of a team on every resource."""
    if rl.config is None:
        rl.results.error("this function needs a functionConfig with the field team")
        return
    for resource in rl.items:
        resource.labels[rl.config.label] = rl.config.team


if __name__ == "__main__":
    transform.main()
'''

_DOCKERFILE = """\
FROM python:3.13-slim AS build
COPY requirements.txt /
RUN pip install --no-cache-dir --no-compile --target /packages -r /requirements.txt
COPY function.py /function/
# Byte code that Python never compares with its source: nothing in the image changes.
RUN python -m compileall -q --invalidation-mode unchecked-hash /packages /function

FROM python:3.13-slim
@STDLIB_BYTE_CODE@COPY --from=build /packages /packages
COPY --from=build /function /function
ENV PYTHONPATH=/packages PYTHONDONTWRITEBYTECODE=1
WORKDIR /function
# The user nobody, as a number: Kubernetes can check that it isn't root.
USER 65534:65534
ENTRYPOINT ["python", "-m", "function"]
"""

_DOCKERIGNORE = """\
*
!function.py
!requirements.txt
"""

_TOOLS = """\
[tool.setuptools]
py-modules = ["function"]

[tool.mypy]
strict = true
files = ["function.py", "tests"]
"""

_CONFIG = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: @NAME@
  annotations:
    config.kubernetes.io/local-config: "true"
data:
  team: storefront
"""

_RESOURCES = """\
# Comments stay where they are.
apiVersion: v1
kind: Service
metadata:
  name: web # of the shop
  labels:
    app: web
spec:
  ports:
  - port: 80
"""

_TEST = '''"""The function changes the input in each folder of `golden` into its expected output.

After an intended change, this writes the expected output anew:

    CROSSPLANE_LITE_UPDATE=1 pytest
"""

from __future__ import annotations

from pathlib import Path

from crossplane_lite import krm
from function import transform


def test_golden() -> None:
    """Every folder's input gives its expected output and results."""
    krm.testing.golden(transform, Path(__file__).parent / "golden")
'''

_CONFTEST = '''"""Lets tests import function.py from the folder above."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))
'''

_README = """\
# @NAME@

A KRM function: it reads a ResourceList from stdin and writes one to stdout. Its code is in `function.py`.

## Try and test it

On files, without an orchestrator; `--diff` shows the changes and writes nothing:

    python3 -m venv .venv && .venv/bin/pip install -r requirements.txt pytest mypy
    .venv/bin/python function.py -f fn-config.yaml --diff resources.yaml
    .venv/bin/python -m pytest && .venv/bin/mypy

All its options:

    .venv/bin/python function.py --help

With kpt, as a program:

    kpt fn eval DIR --exec "$PWD/.venv/bin/python $PWD/function.py" --fn-config fn-config.yaml

## Build the image

Without Docker. A KRM function needs no gRPC. The base image is any image with Python, saved as a file or a folder, for
example by `skopeo copy docker://docker.io/library/python:3.13-slim-bookworm oci:base`:

    .venv/bin/crossplane-lite image --krm --transport none --base base -o function.tar

With Docker:

    docker build -t @NAME@ .
    kpt fn eval DIR --image @NAME@ --image-pull-policy never --fn-config fn-config.yaml

The image runs as nobody, with a read-only root and without a network:

    docker run --rm -i --read-only --network none @NAME@ < resource-list.yaml

With kustomize, name the image in an annotation of the function's config:

    config.kubernetes.io/function: |
      container:
        image: @NAME@

and list the config under `transformers:`. The config of a validator, under `validators:`, needs one more annotation,
`crossplane-lite/kustomize-field: validators`, because kustomize takes items that a validator returns for changed ones.
"""


def files(name: str, sdk_from: str | None = None) -> dict[str, str]:
    """Return the files of a new project: the text of each file, by its path in the project.

    Args:
        name: The name of the function, of its image and of the ConfigMap that configures it.
        sdk_from: The crossplane-lite that the project requires: a folder, a wheel, a URL or a version. None for the
            newest version in the package index.

    Raises:
        InputError: The name has other characters than lower-case letters, digits and single dashes, or more than 63, or
            isn't a string in YAML; or `sdk_from` can't be used.
    """
    if not _NAME.fullmatch(name) or len(name) > _LONGEST:
        raise InputError(
            f"{name!r} can't be the name of a function and its image: use at most {_LONGEST} lower-case letters, "
            "digits and single dashes, with no dash at an end, for example set-labels"
        )
    # Some programs still read YAML 1.1.
    if name in booleans_of_1_1() or not isinstance(resolve(name), str):
        raise InputError(
            f"{name!r} can't be the name of a function and its image: unquoted in YAML it isn't a string, but a number "
            "or another value; use a name such as set-labels"
        )
    texts = {
        "function.py": _FUNCTION,
        "Dockerfile": with_values(_DOCKERFILE, stdlib_byte_code=STDLIB_BYTE_CODE),
        ".dockerignore": _DOCKERIGNORE,
        ".gitignore": GITIGNORE,
        "pyproject.toml": pyproject(
            _TOOLS, about="A KRM function", dev='"mypy", "pytest"', program="function:transform.main"
        ),
        "requirements.txt": "@SDK@\n",
        "fn-config.yaml": _CONFIG,
        "resources.yaml": _RESOURCES,
        "README.md": _README,
        "tests/conftest.py": _CONFTEST,
        "tests/golden/one-service/functionConfig.yaml": _CONFIG,
        "tests/golden/one-service/resources/web.yaml": _RESOURCES,
        "tests/golden/one-service/expected/resources/web.yaml": _RESOURCES.replace(
            "    app: web\n", "    app: web\n    team: storefront\n"
        ),
        "tests/test_function.py": _TEST,
    }
    sdk = "crossplane-lite[krm]" if sdk_from is None else sdk_requirement(sdk_from, "[krm]")
    return {path: with_values(text, name=name, sdk=sdk) for path, text in texts.items()}
