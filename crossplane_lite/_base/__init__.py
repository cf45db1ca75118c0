"""Things without a subject of their own: sentinels, extras, apiVersions, numbers, scalars of YAML.

Every room may import these modules, one by one: this one imports nothing, for some processes need one of them only.
They import `errors` and nothing else of the package.
"""
