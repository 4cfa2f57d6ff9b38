"""The tools whose files can be read."""

from __future__ import annotations

from ragate.contrib.golden.commands.importing import KINDS as OFFERED
from ragate.contrib.golden.importing import KINDS


def test_the_command_offers_what_the_pipeline_knows() -> None:
    assert OFFERED == KINDS
