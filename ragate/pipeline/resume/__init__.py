"""A run that was interrupted goes on."""
