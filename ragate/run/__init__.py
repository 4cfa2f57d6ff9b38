"""One run: a plan goes in, what was asked, scored and decided comes out.

Read `plan.py` (what is asked, from which source, where it stops), `one_run.py` (the run itself) and
`sources.py` (where outputs come from); `hooks.py` lists what only some runs do.
"""
