"""Data against schemas: a function's input as an attrs class, and resources against the schemas of
their kinds.

The input: `types` describes the fields of the class, `structure` makes an instance or finds the
input's mistakes, and `of_class` makes the schema of a class. KRM functions and the generator of
CRDs for inputs use all three.

Resources (`crossplane_lite.schemas` lists the checks): `schema` has the class for the schema of a
kind, `translate` turns a schema into plain JSON Schema, `check` validates data, and `texts` words
the mistakes. `formats` and `go_patterns` know what formats and patterns mean to an API server.
`rules` evaluates the rules in CEL of a schema, and `cel_functions` has the functions that
Kubernetes adds to CEL.

Other packages may import from all modules. This package imports `models`, `observed` and the
packages that these import.
"""
