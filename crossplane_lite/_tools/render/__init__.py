"""One reconcile as Crossplane does it, from files, and its result as text: `crossplane_lite.render`
is its door.
"""
