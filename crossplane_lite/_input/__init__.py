"""The function's input as attrs classes: `types` describes fields, `structure` makes an instance or names the mistakes.

KRM functions and the generator of CRDs for inputs use them too. Both modules may be imported from. They import
`_models`, `_observed` and the rooms below.
"""
