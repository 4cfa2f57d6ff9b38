"""What calls code of the project, in ragate's process or in a worker of another interpreter.

These files need nothing but the standard library of Python 3.9, and nothing of ragate but one
another: an interpreter that has never heard of ragate runs them (`ragate.worker.__main__`).
"""
