"""What a run works with, made on first use from the configuration and the environment.

A configuration and `Operations` come in; `Resources`, which every plugin gets, go out. Read
`resources.py`, `operations.py` and `provider_clients.py`.
"""
