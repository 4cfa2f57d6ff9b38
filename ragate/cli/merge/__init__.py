"""Two branches that both recorded a baseline: merged by git."""
