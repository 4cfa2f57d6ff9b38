"""Small helpers that know nothing of the gate: files, text, git, settings."""
