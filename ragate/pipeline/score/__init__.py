"""From outputs to scores: metrics, and the judge."""
