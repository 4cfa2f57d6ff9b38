"""Where things lie: the baseline's file and texts, the state folder, git's part, the run store."""

import os
from collections.abc import Iterable
from pathlib import Path

from ragate.baseline import load_contexts
from ragate.cli.doctor import baseline_file, personal_data, state_folder
from ragate.cli.doctor.examined_config import ExaminedProject
from ragate.cli.finding import Finding, ok, warning
from ragate.cli.operations import exposed_dotenv
from ragate.models import Run
from ragate.stores.postgres.open_store import reach_store
from ragate.support import git


def baseline(subject: ExaminedProject, path: Path, run: Run) -> Iterable[Finding]:
    """Say what the baseline's file holds, and whether other machines get it."""
    name = shown_name(subject, path)
    findings = baseline_file.baseline_file(
        run,
        path=name,
        size=path.stat().st_size,
        today_system=subject.use or run.manifest.system.use,
    )
    top = git.repository(subject.root)
    tracked = git.is_tracked(top, path) if top else None
    ignored = git.is_ignored(top, path) if top else None
    return findings + state_folder.committed(name, tracked=tracked, ignored=ignored)


def personal(subject: ExaminedProject, run: Run) -> Iterable[Finding]:
    """Say whether texts of the baseline look like a person's."""
    texts = [record.output.answer for record in run.records if record.output.answer]
    if subject.baseline is not None:
        contexts = load_contexts(subject.baseline)
        texts += [chunk.text for chunks in contexts.values() for chunk in chunks]
    store = subject.config.policy.store if subject.config is not None else "answers"
    return personal_data.personal_data(texts, store="answers" if texts else store)


def state(subject: ExaminedProject) -> Iterable[Finding]:
    """Say whether the state folder can be used, and what is in it."""
    folder = subject.operations.state
    top = git.repository(subject.root)
    inside = top is not None and folder.is_relative_to(top)
    stored = [path for path in (folder / "runs").glob("*") if path.is_dir()]
    return state_folder.state_folder(
        shown_name(subject, folder),
        writable=_writable(folder),
        ignored=git.is_ignored(top, folder / "x") if top is not None and inside else None,
        runs=len(stored),
        size=sum(file.stat().st_size for run in stored for file in run.glob("*")),
    )


def run_store(subject: ExaminedProject) -> Iterable[Finding]:
    """Say whether the run store can be used, where there is one."""
    url = subject.operations.runs_url
    reach_store(url)
    return [ok("run store", "reachable, and of this ragate")] if url else []


def dotenv(subject: ExaminedProject) -> Iterable[Finding]:
    """Say whether git holds the secrets of ``.env``, or may come to."""
    exposed = exposed_dotenv(subject.root)
    return [warning("environment", *exposed)] if exposed is not None else []


def _writable(folder: Path) -> bool:
    """Tell whether the folder, or the nearest above it that exists, can be written."""
    nearest = next(
        folder_above for folder_above in (folder, *folder.parents) if folder_above.exists()
    )
    return nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK)


def shown_name(subject: ExaminedProject, path: Path) -> str:
    """Return a path below the project's root, or all of it."""
    real = path.resolve()
    if real.is_relative_to(subject.root):
        return real.relative_to(subject.root).as_posix()
    return str(real)
