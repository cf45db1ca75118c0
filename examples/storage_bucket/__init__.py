"""A composite storage bucket: a bucket, its access control, and the bucket's name in the
composite's status.
"""
