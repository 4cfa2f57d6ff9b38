"""Tests, intervals, power and noise: arrays in, figures out; no word of a verdict."""
