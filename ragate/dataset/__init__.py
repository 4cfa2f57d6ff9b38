"""Golden set readers, one file a format."""
