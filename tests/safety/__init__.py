"""What a missing value may not do: nothing that exists is lost or overwritten, and no placeholder gets out."""
