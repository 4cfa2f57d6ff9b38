"""The workflows that we run and those that the docs show."""
