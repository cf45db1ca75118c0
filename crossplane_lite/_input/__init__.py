"""A function's input as an attrs class: `types` describes fields, and `structure` makes instances or lists mistakes.

KRM functions and the generator of CRDs for inputs use both modules too. Other packages may import from both. This
package imports `_models`, `_observed` and the packages that these import.
"""
