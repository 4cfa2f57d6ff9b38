"""Ids of a project that its golden set and its system write in two ways."""
