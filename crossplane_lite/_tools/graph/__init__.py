"""`crossplane-lite graph`: draws the dependencies between the resources of a Composition's
pipeline.
"""
