"""`crossplane-lite dev`: serves a function during development, and prints a summary of each request
and response.

`command.py` watches the source files. After a change it starts the server in a new process, which
imports all modules again. `serving.py` runs in that process. `told.py` shows a call in two lines.
The recorder saves calls.

The modules may import `base`, `codec`, `proto`, `observed`, `manifests`, `programs`, `render`,
`recorder`, `runtime`, `testing` and `errors`. A function in production never loads them.
"""
