"""Scenarios in a whole control plane: etcd, kube-apiserver, Crossplane, and a provider with a pretended cloud."""
