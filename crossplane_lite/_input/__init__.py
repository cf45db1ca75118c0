"""A function's input as an instance of an attrs class.

`types` describes the fields of the class. `structure` makes an instance from the input, or finds the input's mistakes.
KRM functions and the generator of CRDs for inputs use both modules too. Other packages may import from both.

This package imports `_observed`, the packages that `_observed` imports, and `cattrs_hooks` (which imports `_models`).
"""
