"""``ragate dataset vary``."""
