"""The flight recorder: what functions were asked and answered in a control plane, and what other
versions would answer.

Its modules, in the order of their imports:

- `recording`: the format of recordings, and their reader.
- `writing`: the files of a recording, with rotation and a total limit.
- `inspector`: the messages of Crossplane's pipeline inspector. `masking`: secret values in
  contents. `receiving`: the queue between the inspector and the files. `record`: the command.
- `messages`: requests and answers in protobuf's JSON, and as bytes. `serving`: `serve --record`.
- `asking`: asks a function recorded questions again, by render's reconcile. `losses`: the same
  without a value. `replay`: the command, with diff's comparison. `fixtures`: both for tests.
  `files`: `--from`.
"""
