"""Programs: `process` runs other programs, `kubectl` reads an API server, `help` formats the help of our own commands.

The rooms of the development commands import these modules. The modules import `_terminal` and `errors`.
"""
