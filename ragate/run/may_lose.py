"""How much a run may lose: by the policy and its baseline, before anything is asked."""

from ragate.answers.losses import Losses, TimeSettings
from ragate.answers.system_session import Session
from ragate.core.comparison.run_passes import is_measured
from ragate.extension import system_hooks
from ragate.gate.gate_setup import GateSetup
from ragate.models import Run
from ragate.run.plan import RunPlan

CALL_SHARE = 0.45  # of a question's time, what one call of a provider may take


def count_losses(plan: RunPlan, setup: GateSetup, session: Session) -> None:
    """Let the session end once more of its questions were asked in vain than may be.

    A shard ends by itself once it alone lost more than the whole run may. Recordings cost nothing.
    What a recorder leaves pending is asked to the end: all of it is answered at once, where the key
    is.
    """
    if session.system.max_runs is not None:
        return
    if plan.recording is None and system_hooks(plan.config):
        return
    policy, n = plan.config.policy, setup.whole or len(setup.samples)
    if plan.recording is None:
        share = _share(setup.baseline, n, policy.max_unscored)
    else:
        from ragate.core.rules.failed_outputs import MOST

        share = 1.0 if plan.takes_failures else MOST
    operations = plan.operations
    session.losses = Losses(
        "questions",
        len(setup.samples),
        share,
        TimeSettings(
            operations.concurrency,
            operations.timeout_s,
            "RAGATE_CONCURRENCY={} RAGATE_TIMEOUT_S={}",
            CALL_SHARE,
        ),
        passes=session.adopted + plan.selection.runs,
        any_failure=plan.recording is not None,
        whole=setup.whole,
    )


def _share(baseline: Run | None, n: int, max_unscored: float) -> float:
    if baseline is None:
        return max_unscored
    from ragate.core.rules.unscored import share_allowed

    lost = sum(not is_measured(record.output) for record in baseline.records)
    runs = n * baseline.manifest.runs
    asked = max(len(baseline.records), 1)
    return share_allowed(n, lost=round(lost / asked * runs), runs=runs, max_unscored=max_unscored)
