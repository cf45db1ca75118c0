"""`crossplane-lite diff`: compares the desired state of a function with existing objects, or with
another version's.

The comparison can be used without the command::

    from crossplane_lite._tools.diff.compare import against_cluster, against_version
"""
