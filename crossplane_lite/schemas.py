"""Checking resources against the OpenAPI schemas of their kinds, before Crossplane applies them.

    bucket = ctx.resource("bucket", Bucket(...))
    ctx.validate_desired(fatal=True)

or, one by one::

    schema = ctx.schema("storage.gcp.upbound.io/v1beta1", "Bucket")
    for error in schema.validate(bucket):
        ctx.results.fatal(error)

The checks are those of an API server for a structural schema: types, required fields, enums, limits, patterns,
formats (`int32`, `int64`, `byte`, `date`, `date-time`, `ipv4`, `ipv6` and `uuid`), allOf, anyOf, oneOf and not, and
repeated elements of lists that are sets or maps. In particular:

- A field that the schema doesn't have is an error. Crossplane creates resources by server-side apply, which refuses
  such a field. Any other way of writing drops the field silently. An object takes any field where the schema has
  `x-kubernetes-preserve-unknown-fields`, or names no field at all, such as where Crossplane has cut a cycle.
- A required field with a default isn't missing, because the API server sets the default first. The API server's own
  kinds have an empty default beside every required field; such a default doesn't count.
- null is allowed where the schema says `nullable`. Elsewhere null means that the field isn't set. In lists it is a
  value like others.
- Three things aren't checked: rules in CEL (`x-kubernetes-validations`), refusals of admission webhooks, and checks
  that the API server makes beyond the schema.

The first use of a schema costs up to 25 ms, for the largest kinds. The last 64 schemas are kept. In each call a schema
has to be decoded and recognised, which takes 0.8 ms for one of 30 KB. Checking a resource takes 0.05 to 2 ms.

**The validator** is jsonschema-rs, which the extra `schemas` installs. Three were compared, and none knows Kubernetes'
dialect: a schema is turned into plain JSON Schema first (`crossplane_lite._validation.translate`), and nulls,
unresolved values and lists that are maps are seen to before the validator is asked. `benchmarks/validators.py` measures
them. With CPython 3.11, the best of many runs; verdicts that are an API server's, of 29 on the dialect, alone and
behind the translation; times for a Bucket of 0.5 KB and a GKE Cluster of 24 KB:

=======================  ===================  ====================  ========================
..                       jsonschema-rs        jsonschema            openapi-schema-validator
=======================  ===================  ====================  ========================
right verdicts           15, 24               13, 21                16, 21
import                   9 ms                 40 ms                 130 ms
installed                1 package, 15 MB     6 packages, 3 MB      15 packages, 14 MB
getting ready            0.3 ms, 4 ms         0.01 ms               0.01 ms
one check                1.2 us, 32 us        140 us, 7 ms          140 us, 10 ms
=======================  ===================  ====================  ========================

Regular expressions decided. Those of schemas are in Go's syntax and take linear time, and the values are
up to whoever writes a composite. jsonschema-rs has an engine of that kind; Python's, which the other two use, refuses
some of the syntax, lets `$` match before a line end, and can be kept busy for years by a value of fifty letters.
Against it: its paths have fields like `0` and the empty one wrong, so these go by other names on the way; and it
recurses without a limit of its own, so schemas more than 100 deep are refused.
"""

from __future__ import annotations

from ._validation.schema import FieldError as FieldError
from ._validation.schema import Schema as Schema
from ._validation.schema import errors_in as errors_in
from ._validation.translate import SchemaError as SchemaError

__all__ = ["FieldError", "Schema", "SchemaError", "errors_in"]
