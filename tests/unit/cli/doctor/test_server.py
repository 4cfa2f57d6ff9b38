"""What doctor says of the database server and of the index in it."""

from __future__ import annotations

from ragate.cli.doctor import server
from ragate.cli.finding import guarded, ok
from tests.unit.cli.doctor.doctor_factories import statuses


def reached(**fields: object) -> server.Server:
    facts: dict[str, object] = {
        "postgres": "18.1",
        "installed": "",
        "available": "0.8.1",
        "may_create": True,
        "schema": False,
    }
    return server.Server(**(facts | fields))  # type: ignore[arg-type]


def test_a_server_is_well_with_pgvector_and_the_right_to_create_a_schema() -> None:
    assert statuses(server.database(reached(), where="x")) == ["ok"]
    assert statuses(server.database(reached(available=""), where="x")) == ["problem"]
    assert statuses(server.database(reached(may_create=False), where="x")) == ["problem"]
    assert statuses(server.database(reached(may_create=False, schema=True), where="x")) == ["ok"]


def test_an_unreachable_server_is_named_without_its_password() -> None:
    url = "postgresql://ragate:hush@127.0.0.1:1/x"

    found = guarded("database", lambda: [ok("x", server.inspect(url).postgres)])

    assert [one.exit_code for one in found] == [3]
    assert "127.0.0.1:1" in found[0].message
    assert "hush" not in repr(found)


def test_an_index_is_absent_behind_or_up_to_date() -> None:
    assert "not built" in server.index(None, "h", documents=3)[0].message
    assert "behind" in server.index(("g", 9), "h", documents=3)[0].message
    assert "3 documents, 9 chunks" in server.index(("h", 9), "h", documents=3)[0].message
