"""One kind of rule a file: what one metric's scores mean for it."""
