"""``ragate db``: the embedded server, and our schemas on servers that a URL names."""
