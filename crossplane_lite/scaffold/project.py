"""The files that new projects have in common. KRM functions need only some of them, functions for Crossplane all."""

from __future__ import annotations

import keyword
import re
import secrets
import sys
from typing import NamedTuple

from ..errors import InputError
from ..packaging.installing import sdk_requirement

__all__ = [
    "GITIGNORE",
    "STDLIB_BYTE_CODE",
    "Project",
    "filled",
    "new_project",
    "pyproject",
    "shared_files",
    "with_values",
]

_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_LONGEST = 50

# The names of Python packages that a project's own package would hide.
_TAKEN = frozenset(
    {"attr", "attrs", "cattrs", "crossplane", "crossplane_lite", "google", "grpc", "tests", "typing_extensions"}
)


class Project(NamedTuple):
    """The values that the files of a new project contain.

    Attributes:
        name: The project's name, such as `my-network`. It is also the name of its folder.
        package: The name of its Python package, such as `my_network`.
        function: The name of the Function object in Crossplane, such as `function-my-network`.
        step: The name that the function writes into an annotation on its resources. Its random end makes it unique.
        kind: The project's name as a Kubernetes kind, such as `MyNetwork`.
        sdk: The requirement with which pip installs crossplane-lite.
        dev_sdk: The same requirement with the extras that the author of the function needs.
    """

    name: str
    package: str
    function: str
    step: str
    kind: str
    sdk: str
    dev_sdk: str


def new_project(name: str, sdk_from: str | None) -> Project:
    """Return the values that the templates of a new project's files need.

    Args:
        name: The project's name: lower-case letters, digits and single dashes, at most 50 characters.
        sdk_from: The crossplane-lite that the project requires: a folder, a wheel, a URL or a version. None for the
            newest version in the package index.

    Raises:
        InputError: The name isn't such a name, or would make a Python package that hides another one; or `sdk_from`
            can't be used.
    """
    if not _NAME.fullmatch(name) or len(name) > _LONGEST:
        raise InputError(
            f"{name!r} can't be the name of a function: use at most {_LONGEST} lower-case letters, digits and "
            "single dashes, the first a letter, for example network"
        )
    package = name.replace("-", "_")
    if keyword.iskeyword(package):
        raise InputError(f"{name!r} can't be the name of a function: it is a keyword of Python; try my-{name}")
    if package in sys.stdlib_module_names or package in _TAKEN:
        raise InputError(
            f"{name!r} can't be the name of a function: its Python package would hide the package {package}; try "
            f"my-{name}"
        )
    short = name.removeprefix("function-")
    dev = "[codegen,render,schemas]"
    return Project(
        name,
        package,
        f"function-{short}",
        f"{short}-{secrets.token_hex(3)}",
        "".join(part.capitalize() for part in short.split("-")),
        sdk_requirement(sdk_from) if sdk_from is not None else "crossplane-lite",
        sdk_requirement(sdk_from, dev) if sdk_from is not None else f"crossplane-lite{dev}",
    )


def with_values(text: str, **values: str) -> str:
    """Return `text` in which each keyword argument replaces its name: `name="net"` replaces each `@NAME@` by `net`."""
    for key, value in values.items():
        text = text.replace(f"@{key.upper()}@", value)
    return text


def filled(text: str, project: Project) -> str:
    """Return `text` in which the project's values replace their names: `project.package` replaces each `@PACKAGE@`."""
    return with_values(text, **project._asdict())


_PYPROJECT = """\
[build-system]
requires = ["setuptools>=64"]
build-backend = "setuptools.build_meta"

[project]
name = "@NAME@"
version = "0.1.0"
description = "@ABOUT@"
requires-python = ">=3.10"
dependencies = ["@SDK@"]

[project.optional-dependencies]
dev = [@DEV@]

# The program of the image: `crossplane-lite image` looks for the name `function`.
[project.scripts]
function = "@PROGRAM@"

"""

_TOOLS = """\
[tool.setuptools.packages.find]
include = ["@PACKAGE@*"]

[tool.setuptools.package-data]
"*" = ["py.typed", "*.pyi"]

[tool.mypy]
strict = true
packages = ["@PACKAGE@", "tests"]

[tool.pytest.ini_options]
testpaths = ["tests"]
"""


def pyproject(tools: str, *, about: str, dev: str, program: str) -> str:
    """Return the text of pyproject.toml. `filled` or `with_values` must still replace names in it, such as `@NAME@`.

    Args:
        tools: The TOML tables of setuptools and other tools.
        about: The project's description.
        dev: The requirements for development, as quoted strings with commas between them.
        program: The entry point of the image, as `module:attribute`.
    """
    return with_values(_PYPROJECT, about=about, dev=dev, program=program) + tools


STDLIB_BYTE_CODE = """\
# The base image has no byte code of the standard library, and compiling it would take most of a function's start.
RUN python -m compileall -q --invalidation-mode unchecked-hash \\
    -x '/(ensurepip|idlelib|lib2to3|pydoc_data|site-packages|test|tests|tkinter|turtledemo)/' \\
    "$(python -c 'import sysconfig; print(sysconfig.get_path("stdlib"))')"
"""
"""The lines of a Dockerfile that compile the standard library to byte code."""

_DOCKERFILE = """\
# One image for both stages, so that both have the same Debian and the same Python. Pin it by digest where images are
# built for production: docker build --build-arg BASE=python:3.13-slim-bookworm@sha256:...
ARG BASE=python:3.13-slim-bookworm

FROM ${BASE} AS build
COPY . /source
RUN pip install --no-cache-dir --no-compile --target /function /source
# Removes files that a served function never loads.
RUN PYTHONPATH=/function python -m crossplane_lite prune /function
# Byte code that Python never compares with its source: nothing in the image changes.
RUN python -m compileall -q --invalidation-mode unchecked-hash /function

FROM ${BASE}
@STDLIB_BYTE_CODE@COPY --from=build /function /function
# One heap for all threads: with one for each, every thread keeps the memory of the largest call that it ran.
ENV PYTHONDONTWRITEBYTECODE=1 MALLOC_ARENA_MAX=1
WORKDIR /function
EXPOSE 9443
# The user nobody, as a number: Kubernetes can check that it isn't root. The function writes no files, so the root can
# be read-only.
USER 65534:65534
ENTRYPOINT ["python", "-m", "@PACKAGE@.function"]
"""

_DOCKERIGNORE = """\
*
!pyproject.toml
!@PACKAGE@
**/__pycache__
"""

GITIGNORE = """\
__pycache__/
*.egg-info/
/.venv/
/build/
/dist/
/.mypy_cache/
/.pytest_cache/
/*.tar
/base/
"""

_GITIGNORE = f"""\
{GITIGNORE}/*.xpkg
# Models are sources, whatever their folders are called; common lists of ignored files have names such as instance/.
!/@PACKAGE@/models/**
"""

_CI = """\
name: CI
on:
  push:
  pull_request:
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
    - uses: actions/checkout@v4
    - uses: actions/setup-python@v5
      with:
        python-version: "3.13"
    - run: pip install -e '.[dev]'
    - run: pytest
    - run: mypy
    # Reads the package's files as the package manager does.
    - run: crossplane-lite xpkg build -o check.xpkg
"""

_META = """\
apiVersion: meta.pkg.crossplane.io/v1
kind: Function
metadata:
  name: @FUNCTION@
spec:
  crossplane:
    version: ">=v2.0.0"
  capabilities:
  - @CAPABILITY@
"""

_FUNCTIONS = """\
apiVersion: pkg.crossplane.io/v1
kind: Function
metadata:
  name: @FUNCTION@
  annotations:
    render.crossplane.io/runtime: InProcess
    render.crossplane.io/runtime-in-process-target: @PACKAGE@.function:compose
spec:
  package: registry.example.com/@FUNCTION@:v0.1.0
"""

_README = """\
# @NAME@

A Crossplane function. Its code is in `@PACKAGE@/function.py`.

## Try and test it

    python3 -m venv .venv && .venv/bin/pip install -e '.[dev]'
    .venv/bin/crossplane-lite @RENDER@
    .venv/bin/python -m pytest && .venv/bin/mypy

After an intended change, `.venv/bin/python -m pytest --crossplane-update-snapshots` updates the expected results.
@MORE@
While you work, `.venv/bin/crossplane-lite dev @PACKAGE@.function:compose` serves the function and starts it again when
a file changes.

## Package it

Without Docker. The base image is any image with Python, saved as a file or a folder, for example by
`skopeo copy docker://docker.io/library/python:3.13-slim-bookworm oci:base`:

    .venv/bin/crossplane-lite image --base base -o function.tar
    .venv/bin/crossplane-lite xpkg build --embed-runtime-image-tarball function.tar -o @FUNCTION@.xpkg

With Docker, `docker build -t @NAME@ . && docker save -o function.tar @NAME@` takes the place of the first command.
`crossplane xpkg push -f @FUNCTION@.xpkg registry.example.com/@FUNCTION@:v0.1.0` puts the package where a cluster finds
it.
"""


def shared_files(project: Project, capability: str, render: str, more: str) -> dict[str, str]:
    """Return the files that all projects of functions for Crossplane have: the text of each, by its path.

    Args:
        project: The project's name and the other values that the files contain.
        capability: The function's capability in its package metadata: `composition` or `operation`.
        render: The command-line arguments with which `crossplane-lite` renders the example, for the README.
        more: More text for the README; may be empty.
    """
    texts = {
        "pyproject.toml": pyproject(
            _TOOLS,
            about="A Crossplane function",
            dev='"@DEV_SDK@", "mypy", "pytest"',
            program="@PACKAGE@.function:compose.main",
        ),
        "Dockerfile": with_values(_DOCKERFILE, stdlib_byte_code=STDLIB_BYTE_CODE),
        ".dockerignore": _DOCKERIGNORE,
        ".gitignore": _GITIGNORE,
        ".github/workflows/ci.yaml": _CI,
        "package/crossplane.yaml": with_values(_META, capability=capability),
        "example/functions.yaml": _FUNCTIONS,
        "README.md": with_values(_README, render=render, more=more),
        "@PACKAGE@/__init__.py": '"""The function @NAME@."""\n',
        "@PACKAGE@/py.typed": "",
        "tests/__init__.py": '"""Tests of the function @NAME@."""\n',
    }
    return {filled(path, project): filled(text, project) for path, text in texts.items()}
