"""What a judge model is asked."""
