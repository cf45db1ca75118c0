"""The list of `crossplane-lite`'s commands, with help for all of them: examples, suggestions, completion in shells.

`table.py` lists the commands. `suggesting.py` suggests the right spelling of an unknown flag. `completion.py` is the
command `completion`. `next_steps.py` says what can be done in a project.

The modules import `base`, `manifests`, `programs` and `errors`. A command's module is imported by
its name when it is needed.
"""
