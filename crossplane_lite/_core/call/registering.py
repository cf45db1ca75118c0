"""Registering resources in a call: the composite, composed resources, and names to remove."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeVar

from ...errors import DuplicateResourceError, UnresolvedError, UsageError
from .. import codec
from ..base.sentinels import UNSET
from ..base.texts import class_in_words, some, type_in_words, value_in_words
from ..models.adopt import own_copy
from ..models.node import FACT, OUTSIDE, TEMPLATE, WAIT, Node
from ..models.reader import lay
from ..models.types import ANY_TYPE
from ..models.walker import plain_data
from ..observed.observable import Observable, known
from ..observed.root import Root
from ..observed.tracker import current
from ..paths.text import OTHER_NAMES
from ..resources.registered import Registered
from ..resources.resource import Resource, check_class, check_kind, check_same_kind, other_kind
from .call import OnlyRead
from .mark import OTHERS, functions_in, made_in

if TYPE_CHECKING:
    from .call import Call

R = TypeVar("R", bound=Resource)

# Kinds of resources with secret values: a Secret, and provider-kubernetes' managed resource that
# wraps any object.
_WITH_SECRETS: Final = ("Secret", "Object")


def composite_of(call: Call, model: type[R]) -> R:
    """Return the desired composite of a call as an instance of `model`; the same object each time.

    Raises:
        UsageError: An Operation runs the function; or `model` isn't a class for resources, or isn't
            the class that was given before in this call; or the composite is of another kind.
    """
    if call.in_operation:
        raise UsageError(
            "there is no composite: an Operation runs this function; read ctx.watched and"
            " ctx.required_resources, apply with ctx.resource(), and test ctx.in_operation if the"
            " function also composes"
        )
    if call.composite is not None:
        if type(call.composite) is not model:
            check_class(model, "ctx.composite()")
            other: type[Any] = type(call.composite)
            same = other.__name__ == model.__name__  # such as that of another version
            before, now = (class_in_words(one, with_module=same) for one in (other, model))
            raise UsageError(
                f"the composite was asked for as {before} before, and now as {now}: use one class"
                " in all of compose()"
            )
        return call.composite
    check_class(model, "ctx.composite()")
    desired = call.request.desired.composite
    root = call.xr
    check_kind(model, root.fields, "the composite")
    registered = Registered(
        root, desired.resource if desired.HasField("resource") else None, desired.ready
    )
    registered.desired_details = desired.connection_details
    identity = [] if model._fixed else [_identity(root, key) for key in ("apiVersion", "kind")]
    made = model(*identity)
    Resource._set_state(made, registered)
    if registered.base is not None:
        lay(ANY_TYPE, made, registered.base, root)
    call.composite = made
    return made


def _identity(root: Root, key: str) -> str:
    """Return the composite's apiVersion or kind (`key`); "?" if this field is missing or empty."""
    value = root.fields.get(key)
    return "?" if value is None else str(codec.decode_value(value)) or "?"


def register(
    call: Call,
    name: str,
    instance: R,
    depends_on: Collection[Resource | str] = (),
    formerly: Sequence[str] = (),
) -> R:
    """Register a composed resource, and return the registered instance; `Context.resource`
    describes the arguments.

    The registered instance is `instance` itself, or a copy if `instance` belongs to a call already
    or was made outside of calls, such as at the top of a module.

    Raises:
        DuplicateResourceError: This call has registered a resource called `name` before, or two
            resources have a name in common, present or former.
        UnresolvedError: `name` is made from an unresolved value.
        UsageError: `instance` isn't a resource, or is observed state; or it is cluster-scoped, but
            the composite is in a namespace; or it is of another kind than the resource called
            `name` that exists, or that a previous function desires; or another argument is wrong.
    """
    if not isinstance(instance, Resource):
        raise UsageError(
            f"ctx.resource({name!r}): the instance must be a resource ({_instead_of(instance)})"
        )
    # Names of this sort are known already, and don't need the slower check.
    is_plain = (
        type(name) is str
        and name != ""
        and call.oracle is None
        and not name.startswith(OTHER_NAMES)
    )
    if not is_plain or (call.searches and call.has_token(name.encode(errors="replace"))):
        name = known_name(call, name)
    if name in call.former:
        _refuse_common(call.former[name], name, name)
    if call.present.get(name, name) in call.resources:
        if call.observer is not None:
            call.observer.refused(call.present.get(name, name))
        raise DuplicateResourceError(
            f"the composed resource {name!r} is registered already in this call; give each resource"
            " a name of its own"
        )
    if instance._scope == "Cluster" and call.namespace:
        raise _out_of_scope(call, name, instance)
    if instance._node is not None or instance._state is not None:
        instance = _own(name, instance)
    if formerly:
        name = _name_in_use(call, name, formerly)
    if "status" in instance.__dict__ and plain_data(instance.__dict__["status"]) == {}:
        # `kubectl create --dry-run` prints an empty status, which authors copy
        del instance.__dict__["status"]
    earlier = None if name in call.removed else call.desired.get(name)
    root = call.root(name)
    if root.raw is not None and other_kind(instance, root.fields):
        if not made_in(call.mark_of(name), call.step).guessed:
            check_same_kind(
                instance, root.fields, f"the observed resource {name!r}", taken_over(call, [name])
            )
        # It was made with a guess, and the value has come. It keeps its kind, so that the others go
        # on.
        call.other_kind.add(name)
        root = Root(call, "resource", name, name, None)
    registered = Registered(root)
    if earlier is not None:
        registered.incoming_ready = earlier.ready
        if earlier.HasField("resource"):
            where = f"the resource {name!r} that a previous function desires"
            check_same_kind(instance, codec.split(earlier.resource), where)
            registered.base = earlier.resource
            instance = lay(ANY_TYPE, instance, earlier.resource, root)
    if instance._rules is not None:
        frame = sys._getframe(2)  # the caller of ctx.resource
        registered.origin = frame.f_code, frame.f_lasti
    if depends_on:
        registered.depends_on = _names_of(call, name, depends_on)
    Resource._set_state(instance, registered)
    call.resources.put(name, instance)
    if instance.kind in _WITH_SECRETS:
        if call.own_secrets is None:
            from .secrets import OwnSecrets

            call.own_secrets = OwnSecrets()
        call.own_secrets.add(call, instance)
    if call.observer is not None:
        call.observer.registered(name, instance)
    return instance


def taken_over(call: Call, names: Iterable[str]) -> str:
    """Return what to do about existing resources that only functions of other names have made;
    empty for none.

    Resources that a previous step desires don't count.
    """
    taken = [
        name for name in sorted(names) if name not in call.desired and call.whose(name) == OTHERS
    ]
    if not taken:
        return ""
    makers = sorted({maker for name in taken for maker in functions_in(call.mark_of(name))})
    return (
        f"{some(makers, 3)} has made {some(taken, 3)}, and is no previous step of this pipeline: if"
        f" that is the former name of {call.function.name}, write"
        f" @composition.function(formerly={makers[:3]}); if not, this step runs the image of"
        " another function"
    )


def _name_in_use(call: Call, name: str, formerly: Sequence[str]) -> str:
    """Return the name under which Crossplane knows the resource called `name`: the first one of its
    names in use.

    A name is in use if a resource of this name is observed, or if a previous function desires one.

    Raises:
        DuplicateResourceError: Another resource has one of the former names, now or formerly.
        UnresolvedError: A former name is made from an unresolved value.
        UsageError: `formerly` isn't a list of other names.
    """
    names = former_names(
        f"ctx.resource({name!r}, formerly=...)", name, formerly, lambda one: known_name(call, one)
    )
    for former in names:
        other = call.former.setdefault(former, name)
        if other != name or former in call.resources:
            _refuse_common(name, former if other == name else other, former)
    used = next(
        (one for one in (name, *names) if one in call.existing or one in call.desired), name
    )
    if used != name:
        call.present[name] = used
        for model in call.resources.values():  # those that were registered before may depend on it
            registered: Any = model._state
            if name in registered.depends_on:
                registered.depends_on = tuple(
                    used if one == name else one for one in registered.depends_on
                )
    return used


def _refuse_common(name: str, other: str, former: str) -> NoReturn:
    raise DuplicateResourceError(
        f"the composed resources {name!r} and {other!r} would be one and the same where {former!r}"
        f" exists, which {name!r} was called formerly: register no other resource under a former"
        " name, and list it in 'formerly' of one resource only"
    )


def former_names(where: str, name: str, formerly: Any, checked: Callable[[Any], str]) -> list[str]:
    """Return `formerly`, the names that something had before, as a list of strings.

    `where` is the call with the argument, for messages. `checked` raises UsageError for a value
    that can't be a name; so does this function if `formerly` isn't a list of other names.
    """
    if isinstance(formerly, str) or not isinstance(formerly, Collection):
        raise UsageError(f"{where} takes a list of names (got {formerly!r})")
    names = [checked(former) for former in formerly]
    if name in names:
        raise UsageError(
            f"{where} lists {name!r}, which is the present name: list only names that it had before"
        )
    return names


def _out_of_scope(call: Call, name: str, instance: Resource) -> UsageError:
    return UsageError(
        f"ctx.resource({name!r}): {instance.kind} of {instance.apiVersion} is cluster-scoped, and"
        f" the composite is in namespace {call.namespace!r}: take the provider's kind that is in a"
        " namespace, or an XRD with scope: Cluster and a composite without metadata.namespace"
    )


def _instead_of(instance: object) -> str:
    """Return the end of a message about `instance`, which isn't a resource: its type, and the code
    to write instead.
    """
    if isinstance(instance, type):
        how = "apiVersion, kind" if instance.__name__ == "Unstructured" else ""
        return f"got the class {instance.__name__}; make one: {instance.__name__}({how})"
    if isinstance(instance, dict):
        head = ", ".join(repr(instance.get(key, key)) for key in ("apiVersion", "kind"))
        keys = [
            key for key in instance if key not in ("apiVersion", "kind") and str(key).isidentifier()
        ]
        fields = "".join(f", {key}=..." for key in keys[:4] or ["spec"])
        return f"got a dict; write Unstructured({head}{fields}), or an instance of the kind's model"
    if isinstance(instance, str):
        return "got a string; the name comes first: ctx.resource(name, instance)"
    return f"got {type_in_words(instance)}"


def remove(call: Call, name: str) -> None:
    """Remove the resource called `name` from desired state, whether this call or a previous
    function put it there.

    The name counts as removed on purpose. Other existing resources may be kept because a value was
    missing. This one is deleted, unless the removal itself depends on a missing value. Raises
    UnresolvedError for a name that is made from an unresolved value, and UsageError for one that is
    empty or no string.
    """
    name = present_name(call, name)
    call.removed.add(name)
    call.resources.pop(name, None)
    if call.observer is not None:
        call.observer.removed(name)


def present_name(call: Call, name: object) -> str:
    """Return a resource's name as `known_name` does; its former name if this call has registered it
    under that.
    """
    name = known_name(call, name)
    return call.present.get(name, name)


def known_name(call: Call, name: object) -> str:
    """Return a resource's name as a string. An Observable whose value is known is replaced by the
    value.

    In a rehearsal (another run of compose(), whose results are thrown away), placeholders in the
    name are replaced by the values that the real call observes. A placeholder without such a value
    is replaced by its path.

    Raises:
        UnresolvedError: The name is made from an unresolved value. This is no error in a rehearsal.
        UsageError: The name is empty or isn't a string.
    """
    if call.oracle is not None and issubclass(type(name), (str, Observable)):
        text = str(name)
        unknown = call.tokens_in(text)
        call.named_by(unknown)
        if text:
            return call.oracle.text(text, call) if unknown else text
    if type(name) is Observable:
        value = known(name)
        name = name if value is UNSET else value
    waiting = (
        [name]
        if type(name) is Observable
        else call.tokens_in(name)
        if isinstance(name, str)
        else []
    )
    if waiting:
        call.named_by(waiting)
        paths = ", ".join(observable.source_path for observable in waiting)
        raise UnresolvedError(
            f"a composed resource's name is made from {paths}, which has no value yet; it must be"
            " known in every call: make it from values such as the composite's spec"
        )
    if not isinstance(name, str):
        raise UsageError(
            f"a composed resource's name must be a string (got {value_in_words(name)})"
        )
    if not name:
        raise UsageError("a composed resource's name must not be empty (got '')")
    if name.startswith(OTHER_NAMES):
        raise UsageError(
            f"a composed resource's name must not begin with 'xr.' or 'required.' (got {name!r})"
        )
    return name


def _own(name: str, instance: R) -> R:
    """Return `instance`, or a copy of it if it belongs to a call already or was made outside of
    calls.

    Raises UsageError for observed state.
    """
    node = instance._node
    if node is not None and node.state >= WAIT:
        raise UsageError(
            f"ctx.resource({name!r}): {node.path} is observed state, and registering it would make"
            f" this function own every field of it; make a new {type(instance).__name__} with the"
            " fields you care about"
        )
    if instance._state is None:
        # Without a current call (a thread that the author has started) all instances look as if
        # made outside: no copy.
        if node is None or node.state not in (OUTSIDE, TEMPLATE) or current() is None:
            return instance
    return own_copy(instance)


def _names_of(call: Call, name: str, others: Any) -> tuple[str, ...]:
    """Return the names of the resources in `others`, the `depends_on` of the resource called
    `name`.

    Raises UsageError if `others` isn't such a collection, or has the resource itself.
    """
    if not isinstance(others, (list, tuple, set, frozenset)):
        raise UsageError(
            f"ctx.resource({name!r}): depends_on takes a list of registered resources or their"
            f" names (got {type_in_words(others)})"
        )
    return tuple(_name_of(call, name, other) for other in others)


def _name_of(call: Call, name: str, other: object) -> str:
    found: str | None = None
    if isinstance(other, str):
        found = call.present.get(other, other)
    elif (
        isinstance(other, Resource)
        and other._state is not None
        and other._state.root.kind == "resource"
    ):
        found = other._state.root.name
    if found is None:
        hint = (
            ", which isn't a composed resource that was registered before"
            if isinstance(other, Resource)
            else ""
        )
        raise UsageError(
            f"ctx.resource({name!r}): depends_on takes registered resources or their names "
            f"(got {type_in_words(other)}{hint})"
        )
    if found == name:
        raise UsageError(
            f"ctx.resource({name!r}): depends_on names the resource itself, which can't wait for"
            " itself"
        )
    return found


def earlier_of(call: Call) -> dict[str, Any]:
    """Return the resources that previous functions desire, by name. The resources are read-only and
    sorted by name.
    """
    from ..resources.unstructured import Unstructured

    shown: dict[str, Any] = {}
    for name in sorted(call.desired):
        earlier = call.desired[name]
        root = Root(call, "resource", name, f"desired.{name}", earlier.resource, earlier)
        made = Unstructured.__new__(Unstructured)
        Unstructured._set_node(made, Node(FACT, earlier.resource, root, root.prefix))
        # `.observed` is the resource that Crossplane observes under that name, as for a registered
        # resource.
        Unstructured._set_state(made, Registered(call.root(name), earlier.resource, earlier.ready))
        shown[name] = made
    return OnlyRead(shown)
