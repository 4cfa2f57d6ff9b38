"""Documents: found, read, cut into chunks."""
