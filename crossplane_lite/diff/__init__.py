"""The changes of a rollout: desired state compared with existing objects, or with another version's desired state.

Programs can use this package without the command::

    from crossplane_lite.diff.compare import against_cluster, against_version
"""
