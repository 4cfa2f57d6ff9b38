"""What every mode shares: context, trust in what is found, the end of a run."""
