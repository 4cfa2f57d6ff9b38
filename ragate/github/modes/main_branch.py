"""Modes ``baseline`` and ``record``: the default branch's own, and a look at it once a night."""

from __future__ import annotations

import asyncio
from pathlib import Path

from ragate.answers.golden_set import golden_set
from ragate.baseline import load_baseline, load_contexts
from ragate.baseline.recording.record_baseline import update_baseline
from ragate.baseline.recording.write_baseline import BaselineOutcome, with_run
from ragate.baseline.schema import baseline_paths, requests_path
from ragate.baseline.write import dump_baseline, recorded_before
from ragate.config import Config
from ragate.core.comparison.run_passes import asks_nothing_new
from ragate.core.hashing import content_hash
from ragate.errors import BaselineError, RagateError, StorageError, UsageError
from ragate.extension import extensions, loaded
from ragate.files.atomic_files import copy_atomic, write_atomic
from ragate.files.foreign_files import inside, read_bytes
from ragate.gate.gate_setup import load_baseline_or_none
from ragate.gate.unaffected_verdict import describe_system
from ragate.github.commits import git_objects
from ragate.github.commits.change import Base, base_of
from ragate.github.commits.changed_files import can_reach, files_between
from ragate.github.commits.commit_tree import Commits, policy_files
from ragate.github.gate.acceptances import accepted_on_the_way
from ragate.github.gate.base_rules import measures_alike
from ragate.github.gate.step_context import ModeOutcome, StepContext, refuse_code
from ragate.github.modes.check import head_config, run_check
from ragate.github.rest.repository import Repository, commit_or_propose, login_of, without_own
from ragate.models import Acceptance, Reads, Run
from ragate.stores.local import LocalStore

MOST_MERGES = 30
_TIMED = ("latency", "first_token")  # a baseline holds no times: they are of a machine
_NOTHING_ASKED = (
    "no model was asked, since the baseline holds every request: a model that changed is not seen "
    "at night, and the baseline gets no further run"
)
UNTOLD = "what the push changed cannot be told: no earlier commit, a forced push, or no token"
FOLDER = "ragate-baseline"
_MOST_BYTES = 512 * 1024**2
# A baseline learns its noise from so many times the runs that the policy asks for.
MOST_TIMES = 2
KEPT = "kept"
RECORDED = "recorded"


def run_baseline(context: StepContext) -> ModeOutcome:
    """Record the baseline where the merge changed what it holds; at night, add a run to it.

    Mode ``record`` leaves the files to a later job, where mode ``baseline`` commits them.

    Raises:
        UsageError: this is not the default branch.
        RagateError: nothing, or too little, could be measured; nothing is committed.
    """
    event = context.event
    if event.ref != f"refs/heads/{event.default_branch}":
        raise UsageError(
            f"mode {context.inputs.mode} runs on the default branch {event.default_branch!r}, "
            f"this is {event.ref!r}",
            remedy="start it on: push: branches: [main], or on: schedule",
        )
    head = base_of(event, context.root()).head
    config = head_config(context)
    context.hide(config)
    if context.inputs.mode == "baseline" and context.inputs.outputs_path:
        return _taken_over(context, config, head)
    refuse_code(config, context.inputs)
    baseline = load_baseline_or_none(config)
    why = why_due(context, config, baseline, head)
    if not why and event.name == "schedule" and baseline is not None:
        return _night(context, config, baseline)
    if not why:
        context.log.plain("nothing changed that the baseline holds: it is kept, without a call")
        return ModeOutcome(ended_as=KEPT)
    context.log.plain(f"recording the baseline: {why}")
    recorded = baseline.manifest.commit if baseline is not None else ""
    return _record(context, config, head, recorded=recorded)


def _record(context: StepContext, config: Config, head: str, *, recorded: str) -> ModeOutcome:
    operations = context.operations(commit=head)
    taken = _accepted(context, config, head, recorded=recorded)
    recording = asyncio.run(update_baseline(config, operations, accepted=taken))
    if recording.outcome is BaselineOutcome.UNCHANGED:
        context.log.plain("the baseline is the same, byte for byte")
        return ModeOutcome(ended_as=KEPT)
    return _written(context, config, head, f"Baseline of {config.gate} at {head[:7]}")


def _night(context: StepContext, config: Config, baseline: Run) -> ModeOutcome:
    """Compare a fresh run with the baseline; where it fits, the baseline knows one run more."""
    outcome = run_check(context)
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
    if asks_nothing_new(baseline, fresh):
        context.log.plain(_NOTHING_ASKED)
        return outcome
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
    files = {
        location.at(path.relative_to(config.rules_root).as_posix()): read_bytes(
            path, error=StorageError
        )
        for path in _written_paths(config)
    }
    branch = context.event.default_branch
    written = commit_or_propose(context.repository, branch, head, files, message, gate=config.gate)
    context.log.plain(written.sentence)
    if not written.commit:
        return ModeOutcome(ended_as=KEPT)
    # A commit made with the workflow's token starts no workflow, so nobody else tells.
    status, page = f"ragate/{config.gate}", context.event.run_url
    context.repository.set_status(written.commit, "success", status, written.sentence, page)
    return ModeOutcome(ended_as=RECORDED)


def _written_paths(config: Config) -> list[Path]:
    """Return the baseline's files, as far as there are any."""
    return [path for path in baseline_paths(config.baseline) if path.is_file()]


def _accepted(
    context: StepContext, config: Config, head: str, *, recorded: str
) -> tuple[Acceptance, ...]:
    """Return what was accepted in the pull requests that were merged since the baseline."""
    repository = context.repository
    if repository is None:
        return ()
    try:
        bot = login_of(repository.api)
        commits = merges_of(context, repository, head, recorded=recorded)
        pulls = [pull for commit in commits for pull in repository.pulls_of_commit(commit)]
    except RagateError as error:
        context.log.warning(f"accepted drops could not be read: {error.message}")
        return ()
    accepted: list[Acceptance] = []
    for number in dict.fromkeys(int(pull["number"]) for pull in pulls if pull.get("merged_at")):
        try:
            authors = without_own(config.policy, repository, number)
            accepted += accepted_on_the_way(repository, number, config.gate, bot, without=authors)
        except RagateError as error:
            context.log.warning(
                f"what was accepted in pull request {number} could not be read: {error.message}"
            )
    return tuple(accepted)


# A baseline's files on the way from the job that records it to the job that may commit it.
#
# What the system's code needs is installed in the first, which may write nothing; the second
# runs nothing but the action.


def hand_over(context: StepContext, config: Config) -> Path:
    """Copy the baseline's files to where the workflow takes them from; return the folder."""
    folder = context.project / (context.inputs.outputs_path or FOLDER)
    folder.mkdir(parents=True, exist_ok=True)
    for path in _written_paths(config):
        copy_atomic(path, folder / path.name)
    return folder


def take_over(context: StepContext, config: Config) -> bool:
    """Put recorded files in place of the baseline's; return whether there were any.

    Raises:
        BaselineError: one cannot be read as what it has to be; none is put in place.
    """
    where, given = "outputs-path", context.inputs.outputs_path
    folder = inside(context.project, given, where=where, error=BaselineError)
    found: dict[Path, bytes] = {}
    checks = [(each, check) for each in extensions() for check in each.checks_baseline]
    for path in baseline_paths(config.baseline):
        if path == requests_path(config.baseline) and not checks:
            continue  # nothing here knows what stands in it
        if (folder / path.name).exists():
            real = inside(folder, path.name, where=where, error=BaselineError)
            found[path] = read_bytes(real, error=BaselineError, max_bytes=_MOST_BYTES)
    if config.baseline not in found:
        return False
    recorded = folder / config.baseline.name
    load_baseline(recorded)
    load_contexts(recorded)
    for each, check in checks:
        loaded(each, check)(recorded)
    for path, content in found.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, content)
    return True


# Whether the default branch has to record its baseline anew, and why.


def why_due(context: StepContext, config: Config, baseline: Run | None, head: str) -> str:
    """Return what the baseline does not hold any more, "" where it is up to date."""
    if baseline is None:
        return "there is none yet"
    if baseline.manifest.merged is not None:
        return "it was merged of two recordings"
    hashes = {sample.id: content_hash(sample) for sample in golden_set(config)}
    if {record.sample_id: record.content_hash for record in baseline.records} != hashes:
        return "the golden set changed"
    gated = config.policy.gated
    units = {key: info.unit for key, info in baseline.manifest.metrics.items()}
    if new := sorted(name for name in gated - units.keys() if not name.startswith(_TIMED)):
        return f"it has no {new[0]}"
    nightly = context.event.name == "schedule"
    before = "" if nightly else _before(context, head)
    if not nightly and not before:
        return UNTOLD
    if not nightly and _measures_otherwise(context, config, before):
        return "the policy measures otherwise"
    info = asyncio.run(describe_system(config, context.operations(commit=head)))
    if info is not None and info.fingerprint:
        same = info.fingerprint == baseline.manifest.system.fingerprint
        return "" if same else "the system changed"
    return "" if nightly else _by_files(context, config, head, before)


def _measures_otherwise(context: StepContext, config: Config, before: str) -> bool:
    """Whether the push changed what is measured, or how: the judge, metrics, what is stored."""
    with context.scratch() as folder:
        try:
            tree = context.commits().tree(before)
            policy = policy_files(tree, context.location(context.root()), folder)
        except RagateError:
            return True
        return policy is None or not measures_alike(policy, config)


def _by_files(context: StepContext, config: Config, head: str, before: str) -> str:
    """Judge by the files of the push, where the system cannot tell what it is made of."""
    commits = context.commits()
    changed = _changed(commits, before, head)
    if changed is None:
        return UNTOLD
    location = context.location(commits.root)
    if location.path in changed:
        return f"{location.name} changed"
    patterns = config.policy.inputs
    base = Base(before, head, head, trusted=False)
    if patterns and not can_reach(changed, config, location, base, commits):
        return ""
    recorded = {location.at(config.policy.baseline)}
    if set(changed) <= recorded:
        return ""  # the commit with the baseline itself
    return "files of the system changed" if patterns else "[policy] inputs names no files"


# What a push to the default branch brought, from the commit that the branch was at before it: a
# push may bring many commits, and the last one's parent is in the middle of it.


def _before(context: StepContext, head: str) -> str:
    """Return the commit that the branch was at, "" where that cannot be told.

    By hand, the commit alone counts.
    """
    if context.event.name == "push":
        return context.event.before
    return next(iter(git_objects.parents(context.root(), head)), "")


def _changed(commits: Commits, before: str, head: str) -> list[str] | None:
    """Return the paths that differ from before the push; None where they cannot be told."""
    repository = commits.repository
    if commits.holding(before) is None and repository is not None:
        # GitHub compares with the common ancestor: after a forced push that is another commit.
        # https://docs.github.com/rest/commits/commits#compare-two-commits
        try:
            if not repository.is_ancestor(before, head):
                return None
        except RagateError:
            return None
    return files_between(commits, before, head)


def merges_of(
    context: StepContext, repository: Repository, head: str, *, recorded: str
) -> list[str]:
    """Return the commits put on the branch itself since the baseline, newest first, at most 30.

    Those of a merged branch are not among them. An earlier push may have recorded nothing: its
    workflow was cancelled, or failed. Where the baseline's commit is not in the branch it is what
    this push put there; after a forced push, or where nothing can be told, `head` alone.

    Args:
        recorded: The commit that the baseline was recorded at.

    Raises:
        GitHubApiError: a commit could not be read.
    """
    before, merges = context.event.before, [head]
    if before and not repository.is_ancestor(before, head):
        return merges
    if recorded and repository.is_ancestor(recorded, head):
        before = recorded
    while before and len(merges) < MOST_MERGES:
        older = next(iter(repository.commit(merges[-1]).parents), before)
        if older == before or repository.is_ancestor(older, before):
            break
        merges.append(older)
    return merges
