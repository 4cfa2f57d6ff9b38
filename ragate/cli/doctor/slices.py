"""Slices of the policy: how many samples each holds, and whether it can fail the gate."""

from collections.abc import Iterable, Sequence

from ragate.cli.finding import Finding, ok, plural, problem, warning
from ragate.core.conditions import conditions_of
from ragate.errors import RagateError
from ragate.models import Sample, Slice

CHECK = "slices"
LEAST = 20  # as the gate has it; its own constant would import NumPy


def slices(parts: Sequence[Slice], samples: Sequence[Sample]) -> Iterable[Finding]:
    """Say what each slice holds; one that fits nothing stops every check."""
    for part in parts:
        conditions = conditions_of(part)
        try:
            conditions.refuse_unknown(samples, where=part.name)
        except RagateError as error:
            yield problem(CHECK, error.message, "mend tags and where of [[policy.slices]]")
            continue
        count = sum(conditions.fit(sample) for sample in samples)
        held = f"{part.name}: {plural(count, 'sample')} of {len(samples)}"
        if not count:
            fits = "; ".join(part.conditions)
            yield problem(CHECK, f"{part.name}: no sample fits {fits}", "tag samples, or drop it")
        elif count == len(samples):
            yield warning(CHECK, f"{held}: it says what the metric says", "name a part of the set")
        elif count < LEAST and part.level == "error":
            few = f"{held}: shown only, from {LEAST} on a slice can fail the gate"
            yield warning(CHECK, few, "add samples of this kind, or widen its tags")
        else:
            yield ok(CHECK, f"{held}, held by {', '.join(part.metrics)}")
