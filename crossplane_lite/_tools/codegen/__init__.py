"""`crossplane-lite generate`: reads API definitions, such as CRDs, and writes Python packages with
classes for kinds.

The words of this package: A definition is a CRD, an XRD or an OpenAPI v3 document; a source is a
file, folder or pattern in which definitions are looked for. A model is a class for a kind, or for
an object in its schema. A component is a schema that an OpenAPI document lists under
`components.schemas`, and to which a `$ref` can point. A module's table is the dict in it that has a
text for each class, with the class's fields and their types. A field's wire name is its name in
Kubernetes, which can differ from the name of its attribute in Python.
"""
