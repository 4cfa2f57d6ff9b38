"""The names of the models that a run was made with."""

import json
from collections.abc import Mapping


def named_models(settings: Mapping[str, str], judge: object) -> tuple[str, ...]:
    """Return the models of the settings, whose values are JSON, and the judge."""
    values = [
        _setting(value)
        for key, value in settings.items()
        if key.rpartition(".")[2] == "model" or key.endswith("_model")
    ]
    return tuple(dict.fromkeys(name for name in [*values, judge] if name and isinstance(name, str)))


def _setting(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:  # a list of runs is no place to refuse it
        return text
