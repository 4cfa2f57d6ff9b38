"""Scorecards: what a sample has to reach as a whole, made of the scores that it has."""
