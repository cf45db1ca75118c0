"""Tables of models: modules of classes as data, one string per class.

A generated (or hand-written) module holds one table and hands it to `load`::

    from crossplane_lite.table import load

    __getattr__, __dir__ = load(
        __name__,
        {
            "Bucket": "@storage.gcp.upbound.io/v1beta1 metadata:meta.ObjectMeta spec:BucketSpec",
            "BucketSpec": "forProvider:ForProvider",
            "ForProvider": "location:s labels:{s rules:[Rule#name from_=from:s",
            "Rule": "name:s weight:i",
        },
        meta="crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta.v1",
    )

A class is a list of fields `name:type`, one space between. These are the types:

===================  ==========================================================================================
`s`, `i`, `f`, `b`   a string, an integer, a number, a boolean
`q`                  an integer or a string; other choices have a bar between them, such as `b|s`
`o`, `x`             an object without a schema; any JSON value
`Name`               a class of the same table; `alias.Name` is one of another module
`[T`, `{T`           a list of T; a map of T
`[Rule#name`         a list that Kubernetes merges by a key
===================  ==========================================================================================

`attribute=wire:type` gives the wire name where it differs from the attribute. In a wire name, and in keys, a character
that means something here (space, `:`, `=`, `#`, `,`, `%`, `@`, `*`) is written `%` and two hex digits.

A class that starts with `@apiVersion` (or `@apiVersion=Kind`, where the kind is not the class's name) is a resource
and has the fields apiVersion and kind; `;Namespaced` or `;Cluster` behind that is its scope. `*` before the fields
marks an open class, which takes any other attribute as well (x-kubernetes-preserve-unknown-fields). `~Rule` before the
fields marks a class of fields called `rule` that has another name, because their shapes differ.
"""

from __future__ import annotations

from ._models.table import load as load
from ._models.table import make_class as make_class

__all__ = ["load", "make_class"]
