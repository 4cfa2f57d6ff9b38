"""A small history that shows all there is: moves, marks, a broken file, stored runs, a verdict."""

from pathlib import Path

from ragate.contrib.history.means import BaselineMeans
from ragate.contrib.history.read_history import History, HistoryPoint, StoredPoint
from ragate.models import MetricInfo
from ragate.repository.git import FileCommit
from ragate.stores.listed_run import ListedRun, RunStatus

HOSTILE = '<script>alert(1)</script><img src=x onerror=alert(2)>"\u202e\x1b[31m'


def history_factory(*, subject: str = "smaller chunks", gate: str = "docs") -> History:
    """Return the history.

    Args:
        subject: Stands wherever somebody else's words do.
    """
    infos = {"mrr": MetricInfo(name="mrr"), "ndcg@10": MetricInfo(name="ndcg@10")}
    newer = infos | {"mrr": MetricInfo(name="mrr", version=2)}

    def held(mrr: float, ndcg: float, version: dict[str, MetricInfo]) -> BaselineMeans:
        return BaselineMeans({"mrr": mrr, "ndcg@10": ndcg}, 40, None, version, ())

    points = (
        HistoryPoint(_commit(1, "first"), held(0.8, 0.7, infos)),
        HistoryPoint(_commit(9, subject), held(0.75, 0.7, infos), marks=(f"drop of {subject}",)),
        HistoryPoint(_commit(20, "a merge"), None, f"b.json: not a baseline: {subject}"),
        HistoryPoint(_commit(35, "mrr anew"), held(0.9, 0.72, newer), marks=("mrr of version 2",)),
    )
    run = StoredPoint(
        "20260206-030000-000-aaaa", "f" * 40, "2026-02-06T03:00:00+00:00", "failed", {"mrr": 0.6}
    )
    listed = ListedRun(run.run_id, Path(), RunStatus.FAILED, run.created, gate, run.commit)
    notes = ("this clone begins at its oldest commit: git fetch --unshallow brings the others",)
    return History(gate, "baselines/docs.json", points, notes, (run,), listed)


def _commit(day: int, subject: str) -> FileCommit:
    month, rest = (1, day) if day < 32 else (2, day - 31)
    return FileCommit(f"{day:040x}", f"2026-{month:02}-{rest:02}T12:00:00+00:00", subject, "b")
