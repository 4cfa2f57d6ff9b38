"""The system under test, asked: one pass after the other.

A configuration and samples go in, collected outputs come out. Read `ready_system.py` for how the
system is opened and its run begun, `system_session.py` for the passes, and `collected_outputs.py`
for one pass, in which every failure of a sample is an output too, and for files of outputs.
"""
