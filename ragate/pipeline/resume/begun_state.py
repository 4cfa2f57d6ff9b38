"""What a run is begun with, and how two runs differ in it."""

import hashlib
import shlex
from collections.abc import Iterator, Mapping, Sequence

from ragate.baseline import baseline_digest
from ragate.config import Config
from ragate.core.hashing import digest
from ragate.core.text.listed_names import listed
from ragate.errors import UsageError
from ragate.models import Sample
from ragate.runtime.operations import Operations
from ragate.stores.begun_run import BegunRun, BegunState
from ragate.stores.local import LocalStore
from ragate.stores.run_files import OUTPUTS
from ragate.support import git
from ragate.version import __version__

MOST_NAMED = 5


def begun_state(
    config: Config, operations: Operations, samples: Sequence[Sample], command: str
) -> BegunState:
    """Return what a run is begun with now."""
    changed = git.changed_files(config.root, but=(operations.state, *operations.own_files))
    policy = config.policy.model_dump(mode="json") | {"metric settings": config.metric_settings}
    return BegunState(
        command=command,
        side=_side(operations),
        gate=config.gate,
        ragate_version=__version__,
        commit=git.head_commit(config.root) if changed is not None else "",
        changed=changed or {},
        policy={key: digest(repr(value)) for key, value in policy.items()},
        system={
            "use": config.system.use,
            **{key: digest(repr(value)) for key, value in config.system.settings.items()},
        },
        dataset=_of_samples(samples),
        baseline=baseline_digest(config.baseline) or "",
    )


def _of_samples(samples: Sequence[Sample]) -> str:
    """Hash all of the samples, one by one: many are not held in memory."""
    seen = hashlib.sha256()
    for sample in samples:
        seen.update(sample.model_dump_json().encode("utf-8", "surrogatepass") + b"\n")
    return seen.hexdigest()[:16]


def _side(operations: Operations) -> str:
    """Return on which side of trust a run is: what one side wrote is a claim to the other."""
    environment = operations.environment
    where = "a job" if environment.get("CI", "").lower() not in {"", "0", "false"} else "no job"
    event = environment.get("GITHUB_EVENT_NAME", "")
    judged = "without a judge" if operations.unjudged else "with its judge"
    return f"{where}{f' of {event}' if event else ''}, {judged}"


def refuse_another(
    run: BegunRun, now: BegunState, operations: Operations, store: LocalStore
) -> None:
    """Raise where an interrupted run was begun with something else, or by somebody else.

    Raises:
        UsageError: names all that differs.
    """
    folder = store.folder(run.run_id)
    top = git.repository(folder)
    if top is not None and git.is_tracked(top, folder):
        raise UsageError(
            f"--resume {run.run_id}: its folder is in git, so anybody may have written it",
            remedy=f"`git rm -r --cached {operations.state.name}`, ignore it, begin a new run",
        )
    differing = list(_differences(run.state, now))
    if not (run.state.commit and now.commit):
        differing.append(f"no commit, or over {git.MOST_CHANGED:,} files that differ from it")
    if differing:
        raise UsageError(
            f"--resume {run.run_id}: it was begun with something else: {'; '.join(differing)}",
            remedy="put that back, or begin a new run; `ragate decide "
            f"{shlex.quote(str(folder / OUTPUTS))}` judges the outputs that are there",
        )


def _differences(then: BegunState, now: BegunState) -> Iterator[str]:
    """Yield what differs, in words."""
    names = {"side": "side of trust", "ragate_version": "version of ragate"}
    for field in ("command", "gate", "side", "ragate_version", "commit"):
        before, after = getattr(then, field), getattr(now, field)
        if before != after:
            yield f"{names.get(field, field)} ({before or 'none'}, now {after or 'none'})"
    pairs = (("files", "changed"), ("[policy]", "policy"), ("[system]", "system"))
    for noun, field in pairs:
        if keys := _differing(getattr(then, field), getattr(now, field)):
            yield f"{noun} {listed(keys, most=MOST_NAMED)}"
    if then.dataset != now.dataset:
        yield "golden set"
    if then.baseline != now.baseline:
        yield "baseline"


def _differing(then: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    return sorted(key for key in {*then, *now} if then.get(key) != now.get(key))
