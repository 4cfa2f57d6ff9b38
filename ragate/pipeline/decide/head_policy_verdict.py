"""The verdict by the change's own rules, from the outputs that the gate's verdict rests on.

It is shown and never decides. The system is asked only for samples that are new, and the judge only
about these; code and addresses that the base does not name are not used.
"""

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, replace

from ragate import plugins
from ragate.config import Config
from ragate.core.comparison.sample_matching import renamed_ids
from ragate.core.hashing import content_hash
from ragate.errors import ConfigError, RagateError
from ragate.models import Proposed, Sample
from ragate.pipeline.decide.compare_and_decide import compare_and_decide
from ragate.pipeline.decide.gate_setup import (
    GateSetup,
    load_baseline_or_none,
    load_samples,
    refuse_expired_waivers,
)
from ragate.pipeline.run.collected_outputs import Collected
from ragate.pipeline.score.scorer import ScoringPlan, open_scorer
from ragate.runtime.output_spool import Outputs, Spool
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
    renamed: dict[str, str]
    released: tuple[str, ...]


async def propose(
    proposal: Proposal,
    setup: GateSetup,
    plan: ScoringPlan,
    collected: Collected,
    *,
    ask: Ask,
    most_judged: int | None = None,
) -> Proposed:
    """Return the proposed verdict; what is wrong with the proposal is told in it.

    Args:
        setup, plan: The gate's own.
        ask: Gives the outputs of new samples in one pass.
        most_judged: New samples that the judge is asked about; the rest is unscored.
    """
    proposed = Proposed(differs=proposal.differs)
    try:
        refuse_foreign(proposal.config, {rule.metric for rule in setup.config.policy.metrics})
        refuse_expired_waivers(proposal.config, setup.today)
        samples = load_samples(proposal.config, plan.selection.filters)
        changes = difference(setup.samples, samples)
        proposed = proposed.amended(
            added=changes.added,
            edited=changes.edited,
            removed=changes.removed,
            renamed=changes.renamed,
            released=changes.released,
        )
        passes = await _passes(changes, collected, ask, tries=proposal.config.policy.tries)
        # Addresses and keys stay the base's: the judge is its judge, or none.
        policy = proposal.config.policy.amended(judge=setup.config.policy.judge)
        config = proposal.config.amended(policy=policy)
        head_setup = GateSetup(config, samples, load_baseline_or_none(config), today=setup.today)
        may_judge = {sample.id for sample in changes.new[:most_judged]}
        head_plan = replace(
            plan,
            config=config,
            samples=samples,
            baseline=head_setup.baseline,
            unjudged="" if proposal.same_judge else "the change brings another judge",
            may_ask=lambda sample: sample.id in may_judge,
        )
        async with open_scorer(head_plan) as scorer:
            run = await scorer.score(Collected(collected.manifest, passes))
        decided = compare_and_decide(head_setup, run).with_notes(scorer)
    except RagateError as error:
        return proposed.amended(note=error.message)
    except Exception as error:  # noqa: BLE001 - files of a stranger; the gate's verdict stands
        note = f"unexpected {type(error).__name__}: {error}"
        return proposed.amended(note=note)
    decision = decided.decision
    return proposed.amended(
        failing=decided.failing(sample.id for sample in changes.new),
        verdict=decision.verdict,
        reasons=decision.reasons,
        warnings=decision.warnings,
        metrics=decision.metrics,
    )


def difference(base: Sequence[Sample], head: Sequence[Sample]) -> Difference:
    """Compare two golden sets, sample by sample."""
    before = {sample.id: content_hash(sample) for sample in base}
    after = {sample.id: content_hash(sample) for sample in head}
    renamed = renamed_ids(before, after)
    required = {renamed.get(sample.id, sample.id) for sample in base if sample.must_pass}
    unchanged = Spill(
        Sample, (sample for sample in head if before.get(sample.id) == after[sample.id])
    )
    return Difference(
        kept=unchanged,
        new=tuple(sample for sample in head if before.get(sample.id) != after[sample.id]),
        added=tuple(key for key in after if key not in before and key not in renamed.values()),
        edited=tuple(key for key in after if before.get(key, after[key]) != after[key]),
        removed=tuple(key for key in before if key not in after and key not in renamed),
        renamed=renamed,
        released=tuple(
            sample.id for sample in head if sample.id in required and not sample.must_pass
        ),
    )


async def _passes(
    changes: Difference, collected: Collected, ask: Ask, *, tries: int
) -> list[Outputs]:
    """Return the gate's passes with the new samples in them; must-pass ones get their tries."""
    passes: list[Outputs] = []
    must_pass = [sample for sample in changes.new if sample.must_pass]
    widest = max((len(outputs) for outputs in collected.passes), default=0)
    for run, outputs in enumerate(collected.passes):
        joined = Spool()
        for sample in changes.kept:
            if sample.id in outputs:
                joined[sample.id] = outputs[sample.id]
        new = list(changes.new) if len(outputs) == widest else must_pass
        joined.update(await ask(new, run) if new else {})
        passes.append(joined)
    while must_pass and len(passes) < tries:
        passes.append(await ask(must_pass, len(passes)))
    return passes


def refuse_foreign(config: Config, of_base: Collection[str]) -> None:
    """Raise where the change names code for the gate itself that the base does not.

    Args:
        of_base: The base's metrics.
    """
    for rule in config.policy.metrics:
        if rule.metric not in of_base and not plugins.is_builtin_metric(rule.metric):
            raise ConfigError(f"the metric {rule.metric} is code that the base does not name")
