"""The command line: the only place that reads the environment and exits."""
