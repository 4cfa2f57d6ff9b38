"""``ragate plugin``: a metric, judge or system of your own in one file."""
