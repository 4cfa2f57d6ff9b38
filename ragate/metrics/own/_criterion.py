"""criterion.<name>: what a judge says to a question that the configuration words."""

from ragate.core.judging.own_criterion import OwnCriterion, identity, is_own
from ragate.errors import ConfigError
from ragate.metrics._identity import fingerprint, no_cut_off, own_settings
from ragate.metrics.judge._judged import JudgedMetric
from ragate.models import MetricInfo, Needs, Reads
from ragate.protocols import MetricRequest

VERSION = 1
Settings = OwnCriterion


def create(request: MetricRequest) -> JudgedMetric:
    """Return the metric: the grade that the judge gives, on the criterion's own scale.

    Range: the scale, higher is better; of guidelines the share that are kept. Version 1.
    Edge cases: unanswerable: not applicable, but to guidelines; grounded and nothing
    retrieved: the lowest grade.

    Raises:
        ConfigError: a key is missing or wrong, or the name is none.
    """
    no_cut_off(request)
    own = own_settings(request, OwnCriterion)
    if not is_own(request.name):
        raise ConfigError(
            f"{request.name}: a criterion is named criterion.<name>",
            remedy="small letters, digits and _, a letter first, 40 at most",
        )
    low, high = own.scale
    criterion = own.criterion(identity(request.name, own))
    info = MetricInfo(
        name=request.name,
        version=VERSION,
        low=low,
        high=high,
        unit=criterion.unit,
        reads=Reads.ANSWER,
        needs=Needs.JUDGE,
        fingerprint=fingerprint(request, version=VERSION, settings=own),
    )
    return JudgedMetric(info=info, criterion=criterion.name)
