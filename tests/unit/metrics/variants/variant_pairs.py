"""Questions with their variants."""

from __future__ import annotations

from ragate.models import MetadataValue, Sample, SystemOutput
from ragate.protocols import Pair
from tests.unit.metrics.metric_factories import answered, broken, retrieved


def question(name: str, output: SystemOutput, *, of: str = "", kind: str = "") -> Pair:
    named = {"variant_of": of, "variant": kind}
    metadata: dict[str, MetadataValue] = {key: value for key, value in named.items() if value}
    return Sample(id=name, query=name, references=("It is 42.",), metadata=metadata), output


ORIGINAL = question("q", answered("It is 42."))
OTHERS = (question("r", answered("Something else.")), question("s", retrieved("z")))
FAILED, OUT = broken("system"), broken("provider")
