"""What a run takes: time, tokens, dollars, failures."""
