"""Judging beside collecting: one judgement for each distinct output, looked up before it is asked.

A judgement belongs to what a judge can see (judge, question, references, answer, contexts), not to
a run. It comes from the baseline where that holds it, else from the cache, else from the judge.
"""

from collections.abc import Callable
from functools import partial

from ragate.core.judging.canary_rule import Voided
from ragate.core.judging.criteria import PAIRWISE
from ragate.errors import BudgetError, NotReadyError, ProviderError
from ragate.models import Sample, Score, SystemOutput, unscored
from ragate.models.score import shared_scores
from ragate.pipeline.score.asked.spared_stages import SparedStages
from ragate.pipeline.score.asked.turns import Turns
from ragate.pipeline.score.judge_call_cache import CachedSteps
from ragate.pipeline.score.judge_queue import JudgeQueue, without_score
from ragate.pipeline.score.judgement_cache import Judgement, is_cut
from ragate.pipeline.score.known_judgements import KnownJudgements
from ragate.pipeline.score.pairwise import Opponents, bare
from ragate.protocols import ComparingJudge
from ragate.runtime.backlog import Heard, unheard


class Judging:
    """Gives every submitted output its judgement.

    Attributes:
        queue: What is asked of the judge.
        fresh, reused: Distinct judgements that were asked for, and that were there already.
        preferences: The comparison with the baseline's answer by sample, of the newest run.
        out: Why the judge gives no more (its provider is out, a cap is reached), or "".

    Args:
        may_ask: Whether the judge may be asked about a sample whose judgement is not there yet.
        spared: Stages of a scorecard that it need not be asked about.
    """

    def __init__(
        self,
        judgements: KnownJudgements,
        *,
        concurrency: int,
        timeout_s: float,
        steps: CachedSteps | None = None,
        may_ask: Callable[[Sample], bool] = lambda _sample: True,
        spared: SparedStages | None = None,
    ) -> None:
        opponents = judgements.opponents
        compares = opponents is not None and not opponents.itself
        self.queue = JudgeQueue(
            judgements.judge,
            (*judgements.criteria, PAIRWISE) if compares else judgements.criteria,
            cache=judgements.cache,
            concurrency=concurrency,
            timeout_s=timeout_s,
            steps=steps,
        )
        self._known = judgements
        self.addressed = judgements.addressed
        self._judge = judgements.judge
        self._opponents = opponents
        self._may_ask = may_ask
        self._turns = Turns(
            spared, judgements.judge, self.queue.start, judgements.criteria, apart=judgements.apart
        )
        self._judgements: dict[str, Judgement] = {}
        self._held_back: set[str] = set()  # keys that could not be asked for when they came
        self.preferences: dict[str, Score] = {}
        self.fresh = self.reused = 0
        self.out = ""

    @property
    def cut(self) -> int:
        """Count the judgements on a part of the contexts, as the judge's reasons say."""
        return sum(map(is_cut, self._judgements.values()))

    @property
    def fingerprint(self) -> str:
        return self._judge.fingerprint

    @property
    def knows_any(self) -> bool:
        """Return False where no judgement can be there already, of whatever output."""
        return self._known.any

    @property
    def voided(self) -> Voided:
        """Return which scores do not count, by the known answers that the judge got wrong."""
        return self.queue.voided

    def submit(self, sample: Sample, output: SystemOutput) -> None:
        """Start judging an output; an equal one is judged once."""
        key = self._known.key(sample, output) if self._known.criteria else ""
        if key and (key not in self._judgements or key in self._held_back):
            self._submit(key, sample, output)
        if self._opponents is not None and self._opponents.settled(sample, output) is None:
            self._submit_pair(self._opponents, sample, output)

    async def settle(self, heard: Heard = unheard) -> None:
        """Wait until everything that was submitted has its scores or a reason for having none.

        When its provider is out, or a cap is reached, all is unscored with that reason.
        """
        try:
            await self.queue.settle(heard)
        except (ProviderError, BudgetError, NotReadyError) as error:
            self.out = f"{error.message}; {error.remedy}" if error.remedy else error.message
        finally:
            await self.close()

    async def close(self) -> None:
        """Stop what is still being asked; judgements that came are in the cache."""
        await self.queue.close()

    def judgement(self, sample: Sample, output: SystemOutput) -> Judgement:
        """Return the scores by criterion.

        All are unscored where the judge stopped: nothing may pass on a part of the scores, or
        before the canaries are in. What they voided is too.
        """
        judgement = self._said(sample, output)
        if self.out or self.voided:
            reasons = {name: self.out or self.voided.reason(name) for name in judgement}
            for name in filter(reasons.get, reasons):
                judgement = {**judgement, name: unscored(name, f"judge: {reasons[name]}")}
        if PAIRWISE in judgement:
            self.preferences[sample.id] = judgement[PAIRWISE]
        return judgement

    def _said(self, sample: Sample, output: SystemOutput) -> Judgement:
        criteria, opponents = self._known.criteria, self._opponents
        judgement: Judgement = {}
        if criteria:
            scores = self._judgements.get(self._known.key(sample, output), {})
            missing = criteria if len(scores) < len(criteria) else ()
            judgement = {**without_score(missing, "was not judged"), **scores}
        if opponents is None:
            return judgement
        return {**judgement, PAIRWISE: self._preference(opponents, sample, output)}

    def _preference(self, opponents: Opponents, sample: Sample, output: SystemOutput) -> Score:
        settled = opponents.settled(sample, output)
        if settled is not None:
            return settled
        scores = self._judgements.get(self._known.pair_key(opponents, sample, output), {})
        return scores.get(PAIRWISE) or unscored(PAIRWISE, "judge: was not judged")

    def _submit(self, key: str, sample: Sample, output: SystemOutput) -> None:
        """Ask for the criteria that have no score yet, and for no other."""
        earlier = self._judgements.get(key)
        scores, groups, ruled = self._known.sort_out(key, sample, output)
        scores = {**(earlier or {}), **scores}
        self._judgements[key] = shared_scores(scores)
        keep = partial(self._keep, key)
        if ruled:
            ask = partial(self._judge, ruled, sample, output)
            self.queue.start(key, ask, ruled, keep, sample=sample.id, by_model=False)
        if not groups:
            self.reused += bool(scores) and earlier is None
        elif self._may_now(key, sample):
            chosen = self._turns.now(key, groups, sample, output, scores)
            self.fresh += bool(chosen)
            self._turns.start(key, chosen, sample, output, keep)
        if self._turns.any:  # an equal output of a sample with other labels may be asked for more
            self._held_back.add(key)

    def _submit_pair(self, opponents: Opponents, sample: Sample, output: SystemOutput) -> None:
        key = self._known.pair_key(opponents, sample, output)
        if key in self._judgements and key not in self._held_back:
            return
        scores = self._known.pair(key)
        self._judgements[key] = shared_scores(scores)
        self.reused += bool(scores)
        if scores or not self._may_now(key, sample):
            return
        if not isinstance(judge := self._judge, ComparingJudge):
            self._judgements[key] = {PAIRWISE: unscored(PAIRWISE, "this judge does not compare")}
            return

        async def ask() -> Judgement:
            return {PAIRWISE: await judge.compare(sample, bare(output), opponents.other(sample))}

        self.fresh += 1
        keep = partial(self._keep, key)
        self.queue.start(key, ask, [PAIRWISE], keep, sample=sample.id)

    def _may_now(self, key: str, sample: Sample) -> bool:
        """Return whether the judge may be asked; an equal output of another sample may yet be."""
        if self._may_ask(sample):
            self._held_back.discard(key)
            return True
        self._held_back.add(key)
        return False

    def _keep(self, key: str, scores: Judgement) -> Judgement:
        known = self._judgements[key] = shared_scores({**self._judgements[key], **scores})
        return known
