"""Who passes the scorecard of a decided run."""

from ragate.core.rules.metric_case import read_cases
from ragate.core.scorecard.pass_groups import pass_groups
from ragate.models import PassGroup
from ragate.pipeline.decide.compare_and_decide import Decided


def passing_groups(decided: Decided) -> tuple[PassGroup, ...]:
    """Return the pass rate by stage, tag and field; nothing where there is no scorecard."""
    setup, comparison = decided.setup, decided.comparison
    policy = setup.config.policy
    if policy.scorecard is None:
        return ()
    cases = read_cases(decided.rules, comparison, policy.waivers, setup.today)
    return tuple(pass_groups(policy.scorecard, cases, comparison))
