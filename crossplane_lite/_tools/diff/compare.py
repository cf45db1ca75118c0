"""Compares the desired state of one composite with its existing resources, or with another
version's desired state.

The result has an action for each composed resource, such as `delete`. A resource is held back if
the function registered it, but values that the resource needs are missing, so the function leaves
it out of the desired state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..._core.answer.kept import new_name_hint
from ..._core.base.api_version import group_of
from ..._core.observed.secret_parts import Secret
from ..._core.observed.secrets import Masker, names_of, secrets_in, secrets_of
from ..._core.paths import trees
from ...proto import _view
from ..manifests.objects import (
    controller_of,
    metadata_of,
    observed_bytes,
    resource_name,
    some_names,
    text_of,
)
from ..render.owned import owned_fields
from ..render.told import told, waiting
from ..simulate.merging import ABSENT, copied
from .fields import Change, changes, keys_of, leaves
from .references import places_in, uses

if TYPE_CHECKING:
    from ..manifests.kind_schemas import Schemas
    from ..render.rendered import Rendered, StepRun

ACTIONS: Final = ("delete", "create", "change", "held back", "kept")
"""The actions on resources, in the order in which they are shown."""

_LATER: Final = "not at once"
_SECRET: Final = "[secret]"
_OTHER_SECRET: Final = "[another secret]"

Mask = Callable[[str], str]


class Entry(NamedTuple):
    """The action on one composed resource.

    Attributes:
        action: One of `ACTIONS`.
        name: The resource's composition resource name.
        kind: The kind and apiVersion, such as `Bucket of s3.aws.upbound.io/v1beta1`; empty if they
            aren't known.
        place: The namespace, if there is one, and the object's name: `team/photos-1f2e`; empty if
            the name isn't known.
        changes: The fields that change; for a new resource, all its fields; empty for other
            actions.
        waits: The paths of the missing values that the resource waits for.
        note: A remark for the reader of the report, or an empty string.
    """

    action: str
    name: str
    kind: str
    place: str
    changes: Sequence[Change] = ()
    waits: Sequence[str] = ()
    note: str = ""


class Difference(NamedTuple):
    """The changes of a rollout for one composite. Secret values in changes and notes are masked.

    Attributes:
        composite: The composite's kind, namespace and name, such as `Bucket team/photos`;
            `XBucket photos` without a namespace.
        entries: The actions on the composite's resources, in the order of `ACTIONS`.
        status: The fields of the composite's status that change; of its conditions, only Ready.
        notes: Other remarks for the reader of the report.
        error: Why the reconcile fails; None if it doesn't.
        invalid: A message for each mistake in a resource that the API server would refuse or drop.
    """

    composite: str
    entries: Sequence[Entry]
    status: Sequence[Change]
    notes: Sequence[str] = ()
    error: str | None = None
    invalid: Sequence[str] = ()

    @property
    def counts(self) -> dict[str, int]:
        """The number of resources for each action of `ACTIONS`; 0 for an action without
        resources.
        """
        return {action: sum(one.action == action for one in self.entries) for action in ACTIONS}

    @property
    def is_empty(self) -> bool:
        """Whether nothing changes. Resources that are kept or held back don't count as changes.

        True also if the reconcile failed, because nothing changes then.
        """
        return not self.status and all(one.action in ("held back", "kept") for one in self.entries)


def failed(composite: Mapping[str, Any], error: str) -> Difference:
    """Return the Difference for a composite whose reconcile failed: no changes, and the text
    `error`.
    """
    return Difference(_title(composite), [], [], error=error)


def against_cluster(
    composite: Mapping[str, Any],
    observed: Iterable[Mapping[str, Any]],
    rendered: Rendered,
    schemas: Schemas | None = None,
) -> Difference:
    """Return the changes that a reconcile makes in a cluster.

    A new resource that takes the name of an existing resource of another kind counts as created.
    The existing resource stays in the cluster, and a note says so.

    Args:
        composite: The composite as it exists.
        observed: The composite's composed resources as they exist.
        rendered: The result of the reconcile.
        schemas: The schemas of kinds; they have the keys by which lists are merged. None if there
            are none.
    """
    exist = {resource_name(one): one for one in observed}
    waits, held = _waits(rendered)
    entries = list(
        _composed(rendered.composed, exist, waits, _stays(rendered), schemas, whole=False)
    )
    entries += [_entry("delete", name, resource) for name, resource in rendered.deleted.items()]
    note = "not desired, and not deleted: no owner reference says that it is the composite's"
    left = exist.keys() - rendered.composed.keys() - rendered.deleted.keys()
    entries += [_entry("kept", name, exist[name], (), waits, note) for name in left]
    entries += _held(held - set(rendered.composed) - set(exist), waits)
    notes = list(rendered.notes)
    known = {
        one.name: exist[one.name]
        for one in entries
        if one.action in ("change", "kept") and one.name not in left
    }
    adopted = [name for name, before in known.items() if controller_of(before) is None]
    if adopted:
        notes.append(
            "these have no controller yet, and the composite becomes their controller:"
            f" {some_names(adopted)}"
        )
    unknown = [name for name, before in known.items() if owned_fields(before) is None]
    if unknown:
        notes.append(
            "these have no managedFields, so it isn't known which of their fields are removed, and"
            f" which stay because others have set them: {some_names(unknown)}"
        )
    status = _status_changes(composite, rendered.composite)
    return _finished(
        composite, entries, status, notes, [rendered], exist, {**exist, **rendered.deleted}
    )


def _composed(
    composed: Mapping[str, Mapping[str, Any]],
    before: Mapping[str, Mapping[str, Any]],
    waits: Mapping[str, Sequence[str]],
    stays: Mapping[str, str],
    schemas: Schemas | None,
    *,
    whole: bool,
) -> Iterator[Entry]:
    """Yield an entry for each desired resource: it is created, changed, kept, or deleted later.

    Args:
        composed: The desired resources.
        before: The existing resources; with `whole`, those that another version desires.
        waits: The paths of the missing values, by the resource's name.
        stays: Why functions keep resources as they are that they don't register, by the resource's
            name. They count as deleted, because that is what becomes of most of them once the
            values are there that are missing.
        schemas: The schemas of kinds; None if there are none.
        whole: Whether desired resources replace those of `before` completely.
    """
    for name, resource in composed.items():
        old = before.get(name)
        if old is not None and name in stays:
            yield _entry("delete", name, old, note=_LATER)
            continue
        if old is None or not _same_kind(old, resource):
            owner = "the other version's" if whole else "the"
            # The composite no longer manages the resource of another kind whose name the new one
            # has taken.
            left = (
                f"{owner} {_kind(old)} {_place(old)} stays, but the composite no longer manages it"
                if old
                else ""
            )
            yield _entry("create", name, resource, leaves(resource), waits, left)
            continue
        keys = keys_of(schemas, text_of(resource.get("apiVersion")), text_of(resource.get("kind")))
        found = changes(old, resource, None if whole else owned_fields(old), whole=whole, keys=keys)
        yield _entry("change" if found else "kept", name, resource, found, waits)


def against_version(
    composite: Mapping[str, Any],
    observed: Iterable[Mapping[str, Any]],
    old: Rendered | None,
    new: Rendered,
    schemas: Schemas | None = None,
) -> Difference:
    """Return the differences between the desired states of another version of a function and of
    this version.

    Args:
        composite: The composite.
        observed: The composite's composed resources as they exist. They are used for notes, and to
            tell resources that are held back from those that aren't desired any more.
        old: The result of the reconcile with the other version. None if this reconcile fails: then
            all composed resources of `new` count as created, and those that `new` deletes count as
            deleted.
        new: The result of the reconcile with this version.
        schemas: The schemas of kinds; they have the keys by which lists are merged. None if there
            are none.
    """
    exist = {resource_name(one): one for one in observed}
    waits, held = _waits(new)
    before: Mapping[str, Mapping[str, Any]] = {} if old is None else old.composed
    entries: list[Entry] = []
    others = {} if old is None else _stays(old)
    stays = {name: why for name, why in _stays(new).items() if name not in others}
    for one in _composed(new.composed, before, waits, stays, schemas, whole=True):
        if one.action == "create":
            deleted = (
                "it exists; the other version deletes it"
                if old is not None and one.name not in before
                else ""
            )
            one = one._replace(note=(one.note or deleted) if one.name in exist else "")
        entries.append(one)
    for name in before.keys() - new.composed.keys():
        if name in held and name not in exist:
            entries.append(_entry("held back", name, before[name], (), waits))
        else:
            note = "" if name in exist else "it doesn't exist yet"
            entries.append(_entry("delete", name, before[name], note=note))
    known = set(before)
    if old is None:  # there is no other desired state to compare with, but deletions must be shown
        entries += [_entry("delete", name, one) for name, one in new.deleted.items()]
        known |= set(new.deleted)
    entries += _held(held - set(new.composed) - known - set(exist), waits)
    status = [] if old is None else _status_changes(old.composite, new.composite)
    renders = [new] if old is None else [old, new]
    return _finished(
        composite,
        entries,
        status,
        list(new.notes),
        renders,
        exist,
        {**before, **new.deleted, **exist},
    )


def _finished(
    composite: Mapping[str, Any],
    entries: list[Entry],
    status: list[Change],
    notes: list[str],
    renders: Sequence[Rendered],
    exist: Mapping[str, Mapping[str, Any]],
    gone: Mapping[str, Mapping[str, Any]],
) -> Difference:
    """Return a Difference with sorted entries, masked secret values, and notes on deleted resources
    that are in use.

    The secret values of `renders`, of which the last is that of this version, and of `exist` are
    masked. `gone` has the deleted resources by name, and perhaps others.
    """
    mask = masking(renders, exist.values())
    composed = renders[-1].composed
    going = {one.name for one in entries if one.action == "delete"}
    specs = {
        name: [exist.get(name, {}).get("spec"), one.get("spec")]
        for name, one in composed.items()
        if name not in going
    }
    places = places_in(specs)
    new = {
        one.name: (
            text_of(composed[one.name].get("apiVersion")),
            text_of(composed[one.name].get("kind")),
        )
        for one in entries
        if one.action == "create" and one.name not in exist
    }
    notes += _later(entries, _stays(renders[-1]))
    shown = []
    for one in sorted(entries, key=lambda one: (ACTIONS.index(one.action), one.name)):
        if one.action == "delete":
            raw = observed_bytes(gone[one.name], one.name)
            about = filter(None, (one.note, uses(raw, places), *new_name_hint(one.name, raw, new)))
            one = one._replace(note="; ".join(about))
        shown.append(
            one._replace(changes=_masked(one.changes, mask, is_secret=one.kind == "Secret of v1"))
        )
    return Difference(
        _title(composite), shown, _masked(status, mask), [mask(note) for note in notes]
    )


def masking(
    renders: Iterable[Rendered],
    resources: Iterable[Mapping[str, Any]] = (),
    failed_steps: Iterable[StepRun] = (),
) -> Mask:
    """Return a function that masks secret values in a text.

    Args:
        renders: Reconciles. The secret values in their requests, composed resources and connection
            details are masked.
        resources: More resources whose secret values are masked. A value that stands as a whole in
            the status of one is no secret.
        failed_steps: The runs of the steps of a reconcile that failed. The secret values in their
            requests are masked.
    """
    renders, resources, secrets, names = list(renders), list(resources), list[Secret](), set[str]()
    for step in (*failed_steps, *(one for rendered in renders for one in rendered.steps)):
        request = _view.RunFunctionRequest.FromString(step.request)
        names.update(names_of(request))
        secrets += secrets_of(request)
    for rendered in renders:
        names.update(rendered.composed)
        secrets += rendered.connection_details.items()
    for resource in (
        *(one for rendered in renders for one in rendered.composed.values()),
        *resources,
    ):
        secrets += secrets_in(resource)
    # An endpoint or a port, for example, is in a connection Secret and openly in its resource's
    # status.
    statuses = (one.get("status") for one in resources if text_of(one.get("kind")) != "Secret")
    public = {str(value).encode() for status in statuses for _, value in trees.leaves(status)}
    return Masker([one for one in secrets if one[1] not in public], names.__contains__)


def _masked(found: Iterable[Change], mask: Mask, *, is_secret: bool = False) -> list[Change]:
    masked = []
    for one in found:
        if is_secret and one.path.partition(".")[0].partition("[")[0] in ("data", "stringData"):
            old = ABSENT if one.old is ABSENT else _SECRET
            new = ABSENT if one.new is ABSENT else _SECRET if old is ABSENT else _OTHER_SECRET
            masked.append(Change(one.path, old, new))
            continue
        old, new = copied(one.old, text=mask), copied(one.new, text=mask)
        if old == new and isinstance(new, str):  # two secrets, or texts with them
            new = new.replace(_SECRET, _OTHER_SECRET)
        masked.append(Change(one.path, old, new))
    return masked


def _entry(
    action: str,
    name: str,
    resource: Mapping[str, Any],
    found: Sequence[Change] = (),
    waits: Mapping[str, Sequence[str]] = {},
    note: str = "",
) -> Entry:
    return Entry(action, name, _kind(resource), _place(resource), found, waits.get(name, ()), note)


def _held(names: Iterable[str], waits: Mapping[str, Sequence[str]]) -> list[Entry]:
    return [Entry("held back", name, "", "", (), waits.get(name, ())) for name in sorted(names)]


def _waits(rendered: Rendered) -> tuple[dict[str, list[str]], set[str]]:
    """Return the paths of the values that each waiting resource waits for, and the names of the
    held back resources.
    """
    waits, held = waiting(rendered.steps)
    return {name: sorted(paths) for name, paths in waits.items()}, held


def _later(entries: Iterable[Entry], stays: Mapping[str, str]) -> Iterator[str]:
    """Yield a line for each reason why resources that aren't desired any more stay for now."""
    groups: dict[str, list[str]] = {}
    for one in entries:
        if one.note == _LATER:
            groups.setdefault(stays[one.name], []).append(one.name)
    for why, names in groups.items():
        yield f"{_LATER}: {some_names(names)}: {why}"


def _stays(rendered: Rendered) -> dict[str, str]:
    """Return why functions keep existing resources as they are, by the resource's name."""
    return {
        note.name: note.text for says in told(rendered.steps) for note in says.notes if note.name
    }


def _status_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Change]:
    """Return the changes between two composites' statuses. Of the conditions, only the status of
    Ready is compared.
    """
    (old, old_ready), (new, new_ready) = (_status(one) for one in (before, after))
    # `changes` leaves the field `status` out, so the statuses stand under another name.
    found = changes({"spec": old}, {"spec": new}, whole=True)
    status = [one._replace(path=f"status{one.path.removeprefix('spec')}") for one in found]
    if old_ready == new_ready:
        return status
    return [Change("status.conditions[type=Ready].status", old_ready, new_ready), *status]


def _status(composite: Mapping[str, Any]) -> tuple[dict[str, Any], Any]:
    """Return a composite's status without conditions, and the status of the condition Ready."""
    status = composite.get("status")
    plain = dict(status) if isinstance(status, Mapping) else {}
    conditions = plain.pop("conditions", None)
    for one in conditions if isinstance(conditions, list) else ():
        if isinstance(one, Mapping) and one.get("type") == "Ready":
            return plain, one.get("status")
    return plain, ABSENT


def _same_kind(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    kinds = [(group_of(text_of(each.get("apiVersion"))), each.get("kind")) for each in (one, other)]
    return kinds[0] == kinds[1]


def _kind(resource: Mapping[str, Any]) -> str:
    return f"{text_of(resource.get('kind'))} of {text_of(resource.get('apiVersion'))}"


def _place(resource: Mapping[str, Any]) -> str:
    metadata = metadata_of(resource)
    return "/".join(
        filter(None, (text_of(metadata.get("namespace")), text_of(metadata.get("name"))))
    )


def _title(composite: Mapping[str, Any]) -> str:
    return f"{text_of(composite.get('kind'))} {_place(composite)}"
