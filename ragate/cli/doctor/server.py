"""The database and the index in it: what is asked of a server without changing it."""

from dataclasses import dataclass

from ragate.cli.finding import Finding, ok, plural, problem


@dataclass(frozen=True)
class Server:
    """A server that was reached.

    Attributes:
        installed, available: Version of pgvector in this database, and the one that could be
            installed; "" where there is none.
        may_create: Whether our role may create a schema here.
        schema: Whether ragate's tables are there.
    """

    postgres: str
    installed: str
    available: str
    may_create: bool
    schema: bool


def inspect(conninfo: str) -> Server:
    """Ask a server what it has.

    Raises:
        DatabaseError: it cannot be reached.
    """
    import psycopg

    from ragate.database import describe

    try:
        with psycopg.connect(conninfo, autocommit=True, connect_timeout=10) as connection:
            row = connection.execute(
                "SELECT split_part(current_setting('server_version'), ' ', 1), "
                "(SELECT extversion FROM pg_extension WHERE extname = 'vector'), "
                "(SELECT default_version FROM pg_available_extensions WHERE name = 'vector'), "
                "has_database_privilege(current_database(), 'CREATE'), "
                "to_regclass('ragate.version') IS NOT NULL"
            ).fetchone()
    except psycopg.Error as error:
        raise describe(error, conninfo) from error
    postgres, installed, available, may_create, schema = row or ("", "", "", False, False)
    return Server(postgres, installed or "", available or "", bool(may_create), bool(schema))


def database(server: Server, *, where: str) -> list[Finding]:
    """Say whether our index can live there."""
    check = "database"
    vector = server.installed or server.available
    if not vector:
        return [
            problem(
                check,
                f"{where}: PostgreSQL {server.postgres} without the vector extension",
                "use an image with pgvector, such as pgvector/pgvector:pg18; the plain postgres "
                "image has none",
                exit_code=3,
            )
        ]
    if not server.schema and not server.may_create:
        return [
            problem(
                check,
                f"{where}: this role may create no schema in the database",
                "GRANT CREATE ON DATABASE … to it, or give ragate a database of its own",
                exit_code=3,
            )
        ]
    return [ok(check, f"{where}: PostgreSQL {server.postgres}, pgvector {vector}")]


def index(held: tuple[str, int] | None, corpus_hash: str, *, documents: int) -> list[Finding]:
    """Say whether the index holds the corpus as it is; `check` brings it up to date by itself.

    Args:
        found: Hash of the corpus that the index holds, and its number of chunks.
    """
    check = "index"
    if held is None:
        return [ok(check, "not built with these settings; the next `ragate check` builds it")]
    if held[0] != corpus_hash:
        return [ok(check, "behind the corpus; the next `ragate check` brings it up to date")]
    return [ok(check, f"up to date: {plural(documents, 'document')}, {plural(held[1], 'chunk')}")]


def find_index(conninfo: str, key: str) -> tuple[str, int] | None:
    """Return the hash and the number of chunks of an index, None where it is not there."""
    import psycopg

    from ragate.database import describe

    try:
        with psycopg.connect(conninfo, autocommit=True, connect_timeout=10) as connection:
            return connection.execute(
                "SELECT corpus_hash, chunks FROM ragate.indexes WHERE key = %s", (key,)
            ).fetchone()
    except psycopg.Error as error:
        raise describe(error, conninfo) from error
