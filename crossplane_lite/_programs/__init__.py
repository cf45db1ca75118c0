"""Other programs: running any of them (`process`), and reading an API server through kubectl (`kubectl`).

Development's rooms import both. They import `_terminal` and nothing else of the package.
"""
