"""``ragate runs``: the stored runs."""
