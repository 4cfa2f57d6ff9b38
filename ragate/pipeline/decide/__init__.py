"""From scores to a verdict and its report."""
