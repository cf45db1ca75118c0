"""Checking resources against the OpenAPI schemas of their kinds, before Crossplane applies them::

    for one in ctx.resources.values():
        for error in ctx.schema(one.apiVersion, one.kind).validate(one):
            ctx.results.fatal(error)

The checks are those of an API server for a structural schema: types, required fields, enums,
limits, patterns in Go's syntax, all formats that it checks (by its rules, so that `5 minutes` is a
duration), allOf, anyOf, oneOf and not. Lists that are sets or maps must not have an element twice.
Names, labels, annotations, finalizers and owners are checked in the object's metadata and in that
of objects inside. In particular:

- A field that the schema doesn't have is an error: server-side apply, which Crossplane uses to
  create resources, refuses such a field, and other requests drop it silently. Unknown fields are
  allowed in objects with `x-kubernetes-preserve-unknown-fields`. An API server drops all fields of
  an object for which the schema names none; only in Kubernetes' own kinds they are allowed there,
  because a cycle may have been removed from the schema.
- A required field with a default may be left out, because the API server sets the default first. An
  empty default, which the schemas of Kubernetes' own kinds have beside every required field,
  doesn't count as a default.
- null is allowed where the schema says `nullable` and has no enum, and where it names no type. A
  field with a default gets the default instead. Elsewhere null is an error, because server-side
  apply refuses it. In Kubernetes' own kinds and in metadata null means that the field isn't set.
- Rules in CEL (`x-kubernetes-validations`), admission webhooks, and checks that are part of the API
  server's code (for Kubernetes' own kinds) don't run.

Preparing a schema for the validator takes up to 25 ms for the largest kinds. The last 64 prepared
schemas are kept. In each call a schema must be decoded and looked up, which takes 0.8 ms for a
schema of 30 KB. Checking a resource takes 0.05 to 2 ms.

**The validator** is jsonschema-rs, which the extra `schemas` installs. Three validators were
compared. None knows Kubernetes' dialect of JSON Schema, so a schema is first translated into plain
JSON Schema, and nulls, unresolved values and lists that are maps are handled before the validator
runs. `benchmarks/validators.py` measures the validators, with CPython 3.11, the best of many runs.
"Right verdicts" is the number of 29 tests of the dialect in which the validator agrees with an API
server: without the translation, and with it. Where there are two times, they are for a Bucket of
0.5 KB and for a GKE Cluster of 24 KB:

=======================  ===================  ====================  ========================
figure                   jsonschema-rs        jsonschema            openapi-schema-validator
=======================  ===================  ====================  ========================
right verdicts           15, 24               13, 21                16, 21
import                   9 ms                 40 ms                 130 ms
installed                1 package, 15 MB     6 packages, 3 MB      15 packages, 14 MB
preparing a schema       0.3 ms, 4 ms         0.01 ms               0.01 ms
one check                1.2 us, 32 us        140 us, 7 ms          140 us, 10 ms
=======================  ===================  ====================  ========================

Regular expressions decided the choice. The patterns of schemas are in Go's syntax, and Go matches
them in linear time. That matters, because the values come from the authors of composites.
jsonschema-rs has a regular expression engine of the same kind. The other two validators use
Python's engine, which refuses some of the syntax, lets `$` match before a newline at the end, and
may need years for a value of fifty letters. jsonschema-rs has two faults. Its paths are wrong for
fields with names like `0` and for the empty name, so these fields are renamed before the check. And
it recurses without a limit, so schemas more than 100 levels deep are refused.
"""

from __future__ import annotations

from ._core.schemas.schema import FieldError as FieldError
from ._core.schemas.schema import Schema as Schema
from ._core.schemas.schema import errors_in as errors_in
from ._core.schemas.translate import SchemaError as SchemaError

__all__ = ["FieldError", "Schema", "SchemaError", "errors_in"]
