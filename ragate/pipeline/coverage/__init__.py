"""Documents that a change edits, the questions that expect them, and drafts for the others."""
