"""Model calls of a system under test: recorded, replayed, forwarded or left pending.

The requests that a system's code sends to its model come in, and replies go out: known ones, a
provider's, or none yet. Read `open_system.py`, `proxy/reply_resolver.py`, which decides from where
a reply comes, and `fulfil_pending.py` for the job that has the key.
"""
