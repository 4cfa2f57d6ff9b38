"""A run against the baseline: compared and decided. Every verdict is made here."""

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Self

from ragate.core.comparison.compare import Comparison, compare
from ragate.core.comparison.run_passes import deciding_run
from ragate.core.decision.decide import decide
from ragate.core.decision.pooling import Terms, with_earlier
from ragate.core.diagnosis.sample_change import fails
from ragate.core.judging.canary_rule import power
from ragate.core.publishable import JUDGE_STOPPED
from ragate.core.rules.checked_metric import with_checked
from ragate.core.rules.exact import unproven_samples
from ragate.core.rules.metric_case import read_cases
from ragate.core.rules.slice_cases import on_all, read_slice_cases
from ragate.core.text.wording import count, listed
from ragate.gate.gate_setup import BarePolicy, GateSetup
from ragate.gate.question_record import record_of
from ragate.gate.unread_labels import unread_labels
from ragate.models import OVERALL, PASSES, Decision, Record, Rule, Run

if TYPE_CHECKING:
    from ragate.clients.budget import Tally
    from ragate.config import Policy
    from ragate.scoring.judging import Judging
    from ragate.scoring.scorer import Scorer

MOST_NAMED = 10


def _nothing_spent() -> "Tally":
    from ragate.clients.budget import Tally  # brings asyncio: two files of scores need none

    return Tally()


@dataclass(frozen=True)
class Decided:
    """A run that was compared with the baseline, and the decision on it.

    Attributes:
        judgements_reused: Distinct judgements that were there already.
        texts: Gives a record of the candidate its retrieved texts back.
    """

    setup: GateSetup
    candidate: Run
    comparison: Comparison
    decision: Decision
    rules: tuple[Rule, ...]
    tally: "Tally" = field(default_factory=_nothing_spent)
    judgements_reused: int = 0
    texts: Callable[[Record], Record] = lambda record: record

    def failing(self, ids: Iterable[str]) -> tuple[str, ...]:
        """Return those of the samples that fail now."""
        tries, infos = self.comparison.candidate.tries, self.candidate.manifest.metrics
        asked = [key for key in ids if key in tries]
        return tuple(key for key in asked if fails(tries[key], self.rules, infos))

    def with_warnings(self, *warnings: str) -> Self:
        """Add warnings, before those that are there."""
        warnings = (*warnings, *self.decision.warnings)
        return replace(self, decision=self.decision.amended(warnings=warnings))

    def with_line(self, line: str) -> Self:
        """Add one sentence on how it was decided."""
        lines = (line, *self.decision.lines)
        return replace(self, decision=self.decision.amended(lines=lines))

    def held_back(self, reasons: tuple[str, ...], remedies: tuple[str, ...]) -> Self:
        """Add reasons why it cannot pass, and what to do."""
        return replace(self, decision=self.decision.held_back(reasons, remedies))

    def with_notes(self, scorer: "Scorer") -> Self:
        """Add what the judge did, and what was left out on purpose."""
        notes = [f"{name} was left out: {why}" for name, why in scorer.left_out.items()]
        noted = replace(self, tally=scorer.plan.opened.tally)
        judging = scorer.judging
        if judging is not None:
            notes += _notes_on(judging)
            noted = replace(noted, judgements_reused=judging.reused)
            if caught := power(judging.queue.canaries):
                noted = noted.with_line(f"the judge {caught}")
        return noted.with_warnings(*notes)


def _notes_on(judging: "Judging") -> Iterator[str]:
    """Yield what a reader must know of the judge's work."""
    from ragate.core.judging.own_criterion import shown_name
    from ragate.scoring.known_judgements import losses

    if judging.out:
        yield f"{JUDGE_STOPPED}: {judging.out}"
    if judging.cut:
        yield f"{judging.cut} answers were judged on contexts cut to the judge's limit"
    if unchecked := judging.queue.unchecked:
        names = ", ".join(map(shown_name, unchecked))
        yield f"nothing checks this judge on {names}: no known answer fits"
    if lost := losses(judging.preferences):
        yield lost


def compare_and_decide(setup: GateSetup, candidate: Run, *, untouched: bool = False) -> Decided:
    """Compare the candidate with the baseline and decide.

    Args:
        untouched: It is known that nothing the system reads has changed: no sample is affected.
    """
    policy = setup.config.policy
    rules, comparison, viewed = _compared(setup, candidate)
    if untouched:
        comparison = replace(comparison, affected=0)
    decision = decide(
        rules,
        comparison,
        policy,
        waivers=policy.waivers,
        today=setup.today,
        accepted=setup.accepted,
        slices=policy.slices,
        record=record_of(comparison.baseline_run, setup.samples, rules, setup.config.baseline),
    )
    slices_share_alpha = any(row.gates for row in decision.slices)
    terms = Terms(
        rules,
        on_all(policy) if slices_share_alpha else policy,
        policy.waivers,
        setup.today,
        accepted=setup.accepted,
    )
    decision = with_earlier(decision, comparison, viewed, terms)
    decision = held_back_by_merge(decision, setup.baseline, comparison.samples.keys())
    decision = _with_remarks(decision, setup, candidate)
    return _without_required_stages(Decided(setup, candidate, comparison, decision, rules))


def samples_to_prove(setup: GateSetup, candidate: Run) -> list[str]:
    """Return the samples that `check` may ask again before a loss by them is red."""
    rules, comparison, _ = _compared(setup, candidate)
    policy = setup.config.policy
    cases = read_cases(rules, comparison, policy.waivers, setup.today)
    parts = read_slice_cases(policy.slices, cases, comparison)
    return unproven_samples([*cases, *(each.case for each in parts)])


def _compared(setup: GateSetup, candidate: Run) -> tuple[tuple[Rule, ...], Comparison, Run]:
    """Return the rules that count, the comparison, and the candidate as the scorecard sees it."""
    policy = setup.config.policy
    rules = _active_rules(policy, candidate)
    baseline = _with_metrics_of(rules, setup.baseline)
    viewed = candidate
    if policy.scorecard is not None:
        from ragate.core.decision.scorecard import staged_runs

        baseline, viewed = staged_runs(policy.scorecard, baseline, candidate)
    comparison = compare(
        baseline,
        deciding_run(viewed),
        setup.samples,
        cluster=policy.cluster,
        waivers=policy.waivers,
    )
    return rules, comparison, viewed


def _with_remarks(decision: Decision, setup: GateSetup, candidate: Run) -> Decision:
    """Add what a reader should know of the baseline, the candidate and the scorecard."""
    warnings = (
        *decision.warnings,
        *merge_remarks(setup.baseline),
        *_other_date(setup.baseline, candidate),
        *unread_runs(candidate),
        *_own_file(setup.baseline, candidate),
        *_unread(setup, candidate),
    )
    card = setup.config.policy.scorecard
    if card is None:
        return decision.amended(warnings=warnings)
    from ragate.core.decision.scorecard import unmeasured_note, weight_note

    warnings = (*warnings, *unmeasured_note(card, candidate.manifest.left_out))
    return decision.amended(warnings=warnings, lines=(*decision.lines, *weight_note(card)))


def _unread(setup: GateSetup, candidate: Run) -> list[str]:
    manifest = candidate.manifest
    if manifest.retrieval_only or manifest.filters.narrows:
        return []
    return unread_labels(setup.samples, manifest.metrics.keys())


def _active_rules(policy: "Policy | BarePolicy", run: Run) -> tuple[Rule, ...]:
    """Return the rules that this run is held to, without what it was told to leave out."""
    left_out = set(run.manifest.left_out)
    card = policy.scorecard
    if card is not None and card.without(left_out) is None:
        left_out.update((PASSES, OVERALL))
    return tuple(
        rule for rule in policy.rules if rule.level != "off" and rule.metric not in left_out
    )


def _without_required_stages(decided: Decided) -> Decided:
    """Return no decision in place of a pass that lacks a stage which every question must pass."""
    card = decided.setup.config.policy.scorecard
    if card is None:
        return decided
    lacking = decided.candidate.manifest.lacking
    names = [stage.name for stage in card.stages if stage.required and stage.metric in lacking]
    if not names:
        return decided
    reason = f"not measured, and required by the scorecard: {listed(names)}"
    return decided.held_back((reason,), ("give the judge its key, or leave the stage out: --skip",))


def unread_runs(run: Run) -> list[str]:
    """Return a warning where more passes were recorded: the first ones may be the lucky ones."""
    read, recorded = run.manifest.runs, run.manifest.recorded
    if recorded <= read:
        return []
    first = f"run {recorded}" if recorded == read + 1 else f"runs {read + 1} to {recorded}"
    return [f"{first} of the recorded outputs did not count; `--runs {recorded}` counts them all"]


def _own_file(baseline: Run | None, candidate: Run) -> list[str]:
    """Return a warning where the scores are the very file that the baseline was recorded from."""
    if baseline is None:
        return []
    if not candidate.manifest.system.is_same_measurement(baseline.manifest.system):
        return []
    return ["the file of scores is the baseline's own: nothing was measured since"]


def _other_date(baseline: Run | None, candidate: Run) -> list[str]:
    """Return a warning where the two sides were asked as of different dates."""
    if baseline is None:
        return []
    date, baseline_date = candidate.manifest.eval_date, baseline.manifest.eval_date
    if date == baseline_date:
        return []
    shown, baseline_shown = (day or "no date in particular" for day in (date, baseline_date))
    same = f"; --eval-date {baseline_date} asks as the baseline was" if baseline_date else ""
    return [f"asked as of {shown}, and the baseline as of {baseline_shown}{same}"]


def _with_metrics_of(rules: Sequence[Rule], baseline: Run | None) -> Run | None:
    """Return the baseline without metrics that this run was told to leave out."""
    if baseline is None:
        return None
    names = with_checked(rule.metric for rule in rules)
    metrics = {name: info for name, info in baseline.manifest.metrics.items() if name in names}
    manifest = baseline.manifest.amended(metrics=metrics)
    return baseline.amended(manifest=manifest)


# A verdict on a merged baseline: questions that it lacks do not pass unmeasured.


def merge_remarks(baseline: Run | None) -> list[str]:
    """Return a warning where two recordings of the baseline were merged and none was made since."""
    merged = baseline.manifest.merged if baseline is not None else None
    if merged is None:
        return []
    commits = " and ".join(each.commit[:7] or each.date for each in merged.recordings)
    warning = (
        f"the baseline holds one of the recordings at {commits}, which were merged; "
        "record it anew on main"
    )
    if lacking := listed(merged.neither, most=MOST_NAMED):
        warning += f"; recorded on the other side only, and compared with nothing: {lacking}"
    return [warning]


def held_back_by_merge(decision: Decision, baseline: Run | None, samples: Set[str]) -> Decision:
    """Return the decision with what a merge left out as a reason; a pass becomes no decision.

    At least 80 % of the baseline's samples have to match, but these samples are not among them,
    and a pull request can shape a merge: it must not pick what is compared.
    """
    merged = baseline.manifest.merged if baseline is not None else None
    if merged is None:
        return decision
    ids = sorted(samples & set(merged.neither))
    if not ids:
        return decision
    verb = "is" if len(ids) == 1 else "are"
    reason = (
        f"{count(len(ids), 'sample')} {verb} compared with nothing: the baseline was merged, and "
        f"only the other side recorded {listed(ids, most=MOST_NAMED)}; record it anew on main"
    )
    return decision.held_back([reason], ["ragate baseline update"])
