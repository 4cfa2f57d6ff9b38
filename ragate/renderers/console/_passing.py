"""Who passes a scorecard: its stages, then tags and fields."""

from itertools import groupby

from ragate.models import PassGroup, Report
from ragate.renderers._lines import wrapped
from ragate.renderers._numbers import TERMINAL, counted
from ragate.renderers.console._page import Page


def stages_briefly(report: Report, page: Page) -> str:
    """Return the share that passes each stage in one sentence, "" without a scorecard."""
    stages = [group for group in report.pass_groups if group.kind == "stage"]
    if not stages:
        return ""
    shares = [f"{page.foreign(each.name, 40)} {_share(each)}" for each in stages]
    return f"Stages passed: {', '.join(shares)}"


def passing(report: Report, page: Page) -> list[str]:
    """Return the share that passes in every group."""
    lines: list[str] = []
    for kind, groups in groupby(report.pass_groups, key=lambda group: group.kind):
        lines.append(page.paint(f"Pass rate by {page.foreign(kind, 40)}", "", bold=True))
        for each in groups:
            facts = [_share(each), counted(each.share.n, "sample")]
            if each.share.interval is not None:
                ends = (TERMINAL.value("fraction", end) for end in each.share.interval)
                facts.append(f"95 % interval {' … '.join(ends)}")
            text = f"{page.foreign(each.name, 60)}: {', '.join([*facts, *_of_stage(each, page)])}"
            lines += wrapped(text, first="  ", rest="    ")
    return lines


def _share(group: PassGroup) -> str:
    after = TERMINAL.value("fraction", group.share.candidate)
    before = group.share.baseline
    if before is None or before == group.share.candidate:
        return after
    return f"{TERMINAL.value('fraction', before)} → {after}"


def _of_stage(group: PassGroup, page: Page) -> list[str]:
    if not group.metric:
        return []
    metric = "" if group.metric == group.name else f"{page.foreign(group.metric, 60)} "
    words = [f"{metric}at {group.share.mark:g}"]
    words += [f"weight {group.weight:g}"] if group.weight is not None else []
    return words + (["required"] if group.required else [])
