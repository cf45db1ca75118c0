"""Things without a subject of their own: sentinels, extras, apiVersions, numbers, scalars of YAML.

Every room may import these modules, one by one: this file imports none of them, because some processes need only one.
They import `errors` and nothing else of the package.
"""
