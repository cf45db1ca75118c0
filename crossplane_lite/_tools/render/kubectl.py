"""A live API server, read through kubectl, as the source of the objects of a reconcile."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from ..._core.base.texts import short_repr, shortened
from ...errors import InputError
from ..manifests.kind_schemas import Schemas
from ..manifests.objects import metadata_of, text_of
from ..programs.kubectl import ApiServer
from .cluster import in_order
from .definition import REFERENCES, steering
from .pipeline import Selector
from .rendered import RenderError, split_api_version

_LONGEST_TEXT: Final = 2000

# Forms of arguments that kubectl can't misread as an option, as several kinds, or as a selector of
# another form.
_KIND: Final = re.compile("[A-Za-z][A-Za-z0-9]*")
_PART: Final = re.compile(r"(?![-.])[-A-Za-z0-9_.:]{1,253}")
_LABEL: Final = re.compile("[-A-Za-z0-9_./]*")


class Kubectl:
    """The live cluster of a kubectl context.

    Args:
        context: The context's name, as in `kubectl config get-contexts`; empty for kubectl's
            current context.
        timeout: The time limit of each call of kubectl, in seconds.
    """

    def __init__(self, context: str, timeout: float = 30.0) -> None:
        self._server = ApiServer(context, timeout)
        self._schemas: dict[str, Schemas] = {}

    def resources(self, selector: Selector) -> list[Mapping[str, Any]]:
        """Return the resources that a selector matches, sorted by namespace and name.

        If the selector has no namespace, a name finds only a cluster-scoped resource, and labels
        find resources in all namespaces.

        Raises:
            RenderError: The resources can't be read. Where kubectl failed, the message contains
                kubectl's message.
        """
        return self._get(selector, [] if selector.name is None else [selector.name])

    def live(self, composite: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return a composite as the live cluster has it; None if it doesn't exist there, or
        `composite` has no name.

        Args:
            composite: The composite from a file. It is found by apiVersion, kind, namespace and
                name.

        Raises:
            InputError: The API server can't be read, or kubectl would misread the composite's
                apiVersion, kind, namespace or name. Where kubectl failed, the message contains
                kubectl's message.
        """
        metadata = metadata_of(composite)
        name, namespace = text_of(metadata.get("name")), text_of(metadata.get("namespace"))
        if not name:
            return None
        selector = Selector(
            text_of(composite.get("apiVersion")),
            text_of(composite.get("kind")),
            name,
            None,
            namespace,
        )
        with _turning(RenderError, InputError):
            found = self.resources(selector)
        return dict(found[0]) if found else None

    def observed(self, composite: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return the existing resources that a composite is composed of.

        They are found by the composite's references, `spec.crossplane.resourceRefs` or
        `spec.resourceRefs`. If the composite has neither field, the references of the live
        composite with the same kind and name are used. Without a live composite, the list is empty.
        A reference without a name, or to a resource that doesn't exist, is ignored.

        Args:
            composite: The composite, from a file or from the API server.

        Raises:
            InputError: The references are malformed; or the API server can't be read. Where kubectl
                failed, the message contains kubectl's message.
        """
        path, refs = _references(composite) or _references(self.live(composite) or {}) or ("", [])
        # One call of kubectl for all names of a kind in a namespace.
        names: dict[tuple[str, str, str], list[str]] = {}
        for at, ref in enumerate(refs):
            selector = _selector_of(
                ref, f"{path}[{at}]", text_of(metadata_of(composite).get("namespace"))
            )
            if selector.name:  # a reference has no name before its resource was created
                group = selector.api_version, selector.kind, selector.namespace or ""
                names.setdefault(group, []).append(selector.name)
        found: list[dict[str, Any]] = []
        with _turning(RenderError, InputError):
            for (api_version, kind, namespace), members in names.items():
                selector = Selector(api_version, kind, members[0], None, namespace or None)
                found += map(dict, self._get(selector, list(dict.fromkeys(members))))
        return found

    def schema(self, api_version: str, kind: str) -> Mapping[str, Any] | None:
        """Return the OpenAPI schema of a kind with its references inlined; None if the server has
        no such kind.

        Raises:
            RenderError: The apiVersion can't be parsed, or kubectl failed; then the message
                contains kubectl's message.
            InputError: A reference in the schema leads nowhere, or the schema is too large.
        """
        schemas = self._document_of(api_version)
        return None if schemas is None else schemas.find(api_version, kind)

    def scope(self, api_version: str, kind: str) -> str | None:
        """Return the scope of a kind, `Namespaced` or `Cluster`; None if the server has no such
        kind.

        Raises:
            RenderError: The apiVersion can't be parsed, or kubectl failed; then the message
                contains kubectl's message.
        """
        schemas = self._document_of(api_version)
        return None if schemas is None else schemas.scope(api_version, kind)

    def _get(self, selector: Selector, names: Sequence[str]) -> list[Mapping[str, Any]]:
        """Return the resources of the selector's kind and namespace that have one of `names`.

        If `names` is empty, the resources with the selector's labels are returned. If the selector
        has no namespace, names find only cluster-scoped resources, and labels find resources in all
        namespaces. Names of resources that don't exist are ignored.

        Raises:
            RenderError: kubectl failed or printed something unexpected, or would misread the
                selector.
        """
        what = (
            str(selector)
            if len(names) < 2
            else f"{len(names)} {selector.api_version} {selector.kind}"
        )
        what = shortened(what, _LONGEST_TEXT)
        try:
            arguments = _arguments(selector, names)
        except RenderError as e:
            raise RenderError(f"kubectl can't be asked for {what}: {e}") from None
        with _turning(InputError, RenderError):
            content = self._server.object(
                ["get", "--output=json", "--show-managed-fields", *arguments], what
            )
        if content is None:
            return []
        items = content.get("items") if content.get("kind") == "List" else [content]
        if not isinstance(items, list) or not all(map(_is_object, items)):
            raise RenderError(
                f"kubectl's output for {what} isn't an object, or a List of objects, each with"
                " apiVersion and kind: run kubectl by itself to see its output"
            )
        if names and not selector.namespace:
            # Without a namespace, kubectl looks into the namespace of its context, and Crossplane
            # means cluster scope.
            items = [item for item in items if not metadata_of(item).get("namespace")]
        return in_order(items)

    def _document_of(self, api_version: str) -> Schemas | None:
        """Return the schemas of the kinds of an apiVersion; None if the server doesn't have the
        apiVersion.

        The schemas are read once and kept.

        Raises:
            RenderError: The apiVersion can't be parsed, or the schemas can't be read.
        """
        group, version = split_api_version(api_version)
        path = f"apis/{group}/{version}" if group else f"api/{version}"
        if path not in self._schemas:
            with _turning(InputError, RenderError):
                found = self._server.document(path, _schemas_of)
            if found is None:
                return None
            self._schemas[path] = found
        return self._schemas[path]


def _is_object(item: Any) -> bool:
    return isinstance(item, dict) and all(text_of(item.get(key)) for key in ("apiVersion", "kind"))


def _schemas_of(document: Mapping[str, Any], where: str) -> Schemas:
    schemas = Schemas()
    schemas.add_openapi(document, where)
    return schemas


@contextlib.contextmanager
def _turning(found: type[Exception], wanted: type[Exception]) -> Iterator[None]:
    """Turn exceptions in the block into others: RenderError during the reconcile, InputError before
    it.
    """
    try:
        yield
    except found as e:
        raise wanted(str(e)) from e


def _references(composite: Mapping[str, Any]) -> tuple[str, list[Any]] | None:
    """Return the path and the value of a composite's list of references to its composed resources.

    None means that the composite has neither `spec.crossplane.resourceRefs` nor
    `spec.resourceRefs`.

    Raises:
        InputError: The field isn't a list of mappings.
    """
    for path, is_legacy in (("spec.crossplane", False), ("spec", True)):
        refs = steering(composite, is_legacy).get(REFERENCES)
        if refs is not None:
            if not isinstance(refs, list) or not all(isinstance(ref, Mapping) for ref in refs):
                raise InputError(
                    f"the composite's {path}.resourceRefs must be a list of mappings, each with"
                    " apiVersion and kind"
                )
            return f"{path}.resourceRefs", refs
    return None


def _selector_of(ref: Mapping[str, Any], path: str, namespace: str) -> Selector:
    """Return the selector that finds the resource of a reference. It has no name if the reference
    has none.

    The `namespace` of the composite is empty if it is cluster-scoped: then the reference's own
    namespace counts. Raises InputError, with the `path`, if the reference is malformed.
    """
    for key in ("apiVersion", "kind", "name", "namespace"):
        value, is_needed = ref.get(key), key in ("apiVersion", "kind")
        if not isinstance(value, (str, type(None))) or (is_needed and not value):
            found = f"got {short_repr(value)}" if value is not None else "it is missing"
            wanted = "a non-empty string" if is_needed else "a string"
            raise InputError(f"the composite's {path}.{key} must be {wanted} ({found})")
    namespace = namespace or text_of(ref.get("namespace"))
    selector = Selector(ref["apiVersion"], ref["kind"], ref.get("name"), None, namespace or None)
    try:
        _arguments(selector, [selector.name] if selector.name else [])
    except RenderError as e:
        raise InputError(f"the composite's {path} is wrong: {e}") from None
    return selector


def _arguments(selector: Selector, names: Sequence[str]) -> list[str]:
    """Return the arguments of `kubectl get` for the resources with these names; with no names, for
    the labels.

    Raises:
        RenderError: kubectl would misread a part of the selector, or its apiVersion can't be
            parsed.
    """
    group, version = split_api_version(selector.api_version)
    kind = (
        f"{_checked(selector.kind, _KIND, 'a kind')}.{_checked(version, _PART, 'an API version')}."
    )
    if group:
        kind += _checked(group, _PART, "an API group")
    options = []
    if selector.namespace:
        options.append(f"--namespace={_checked(selector.namespace, _PART, 'a namespace')}")
    elif not names:
        options.append("--all-namespaces")
    if names:
        options.append("--ignore-not-found")
    elif selector.labels:
        pairs = (
            "=".join(_checked(one, _LABEL, "part of a label") for one in pair)
            for pair in selector.labels.items()
        )
        options.append(f"--selector={','.join(sorted(pairs))}")
    # kubectl takes KIND.VERSION.GROUP, such as `Deployment.v1.apps` or `Secret.v1.`.
    return [*options, "--", kind, *(_checked(name, _PART, "a name") for name in names)]


def _checked(text: str, pattern: re.Pattern[str], what: str) -> str:
    if not pattern.fullmatch(text):
        raise RenderError(f"{short_repr(text, 300)} can't be {what}")
    return text
