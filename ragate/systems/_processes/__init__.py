"""Processes of the project: started, asked over pipes or a socket, and ended with the run."""
