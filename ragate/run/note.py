"""What a run is begun with, noted before anything is asked: only the very run goes on."""

import hashlib
from collections.abc import Sequence

from ragate.answers.system_session import Session
from ragate.baseline import baseline_digest
from ragate.core.hashing import digest
from ragate.models import Sample
from ragate.repository import git
from ragate.resources.operations import Operations
from ragate.run.plan import RunPlan
from ragate.stores.begun_run import BegunRun, BegunState, find_interrupted, save_begun
from ragate.stores.local import LocalStore, send_run
from ragate.stores.spent_calls import SpentCalls
from ragate.version import __version__


def note_begun(plan: RunPlan, session: Session, samples: Sequence[Sample]) -> None:
    """Note with what a run begins, so that it can go on where it is interrupted."""
    manifest, selection = session.collected.manifest, plan.selection
    run = BegunRun(
        run_id=manifest.run_id,
        state=begun_state(plan, samples),
        filters=selection.filters,
        retrieval_only=selection.retrieval_only,
        runs=selection.runs,
        eval_date=selection.eval_date,
        asked_on=manifest.eval_date,
        evidence=manifest.evidence,
        earlier=manifest.earlier,
        same_state=manifest.same_state,
    )
    save_begun(LocalStore(plan.operations.state), run)
    keep_spending(session)


def note_ended(plan: RunPlan, session: Session) -> None:
    """Note that a run came to its end, where it leaves no scores to say so."""
    store, run_id = LocalStore(plan.operations.state), session.collected.manifest.run_id
    run = find_interrupted(store, run_id, gate=plan.config.gate, command=plan.command)
    save_begun(store, run.amended(ended=True))
    send_run(plan.operations, session.ready.folder)


def keep_spending(session: Session) -> None:
    """Let calls and money of the run count together, however often it is interrupted."""
    budget = session.ready.opened.budget
    spent = SpentCalls(session.ready.folder)
    calls, cost_usd = spent.total()
    unpriced = spent.unpriced
    spent.keep(*budget.used)
    for _ in range(budget.tally.unpriced + budget.others.unpriced):
        spent.keep(0, None)
    budget.tally.calls += calls
    budget.tally.cost_usd += cost_usd
    budget.tally.unpriced += unpriced
    budget.keep = spent.keep


def begun_state(plan: RunPlan, samples: Sequence[Sample]) -> BegunState:
    """Return what a run is begun with now."""
    config, operations = plan.config, plan.operations
    changed = git.changed_files(config.root, but=(operations.state, *operations.own_files))
    policy = config.policy.model_dump(mode="json") | {"metric settings": config.metric_settings}
    return BegunState(
        command=plan.command,
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
    live = ", asked live" if operations.live else ""
    return f"{where}{f' of {event}' if event else ''}, {judged}{live}"
