"""`crossplane-lite dev`: serves a function while it is written, and prints each request and answer.

`command.py` watches files, and starts the server again in a new process, which loads all modules anew. `serving.py` is
that process. `told.py` shows a call in two lines, `record.py` writes requests as files.

It may import `_base`, `_terminal`, `_wire`, `proto`, `_observed`, `_manifests`, `runtime`, `testing` and `errors`. A
served function never loads it.
"""
