"""Types that the managed resources of all providers share: references, selectors, and places of
secrets.
"""

from crossplane_lite._core.resources.table import load

__getattr__, __dir__ = load(
    __name__,
    {
        "LocalSecretKeySelector": "!key,name key:s name:s",
        "LocalSecretReference": "!name name:s",
        "NamespacedReference": "!name >policy name:s namespace:s policy:Policy",
        "NamespacedSelector": (
            ">policy matchControllerRef:b matchLabels:{s namespace:s policy:Policy"
        ),
        "Policy": (
            "&resolution=Required,Optional &resolve=Always,IfNotPresent resolution:s resolve:s"
        ),
        "ProviderConfigReference": "!kind,name kind:s name:s",
        "Reference": "!name >policy name:s policy:Policy",
        "SecretKeySelector": "!key,name,namespace key:s name:s namespace:s",
        "SecretReference": "!name,namespace name:s namespace:s",
        "Selector": ">policy matchControllerRef:b matchLabels:{s policy:Policy",
    },
)
