"""Small helpers that all packages share: apiVersions, YAML scalars, markers for unset fields, words for messages.

Import each module directly: this file imports none of them, because some processes need only one. The modules import
only each other and `errors` from this package.
"""
