"""The variables of Postgres' client library: they are for the user's own servers."""

from __future__ import annotations

from collections.abc import MutableMapping

_PREFIX = "PG"


def take_variables(environment: MutableMapping[str, str]) -> dict[str, str]:
    """Remove every ``PG…`` variable from `environment` and return them.

    The library reads them for whatever a connection string leaves out: PGHOSTADDR leads to another
    server, PGOPTIONS changes how ours answers, and PGSERVICE may name what is not there.
    """
    names = [name for name in environment if name.startswith(_PREFIX)]
    return {name: environment.pop(name) for name in names}
