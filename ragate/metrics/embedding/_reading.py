"""How a value reads: what it means beyond its band, said beside it."""

from ragate.metrics._sample_metric import Explained


def reads_low(value: float, band: float, meaning: str) -> float | Explained:
    """Return the value, with its meaning where it is below its band."""
    return value if value >= band - 1e-9 else Explained(value, f"below {band:g}: {meaning}")


def reads_high(value: float, band: float, meaning: str) -> float | Explained:
    """Return the value, with its meaning where it is above its band."""
    return value if value <= band + 1e-9 else Explained(value, f"above {band:g}: {meaning}")
