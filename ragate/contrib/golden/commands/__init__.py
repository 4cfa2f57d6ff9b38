"""The commands: one module each, below ``ragate dataset``."""
