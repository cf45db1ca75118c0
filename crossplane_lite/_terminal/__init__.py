"""Text for people: `excerpts` of values, `lines`, `colour`, and the process's streams (`stdio`).

Every room may import these modules. They import nothing else of the package.
"""
