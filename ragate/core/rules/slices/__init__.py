"""Parts of the golden set that are held on their own, beside all of it."""
