"""Small helpers that all packages share: markers for unset fields, exact numbers and names, and
text for people.

`texts` shortens, escapes and words what messages show, `terminal` colours it and shows the current
step; `stdio` has stdout and stderr.

Import each module directly: this file imports none of them, because some processes need only one.
The modules import only each other and `errors` from this package.
"""
