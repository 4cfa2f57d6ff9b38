"""Pure functions: no I/O, no clock; the standard library, NumPy, models and errors only."""
