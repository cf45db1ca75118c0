"""Model packages from API definitions: definitions are read, classes get names and types, and modules are written."""
