"""From passages to an answer, by a model or by quoting."""
