"""A web application on Kubernetes, which takes what its environment and its cluster offer."""
