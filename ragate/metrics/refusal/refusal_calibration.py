"""refusal_calibration: is refused what has to be, and answered what can be?"""

from ragate.metrics._identity import metric_info, no_cut_off, own_settings
from ragate.metrics._sample_metric import Explained, SampleMetric, applies_to_all
from ragate.metrics.refusal._refusal import Refusals, RefusalSettings
from ragate.models import Reads, Sample, SystemOutput
from ragate.protocols import MetricRequest

Settings = RefusalSettings


def create(request: MetricRequest) -> SampleMetric:
    """Return refusal_calibration: 1 when refusing or answering was the right choice, else 0.

    Formula: 1[a phrase of the list stands in the answer's opening = the question is unanswerable];
    its mean is the share of right choices, where refusal_recall and false_refusal look at one side
    each. Range {0, 1}, a fraction, higher is better. Version 1.
    Edge cases: a failed sample is a wrong choice: 0.
    Source: this project; judged_refusal is the same by a judge.
    """
    no_cut_off(request)
    settings = own_settings(request, RefusalSettings)
    refuses = Refusals(settings)

    def right_choice(sample: Sample, output: SystemOutput) -> Explained:
        refused = refuses(output.answer or "")
        return Explained(
            float(refused is not sample.answerable), "refuses" if refused else "answers"
        )

    return SampleMetric(
        info=metric_info(request, version=1, reads=Reads.ANSWER, settings=settings),
        formula=right_choice,
        exclude=applies_to_all,
    )
