"""Functions that do what those of kpt's catalog are documented to do."""
