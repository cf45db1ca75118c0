"""`crossplane-lite report`: one page that shows a recording or a simulation, reconcile by
reconcile.

Its modules, in the order of their imports:

- `moments`: the reconciles of a recording or of a simulation, in one form.
- `facts`: what the page shows, as plain data in which equal parts are stored once; for functions in
  this process, with the line that set each field.
- `page`: the HTML, with the script and the style beside it (`page.html`, `page.css`, `page.js`).
- `command`: `crossplane-lite report`.
- `simulation`: `crossplane-lite simulate`, with the page for `--html`.
"""
