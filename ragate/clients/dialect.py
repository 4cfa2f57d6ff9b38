"""What a model takes of a request's parameters: learned from its server's refusals, once a run.

Models that reason refuse a temperature, and call the bound on a reply by another name. A parameter
of sampling that the server names as unsupported is left out. A bound on spending never is: it is
sent under its other name, or the refusal stands.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, combinations
from typing import Any

_OTHER_NAME = {
    "max_tokens": "max_completion_tokens",
    "max_completion_tokens": "max_tokens",
}
# A sampled reply is one whatever these are. Others bound what is spent, or what comes back.
_SAMPLING = (
    "temperature",
    "top_p",
    "top_k",
    "min_p",
    "seed",
    "presence_penalty",
    "frequency_penalty",
    "repetition_penalty",
    "logit_bias",
    "logprobs",
    "top_logprobs",
)
_UNSUPPORTED = re.compile(
    r"unsupported|n[o']t (?:be )?(?:support|permit|allow|accept|recogni)|unrecogni|unknown|"
    r"unexpected|extra[_ ](?:forbidden|inputs|fields)|deprecated",
    re.IGNORECASE,
)
_MOST_TRIED = 6  # parameters of which combinations are looked through


def changeable(parameters: Mapping[str, Any]) -> list[str]:
    """Return the names of parameters that may be changed for a model."""
    return [name for name in (*_OTHER_NAME, *_SAMPLING) if name in parameters]


def changed(parameters: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    """Return parameters without these of them, but for bounds, which get their other name."""
    kept = {name: value for name, value in parameters.items() if name not in names}
    renamed = {
        _OTHER_NAME[name]: value
        for name, value in parameters.items()
        if name in names and name in _OTHER_NAME and _OTHER_NAME[name] not in parameters
    }
    return kept | renamed


def ways(parameters: Mapping[str, Any]) -> Iterator[frozenset[str]]:
    """Yield each set of changes that a model may want of these parameters, none at first."""
    names = changeable(parameters)[:_MOST_TRIED]
    each = chain.from_iterable(combinations(names, size) for size in range(len(names) + 1))
    yield from map(frozenset, each)


def refused_parameter(said: Any, parameters: Mapping[str, Any]) -> str:
    """Return the parameter that a refusal names as unsupported, "" where it names none of these.

    Args:
        said: The body of the reply.
    """
    text = said if isinstance(said, str) else json.dumps(said, default=str)
    if not _UNSUPPORTED.search(text):
        return ""
    named = said.get("param") if isinstance(said, dict) else None
    if isinstance(named, str) and named:
        text = named
    found = (name for name in changeable(parameters) if re.search(rf"\b{name}\b", text))
    return next(found, "")


@dataclass
class Dialect:
    """What one model takes, as far as its server has said.

    Attributes:
        changes: Names of parameters that are left out, or sent under their other name.
    """

    changes: set[str] = field(default_factory=set)

    def learn(self, said: Any, sent: Mapping[str, Any], asked: Mapping[str, Any]) -> str:
        """Return the parameter of `asked` that has to be changed, "" where that mends nothing.

        Args:
            said: The body of a refusal.
            sent: What was refused.
            asked: What was to be sent, before any change.
        """
        refused = refused_parameter(said, sent)
        if refused in asked and refused not in self.changes:
            self.changes.add(refused)
            return refused
        # Another call has learned it meanwhile; or the other name of a bound is refused as well.
        return refused if changed(asked, self.changes) != sent else ""


def told(name: str) -> str:
    """Return what is done with a parameter, in words."""
    if name in _OTHER_NAME:
        return f"{name} is sent as {_OTHER_NAME[name]}"
    return f"{name} is left out"
