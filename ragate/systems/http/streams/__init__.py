"""Replies that come in events: told apart, and read by pointers."""
