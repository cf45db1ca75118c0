"""Functions on files of Kubernetes objects."""
