"""GitHub's own description of its API as a judge of the client and of the stub."""
