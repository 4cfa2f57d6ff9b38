"""Checks of an answer that need no label and no model: passed or not, with the reason."""
