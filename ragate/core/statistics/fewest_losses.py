"""How many samples must break before a gate that looks once or twice can fail."""

import math

from ragate.core.statistics.looks import SUSPICIOUS, Stages


def fewest_losses(level: float, *, baseline_runs: int, candidate_runs: int, flips: bool) -> int:
    """Return how many samples must break, none mended, before the test can reach `level`.

    Args:
        flips: True for the test by sign flips (also one run a side), where ties count half.
    """
    ways, half = math.comb(baseline_runs + candidate_runs, candidate_runs), 1.0
    if flips or baseline_runs + candidate_runs == 2:
        ways, half = 2, 0.5
    losses = 1
    while half * ways**-losses > level:
        losses += 1
    return losses


def losses_to_fail(
    stages: Stages,
    passes: int,
    *,
    metrics: int,
    baseline_runs: int,
    candidate_runs: int,
    flips: bool,
) -> int:
    """Return the fewest broken samples, none mended, with which this look or the next can be red.

    Args:
        passes: Passes of the candidate that were made.
        metrics: Metrics tested together; none but one of them breaks.
        candidate_runs: Those of the passes that differ: byte-equal ones count once.
        flips: True where the generalise claim decides.
    """

    def fewest(level: float, runs: int) -> int:
        return fewest_losses(
            level / metrics, baseline_runs=baseline_runs, candidate_runs=runs, flips=flips
        )

    this_look = fewest(stages.level(passes), candidate_runs)
    missing = stages.still_wanted(passes)
    if not missing:
        return this_look
    confirmed = fewest(stages.level(passes + missing), candidate_runs + missing)
    return min(this_look, max(fewest(SUSPICIOUS, candidate_runs), confirmed))
