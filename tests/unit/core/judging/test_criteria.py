"""Every criterion has a metric, and the rubric knows those that it is for."""

from __future__ import annotations

from ragate import plugins
from ragate.core.judging.applicability import PAIRWISE
from ragate.core.judging.criteria import ALL_CRITERIA, CRITERIA, OF_CALLS
from ragate.judges import rubric
from ragate.models import Needs


def judged_names() -> set[str]:
    names = (name for name in plugins.names("metrics") if name not in CUT_OFFS)
    infos = [plugins.metric(name).info for name in names]
    return {one.name for one in infos if one.needs is Needs.JUDGE and not one.aggregate}


CUT_OFFS = {"hit_rate", "recall", "precision", "ndcg", "judged"}
CUT_OFFS |= {"first_stage_ndcg", "first_stage_recall", "all_found"}


def test_every_criterion_has_a_metric() -> None:
    assert CRITERIA.keys() | OF_CALLS.keys() == rubric.CRITERIA
    assert judged_names() == ALL_CRITERIA.keys()
    assert plugins.metric(PAIRWISE).info.aggregate
