"""What a sample or a policy asks of an answer besides being right."""
