"""What doctor says of the database server."""

from __future__ import annotations

from ragate.cli.doctor.under_test import Server, database_finding, inspect_server
from ragate.cli.finding import guarded, ok
from tests.unit.cli.doctor.doctor_factories import statuses


def reached(**fields: object) -> Server:
    facts: dict[str, object] = {
        "postgres": "18.1",
        "vector": "0.8.1",
        "may_create": True,
        "schema": False,
    }
    return Server(**(facts | fields))  # type: ignore[arg-type]


def test_a_server_is_well_with_pgvector_and_the_right_to_create_a_schema() -> None:
    assert statuses([database_finding(reached(), where="x")]) == ["ok"]
    assert statuses([database_finding(reached(vector=""), where="x")]) == ["problem"]
    assert statuses([database_finding(reached(may_create=False), where="x")]) == ["problem"]
    assert statuses([database_finding(reached(may_create=False, schema=True), where="x")]) == ["ok"]


def test_an_unreachable_server_is_named_without_its_password() -> None:
    url = "postgresql://ragate:hush@127.0.0.1:1/x"

    found = guarded("database", lambda: [ok("x", inspect_server(url).postgres)])

    assert [one.exit_code for one in found] == [3]
    assert "127.0.0.1:1" in found[0].message
    assert "hush" not in repr(found)
