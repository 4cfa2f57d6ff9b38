"""What `ragate doctor` looks at: functions from facts to findings. docs/init.md lists them.

Read `examine.py` for the list of checks in their order, `under_test.py` for those of the system,
its database and its keys, and `command.py` for how findings are shown.
"""
