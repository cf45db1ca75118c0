"""`crossplane-lite generate`: reads API definitions, such as CRDs, and writes Python packages with classes for kinds.

The words of this package: A model is a class for a kind or for an object in it. A component is a schema that an OpenAPI
document lists under `components.schemas`, and to which a `$ref` can point. A module's table is the dict in it that has
a text for each class, with the class's fields and their types.
"""
