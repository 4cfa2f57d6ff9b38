"""Cosines of vectors, of which a negative one is none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ragate.metrics.embedding._embedded_metric import Vectors


def cosines(left: Sequence[str], right: Sequence[str], vectors: Vectors) -> npt.NDArray[np.float64]:
    """Return an array (left, right) in [0, 1]; a vector of zeros is near to nothing."""
    import numpy as np

    if not left or not right:
        return np.zeros((len(left), len(right)))
    rows, columns = (_unit(np.stack([vectors[text] for text in side])) for side in (left, right))
    # Rounded, since a product may end in other bits where the same rows stand in another order.
    near: npt.NDArray[np.float64] = np.clip(np.round(rows @ columns.T, 9), 0.0, 1.0)
    return near


def _unit(rows: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    import numpy as np

    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    units: npt.NDArray[np.float64] = np.divide(
        rows, lengths, out=np.zeros_like(rows), where=lengths > 0
    )
    return units
