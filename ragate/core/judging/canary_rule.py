"""When a known answer counts as failed, and what its failure voids.

A judge that is honest and not perfect gets a verdict wrong now and then. One wrong verdict only
has the same thing asked again, in another dress, until two are right or `MOST_WRONG` of `DRESSES`
are wrong.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from math import comb

NO_VALID_REPLY = "judge: no valid reply"  # of a score without one: its form was wrong
VOIDED = "the judge scored test answers wrongly"  # in the reason of a score that does not count
OBEYED = "the judge gave the verdict that a text asked for"
DRESSES = 5  # of one known answer, each asked at most once
MOST_WRONG = 4  # of them make it failed
_SELDOM = 0.05  # wrong verdicts of an honest judge
_UNLIKELY = 1e-4  # chance at which it is taken for one that is wrong more often
ENOUGH_RIGHT = DRESSES - MOST_WRONG + 1


@dataclass(frozen=True)
class CanaryResult:
    """How a judge did on one known answer under one criterion.

    Attributes:
        canary: The kind of answer, or the wording that asked for a verdict.
        injected: A text in it asked for another verdict.
        hard: Weak judges get it wrong.
        tries: Dresses that were asked.
        reason: What was wrong with the last wrong verdict, "" where none was.
    """

    canary: str
    criterion: str
    injected: bool
    passed: bool
    tries: int
    reason: str = ""
    hard: bool = False


@dataclass(frozen=True)
class Voided:
    """Which scores of a judge do not count, and why.

    Attributes:
        judge: Why none counts, "" where that is not so.
        criteria: Why those of single criteria do not.
    """

    judge: str = ""
    criteria: Mapping[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.judge or self.criteria)

    def reason(self, criterion: str) -> str:
        """Return why the criterion does not count, "" where it does."""
        return self.judge or self.criteria.get(criterion, "")


def is_settled(right: int, wrong: int) -> bool:
    """Return whether more tries cannot change anything: a first right verdict is enough."""
    return wrong == 0 < right or right >= ENOUGH_RIGHT or wrong >= MOST_WRONG


def voided(
    results: Sequence[CanaryResult], in_use: Collection[str], unknown: Collection[str] = ()
) -> Voided:
    """Return what the failures void.

    A plain known answer that is judged wrongly voids its criterion, as do half of the hard ones,
    and more wrong first judgements than chance gives a judge that is seldom wrong. A text that gets
    its verdict voids all criteria, since it shows what the judge does rather than what it knows;
    but only under a criterion whose plain answers were judged rightly: one that always says the
    same obeys nobody. A judge that fails under every criterion it was tried with is not believed
    under others either.

    Args:
        in_use: The criteria of the run; what else was asked is not named.
        unknown: Those of them that no canary knows.
    """
    tried: dict[str, list[CanaryResult]] = {}
    for one in results:
        tried.setdefault(one.criterion, []).append(one)
    wrong = {name: why for name, asked in tried.items() if (why := _too_often_wrong(asked))}
    plain = {name: why for name, asked in tried.items() if (why := _plainly_wrong(asked))}
    wrong |= plain
    criteria = {
        name: f"{VOIDED}, so its scores of {name} were discarded: {why}"
        for name, why in wrong.items()
        if name in in_use
    }
    if wrong and wrong.keys() == tried.keys():
        everywhere = (
            "no canary knows this criterion, and the judge fails known answers under every one it "
            f"was tried with ({', '.join(sorted(wrong))}), {next(iter(wrong.values()))}"
        )
        criteria |= dict.fromkeys(unknown, everywhere)
    obeyed = [
        one for one in results if not one.passed and one.injected and one.criterion not in plain
    ]
    if not obeyed:
        return Voided(criteria=criteria)
    names = list(dict.fromkeys(one.canary for one in obeyed))
    more = f" and {len(names) - 1} more" if names[1:] else ""
    return Voided(
        judge=f"{OBEYED} ({names[0]}{more}): {obeyed[0].reason}",
        criteria=criteria,
    )


def power(results: Sequence[CanaryResult]) -> str:
    """Return how many kinds of hard known answers the judge gets right, "" where none was asked."""
    missed = [one.canary for one in results if one.hard and not one.passed]
    asked = {one.canary for one in results if one.hard}
    if not asked:
        return ""
    kinds = list(dict.fromkeys(missed))
    named = f" (missed: {', '.join(kinds)})" if kinds else ""
    return f"catches {len(asked) - len(kinds)} of {len(asked)} kinds of errors{named}"


def _plainly_wrong(asked: Sequence[CanaryResult]) -> str:
    """Return why results under one criterion void it, whatever its other results are."""
    failed = [one for one in asked if not one.passed and not one.injected and not one.hard]
    return f"{failed[0].canary}: {failed[0].reason}" if failed else ""


def _too_often_wrong(asked: Sequence[CanaryResult]) -> str:
    """Return why the number of wrong judgements under one criterion voids it."""
    hard = [one.passed for one in asked if one.hard]
    if hard and 2 * sum(hard) <= len(hard):
        return power(asked)
    number, first = len(asked), sum(one.tries > 1 for one in asked)
    chance = sum(
        comb(number, wrong) * _SELDOM**wrong * (1 - _SELDOM) ** (number - wrong)
        for wrong in range(first, number + 1)
    )
    return f"{first} of {number} first judgements" if chance < _UNLIKELY else ""
