"""GitHub's REST API: one client, and the calls that the gate makes."""
