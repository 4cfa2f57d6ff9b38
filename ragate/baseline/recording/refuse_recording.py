"""What makes no baseline: too little was measured, or the golden set does not fit the corpus."""

import textwrap
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping

from ragate.answers.system_session import failure_lines
from ragate.config import Config
from ragate.core.decision.scorecard import staged
from ragate.core.doc_ids import RESPELL, MismatchKind, find_mismatch, mismatch_words
from ragate.errors import DatasetError, RagateError
from ragate.models import Needs, Run, ScoreState
from ragate.version import MANUAL

_WIDTH = 96  # of a line that may hold a reply


def refuse_left_out(left_out: Collection[str]) -> None:
    """Raise where metrics were left out, which is for want of a judge's key."""
    if left_out:
        names = ", ".join(left_out)
        raise RagateError(
            f"the judge's key is not set, so {names} cannot be recorded",
            remedy="set the key; the baseline is unchanged",
        )


def refuse_missing(
    missing: Mapping[str, Collection[str]], documents: Collection[str] | None
) -> None:
    """Raise where samples expect documents that the corpus does not hold.

    Args:
        missing: These documents by sample.
        documents: What the corpus holds, None where that is not known.
    """
    if not missing:
        return
    lines = [f"{sample_id}: {', '.join(docs)}" for sample_id, docs in sorted(missing.items())]
    unlisted = f"\n  … and {len(lines) - 20} more samples" if len(lines) > 20 else ""
    gone = frozenset(doc_id for doc_ids in missing.values() for doc_id in doc_ids)
    mismatch = find_mismatch([(gone, documents or ())])
    hint = ""
    if mismatch is not None and mismatch.kind is MismatchKind.SPELT_OTHERWISE:
        hint = f"\n{mismatch_words(mismatch, came='the corpus holds')}"
    raise DatasetError(
        f"{len(missing)} samples expect documents that are not in the corpus:\n  "
        + "\n  ".join(lines[:20])
        + unlisted
        + hint,
        remedy=f"correct their `relevant` ids{f' ({RESPELL})' if hint else ''}, or add the "
        "documents; `ragate dataset relink` proposes where lost ones went",
    )


def refuse_unmeasured(config: Config, run: Run) -> None:
    """Raise where every output failed, or a gated metric lacks more scores than the policy lets."""
    if all(record.output.error is not None for record in run.records):
        reasons = failure_lines(record.output for record in run.records)
        raise RagateError(
            "\n  ".join([f"all {len(run.records)} outputs failed:", *reasons]),
            remedy="mend this first, `ragate doctor` looks at the rest; the baseline is unchanged",
        )
    limit, run = config.policy.max_unscored, staged(run, config.policy.scorecard)
    scores: Counter[str] = Counter()
    unscored: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for record in run.records:
        scores.update(record.scores.keys())
        for name, score in record.scores.items():
            if score.state is ScoreState.UNSCORED:
                unscored[name][score.reason] += 1
    for name in run.manifest.metrics:
        why, lost = unscored[name], unscored[name].total()
        share = lost / max(1, scores[name])
        if not share <= limit and name in config.policy.needed:
            told = (
                f"{name}: {lost} of {scores[name]} scores could not be measured ({share:.1%}; "
                f"[policy] max_unscored is {limit:.1%})"
            )
            usual, _ = why.most_common(1)[0]  # it may hold the reply of a judge
            raise RagateError(
                "\n  ".join([f"{told}:", *textwrap.wrap(usual, _WIDTH)]),
                remedy=f"{_remedy(run, name)}; the baseline is unchanged",
            )


def _remedy(run: Run, name: str) -> str:
    """Return what helps: where there are answers, it is the judge that did not score them."""
    answered = any(
        record.output.error is None
        and name in record.scores
        and record.scores[name].state is ScoreState.UNSCORED
        for record in run.records
    )
    if run.manifest.metrics[name].needs is Needs.JUDGE and answered:
        return f"mend [policy.judge] ({MANUAL}/judge.md) and run it again: the answers are kept"
    return "`ragate collect` shows the failures"
