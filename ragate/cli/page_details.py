"""What a page shows beside its report, read where a page is wanted and nowhere else."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ragate.models import Report

if TYPE_CHECKING:
    from ragate.config import Config


def detailed(
    report: Report,
    config: Config,
    state: Path,
    destinations: Sequence[tuple[str, Path | None]],
    *,
    folder: Path | None = None,
    outputs: Sequence[Path] = (),
) -> Report:
    """Return the report with what a page shows beside it, where a page is wanted.

    Args:
        state: The state folder, which holds the run.
        folder: The run's own, where it is not the one of its id.
        outputs: Files that it was judged from, where its folder holds none.
    """
    if "html" not in [name for name, _ in destinations]:
        return report
    from ragate.pipeline.run_details import with_details
    from ragate.stores.local import LocalStore

    store = LocalStore(state)
    folder = folder or store.folder(report.run_id)
    return with_details(report, config, store, folder, outputs=outputs)
