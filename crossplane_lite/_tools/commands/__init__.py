"""The list of `crossplane-lite`'s commands, with help for all of them: examples, suggestions,
completion in shells.

`table.py` lists the commands. `hints.py` suggests the right spelling of an unknown flag, and says
what can be done next in a project. `completion.py` is the command `completion`.

The modules import `base`, `manifests`, `programs` and `errors`. A command's module is imported by
its name when it is needed.
"""
