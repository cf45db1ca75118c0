"""The function's input as attrs classes: `types` says what a class takes, `structure` makes one or says what is wrong.

KRM functions and the generator of CRDs for inputs use them too. Both modules may be imported from. They import
`_models`, `_observed` and what stands below.
"""
