"""Clients of model services."""
