"""Where a verdict is told: status, comment, summary, annotations, outputs."""
