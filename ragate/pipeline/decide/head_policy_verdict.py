"""The verdict by the change's own rules, from the outputs that the gate's verdict rests on.

It is shown and never decides. The system is asked only for samples that are new, and the judge only
about these; code and addresses that the base does not name are not used.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from ragate import plugins
from ragate.config import Config
from ragate.core.hashing import content_hash
from ragate.errors import ConfigError, RagateError
from ragate.models import Proposed, Sample
from ragate.pipeline.decide.compare_and_decide import compare_and_decide, refuse_expired_waivers
from ragate.pipeline.decide.gate_setup import GateSetup, load_baseline_or_none, load_samples
from ragate.pipeline.run.collect_pass import Outputs
from ragate.pipeline.run.collected_outputs import Collected
from ragate.pipeline.run.system_session import MUST_PASS_TRIES, Selection
from ragate.pipeline.score.scorer import open_scorer
from ragate.runtime.output_spool import Spool
from ragate.runtime.resources import Opened
from ragate.support.spill import Spill

Ask = Callable[[Sequence[Sample], int], Awaitable[Outputs]]


@dataclass(frozen=True)
class Proposal:
    """What the change proposes.

    Attributes:
        config: The change's own configuration, as its files are.
        differs: What is not the same as in the base, in words.
        same_judge: The judge, its prompt and its provider are the base's.
    """

    config: Config
    differs: tuple[str, ...]
    same_judge: bool = True


@dataclass(frozen=True)
class Difference:
    """The proposed golden set against the base's."""

    kept: Sequence[Sample]
    new: tuple[Sample, ...]
    added: tuple[str, ...]
    edited: tuple[str, ...]
    removed: tuple[str, ...]


async def propose(
    proposal: Proposal,
    case: GateSetup,
    opened: Opened,
    collected: Collected,
    selection: Selection,
    *,
    ask: Ask,
    most_judged: int | None = None,
) -> Proposed:
    """Return the proposed verdict; what is wrong with the proposal is told in it.

    Args:
        ask: Gives the outputs of new samples in one pass.
        most_judged: New samples that the judge is asked about; the rest is unscored.
    """
    found = Proposed(differs=proposal.differs)
    try:
        _refuse_foreign(proposal.config, case.config)
        refuse_expired_waivers(proposal.config, case.today)
        samples = load_samples(proposal.config, selection)
        changes = difference(case.samples, samples)
        found = found.model_copy(
            update={
                "added": changes.added,
                "edited": changes.edited,
                "removed": changes.removed,
            }
        )
        passes = await _passes(changes, collected, ask)
        ready = Collected(collected.manifest, passes)
        judged = {sample.id for sample in changes.new[:most_judged]}
        return await _decide(proposal, case, opened, ready, samples, judged, selection, found)
    except RagateError as error:
        return found.model_copy(update={"note": error.message})
    except Exception as error:  # noqa: BLE001 - files of a stranger; the gate's verdict stands
        return found.model_copy(update={"note": f"unexpected {type(error).__name__}: {error}"})


def difference(then: Sequence[Sample], now: Sequence[Sample]) -> Difference:
    """Compare two golden sets, sample by sample."""
    before = {sample.id: content_hash(sample) for sample in then}
    after = {sample.id: content_hash(sample) for sample in now}
    kept = Spill(Sample, (one for one in now if before.get(one.id) == after[one.id]))
    return Difference(
        kept=kept,
        new=tuple(one for one in now if before.get(one.id) != after[one.id]),
        added=tuple(one.id for one in now if one.id not in before),
        edited=tuple(one.id for one in now if before.get(one.id, after[one.id]) != after[one.id]),
        removed=tuple(key for key in before if key not in after),
    )


async def _passes(changes: Difference, collected: Collected, ask: Ask) -> list[Outputs]:
    """Return the gate's passes with the new samples in them; must-pass ones get their tries."""
    passes: list[Outputs] = []
    tries = [sample for sample in changes.new if sample.must_pass]
    widest = max((len(outputs) for outputs in collected.passes), default=0)
    for run, outputs in enumerate(collected.passes):
        joined = Spool()
        for sample in changes.kept:
            if sample.id in outputs:
                joined[sample.id] = outputs[sample.id]
        new = list(changes.new) if len(outputs) == widest else tries
        joined.update(await ask(new, run) if new else {})
        passes.append(joined)
    while tries and len(passes) < MUST_PASS_TRIES:
        passes.append(await ask(tries, len(passes)))
    return passes


async def _decide(
    proposal: Proposal,
    case: GateSetup,
    opened: Opened,
    collected: Collected,
    samples: Sequence[Sample],
    new: set[str],
    selection: Selection,
    found: Proposed,
) -> Proposed:
    # Addresses and keys stay the base's: the judge is its judge, or none.
    policy = proposal.config.policy.model_copy(update={"judge": case.config.policy.judge})
    config = proposal.config.model_copy(update={"policy": policy})
    baseline = load_baseline_or_none(config)
    async with open_scorer(
        config,
        opened,
        samples,
        baseline,
        retrieval_only=selection.retrieval_only,
        skip=selection.filters.skip,
        eval_date=selection.eval_date,
        environment=case.operations.environment,
        unjudged="" if proposal.same_judge else "the change brings another judge",
        may_ask=lambda sample: sample.id in new,
    ) as scorer:
        run = await scorer.score(collected)
    judged = compare_and_decide(config, samples, baseline, run, today=case.today).with_notes(scorer)
    decision = judged.decision
    return found.model_copy(
        update={
            "verdict": decision.verdict,
            "reasons": decision.reasons,
            "warnings": decision.warnings,
            "metrics": decision.metrics,
        }
    )


def _refuse_foreign(config: Config, base: Config) -> None:
    """Raise where the change names code for the gate itself that the base does not."""
    known = {rule.metric for rule in base.policy.metrics}
    for rule in config.policy.metrics:
        name, _ = plugins.split_metric(rule.metric)
        if rule.metric not in known and not plugins.is_builtin("metrics", name):
            raise ConfigError(f"the metric {rule.metric} is code that the base does not name")
