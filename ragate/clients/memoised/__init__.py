"""Clients that ask nothing twice."""
