"""Checking resources against the OpenAPI schemas of their kinds, before Crossplane applies them::

    bucket = ctx.resource("bucket", Bucket(...))
    ctx.validate_desired(fatal=True)

or, one by one::

    schema = ctx.schema("storage.gcp.upbound.io/v1beta1", "Bucket")
    for error in schema.validate(bucket):
        ctx.results.fatal(error)

The checks are those of an API server for a structural schema: types, required fields, enums, limits, patterns,
formats (`int32`, `int64`, `byte`, `date`, `date-time`, `ipv4`, `ipv6` and `uuid`), allOf, anyOf, oneOf and not, and
that lists which are sets or maps have no element twice. In particular:

- A field that the schema doesn't have is an error. Server-side apply, by which Crossplane creates resources, refuses
  it, and any other way of writing loses it silently. Objects with `x-kubernetes-preserve-unknown-fields`, and those of
  whose fields the schema names none (where Crossplane has cut a cycle, say), take any.
- A required field with a default isn't missing; the API server sets it first. Its own kinds have an empty default
  beside every required field, which counts for nothing.
- null is taken where the schema says `nullable`, and elsewhere means that the field isn't set, but in lists.
- Rules in CEL (`x-kubernetes-validations`), refusals of admission webhooks, and the API server's own checks of
  kinds beyond their schemas aren't checked.

Getting a schema ready costs up to 25 ms for the largest kinds, once: the last 64 are kept. In each call a schema has
to be decoded and recognised, which takes 0.8 ms for one of 30 KB; checking a resource takes 0.05 to 2 ms.

**The validator** is jsonschema-rs, which the extra `schemas` installs. It was chosen among three. None of them knows
Kubernetes' dialect, so a schema is turned into plain JSON Schema first. Nulls, unresolved values and lists that are
maps are handled before the validator is asked.

`benchmarks/validators.py` compares the three, here with CPython 3.11, the best of many runs. A verdict is right where
an API server says the same; there are 29 cases, each tried without that translation and with it. The times are for a
Bucket of 0.5 KB and a GKE Cluster of 24 KB:

=======================  ===================  ====================  ========================
..                       jsonschema-rs        jsonschema            openapi-schema-validator
=======================  ===================  ====================  ========================
right verdicts           15, 24               13, 21                16, 21
import                   9 ms                 40 ms                 130 ms
installed                1 package, 15 MB     6 packages, 3 MB      15 packages, 14 MB
getting ready            0.3 ms, 4 ms         0.01 ms               0.01 ms
one check                1.2 us, 32 us        140 us, 7 ms          140 us, 10 ms
=======================  ===================  ====================  ========================

Regular expressions decided. Those of schemas are in Go's syntax and take linear time, and anyone who writes a composite
chooses the values. jsonschema-rs has an engine of that kind. The other two use Python's: it refuses some of the syntax,
lets `$` match before a line end, and a value of fifty letters can keep it busy for years. jsonschema-rs has two faults,
too. It gets the paths of fields called `0`, and of the field without a name, wrong, so these have other names while it
runs. And it has no limit of depth, so schemas more than 100 deep are refused.
"""

from __future__ import annotations

from ._validation.schema import FieldError as FieldError
from ._validation.schema import Schema as Schema
from ._validation.schema import errors_in as errors_in
from ._validation.translate import SchemaError as SchemaError

__all__ = ["FieldError", "Schema", "SchemaError", "errors_in"]
