"""Variants of questions: worded, typed or arranged otherwise, as drafts for a person to accept."""
