"""Outputs that are there already: `decide` judges them, and nothing of the system runs."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ragate.config import Config
from ragate.errors import UsageError
from ragate.models import Filters, Report, Run, Sample
from ragate.outputs.mapping import RecordMapping
from ragate.outputs.outputs_file import read_header, written_by_ragate
from ragate.pipeline.decide.final_verdict import final_verdict
from ragate.pipeline.decide.gate_report import stored_report
from ragate.pipeline.decide.gate_setup import load_samples, read_gate_setup
from ragate.pipeline.decide.head_policy_verdict import Ask, Proposal, propose
from ragate.pipeline.decide.untrusted_claims import distrust
from ragate.pipeline.run.collect_pass import Outputs
from ragate.pipeline.run.collected_outputs import (
    Collected,
    line_mapping,
    read_collected,
    save_collected,
)
from ragate.pipeline.run.relative_dates import date_of
from ragate.pipeline.run.selection import Selection
from ragate.pipeline.score.open_scorer import open_scorer
from ragate.pipeline.shards.held_back import held_back
from ragate.pipeline.shards.merge import ShardMerge
from ragate.runtime.operations import Operations
from ragate.runtime.resources import open_resources
from ragate.runtime.run_labels import noted
from ragate.stores.local import new_run_id
from ragate.stores.postgres.open_store import reach_store
from ragate.support.spans import Spanned, spanned

# A stranger's questions are judged with our key: so many of them, for a verdict that is only shown.
MOST_JUDGED = 200


@spanned(Spanned.RUN, command="decide")
async def decide_outputs(
    config: Config,
    operations: Operations,
    selection: Selection,
    paths: Sequence[Path],
    *,
    control: Run | None = None,
    save_outputs: Path | None = None,
    proposal: Proposal | None = None,
    judge_last: bool = False,
    foreign: bool = False,
    shards: ShardMerge | None = None,
) -> Report:
    """Judge stored outputs against the baseline; runs nothing of the system.

    `proposal` and `judge_last` are as in `check`.

    Args:
        foreign: The outputs come from a job that is not trusted.
        shards: The files are these shards of one plan; what they lack leaves no pass.
    """
    started = time.monotonic()
    reach_store(operations.runs_url)
    setup = read_gate_setup(config, selection.filters, control=control)
    files = _Files(paths, selection, line_mapping(config), shards)
    collected = files.read(setup.samples)
    refuse_other_system(config, collected)
    hint_at_filters(operations, collected, selection)
    if foreign:
        collected = distrust(collected, setup.baseline)
    collected.manifest = collected.manifest.amended(
        run_id=new_run_id(),
        commit=operations.commit or collected.manifest.commit,
        filters=selection.filters,
        retrieval_only=selection.retrieval_only,
        earlier=() if foreign else collected.manifest.earlier,
        confirm=0,  # files hold what they hold: one look
    )
    collected.manifest = noted(collected.manifest, operations.labels)
    if save_outputs is not None:
        save_collected(save_outputs, collected, setup.samples)
    async with (
        open_resources(config, operations) as opened,
        open_scorer(setup.scoring(opened, operations, selection)) as scorer,
    ):
        decided = await final_verdict(setup, scorer, collected, judge_last=judge_last)
        if shards is not None:
            decided = held_back(decided, shards, setup.samples)
        proposed = None
        if proposal is not None:
            ask = _from_files(proposal, files)
            most_judged = MOST_JUDGED if foreign else None
            proposed = await propose(
                proposal, setup, scorer.plan, collected, ask=ask, most_judged=most_judged
            )
            decided = replace(decided, tally=opened.tally)
    return stored_report(operations, decided, started=started, proposed=proposed)


@dataclass(frozen=True)
class _Files:
    """Stored outputs, and how they are read."""

    paths: Sequence[Path]
    selection: Selection
    mapping: RecordMapping
    shards: ShardMerge | None

    def read(self, samples: Sequence[Sample]) -> Collected:
        selection, shards = self.selection, self.shards
        if shards is None:
            refuse_shards(self.paths)
        collected = read_collected(
            shards.paths if shards is not None else self.paths,
            samples,
            top_k=selection.top_k,
            retrieval_only=selection.retrieval_only,
            mapping=self.mapping,
            parts=shards,
        )
        if shards is not None:
            shards.refuse_half()
            collected.manifest = shards.manifest(samples)
        return collected


def _from_files(proposal: Proposal, files: _Files) -> Ask:
    """Return what gives the outputs of proposed samples: the same files, read for them."""
    passes: list[Outputs] = []

    async def ask(samples: Sequence[Sample], run: int) -> Outputs:
        if not passes:
            head_samples = load_samples(proposal.config, files.selection.filters)
            passes.extend(files.read(head_samples).passes)
        held = passes[run] if run < len(passes) else {}
        return {sample.id: held[sample.id] for sample in samples if sample.id in held}

    return ask


async def score_outputs(config: Config, operations: Operations, path: Path) -> Run:
    """Return the scored run of one outputs file, over the whole golden set."""
    setup = read_gate_setup(config, Filters())
    refuse_shards([path])
    collected = read_collected([path], setup.samples, mapping=line_mapping(config))
    refuse_other_system(config, collected)
    async with (
        open_resources(config, operations) as opened,
        open_scorer(setup.scoring(opened, operations, Selection())) as scorer,
    ):
        return await scorer.score(collected)


def refuse_shards(paths: Sequence[Path]) -> None:
    """Raise for a shard that is to be judged as a whole run: what others hold would be missed."""
    for path in paths:
        header = read_header(path) if written_by_ragate(path) else None
        if header is not None and header.shard is not None:
            name = f"{header.shard.number}/{header.shard.of}"
            raise UsageError(
                f"{path}: shard {name} of a plan, not a whole run",
                remedy="judge it with the others: ragate decide --plan, or the action's `shards`",
            )


def refuse_other_system(config: Config, collected: Collected) -> None:
    """Raise where the outputs come from a kind of system that the policy does not name."""
    use = collected.manifest.system.use
    if use not in config.policy.systems:
        raise UsageError(
            f"the outputs come from a {use!r} system; [policy] systems = "
            f"{list(config.policy.systems)}",
            remedy=f"collect them from one of these, or add {use!r} to the policy first",
        )


def hint_at_filters(operations: Operations, collected: Collected, selection: Selection) -> None:
    """Say where the outputs are fewer on purpose: what a file says of itself decides nothing."""
    manifest = collected.manifest
    bare = manifest.retrieval_only
    if manifest.filters != selection.filters or bare != selection.retrieval_only:
        operations.say(
            "the outputs were collected with other filters (--ids, --tags, --where, --limit, "
            "--skip, --profile, --retrieval-only): give `decide` the same, or what is not there "
            "counts as unmeasured"
        )
    date = manifest.eval_date
    if date and date != date_of(selection.eval_date):
        operations.say(
            f"the outputs were collected as of {date}: `decide --eval-date {date}` lets a judge "
            "read the questions so"
        )
