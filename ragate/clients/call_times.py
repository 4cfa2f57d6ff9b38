"""How long calls to a model took, which tells how long others will take."""

import datetime
import json
from dataclasses import asdict, dataclass

from ragate.cache import STEPS, Cache, Draw
from ragate.core.hashing import digest


@dataclass(frozen=True)
class CallTimes:
    """Calls to one model.

    Attributes:
        calls: Those that were answered; older ones weigh less.
        seconds: In which at least one was under way: with several at once, fewer than all took.
        until: The day of the newest, in ISO 8601.
    """

    calls: float
    seconds: float
    until: str = ""

    @property
    def each_s(self) -> float:
        """Return the seconds for which each held up the run."""
        return self.seconds / self.calls


def keep_times(cache: Cache, client: str, address: str, model: str, times: CallTimes) -> None:
    """Add the calls of a run to those of earlier ones, which weigh half as much each time."""
    before = known_times(cache, client, address, model)
    if before is not None:
        calls, seconds = times.calls + before.calls / 2, times.seconds + before.seconds / 2
        times = CallTimes(calls, seconds)
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    text = json.dumps(asdict(times) | {"until": today})
    cache.put_draws({(STEPS, _key(client, address, model), 0): Draw(text=text)})


def known_times(cache: Cache, client: str, address: str, model: str) -> CallTimes | None:
    """Return what earlier runs measured, None where nothing was.

    Args:
        client: Who asks: a provider's name for answers, ``judge`` before it for judgements.
        address: Where the provider is.
    """
    kept = cache.draw(STEPS, _key(client, address, model), 0)
    return None if kept is None else CallTimes(**json.loads(kept.text))


def _key(client: str, address: str, model: str) -> str:
    return digest(["call times", client, address, model])
