"""How long an index lives: seen from one snapshot to its end, and dropped when others are used."""

from psycopg import errors, sql

from ragate.systems.pgvector.index.tables import TABLES, Connection, Index, find

KEEP = 5  # indexes of one corpus, so that a change of settings and back costs nothing


async def open_snapshot(connection: Connection, key: str, corpus_hash: str) -> Index | None:
    """Begin a transaction that sees this index as it is now, whatever others do to it.

    Returns:
        None, and no transaction, where the index is gone or holds another corpus by now.
    """
    await connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    try:
        index = await find(connection, key)
        if index is not None and index.corpus_hash == corpus_hash:
            names = TABLES if index.dimension else TABLES[:-1]
            tables = sql.SQL(", ").join(index.table(name) for name in names)
            # Held to the end, so that collection in another process cannot drop them.
            await connection.execute(sql.SQL("LOCK TABLE {} IN ACCESS SHARE MODE").format(tables))
            return index
    except errors.UndefinedTable:
        pass
    await connection.execute("ROLLBACK")
    return None


async def collect_garbage(connection: Connection, corpus: str) -> None:
    """Drop replaced indexes, and all but the `KEEP` last used of this corpus.

    One that another process reads is left for the next time.
    """
    cursor = await connection.execute(
        "SELECT id FROM ragate.indexes WHERE corpus = %s ORDER BY key IS NULL, used_at DESC, id",
        (corpus,),
    )
    last_used = [row[0] for row in await cursor.fetchall()][:KEEP]
    cursor = await connection.execute(
        "SELECT id FROM ragate.indexes WHERE corpus = %s AND (key IS NULL OR id != ALL(%s))",
        (corpus, last_used),
    )
    for (index_id,) in await cursor.fetchall():
        await _drop(connection, Index(index_id, "", 0, 0, None))


async def _drop(connection: Connection, index: Index) -> None:
    tables = sql.SQL(", ").join(index.table(name) for name in TABLES)
    try:
        async with connection.transaction():
            await connection.execute("SET LOCAL lock_timeout = '100ms'")
            await connection.execute(sql.SQL("DROP TABLE IF EXISTS {}").format(tables))
            await connection.execute("DELETE FROM ragate.indexes WHERE id = %s", (index.id,))
    except (errors.LockNotAvailable, errors.DeadlockDetected):
        return
