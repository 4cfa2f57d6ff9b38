"""The name of a gate, by which its comment and its status are found again."""

from ragate.errors import ConfigError
from ragate.support.escape import one_line

LONGEST = 60  # characters; also of [policy] gate


def check_gate(name: str) -> None:
    """Refuse a name that the comment and the status would cut: two gates would share them.

    Raises:
        ConfigError: only a baseline's file name can be that long; says what to write.
    """
    if len(name) > LONGEST:
        raise ConfigError(
            f"[policy] baseline: the gate has this file's name without its ending, and "
            f"{one_line(name, LONGEST)} is longer than {LONGEST} characters ({len(name)})",
            remedy='Give it a shorter one in ragate.toml: gate = "docs" in [policy]',
        )
