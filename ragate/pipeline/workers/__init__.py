"""A run whose questions other machines ask: what submits it, and what a worker does with it.

Read `submit.py` for the side of the run, `work.py` for the side of the worker, and `plan_head.py`
for what they tell one another; `plan_budget.py` counts what all of them spend together.
"""
