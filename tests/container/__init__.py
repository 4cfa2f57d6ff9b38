"""The action in its container: a harness with the GitHub runner's rules, and tests that use it."""
