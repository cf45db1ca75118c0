"""Runs a composition function as a KRM function: it writes the resources that Crossplane would
compose to YAML files.

One run is one reconcile. functionConfig is the composite, and the items are the cluster: those that
belong to the composite are its observed resources, and all of them answer the function's
requirements.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from .. import composition
from .._core.answer.report import CONDITION, WAITING
from .._core.base.api_version import group_of
from .._core.call.mark import ANNOTATION, steps_in, without_digests
from .._core.known import KNOWN
from .._core.known.notes import annotation_of, nothing_key
from .._tools.manifests.kind_schemas import Schemas
from .._tools.manifests.objects import (
    COMPOSITE_LABEL,
    controller_of,
    metadata_of,
    quoted,
    resource_name,
    text_of,
)
from .._tools.render.cluster import Files
from .._tools.render.composed import Owner
from .._tools.render.definition import apply_defaults
from .._tools.render.pipeline import Step
from .._tools.render.reconcile import render
from .._tools.render.rendered import FatalResultError, RenderError
from .._tools.simulate.waits import waits_of
from ..errors import InputError, UsageError
from ..proto import _view
from ._merge import joined
from .annotations import is_reserved, without
from .functions import Function, expect_main, function
from .resource import Resource
from .resource_list import ResourceList

if TYPE_CHECKING:
    from .._tools.render.rendered import Rendered, StepRun
    from .._tools.simulate.waits import Waits

__all__ = ["from_composition"]

COMPOSITE_KIND: Final = "crossplane-lite/composite"
"""The annotation with the composite's kind: two composites of different kinds may have the same
name.
"""

_DEFINITIONS: Final = {
    ("apiextensions.k8s.io", "CustomResourceDefinition"),
    ("apiextensions.crossplane.io", "CompositeResourceDefinition"),
}
_STATUSES: Final = {_view.STATUS_CONDITION_TRUE: "True", _view.STATUS_CONDITION_FALSE: "False"}
_SEVERITIES: Final = {_view.SEVERITY_FATAL: "error", _view.SEVERITY_NORMAL: "info"}
# The notes of a step on an item, since files hold none: no value of a composed resource was ever
# there.
_NOTES: Final = {"n": 1, "m": nothing_key()}
# The orchestrator has a limit of its own.
_NO_TIMEOUT: Final = float("inf")


def from_composition(compose: composition.Function, *, name: str | None = None) -> Function:
    """Make a KRM function that runs a composition function on the client, as Crossplane runs it in
    a cluster.

    - functionConfig is the composite. It stays as it is: the status and the conditions that the
      function sets become results of severity info. If the composite's CompositeResourceDefinition
      is among the items, the function sees the composite with the defaults of this definition.
    - Items with the annotation `crossplane.io/composition-resource-name` are the observed
      resources. Left out are items of another namespace, and those of another composite: they have
      its name in the label `crossplane.io/composite`, its kind and group in the annotation
      `crossplane-lite/composite`, or a controller reference to it.
    - All items are found as required resources. Secrets among them hold the connection details.
      Definitions (XRDs and CRDs) among them give the schemas and scopes of their kinds.
    - Composed resources are merged into their items as by server-side apply: objects and maps are
      merged, lists and other values are replaced, and a field that isn't desired any more stays.
      Text with the same meaning stays as it is. New items have Crossplane's annotation and label, a
      name, but no generateName. They have no owner reference, because it needs a uid, which only a
      cluster gives.
    - An item that isn't desired any more is removed only if its annotation says that this function
      has registered it.
    - The function's results become results of the KRM function. A fatal result becomes an error,
      and then no item changes. For a resource that waits for values, a result of severity info
      names these values.
    - Input that can't be used, such as a missing functionConfig, becomes an error, too.

    Args:
        compose: The composition function.
        name: The KRM function's name; by default the Python function's name, with dashes for
            underscores.

    Raises:
        UsageError: `compose` isn't a composition function, or `name` isn't a string.
    """
    if not isinstance(compose, composition.Function):
        raise UsageError(
            "from_composition() takes a function made by @composition.function (got"
            f" {compose!r:.80})"
        )
    expect_main(sys._getframe(1).f_globals)

    def transform(rl: ResourceList[Any]) -> None:
        try:
            _Client(compose, rl).reconcile()
        except (InputError, RenderError) as error:
            # the input can't be used; nothing is changed yet
            rl.results.error(str(error))

    transform.__doc__ = compose.__doc__ or (
        f"Compose the resources that {compose.name} desires for the composite in functionConfig."
    )
    made = function(name=name or _name(compose))(transform)
    made.file = compose.file
    return made


def _name(compose: composition.Function) -> str:
    return str(getattr(compose, "__name__", "compose")).replace("_", "-").strip("-") or "compose"


class _Runner:
    """Calls the composition function in this process, for `render`. It doesn't find the function's
    dependencies.
    """

    def __init__(self, compose: composition.Function) -> None:
        self._compose = compose

    def run(self, request: bytes, timeout: float) -> bytes:
        return self._compose.run(request)


class _Client:
    """One reconcile of a composition function, with a ResourceList in place of the cluster."""

    def __init__(self, compose: composition.Function, rl: ResourceList[Any]) -> None:
        self._compose = compose
        self._rl = rl
        self._config = _composite(rl)
        # The function sees each resource without the orchestrator's annotations.
        self._items = [(item, without(item.to_dict(), is_reserved)) for item in rl.items]
        composite = without(self._config.to_dict(), is_reserved)
        where, self._xrd = self._definition(composite)
        self._composite = (
            composite if self._xrd is None else apply_defaults(composite, self._xrd, where)
        )
        self._owner = Owner.of(self._composite)
        self._kind = f"{self._owner.kind}.{group_of(self._owner.api_version)}"

    def reconcile(self) -> None:
        """Run the function, and write its resources and results into the ResourceList.

        A failed reconcile becomes an error in the results, and no item changes.

        Raises:
            InputError: An item or the composite can't be used.
        """
        composed = {name: item for item, data in self._items if (name := self._name_of(data))}
        try:
            rendered = render(
                self._composite,
                [Step("compose", "function")],
                {"function": _Runner(self._compose)},
                cluster=Files((data for _, data in self._items), self._schemas()),
                observed=[self._controlled(data) for _, data in self._items if self._name_of(data)],
                timeout=_NO_TIMEOUT,
                xrd=self._xrd,
            )
            found = {
                name: composed.get(name) or self._taken(name, one)
                for name, one in rendered.composed.items()
            }
        except RenderError as error:
            self._report(error.steps, waiting=False)
            if not isinstance(error, FatalResultError):
                self._rl.results.error(str(error))
            return
        for name, resource in rendered.composed.items():
            item = found[name]
            if item is not None and name not in composed:
                self._rl.results.info(f"this is the composed resource {name} from now on", item)
            self._put(item, without_digests(resource))
        self._remove({name: item for name, item in composed.items() if name in rendered.deleted})
        waits = waits_of(rendered)
        self._report(rendered.steps, waiting=bool(waits.waiting) and not waits.cut_off)
        self._report_waits(waits)
        self._report_status(rendered)

    # -- input

    def _definitions(self) -> Iterator[tuple[str, dict[str, Any]]]:
        for _, data in self._items:
            kind = text_of(data.get("kind"))
            if (group_of(text_of(data.get("apiVersion"))), kind) in _DEFINITIONS:
                yield f"{kind} {text_of(metadata_of(data).get('name'))}", data

    def _schemas(self) -> Schemas:
        schemas = Schemas()
        for where, data in self._definitions():
            schemas.add_crd(data, where)
        return schemas

    def _definition(self, composite: dict[str, Any]) -> tuple[str, dict[str, Any] | None]:
        """Return the XRD among the items that defines the composite's kind: its name in messages,
        and its content.

        If there is none, return "" and None.
        """
        wanted = group_of(text_of(composite.get("apiVersion"))), composite.get("kind")
        for where, data in self._definitions():
            spec = data.get("spec")
            if data["kind"] == "CompositeResourceDefinition" and isinstance(spec, dict):
                names = spec.get("names")
                if isinstance(names, dict) and (spec.get("group"), names.get("kind")) == wanted:
                    return where, data
        return "", None

    def _name_of(self, data: Mapping[str, Any]) -> str:
        """Return the composition resource name of an item; empty if it has none or isn't an item of
        this composite.
        """
        name = resource_name(data)
        return name if name and self._belongs(data) else ""

    def _belongs(self, data: Mapping[str, Any]) -> bool:
        metadata, owner = metadata_of(data), self._owner
        namespace = text_of(metadata.get("namespace"))
        if owner.namespace and namespace not in ("", owner.namespace):
            return False
        if _entry(metadata, "labels", COMPOSITE_LABEL) not in ("", owner.prefix):
            return False
        kind = _entry(metadata, "annotations", COMPOSITE_KIND)
        if kind:
            return kind == self._kind
        controller = controller_of(data)
        if controller is None:
            return True
        if metadata_of(self._composite).get("uid"):
            return controller.get("uid") == owner.uid
        return (controller.get("kind"), controller.get("name")) == (owner.kind, owner.name)

    def _controlled(self, data: dict[str, Any]) -> dict[str, Any]:
        """Return an item of this composite as a cluster would have it.

        It has a controller reference to the composite, and the composite's namespace.
        """
        references = metadata_of(data).get("ownerReferences")
        others = (
            [one for one in references if one is not controller_of(data)]
            if isinstance(references, list)
            else []
        )
        # The item is in the composite's namespace, which its file may leave out.
        namespace = {"namespace": self._owner.namespace} if self._owner.namespace else {}
        owned = {"ownerReferences": [*others, self._owner.reference]}
        marks = data["metadata"]["annotations"]
        steps = steps_in(marks.get(ANNOTATION))
        annotations = (
            {**marks, KNOWN: annotation_of(dict.fromkeys(steps, _NOTES))} if steps else marks
        )
        return {
            **data,
            "metadata": {**data["metadata"], "annotations": annotations, **namespace, **owned},
        }

    def _taken(self, name: str, resource: Mapping[str, Any]) -> Resource | None:
        """Return the item that a new composed resource must be merged into; None if there is no
        such item.

        It has the same group, kind, namespace and name.

        Args:
            name: The composition resource name.
            resource: The composed resource.

        Raises:
            RenderError: The item has another owner, or is another composed resource.
        """
        wanted = _identity(resource)
        for item, data in self._items:
            if _identity(data) == wanted:
                if self._name_of(data) or resource_name(data) or controller_of(data) is not None:
                    what = f"{wanted[1]} {wanted[3]}"
                    raise RenderError(
                        f"composed resource {quoted(name)}: the item {what} has another owner, or"
                        " is another composed resource; give this one another metadata.name"
                    )
                return item
        return None

    # -- output

    def _put(self, item: Resource | None, resource: dict[str, Any]) -> None:
        """Merge a composed resource into its item; if `item` is None, add the resource as a new
        item.

        The owner reference to the composite is left out, and an annotation with the composite's
        kind is added.
        """
        metadata = resource["metadata"]
        metadata.pop("generateName", None)  # the resource has its name already
        metadata["ownerReferences"] = [
            one for one in metadata["ownerReferences"] if one != self._owner.reference
        ]
        if not metadata["ownerReferences"]:
            del metadata["ownerReferences"]
        metadata["annotations"][COMPOSITE_KIND] = self._kind
        if item is None:
            self._rl.items.add(_in_order(resource))
        else:
            item._become(joined(item.to_dict(), resource))

    def _remove(self, lost: Mapping[str, Resource]) -> None:
        for name, item in lost.items():
            if self._compose.name in steps_in(item.annotations.get(ANNOTATION)):
                self._rl.results.info(f"{name} is not desired any more: it was removed", item)
                self._rl.items.remove(item)

    def _report(self, steps: Iterable[StepRun], *, waiting: bool) -> None:
        """Add the function's results, and a result of severity info for each condition that it
        sets.

        Args:
            steps: The steps that were run.
            waiting: Whether to leave out the result that names all waiting resources, because each
                one gets a result of its own.
        """
        for step in steps:
            response = _view.RunFunctionResponse.FromString(step.response)
            for result in response.results:
                if waiting and result.reason == WAITING:
                    continue
                add = getattr(self._rl.results, _SEVERITIES.get(result.severity, "warning"))
                add(result.message, tags={"reason": result.reason} if result.reason else None)
            for condition in response.conditions:
                # a condition with this prefix names the waiting resources
                if not condition.type.startswith(CONDITION):
                    text = (
                        f"condition {condition.type} is"
                        f" {_STATUSES.get(condition.status, 'Unknown')}"
                    )
                    text += f": {condition.message}" if condition.message else ""
                    self._rl.results.info(text, self._config, tags={"reason": condition.reason})

    def _report_waits(self, waits: Waits) -> None:
        for name, needs in sorted(waits.waiting.items()):
            paths = [f"{path} ({why})" if why else path for path, why in needs.items()]
            said = f"{name} is held back" if name in waits.held else f"{name} keeps what it has"
            self._rl.results.info(f"{said}: it waits for {', '.join(paths)}" if paths else said)

    def _report_status(self, rendered: Rendered) -> None:
        """If the function changes the composite's status, add a result with the new status.

        It isn't written to functionConfig, because that is the user's file. Conditions are left out
        of the status.
        """
        status = {
            key: one for key, one in rendered.composite["status"].items() if key != "conditions"
        }
        before = self._composite.get("status")
        before = before if isinstance(before, dict) else {}
        if status and status != {key: one for key, one in before.items() if key != "conditions"}:
            self._rl.results.info(
                "the composite's status is not written to functionConfig, because that is your"
                " file",
                self._config,
                "status",
                current=None,
                proposed=status,
            )


def _composite(rl: ResourceList[Any]) -> Resource:
    if rl.config is None:
        raise InputError("no composite resource was given: give it as the functionConfig")
    config: Resource = rl.config
    return config


def _entry(metadata: Mapping[str, Any], field: str, key: str) -> str:
    values = metadata.get(field)
    return text_of(values.get(key)) if isinstance(values, Mapping) else ""


def _identity(data: Mapping[str, Any]) -> tuple[str, str, str, str]:
    metadata = metadata_of(data)
    namespace, name = (text_of(metadata.get(key)) for key in ("namespace", "name"))
    return group_of(text_of(data.get("apiVersion"))), text_of(data.get("kind")), namespace, name


def _in_order(resource: dict[str, Any]) -> dict[str, Any]:
    """Return a resource with its fields in the usual order: apiVersion, kind, metadata, then the
    others.

    In metadata these are name, namespace, labels, annotations, then the others.
    """
    metadata = _first(resource["metadata"], "name", "namespace", "labels", "annotations")
    return _first({**resource, "metadata": metadata}, "apiVersion", "kind", "metadata")


def _first(data: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {**{key: data[key] for key in keys if key in data}, **data}
