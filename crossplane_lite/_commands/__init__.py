"""The commands of `crossplane-lite`, and what all of them offer: examples, suggestions, completion in shells.

`table.py` says what there is, `suggesting.py` finds what was meant, `completion.py` is the command `completion`.

It may import `_base`, `_terminal` and `errors`. The modules of commands it imports by their names, when one is called.
"""
