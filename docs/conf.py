"""Settings of the site: `python -m sphinx -W docs site` builds it, without a network."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent / "_ext"), str(Path(__file__).parents[1])]

import crossplane_lite  # noqa: E402  # it is found beside this folder

project = "crossplane-lite"
author = "the crossplane-lite authors"
project_copyright = "the crossplane-lite authors"
version = release = crossplane_lite.__version__ or "from source"

extensions = ["sphinx.ext.autodoc", "sphinx.ext.napoleon", "site_parts"]
exclude_patterns = ["_build", "_ext"]

# Docstrings have names between single backticks.
default_role = "code"
highlight_language = "text"

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_use_type_comments = False
napoleon_google_docstring = True
napoleon_numpy_docstring = False
# What a docstring calls attributes may be properties with docstrings of their own.
napoleon_use_ivar = True

html_theme = "furo"
html_title = "crossplane-lite"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_show_sphinx = False
toc_object_entries_show_parents = "hide"
# The reference leads to the index of names. A list of modules has nothing that the index lacks.
html_domain_indices = False
html_copy_source = False
