"""Running functions on YAML files: reading, building the request, writing what was composed."""
