"""Text for people: `excerpts` of values, `lines`, `colour`, and the process's streams (`stdio`).

Every room may import these modules. The modules import each other, and nothing else of the package.
"""
