"""What a run works with: resources, the environment, time, and room on the disk.

A configuration and `Operations` come in; `Resources`, which every plugin gets, go out. Read
`resources.py`, `operations.py` and `provider_clients.py`.
"""
