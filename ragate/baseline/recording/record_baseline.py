"""Recording a baseline: K fresh runs, never one that was judged against the old baseline."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

from ragate import plugins
from ragate.answers.earlier_passes import evidence_key
from ragate.answers.golden_set import golden_set
from ragate.answers.run_profile import Selection
from ragate.answers.system_session import Session
from ragate.baseline.recording.refuse_losses import (
    FAILED,
    accepted_by_hand,
    fails_too_often,
    refuse_unknown,
)
from ragate.baseline.recording.refuse_recording import (
    refuse_left_out,
    refuse_missing,
    refuse_unmeasured,
)
from ragate.baseline.recording.write_baseline import (
    BaselineOutcome,
    BaselineUpdate,
    readable_baseline,
    write_baseline,
)
from ragate.config import CONFIG_NAME, Config
from ragate.core.text.wording import listed
from ragate.errors import ConfigError, DatasetError, NotReadyError, ProviderError, RagateError
from ragate.extension import extensions, hooked_provider, loaded, system_hooks
from ragate.files.atomic_files import write_atomic
from ragate.files.foreign_files import first_bytes
from ragate.gate.compare_and_decide import unread_runs
from ragate.gate.gate_setup import GateSetup
from ragate.gate.id_advice import id_advice
from ragate.installed import install_line
from ragate.models import Acceptance, Run, Sample
from ragate.protocols import Aggregate, Metric
from ragate.resources.operations import Operations
from ragate.resources.resources import Opened
from ragate.run.one_run import run_gate
from ragate.run.plan import RecordingMark, RunPlan, Source, Stop
from ragate.run.resume import finished_outputs, is_recent
from ragate.run.sources import SystemSource
from ragate.scoring.open_judge import JudgeReadiness
from ragate.scoring.policy_metrics import inapplicable_gates, judged_metrics, make_metrics
from ragate.scoring.scorer import Scorer
from ragate.spans import finished
from ragate.stores import OUTPUTS
from ragate.stores.local import LocalStore, new_run_id, save_run
from ragate.stores.run_outputs import mend_outputs
from ragate.version import MANUAL


async def update_baseline(
    config: Config,
    operations: Operations,
    *,
    runs: int | None = None,
    accepted: Sequence[Acceptance] = (),
    eval_date: str = "",
    accept: Collection[str] = (),
    source: Source | None = None,
) -> BaselineUpdate:
    """Record `runs` fresh passes over the whole golden set and write the baseline file.

    The system builds its index anew for every pass where it builds one. The runs are written whole:
    whoever keeps the better of two recordings moves the goal. The file keeps its bytes where they
    say the same.

    Args:
        accepted: Drops that were accepted on the way here; the file names them.
        eval_date: What ``{today}`` in a question stands for, "" for today.
        accept: What else may be lost, or wrong with the runs, by name.
        source: Who is asked: the system itself, or workers that have it.

    Raises:
        DatasetError: expected documents are not in the corpus; the file is left as it is.
        RagateError: nothing, or too little, could be measured, or something was lost that nobody
            accepted; the file is left as it is.
    """
    samples = golden_set(config)
    refuse_unknown(config, samples, accept)
    runs = config.policy.runs if runs is None else runs
    selection = Selection(runs=runs, eval_date=eval_date)
    old = readable_baseline(config)
    plan = RunPlan(config, operations, source or SystemSource(), selection, "baseline update")
    setup, mark = GateSetup(config, samples, old), recording_of(operations.state)
    plan = replace(plan, stop=Stop.SCORED, setup=setup, recording=mark)
    result = await run_gate(replace(plan, takes_failures=FAILED in accept))
    session, run = result.session, result.run
    if fails_too_often(run, kinds={"system"}):
        # What made it fail may be mended outside of git: nothing of it is taken over next time.
        forget_recording(operations.state)
    refuse_unmeasured(config, run)
    save_run(operations, run)
    finished(run)
    advice = id_advice(config.root, config.system, samples, run)
    update = write_baseline(
        config,
        samples,
        run,
        old,
        accepted=(*accepted, *accepted_by_hand(accept, run.manifest.commit)),
        advice=advice,
        whole=session.collected.whole,
    )
    warnings = [f"{advice.message}\n  -> {advice.remedy}"] if advice is not None else []
    for line in (*warnings, *unread_runs(run)):
        operations.say(f"warning: {line}")
    forget_recording(operations.state)
    fresh = update.outcome is not BaselineOutcome.UNCHANGED
    for each in extensions():
        for path in each.after_recording:
            loaded(each, path)(config, session.system, fresh)
    return update


# The recording of a baseline as a run; one that was interrupted asks nothing again.


RECORDING_FILE = "recording"


class FreshRecording:
    """What is refused before an answer is paid for, and what an interrupted recording had."""

    def __init__(self, plan: RunPlan, setup: GateSetup) -> None:
        if plan.recording is None:
            raise AssertionError("a run that records no baseline")
        self._plan, self._setup, self._mark = plan, setup, plan.recording

    async def opening(self, opened: Opened) -> None:
        """See that the judge, and the model that answers, can be asked."""
        plan, setup = self._plan, self._setup
        await look_before_recording(
            plan.config,
            plan.operations,
            opened,
            setup.samples,
            setup.baseline,
            resumed=bool(self._mark.run_id),
        )

    async def opened(self, session: Session, scorer: Scorer) -> None:
        """Refuse what would make no baseline, and take over what an interrupted recording had."""
        config, samples, mark = self._plan.config, self._setup.samples, self._mark
        manifest = session.collected.manifest
        if manifest.missing_documents:
            refuse_missing(manifest.missing_documents, await session.system.documents())
        refuse_left_out(scorer.left_out)
        system, selection = session.system.info, self._plan.selection
        commit = session.ready.head
        state = evidence_key(
            config, samples, system, selection, commit=commit, clean=manifest.clean
        )
        # What stands around a system has to see each of its calls.
        known = "" if system_hooks(config) else state
        if count := restore_answers(session, samples, mark, known):
            session.operations.say(
                f"{count} answers of the recording that was interrupted are kept"
            )
        note_progress(session, mark, state)


def recording_of(state_folder: Path) -> RecordingMark:
    """Return the recording that was interrupted there, or a new one, which is noted."""
    path = state_folder / RECORDING_FILE
    try:
        lines = first_bytes(path, 1000).decode("ascii").split()
    except (OSError, ValueError):
        lines = []
    if lines and len(lines[0]) <= 100:
        return RecordingMark(*lines[:3])
    begun = RecordingMark(new_run_id())
    write_atomic(path, begun.name.encode())
    return begun


def note_progress(session: Session, recording: RecordingMark, state: str) -> None:
    """Note where the outputs of this recording are from now on, and of which state they are."""
    lines = (
        [recording.name, state, session.collected.manifest.run_id] if state else [recording.name]
    )
    write_atomic(session.operations.state / RECORDING_FILE, "\n".join(lines).encode())


def forget_recording(state_folder: Path) -> None:
    """Note that the recording came to its end."""
    (state_folder / RECORDING_FILE).unlink(missing_ok=True)


def restore_answers(
    session: Session, samples: Sequence[Sample], recording: RecordingMark, state: str
) -> int:
    """Take over the answers of the interrupted recording of `state`; return their number.

    What a provider left unanswered is asked again.
    """
    if not state or recording.state != state or session.system.max_runs is not None:
        return 0
    try:
        path = LocalStore(session.operations.state).folder(recording.run_id) / OUTPUTS
        if not is_recent(path):
            return 0
        mend_outputs(path)  # its last line may be cut off
        answered = finished_outputs(path, samples)
    except RagateError:
        return 0
    session.restore(samples, answered)
    return sum(map(len, answered))


# What a recording is sure to need is looked at before anything of it is started or paid for.


async def look_before_recording(
    config: Config,
    operations: Operations,
    opened: Opened,
    samples: Sequence[Sample],
    old: Run | None,
    *,
    resumed: bool,
) -> None:
    """See that the judge, and the model that answers, can be asked.

    Args:
        old: The baseline that is there: it may hold every judgement.
        resumed: A recording that was interrupted goes on: it may hold every answer.

    Raises:
        ConfigError: a library is missing.
        DatasetError: no gated metric can be measured on any sample.
        NotReadyError: a key is not set or refused, or a server is out of reach.
    """
    metrics = make_metrics(config, samples, states={})
    _look_at_samples(config, operations, metrics, samples)
    judge = config.policy.judge
    if judge is not None and not _may_know_judgements(opened, old):
        names = [metric.info.name for metric in judged_metrics(metrics)]
        await _look_at_judge(config, JudgeReadiness(config, judge, opened, names, recording=True))
    _refuse_missing_library(config)
    provider = "" if resumed else answering_provider(config, operations)
    if not provider:
        return
    try:
        await opened.reach(provider)
    except ProviderError as error:
        raise NotReadyError(
            f"{error.message}; no answer can be recorded",
            remedy=f"{error.remedy}; the baseline is unchanged",
        ) from error


async def _look_at_judge(config: Config, readiness: JudgeReadiness) -> None:
    """Look at the judge; where the system is started first, its server may come up with it."""
    if not config.system.settings.get("start"):
        await readiness.look()
    elif readiness.needed and (lack := readiness.lack()) is not None:
        raise lack


def answering_provider(config: Config, operations: Operations) -> str:
    """Return the provider that fresh answers come from through ragate, "" where none does.

    A recorder that may or can ask nobody says so itself.
    """
    settings = config.system.settings
    if name := hooked_provider(config):
        unset = config.policy.unset_key(name, operations.environment)
        return "" if unset or operations.offline else name
    if config.system.use == "mcp":
        sampling = settings.get("sampling")
        asked = str(sampling.get("provider", "")) if isinstance(sampling, dict) else ""
        return asked if asked in config.policy.providers else ""
    table = settings.get("answer")
    if not plugins.traits(config.system.use).counted or not isinstance(table, dict):
        return ""
    answering = str(table.get("provider", "")) if table.get("use") == "chat" else ""
    return answering if answering in config.policy.providers else ""


def _look_at_samples(
    config: Config,
    operations: Operations,
    metrics: Sequence[Metric | Aggregate],
    samples: Sequence[Sample],
) -> None:
    """Raise where no gated metric could be measured on any sample; say which one could not."""
    lost = inapplicable_gates(config, metrics, samples)
    if not lost:
        return
    gated = [rule.metric for rule in config.policy.metrics if rule.level == "error"]
    message = f"{config.policy.dataset}: no sample has what {listed(lost)} needs"
    remedy = "give samples `relevant` documents or `references`"
    if len(lost) == len(gated):
        others = f"{remedy}, or set another metric to error: {MANUAL}/metrics.md"
        raise DatasetError(message, remedy=f"{others}; the baseline is unchanged")
    operations.say(
        f"warning: {message}, and `check` decides nothing without it; {remedy}, or let it only "
        f'warn: level = "warn" in {CONFIG_NAME}'
    )


def _refuse_missing_library(config: Config) -> None:
    """Raise where the reranker cannot run: it comes after embeddings that were paid for."""
    table = config.system.settings.get("rerank")
    local = isinstance(table, dict) and table.get("use") == "cross_encoder"
    if local and not plugins.is_installed("sentence_transformers"):
        raise ConfigError(
            '[system.rerank] use = "cross_encoder" needs a library: sentence_transformers is not '
            "installed",
            remedy=install_line("local"),
        )


def _may_know_judgements(opened: Opened, old: Run | None) -> bool:
    judged = old is not None and old.manifest.judge is not None
    return judged or opened.cache.info().rows["verdicts"] > 0
