"""``ragate worker``, and what sends the questions of a run to workers."""
