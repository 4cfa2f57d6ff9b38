"""What carries encoded messages to a collector: by HTTP, in a thread, held up by none."""
