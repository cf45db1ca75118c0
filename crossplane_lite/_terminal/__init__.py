"""Text for people: `excerpts` shortens values, `lines` escapes, `colour` colours, `status` shows the current step.

`stdio` has stdout and stderr. The whole package may import these modules. The modules import each other, and nothing
else of the package.
"""
