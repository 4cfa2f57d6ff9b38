"""From the rows of all rules to one verdict, and the lines under it."""
