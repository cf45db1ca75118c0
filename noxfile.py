"""What runs with other interpreters and other versions of dependencies: `nox`,
`nox -s lowest -- tests/wire`.

docs/CONTRIBUTING.rst says when. Interpreters that aren't there are skipped, and said to be, unless
nox is told otherwise (`--error-on-missing-interpreters`, as the hosted workflow has it).
"""

from __future__ import annotations

import json
from pathlib import Path

import nox

nox.options.sessions = ["tests"]

PYTHONS = ("3.10", "3.11", "3.12", "3.13", "3.14")
ALL = ("-q", "-n", "auto", "--dist", "loadfile", "-m", "(slow or not slow) and not cluster")


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """All tests, with the highest versions of all dependencies."""
    session.install("--upgrade", "-e", ".[ci]", "structlog")
    # The official SDK, which the tests compare with, asks for 3.11; its messages work on 3.10 as
    # well. It asks for one version of grpcio, too, which isn't the one that other packages of gRPC
    # have been installed for.
    sdk = ("--no-deps", "--ignore-requires-python", "crossplane-function-sdk-python")
    session.run("python", "-m", "pip", "install", "-q", *sdk)
    session.run("python", "-m", "pytest", *(session.posargs or ALL))


@nox.session(python="3.10")
def lowest(session: nox.Session) -> None:
    """The tests that aren't slow, with the lowest versions that setup.cfg allows, on the lowest
    Python.
    """
    session.install("uv")
    extras = "render,krm,codegen,h2,schemas,metrics"
    session.run("uv", "pip", "install", "--resolution", "lowest-direct", "-e", f".[{extras}]")
    # Tools of the tests are no dependencies of the package: those in use now are good enough.
    session.run(
        "uv",
        "pip",
        "install",
        "pytest",
        "pytest-xdist",
        "hypothesis",
        "cryptography",
        "jinja2",
        "jsonschema",
        "mypy",
        "openapi-schema-validator",
        "ruamel.yaml",
        # These two fit only to what they are used with.
        "grpcio-health-checking==1.54.3",
    )
    sdk = ("crossplane-function-sdk-python", "structlog")
    session.run(
        "python", "-m", "pip", "install", "-q", "--no-deps", "--ignore-requires-python", *sdk
    )
    session.run("uv", "pip", "list")
    # A quarter of the tests is skipped, with the reason: the official SDK's messages need a later
    # protobuf.
    session.run("python", "-m", "pytest", "-q", "-n", "auto", "--ignore=tests/typing")
    command = ("python", "-m", "crossplane_lite")
    example = [
        f"examples/storage_bucket/{name}.yaml" for name in ("xr", "composition", "functions")
    ]
    for name in ("render", "simulate", "graph"):
        session.run(*command, name, *example, silent=True)
    session.run("uv", "pip", "install", "protobuf==6.31.1")
    session.run(
        "python",
        "-m",
        "pytest",
        *(session.posargs or ("-q", "-n", "auto", "--ignore=tests/typing")),
    )


@nox.session(python="3.13")
def newest_h2(session: nox.Session) -> None:
    """The tests of the transports with the newest h2, of which some insides are used, also above
    setup.cfg's limit.
    """
    session.install("-e", ".[dev]")
    session.install("--upgrade", "--pre", "h2", "hpack", "hyperframe")
    session.run(
        "python", "-m", "pytest", *(session.posargs or ("-q", "-n", "auto", "tests/runtime"))
    )


@nox.session(python="3.13")
def warnings(session: nox.Session) -> None:
    """The tests that aren't slow, where each warning is an error."""
    session.install("-e", ".[ci]")
    session.run(
        "python",
        "-W",
        "error",
        "-m",
        "pytest",
        *(session.posargs or ("-q", "-n", "auto")),
        "-W",
        "error",
    )


@nox.session(python="3.13")
def coverage(session: nox.Session) -> None:
    """At least 95 % of the branches of what a served function can load are taken by its tests."""
    session.install("-e", ".[ci]", "coverage>=7.17", "pytest-cov>=7")
    # Not the modules of render and its like: a test of the served path is one of these folders.
    folders = (
        "tests/behaviour",
        "tests/wire",
        "tests/paths",
        "tests/proto",
        "tests/models",
        "tests/safety",
    )
    more = ("tests/helpers", "tests/scripts", "tests/typing/test_stubs.py", "tests/test_text.py")
    # These use what the core's lower rooms have for the commands.
    users = ("tests/krm/text", "tests/render/test_functions.py", "tests/codegen/test_names.py")
    # What they look at is which modules a process has loaded, and here those of coverage are among
    # them.
    loading = (
        "--deselect=tests/runtime/test_import_graph.py",
        "--deselect=tests/render/test_functions.py::test_lazy_import",
        "--deselect=tests/proto/test_messages.py::test_the_view_loads_no_more_than_it_needs",
    )
    run = ("python", "-m", "pytest", "-q", "-n", "auto", "--cov", "--cov-report=", *loading)
    # What becomes of calls that hang, of processes that end and of streams that are closed is in
    # slow tests. A million odd frames take no branch that some thousands, which are in the other
    # run, don't.
    fuzz = "tests/runtime/test_fuzz.py"
    slow = ("-m", "slow or not slow", "tests/runtime", "tests/test_stdio.py", f"--ignore={fuzz}")
    session.run(*run, *slow, *session.posargs)
    session.run(*run, "--cov-append", *folders, *more, *users, fuzz, *session.posargs)
    session.run("python", "-m", "coverage", "report", "--rcfile=.ci/coverage.ini")
    # The report's total counts lines as well, of which more are covered.
    file = Path(session.create_tmp()) / "coverage.json"
    session.run(
        "python",
        "-m",
        "coverage",
        "json",
        "--rcfile=.ci/coverage.ini",
        "-q",
        "-o",
        str(file),
        silent=True,
    )
    totals = json.loads(file.read_text())["totals"]
    taken = f"{totals['covered_branches']} of {totals['num_branches']} branches are taken"
    if totals["covered_branches"] < 0.95 * totals["num_branches"]:
        session.error(f"{taken}, which is less than 95 %")
    session.log(f"{taken}, {totals['percent_branches_covered']:.2f} %")


@nox.session(python="3.13")
def mutations(session: nox.Session) -> None:
    """Of 30 changes of the core, another sample each day, the tests find at least nine in ten."""
    session.install("-e", ".[dev]")
    session.run("python", "-m", "tests.mutations", *session.posargs)


@nox.session(python="3.13")
def audit(session: nox.Session) -> None:
    """What is known of the dependencies' security, where its database can be reached."""
    session.install("-e", ".[cli,h2,metrics]", "pip-audit")
    session.run("pip-audit", "--skip-editable", *session.posargs)
