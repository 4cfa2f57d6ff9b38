"""The samples of a project: its golden set, or where scores are gated, those that they tell of."""

from collections.abc import Sequence

from ragate.config import Config
from ragate.models import Sample
from ragate.settings import read_settings


def golden_set(config: Config) -> Sequence[Sample]:
    """Return all samples of a project.

    Raises:
        DatasetError: a file cannot be read.
        ConfigError: `[system]` names scores that the policy does not allow, or that are not there.
    """
    if config.policy.dataset:
        from ragate.dataset import read_dataset

        return read_dataset(config.dataset)
    from ragate.scores.project import scored_samples
    from ragate.scores.settings import Settings

    settings = read_settings(Settings, config.system.settings, where="[system]")
    return scored_samples(settings, root=config.root, allowed=config.policy.scores_paths)
