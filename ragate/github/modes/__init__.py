"""One file a mode of the action, and one a command of a comment."""
