"""Loopback servers for tests."""
