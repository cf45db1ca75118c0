"""Text for people: values as messages show them (`excerpts`), lines (`lines`), and the process's streams (`stdio`).

Every room may import these modules. They import nothing else of the package.
"""
