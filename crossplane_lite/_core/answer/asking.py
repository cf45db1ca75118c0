"""The requirements in the answer: sending them to Crossplane, and finding those that it hasn't answered."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ...errors import UsageError
from ...proto import _view

if TYPE_CHECKING:
    from ..call.call import Call
    from ..call.requirements import Requirements
    from ..observed.observable import Observable


def put_requirements(call: Call, asked: Requirements, target: Any, unsent: dict[str, list[Observable[Any]]]) -> None:
    """Put compose()'s requirements into the answer, except those with unresolved values in the key or the selector.

    Those are added to `unsent`, each with the values that it waits for. Raises UsageError for a requirement that
    protobuf refuses because of invalid Unicode.
    """
    if asked.resources:
        call.uses(_view.CAPABILITY_REQUIRED_RESOURCES)
    if asked.schemas:
        call.uses(_view.CAPABILITY_REQUIRED_SCHEMAS)
    for key, selector in asked:
        lacking = selector.waits_in(call, key)
        if lacking:
            unsent[key] = lacking
            paths = ", ".join(one.source_path for one in lacking)
            call.log.info("requirement %s isn't sent yet: it waits for %s", key, paths)
            continue
        try:
            _put(target, key, selector, deprecated=not call.advertises)
        except (TypeError, ValueError) as error:  # protobuf's error for text that can't be sent
            raise UsageError(f"requirement {key!a} can't be sent: {error}") from None


def _put(target: Any, key: str, selector: Any, *, deprecated: bool) -> None:
    from ..call.requirements import ResourceSelector

    if not isinstance(selector, ResourceSelector):
        target.schemas[key].api_version = selector.api_version
        target.schemas[key].kind = selector.kind
        return
    _fill_selector(target.resources[key], selector)
    if deprecated:
        _fill_selector(target.extra_resources[key], selector)


def _fill_selector(target: Any, selector: Any) -> None:
    target.api_version = selector.api_version
    target.kind = selector.kind
    if selector.match_name is not None:
        target.match_name = selector.match_name
    elif selector.match_labels is not None:
        target.match_labels.SetInParent()
        target.match_labels.labels.update(selector.match_labels)
    if selector.namespace is not None:
        target.namespace = selector.namespace


def unanswered(call: Call) -> list[str]:
    """Return the sorted keys of the requirements that this call sends and the caller hasn't answered, but could."""
    if call.asked is None:
        return []
    asked = call.asked
    keys: list[str] = []
    for capability, selectors, answers in (
        (_view.CAPABILITY_REQUIRED_RESOURCES, asked.resources, call.required_resources),
        (_view.CAPABILITY_REQUIRED_SCHEMAS, asked.schemas, call.required_schemas),
    ):
        if call.supports(capability):
            open_ = [(key, one) for key, one in selectors.items() if key not in answers]
            keys += [key for key, one in open_ if not one.waits_in(call, key)]
    return sorted(keys)


def waits(call: Call) -> bool:
    """Say whether a requirement isn't sent, because a value in it is unresolved."""
    return call.asked is not None and any(selector.waits_in(call, key) for key, selector in call.asked)


def unsupported(call: Call, asked: Requirements) -> Iterator[tuple[str, str]]:
    """Yield the key of each requirement that the caller doesn't support, and the reason as a string for people.

    Nothing is yielded if the caller doesn't say which capabilities it has.
    """
    for capability, what, keys in (
        (_view.CAPABILITY_REQUIRED_RESOURCES, "required resources", asked.resources),
        (_view.CAPABILITY_REQUIRED_SCHEMAS, "required schemas", asked.schemas),
    ):
        if call.advertises and not call.supports(capability):
            for key in keys:
                yield key, f"this Crossplane doesn't support {what}"
