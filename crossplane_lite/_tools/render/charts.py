"""Checks the values in Releases of provider-helm by the schemas of their charts, as Helm does.

The schema of a chart is `values.schema.json` in the chart's folder, beside `Chart.yaml`. Helm lays a Release's values
over the chart's `values.yaml`, and checks the whole by plain JSON Schema.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from ..._core.base import extras
from ..._core.base.texts import near_name
from ..._core.observed.observable import Observable
from ..._core.observed.tracker import mask
from ..._core.paths.text import show
from ..._core.paths.trees import lookup
from ...errors import InputError
from ..manifests.files import read_bytes
from ..manifests.kind_schemas import CHART
from ..manifests.objects import merged
from ..manifests.yaml import decode, load_documents

_PARAMETERS: Final = ("spec", "forProvider")
_MORE: Final = ("set", "valuesFrom")  # values that are in no file here


class _Chart(NamedTuple):
    """A chart: the file of its schema, the schema, and the values that a Release's values are laid over."""

    where: Path
    schema: Mapping[str, Any]
    values: Mapping[str, Any]


class Charts:
    """The charts in folders, by their names.

    Args:
        paths: Folders. A chart in them, or below them, is a folder with Chart.yaml and values.schema.json.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths = paths
        self._found: dict[str, Path] | None = None

    def mistakes(self, name: str, release: Mapping[str, Any]) -> Iterator[str]:
        """Yield a message for each mistake in the values of a Release. There is none if the chart has no schema here.

        Args:
            name: The composition resource name.
            release: The Release. Observables in it, which stand for unresolved values, count as right.

        Raises:
            InputError: A file of the chart can't be read, or its schema can't be used.
            MissingExtraError: A package for the check isn't installed.
        """
        parameters = lookup(release, _PARAMETERS)
        chart = self._chart(lookup(parameters, ("chart", "name"))) if isinstance(parameters, Mapping) else None
        if chart is None:
            return
        try:
            validator = extras.load("jsonschema_rs", "schemas").validator_for(chart.schema)
        except ValueError as e:
            raise InputError(f"{chart.where} can't be used: {str(e).splitlines()[0]}") from None
        unresolved: list[tuple[str | int, ...]] = []
        values = _plain(merged(chart.values, parameters.get("values") or {}), (), unresolved)
        is_whole = bool(chart.values) and not any(parameters.get(key) for key in _MORE)
        for error in validator.iter_errors(values):
            path, keyword = tuple(error.instance_path), error.schema_path[-1]
            # What a rule says of an object with an unresolved value, or with values from elsewhere, isn't known.
            is_open = any(one[: len(path)] == path for one in unresolved)
            if is_open and keyword != "additionalProperties" or (keyword == "required" and not is_whole):
                continue
            at = f"{name}.{show([*_PARAMETERS, 'values', *path])}"
            yield f"{at}: {_problem(error, chart)} (schema in {chart.where})"

    def _chart(self, name: Any) -> _Chart | None:
        if self._found is None:
            files = (file for path in self._paths for file in sorted(Path(path).rglob(CHART)))
            self._found = {}
            for file in files:
                if (file.parent / "values.schema.json").is_file():
                    self._found.setdefault(str(_content(file).get("name")), file.parent)
        folder = self._found.get(name)
        if folder is None:
            return None
        where = folder / "values.schema.json"
        try:
            schema = json.loads(decode(read_bytes(where), str(where)))
        except ValueError as error:
            raise InputError(f"{where} is not JSON: {error}") from None
        values = folder / "values.yaml"
        return _Chart(where, schema, _content(values) if values.is_file() else {})


def _content(file: Path) -> Mapping[str, Any]:
    return next((document.content for document in load_documents(file)), {})


def _plain(value: Any, path: tuple[str | int, ...], unresolved: list[tuple[str | int, ...]]) -> Any:
    """Return values without nulls, which take a default away, and with null for each unresolved value."""
    if type(value) is Observable:
        unresolved.append(path)
        return None
    if isinstance(value, Mapping):
        kept = {key: one for key, one in value.items() if one is not None}
        return {key: _plain(one, (*path, key), unresolved) for key, one in kept.items()}
    if isinstance(value, list):
        return [_plain(one, (*path, at), unresolved) for at, one in enumerate(value)]
    return value


def _problem(error: Any, chart: _Chart) -> str:
    unexpected = getattr(error.kind, "unexpected", None)
    if not unexpected:
        return mask(error.message)
    known = lookup(chart.schema, [*error.schema_path[:-1], "properties"], {})
    return "; ".join(f"{one} isn't a value of the chart{near_name(one, known)}" for one in unexpected)
