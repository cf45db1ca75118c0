"""Reading manifests, and what is defined in them."""
