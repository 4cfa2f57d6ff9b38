"""What a golden set lets the gate see, told before anything is spent or changed.

A baseline or a policy comes in; the drops that would be seen, and how often, go out. Read
`power_tables.py` for the tables, and `recording_sight.py` for what a recording says of itself.
"""
