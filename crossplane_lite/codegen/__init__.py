"""Model packages from API definitions: reading definitions, naming and typing their classes, writing the modules."""
