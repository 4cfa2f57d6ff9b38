"""What some formats show beside a report, read where one of them is wanted and nowhere else."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ragate.cli.operations import in_ci
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
    """Return the report with what a page or SARIF shows beside it, where one is wanted.

    Args:
        state: The state folder, which holds the run.
        folder: The run's own, where it is not the one of its id.
        outputs: Files that it was judged from, where its folder holds none.
    """
    names = {name for name, _ in destinations}
    if "sarif" in names:
        from ragate.cli.finding_lines import with_lines

        report = with_lines(report, config, ci=in_ci(os.environ))
    if "html" not in names:
        return report
    from ragate.pipeline.run_details import with_details
    from ragate.stores.local import LocalStore

    store = LocalStore(state)
    folder = folder or store.folder(report.run_id)
    return with_details(report, config, store, folder, outputs=outputs)
