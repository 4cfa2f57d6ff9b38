"""What of an answer's claims is right, by the references, and where it came from."""
