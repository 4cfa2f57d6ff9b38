"""What calls code of the project, in a worker: ragate's own interpreter or another one.

A request comes in as one line of JSON, and one reply goes out. Read `serve.py` for the loop,
`responder.py` for what is answered, and `function.py` for how code of the project is called.

These files need nothing but the standard library of Python 3.9, and nothing of ragate but one
another: an interpreter that has never heard of ragate runs them (`ragate.worker.__main__`).
"""
