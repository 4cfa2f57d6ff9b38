"""The embedder that a policy names for a metric: its identity, and mistakes in its table."""

from collections.abc import Mapping
from typing import Any

from ragate import plugins
from ragate.errors import ConfigError
from ragate.support.settings import nearest, shown


def embedder_identity(table: Mapping[str, Any], where: str) -> str:
    """Return what tells the vectors of one embedder from another's, "" for an empty table.

    Args:
        where: The metric's table, for the message.

    Raises:
        ConfigError: the table names no embedder of ragate, or a key of it is wrong.
    """
    if not table:
        return ""
    use = table.get("use")
    names = plugins.names("embedders")
    if use not in names:
        named = "use is missing" if use is None else f"use = {shown(use)}: no embedder of ragate"
        raise ConfigError(
            f"{where} embedder: {named}{nearest(str(use or ''), names)}",
            remedy="docs/embedders.md has all embedders",
        )
    keys = {key: value for key, value in table.items() if key != "use"}
    try:
        return plugins.embedder(use, keys, lambda _provider: None).fingerprint
    except ConfigError as error:  # an embedder does not know whose it is
        message = error.message.replace("[system.embedder]", f"{where} embedder")
        raise type(error)(message, remedy=error.remedy) from error
