"""Recording a baseline, and judging a recorded one again."""
