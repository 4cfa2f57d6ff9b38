"""``ragate plan``, and the options of `collect` and `decide` that take one."""
