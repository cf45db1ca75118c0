"""What a rollout changes: desired state beside what exists, or beside what another version of the function desires.

Programs can use it without the command::

    from crossplane_lite.diff.compare import against_cluster, against_version
"""
