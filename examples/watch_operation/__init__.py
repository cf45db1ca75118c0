"""An operation that restarts Deployments when a ConfigMap that they use changes."""
