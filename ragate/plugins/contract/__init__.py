"""What a plugin has to keep to, checked on a file of somebody's.

A file goes in, demands come out, each kept or broken. Read `check_file.py` for what a system and a
judge are asked and for the child process, and `metric_contract.py` for what a metric has to do.
"""
