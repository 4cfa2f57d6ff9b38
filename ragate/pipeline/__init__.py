"""The line: config -> samples -> outputs -> records -> comparison -> decision -> report.

Read `run/system_session.py` for how the system is asked, `score/scorer.py` for how its outputs are
measured, and `decide/compare_and_decide.py`, where every verdict is made. The modules of this
folder itself work on runs that are stored, or say what a run would cost and see.
"""
