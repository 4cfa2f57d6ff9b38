"""What keeps secrets in, foreign text harmless, and what decides as it was.

Text of others comes in and may be printed when it goes out. Read `escape.py` for the filter of each
sink, `redact.py` and `secret_address.py` for keys, and `seal.py` for code under test.
"""
