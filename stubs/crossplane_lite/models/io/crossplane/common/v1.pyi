"""Types that the managed resources of all providers share: references, selectors, and places of
secrets.
"""

from typing import Literal

from crossplane_lite.model import Leaf, Map, Model, Nested, ObservedModel

__all__ = [
    "LocalSecretKeySelector",
    "LocalSecretReference",
    "NamespacedReference",
    "NamespacedSelector",
    "Policy",
    "ProviderConfigReference",
    "Reference",
    "SecretKeySelector",
    "SecretReference",
    "Selector",
]

class LocalSecretKeySelector(Model):
    """One key of a Secret in the resource's own namespace."""

    key: Leaf[str] = ...
    """Required. The key in the Secret's data."""

    name: Leaf[str] = ...
    """Required. The name of the Secret."""

class LocalSecretReference(Model):
    """A Secret in the resource's own namespace."""

    name: Leaf[str] = ...
    """Required. The name of the Secret."""

class NamespacedReference(Model):
    """A managed resource from which the provider takes a field's value, such as its id."""

    name: Leaf[str] = ...
    """Required. The name of the managed resource."""

    namespace: Leaf[str] = ...
    """The namespace of the managed resource; without one, that of the resource that refers to
    it.
    """

    policy: Nested[Policy, _ObservedPolicy] = ...
    """When the reference is resolved, and whether it must be."""

class NamespacedSelector(Model):
    """How the provider chooses the managed resource from which it takes a field's value."""

    matchControllerRef: Leaf[bool] = ...
    """Whether only resources of the same composite are chosen from."""

    matchLabels: Map[str] = ...
    """The labels that the chosen resource must have."""

    namespace: Leaf[str] = ...
    """The namespace to choose from; without one, that of the resource that has the selector."""

    policy: Nested[Policy, _ObservedPolicy] = ...
    """When the selector is resolved, and whether it must be."""

class Policy(Model):
    """When a reference or selector is resolved, and whether it must be."""

    resolution: Leaf[Literal["Required", "Optional"]] = ...
    """`Required` makes it an error if the other resource isn't found. Default: "Required"."""

    resolve: Leaf[Literal["Always", "IfNotPresent"]] = ...
    """`Always` resolves again in every reconcile, `IfNotPresent` only if the field has no value.
    The default.
    """

class ProviderConfigReference(Model):
    """The configuration, with credentials, that the provider uses for a resource."""

    kind: Leaf[str] = ...
    """Required. The kind of the configuration, `ProviderConfig` or `ClusterProviderConfig`."""

    name: Leaf[str] = ...
    """Required. The name of the configuration."""

class Reference(Model):
    """A managed resource from which the provider takes a field's value, or another object that is
    known by its name.
    """

    name: Leaf[str] = ...
    """Required. The name of the object."""

    policy: Nested[Policy, _ObservedPolicy] = ...
    """When the reference is resolved, and whether it must be."""

class SecretKeySelector(Model):
    """One key of a Secret."""

    key: Leaf[str] = ...
    """Required. The key in the Secret's data."""

    name: Leaf[str] = ...
    """Required. The name of the Secret."""

    namespace: Leaf[str] = ...
    """Required. The namespace of the Secret."""

class SecretReference(Model):
    """A Secret."""

    name: Leaf[str] = ...
    """Required. The name of the Secret."""

    namespace: Leaf[str] = ...
    """Required. The namespace of the Secret."""

class Selector(Model):
    """How the provider chooses the managed resource from which it takes a field's value."""

    matchControllerRef: Leaf[bool] = ...
    """Whether only resources of the same composite are chosen from."""

    matchLabels: Map[str] = ...
    """The labels that the chosen resource must have."""

    policy: Nested[Policy, _ObservedPolicy] = ...
    """When the selector is resolved, and whether it must be."""

class _ObservedLocalSecretKeySelector(ObservedModel, LocalSecretKeySelector): ...
class _ObservedLocalSecretReference(ObservedModel, LocalSecretReference): ...
class _ObservedNamespacedReference(ObservedModel, NamespacedReference): ...
class _ObservedNamespacedSelector(ObservedModel, NamespacedSelector): ...
class _ObservedPolicy(ObservedModel, Policy): ...
class _ObservedProviderConfigReference(ObservedModel, ProviderConfigReference): ...
class _ObservedReference(ObservedModel, Reference): ...
class _ObservedSecretKeySelector(ObservedModel, SecretKeySelector): ...
class _ObservedSecretReference(ObservedModel, SecretReference): ...
class _ObservedSelector(ObservedModel, Selector): ...
