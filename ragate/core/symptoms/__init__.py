"""What the figures of a whole run point to, and what to do about it."""
