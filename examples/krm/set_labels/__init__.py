"""Sets labels on every resource, and on the pods that it makes."""
