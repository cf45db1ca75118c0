"""Tables, from which model classes are made: a table lists a module's classes, each as a string.

A generated (or hand-written) module has one table and passes it to `load`::

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

A class is a list of fields `name:type`, with one space between them. These are the types:

===================  ===========================================================================
`s`, `i`, `f`, `b`   a string, an integer, a number, a boolean
`q`                  an integer or a string; other choices have a bar between the types, as
                     in `b|s`
`o`, `x`             an object without a schema; any JSON value
`Name`               a class of the same table; `alias.Name` is one of another module
`[T`, `{T`           a list of T; a map of T
`[Rule#name`         a list that Kubernetes merges by a key
===================  ===========================================================================

If a field's name in Kubernetes isn't its attribute in Python, both are given:
`attribute=name:type`. In these names, and in merge keys, a character that has a meaning here
(space, `:`, `=`, `#`, `,`, `%`, `@`, `*`) is written as `%` and two hex digits.

A class that starts with `@apiVersion` is a resource and has the fields apiVersion and kind. If the
kind isn't the class's name, write `@apiVersion=Kind`. `;Namespaced` or `;Cluster` after that is the
scope. Before the fields, `*` marks an open class, which takes any other attribute as well
(x-kubernetes-preserve-unknown-fields). Before the fields, `~Rule` marks a class for fields called
`rule` that isn't called `Rule`, because another class with other fields has this name.

A class that starts with `=alias.Name` is another name of that class, which is of another module.
Its fields may follow, for tools.

Words before the fields say what the API requires. They name attributes:

===================  ===========================================================================
`!location,name`     these fields must be set
`>rules,owner`       these fields lead to classes with such words
`?region`            these fields of `forProvider` must be set, there or in `initProvider`,
                     where the `managementPolicies` let the provider create or update the
                     object (upjet's rule)
`&mode=Fast,Slow`    the value, or each element of a list, is one of these
`&port~1..65535`     the number is in this range; an end may be missing
`&name^1..63`        the length of the string or list is in this range
===================  ===========================================================================
"""

from __future__ import annotations

from ._core.resources.table import load as load
from ._core.resources.table import make_class as make_class

__all__ = ["load", "make_class"]
