"""The gate's last proof that it can fail, kept in the state folder."""

from ragate.models import DrillProof
from ragate.runtime.operations import Operations

DRILL_FILE = "drill.json"


def last_proof(operations: Operations) -> DrillProof | None:
    """Return the last drill's result, None where there was none."""
    try:
        return DrillProof.model_validate_json((operations.state / DRILL_FILE).read_bytes())
    except (OSError, ValueError):
        return None
