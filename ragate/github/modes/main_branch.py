"""Modes ``baseline`` and ``record``: the default branch's own, and a look at it once a night."""

import asyncio

from ragate.baseline import dump_baseline, recorded_before
from ragate.config import Config, load_config
from ragate.errors import RagateError, UsageError
from ragate.github.commits.base_commit import base_of
from ragate.github.gate.acceptances import accepted_on_the_way, outputs_digest
from ragate.github.gate.left_result import LeftResult, write_result
from ragate.github.gate.step_context import ModeOutcome, StepContext, refuse_code
from ragate.github.modes.check import run_check
from ragate.github.modes.push_range import merges_of
from ragate.github.modes.recorded_files import baseline_paths, hand_over, take_over
from ragate.github.modes.recording_due import why_due
from ragate.github.publish.target import Announce
from ragate.github.rest.authors import without_own
from ragate.github.rest.commit_files import commit_or_propose
from ragate.github.rest.repository import login_of
from ragate.models import Acceptance, Reads, Run
from ragate.pipeline.baseline.baseline_from_run import with_run
from ragate.pipeline.baseline.record_baseline import update_baseline
from ragate.pipeline.baseline.write_baseline import BaselineOutcome
from ragate.pipeline.decide.gate_setup import load_baseline_or_none
from ragate.stores.local import LocalStore
from ragate.support.atomic_files import write_atomic

# A baseline learns its noise from so many times the runs that the policy asks for.
MOST_TIMES = 2
KEPT = "kept"
RECORDED = "recorded"


def run_baseline(context: StepContext, announce: Announce) -> ModeOutcome:
    """Record the baseline where the merge changed what it holds; at night, add a run to it.

    Mode ``record`` leaves the files to a later job, where mode ``baseline`` commits them.

    Raises:
        UsageError: this is not the default branch.
        RagateError: nothing, or too little, could be measured; nothing is committed.
    """
    event, root = context.event, context.root()
    if event.ref != f"refs/heads/{event.default_branch}":
        raise UsageError(
            f"mode {context.inputs.mode} runs on the default branch {event.default_branch!r}, "
            f"this is {event.ref!r}",
            remedy="start it on: push: branches: [main], or on: schedule",
        )
    head = base_of(event, root).head
    config = load_config(context.config_path)
    context.hide(config)
    if context.inputs.mode == "baseline" and context.inputs.outputs_path:
        return _taken_over(context, config, head)
    refuse_code(config, context.inputs)
    baseline = load_baseline_or_none(config)
    why = why_due(context, config, baseline, root, head)
    if not why and event.name == "schedule" and baseline is not None:
        return _night(context, announce, config, baseline)
    if not why:
        context.log.plain("nothing changed that the baseline holds: it is kept, without a call")
        return ModeOutcome(ended_as=KEPT)
    context.log.plain(f"recording the baseline: {why}")
    return _record(context, config, head)


def _record(context: StepContext, config: Config, head: str) -> ModeOutcome:
    operations = context.operations(commit=head)
    taken = _accepted(context, config, head)
    recording = asyncio.run(update_baseline(config, operations, accepted=taken))
    _leave(context, config, recording.run, head)
    if recording.outcome in (BaselineOutcome.UNCHANGED, BaselineOutcome.WITHIN_NOISE):
        context.log.plain(recording.note or "the baseline is the same, byte for byte")
        return ModeOutcome(ended_as=KEPT)
    return _written(context, config, head, f"Baseline of {config.gate} at {head[:7]}")


def _night(context: StepContext, announce: Announce, config: Config, baseline: Run) -> ModeOutcome:
    """Compare a fresh run with the baseline; where it fits, the baseline knows one run more."""
    outcome = run_check(context, announce)
    report = outcome.report
    runs = baseline.manifest.runs
    if report is None or report.decision.exit_code != 0 or not report.run_id:
        return outcome
    exact = Reads.ANSWER in baseline.manifest.system.deterministic
    # The contexts beside the file are of the runs that were recorded together.
    keeps_contexts = config.policy.store == "full"
    if exact or keeps_contexts or runs >= MOST_TIMES * config.policy.runs:
        return outcome
    store = LocalStore(context.operations().state)
    fresh = store.load(store.folder(report.run_id))
    try:
        extended = with_run(baseline, fresh)
    except RagateError as error:
        context.log.warning(f"the run was not added to the baseline: {error.message}")
        return outcome
    recorded = recorded_before(baseline)
    data = dump_baseline(extended, store=config.policy.store, recorded=recorded)
    write_atomic(config.baseline, data)
    _written(context, config, report.head, f"Baseline of {config.gate}: run {runs + 1}")
    return outcome


def _taken_over(context: StepContext, config: Config, head: str) -> ModeOutcome:
    """Commit what an earlier job of this workflow recorded; nothing is run, and nothing judged."""
    if take_over(context, config):
        return _written(context, config, head, f"Baseline of {config.gate} at {head[:7]}")
    context.log.plain("nothing was recorded: the baseline is kept")
    return ModeOutcome(ended_as=KEPT)


def _written(context: StepContext, config: Config, head: str, message: str) -> ModeOutcome:
    """Commit the baseline's files; without a token they stay in the workspace."""
    if context.inputs.mode == "record":
        folder = hand_over(context, config)
        context.log.plain(f"recorded, for the job that commits it: {folder.name}")
        return ModeOutcome(ended_as=RECORDED)
    if context.repository is None:
        context.log.plain(f"{config.policy.baseline} is written; no token, so nothing is committed")
        return ModeOutcome(ended_as=RECORDED)
    location = context.location(context.root())
    files: dict[str, bytes] = {}
    for path in baseline_paths(config):
        if path.is_file():
            files[location.at(path.relative_to(config.rules_root).as_posix())] = path.read_bytes()
    branch = context.event.default_branch
    written = commit_or_propose(context.repository, branch, head, files, message, gate=config.gate)
    context.log.plain(written.sentence)
    if not written.commit:
        return ModeOutcome(ended_as=KEPT)
    # A commit made with the workflow's token starts no workflow, so nobody else tells.
    status, page = f"ragate/{config.gate}", context.event.run_url
    context.repository.set_status(written.commit, "success", status, written.sentence, page)
    return ModeOutcome(ended_as=RECORDED)


def _accepted(context: StepContext, config: Config, head: str) -> tuple[Acceptance, ...]:
    """Return what was accepted in the pull requests that this push merged."""
    repository = context.repository
    if repository is None:
        return ()
    try:
        bot = login_of(repository.api)
        commits = merges_of(context, repository, head)
        pulls = [pull for commit in commits for pull in repository.pulls_of_commit(commit)]
        accepted: list[Acceptance] = []
        for number in dict.fromkeys(int(pull["number"]) for pull in pulls if pull.get("merged_at")):
            authors = without_own(config.policy, repository, number)
            accepted += accepted_on_the_way(repository, number, config.gate, bot, without=authors)
        return tuple(accepted)
    except RagateError as error:
        context.log.warning(f"accepted drops could not be read: {error.message}")
        return ()


def _leave(context: StepContext, config: Config, run: Run, head: str) -> None:
    """Leave the recording as a result: it is the control of today's pull requests."""
    result = LeftResult(
        gate=config.gate,
        event=context.event.name,
        attempt=context.event.run_attempt,
        head=head,
        base=head,
        merged=head,
        verdict="passed",
        exit_code=0,
        run_id=run.manifest.run_id,
        outputs=outputs_digest(run),
    )
    folder = LocalStore(context.operations().state).folder(run.manifest.run_id)
    publish = config.policy.publish
    write_result(
        context.result_folder, result, run=folder, report=None, markdown="", publish=publish
    )
