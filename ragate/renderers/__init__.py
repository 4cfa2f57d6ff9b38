"""Reports as text, one file a format."""
