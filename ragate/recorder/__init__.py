"""Model calls of a system under test: recorded, replayed, forwarded or left pending."""
