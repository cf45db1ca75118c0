"""Text for people: `excerpts` shortens values, `lines` escapes, `colour` colours, `stdio` has stdout and stderr.

The whole package may import these modules. The modules import each other, and nothing else of the package.
"""
