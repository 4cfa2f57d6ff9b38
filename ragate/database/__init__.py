"""Postgres with pgvector: the server that a URL names, or an embedded one."""

from ragate.database.embedded import EmbeddedServer, ServerStatus
from ragate.database.postgres import PostgresDatabase, open_server
from ragate.database.schema import SCHEMA_VERSION, check_server, describe
