"""Sets the namespace of every resource that has one."""
