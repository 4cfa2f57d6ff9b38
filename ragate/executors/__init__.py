"""What carries calls of tools out, where the policy names it.

A call of an output comes in, and its result or its error goes out, beside the right ones. Read
`executor.py`.
"""
