"""Types as mypy and pyright see them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.typing import checkers

CASES = sorted((Path(__file__).parent / "cases").glob("*.py"))
EXAMPLES = [checkers.ROOT / "examples" / name / "function.py" for name in ("storage_bucket", "network")]
IDS = [path.stem for path in CASES]

Reports = Mapping[Path, checkers.Report]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for mypy's cache, so that its runs share what they learnt of the imported modules."""
    return tmp_path_factory.mktemp("mypy-cache")


@pytest.fixture(scope="module")
def mypy(cache: Path) -> Reports:
    """What mypy says of the cases."""
    try:
        return checkers.mypy(CASES, cache)
    except checkers.CheckerMissing as missing:
        pytest.skip(str(missing))


@pytest.fixture(scope="module")
def pyright() -> Reports:
    """What pyright says of the cases and the examples."""
    try:
        return checkers.pyright([*CASES, *EXAMPLES])
    except checkers.CheckerMissing as missing:
        pytest.skip(str(missing))


def compare(path: Path, report: checkers.Report, checker: int) -> list[str]:
    """Return where a report differs from what the file expects, line by line.

    Args:
        path: The file.
        report: What the checker said.
        checker: 0 for mypy, 1 for pyright.
    """
    wanted = checkers.expected(path)
    differences = []
    for number in sorted({*wanted.reveals, *report.reveals}):
        want, got = wanted.reveals.get(number), report.reveals.get(number)
        if want != got:
            differences.append(f"{path.name}:{number}: type {want} expected, got {got}")
    for number in sorted({*wanted.errors, *report.errors}):
        kinds = wanted.errors[number][checker] if number in wanted.errors else set()
        found = report.errors.get(number, set())
        if not (found & kinds if kinds else not found):
            differences.append(f"{path.name}:{number}: error {sorted(kinds)} expected, got {sorted(found)}")
    return differences


@pytest.mark.slow
@pytest.mark.parametrize("path", CASES, ids=IDS)
def test_mypy_sees_the_expected_types_and_errors(path: Path, mypy: Reports) -> None:
    """mypy --strict reveals the types that the case states, and reports errors where it says so and nowhere else."""
    assert compare(path, mypy[path], 0) == []


@pytest.mark.slow
@pytest.mark.parametrize("path", CASES, ids=IDS)
def test_pyright_sees_the_expected_types_and_errors(path: Path, pyright: Reports) -> None:
    """Strict pyright reveals the types that the case states, and reports errors where it says so and nowhere else."""
    assert compare(path, pyright[path], 1) == []


@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.parent.name)
def test_examples_pass_mypy(path: Path, cache: Path) -> None:
    """The examples type-check; the seed's own lines leave out the return type of compose()."""
    try:
        reports = checkers.mypy([path], cache, "--allow-untyped-defs", "--allow-incomplete-defs")
    except checkers.CheckerMissing as missing:
        pytest.skip(str(missing))
    assert reports[path].errors == {}


@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.parent.name)
def test_examples_pass_pyright(path: Path, pyright: Reports) -> None:
    """The examples type-check."""
    assert pyright[path].errors == {}


def test_expectations_are_compared_in_normal_form() -> None:
    """Module names and the order of a union don't count, names in a Literal do."""
    assert checkers.normal("a.b.C[str | None] | d.E") == checkers.normal("Union[E, C[None | str]]")
    assert checkers.normal("list[Literal['a', 'b']]") == checkers.normal("list[Literal['b'] | Literal['a']]")
    assert checkers.normal("Literal['a.b']") != checkers.normal("Literal['b']")
    assert checkers.normal("str | None") != checkers.normal("str")
    assert checkers.normal("list[str]") != checkers.normal("list[int]")
