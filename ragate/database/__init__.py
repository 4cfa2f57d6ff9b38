"""Postgres with pgvector: the server that a URL names, or an embedded one.

A variable with a URL comes in, or none; a server with our schema is what goes out. Read
`postgres.py`, which chooses, `embedded.py` for a server of the project's own, and `schema.py`.
"""

from ragate.database.embedded import EmbeddedServer, ServerStatus
from ragate.database.postgres import PostgresDatabase, open_server
from ragate.database.schema import SCHEMA_VERSION, check_server, describe
