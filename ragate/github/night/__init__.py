"""What the night's look at the default branch tells: its history, and an alert."""
