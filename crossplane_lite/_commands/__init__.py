"""The commands of `crossplane-lite`, and what all of them offer: examples, suggestions, completion in shells.

`table.py` has the commands, `suggesting.py` finds the flag that was meant, `completion.py` is the command `completion`.

They import `_base`, `_programs` and `errors`. The modules of commands it imports by their names, when one is called.
"""
