"""Small rules that every room may need: sentinels, extras, apiVersions, misspelt names, exact integers, YAML's scalars.

Import the modules one by one: this file imports none of them, because some processes need only one. The modules import
each other and `errors`, and nothing else of the package.
"""
