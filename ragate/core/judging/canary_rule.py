"""When a known answer counts as failed, and what its failure voids.

A judge that is honest and not perfect gets a verdict wrong now and then. One wrong verdict only
has the same thing asked again, in another dress, until two are right or `MOST_WRONG` of `DRESSES`
are wrong.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

DRESSES = 5  # of one known answer, each asked at most once
MOST_WRONG = 4  # of them make it failed
ENOUGH_RIGHT = DRESSES - MOST_WRONG + 1


@dataclass(frozen=True)
class CanaryResult:
    """How a judge did on one known answer under one criterion.

    Attributes:
        canary: The kind of answer, or the wording that asked for a verdict.
        injected: A text in it asked for another verdict.
        tries: Dresses that were asked.
        reason: What was wrong with the last wrong verdict, "" where none was.
    """

    canary: str
    criterion: str
    injected: bool
    passed: bool
    tries: int
    reason: str = ""


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

    A plain known answer that is judged wrongly voids its criterion. A text that gets its verdict
    voids all criteria, since it shows what the judge does rather than what it knows; but only under
    a criterion whose plain answers were judged rightly: one that always says the same obeys nobody.
    A judge that fails under every criterion it was tried with is not believed under others either.

    Args:
        in_use: The criteria of the run; what else was asked is not named.
        unknown: Those of them that no canary knows.
    """
    plain = {one.criterion: one for one in reversed(results) if not one.passed and not one.injected}
    obeyed = [
        one for one in results if not one.passed and one.injected and one.criterion not in plain
    ]
    criteria = {
        name: f"the judge scored a test answer wrongly ({one.canary}: {one.reason}), so its scores "
        f"of {name} were discarded"
        for name, one in plain.items()
        if name in in_use
    }
    if plain and all(one.criterion in plain for one in results):
        criteria |= dict.fromkeys(unknown, _fails_everywhere(results, plain))
    if not obeyed:
        return Voided(criteria=criteria)
    names = list(dict.fromkeys(one.canary for one in obeyed))
    more = f" and {len(names) - 1} more" if names[1:] else ""
    return Voided(
        judge=f"the judge gave the verdict that a text asked for ({names[0]}{more}): "
        f"{obeyed[0].reason}",
        criteria=criteria,
    )


def _fails_everywhere(results: Sequence[CanaryResult], plain: Mapping[str, CanaryResult]) -> str:
    """Return why a criterion without known answers does not count."""
    first = next(one for one in results if plain.get(one.criterion) is one)
    return (
        "no canary knows this criterion, and the judge fails known answers under every one it was "
        f"tried with ({', '.join(sorted(plain))}), {first.canary!r}: {first.reason}"
    )
