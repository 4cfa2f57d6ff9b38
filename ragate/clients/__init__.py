"""Clients of model services.

A chat request or texts come in; a checked reply, vectors, or an error that says whether another
try is of use go out. Read `channel.py`, through which every call goes, `budget.py` for the caps,
and `http/limiter.py` for how many calls a provider gets at once.
"""
