"""Whether a question that is asked in another way is answered alike."""
