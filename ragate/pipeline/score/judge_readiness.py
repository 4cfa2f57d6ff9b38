"""Whether the judge can be asked: looked at before something is paid for that needs it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ragate import plugins
from ragate.config import Config, JudgeSettings
from ragate.core.text.listed_names import listed
from ragate.errors import NoKeyError, NotReadyError, ProviderError, RagateError
from ragate.protocols import ChatClient, ChatReply, ChatRequest
from ragate.recorder.open_system import is_recorded_system
from ragate.runtime.before_paying import BeforePaying
from ragate.runtime.resources import Opened

JUDGE_FREE = 'leave judged metrics out: [policy] without_key = "judge-free"'
_LOCAL = "sentence_transformers"


@dataclass
class JudgeReadiness:
    """Sees once whether the judge can be had, and gives it its clients.

    Attributes:
        needed: Metrics without which this run comes to nothing; where there are none, the judge may
            fail as it likes.
        recording: A baseline is made.
        failure: Why the judge cannot be asked, once that is known.
    """

    config: Config
    settings: JudgeSettings
    opened: Opened
    needed: Sequence[str]
    recording: bool = False
    failure: NotReadyError | None = None
    _once: BeforePaying = field(default_factory=BeforePaying, init=False)

    def __post_init__(self) -> None:
        self._once.demand(self._look)

    @property
    def answers_cost(self) -> bool:
        """Whether asking the system may cost something, each time, without ragate seeing it."""
        traits = plugins.traits(self.config.system.use)
        return not (traits.recorded or traits.counted or is_recorded_system(self.config))

    def lack(self) -> NotReadyError | None:
        """Return what the judge lacks on this machine, None where nothing; asks nobody."""
        for provider in self._providers():
            if variable := self.config.policy.unset_key(provider, self.opened.judge.environment):
                unset = f"provider {provider!r}: the environment variable {variable} is not set"
                return NoKeyError(self._why(unset), remedy=self._remedy(f"set {variable}"))
        local = any(table.get("use") == _LOCAL for table in self._tables())
        if local and not plugins.is_installed(_LOCAL):
            why = f'[policy.judge.embedder] use = "{_LOCAL}": the library is not installed'
            return NotReadyError(self._why(why), remedy="pip install 'ragate[local]'")
        return None

    async def look(self) -> None:
        """See that the judge's servers are there and take its keys; the first look counts.

        Raises:
            NotReadyError: names what is missing, and the metrics that need it.
        """
        if self.needed:
            await self._once()

    async def _look(self) -> None:
        self.failure = self.lack()
        try:
            for provider in self._providers() if self.failure is None else ():
                await self.opened.reach(provider)
        except ProviderError as error:
            self.failure = NotReadyError(
                self._why(f"the judge at {error.message}"), remedy=self._remedy(error.remedy)
            )
        if self.failure is not None:
            raise self.failure

    def chat(self, name: str) -> ChatClient:
        """Return a client of the judge, which is looked at before its first call."""
        if not self.needed or not self._paid():
            return self.opened.judge.chat(name)
        self.failure = self.failure or self.lack()
        return _Looked(self.opened.judge.chat(name), self)

    def refuse_waste(self) -> None:
        """Raise where what is still to be collected would be paid for in vain.

        Where collecting costs nothing it goes on: other metrics may tell more.
        """
        if self.failure is not None and self.needed and self._paid():
            raise self.failure

    def _paid(self) -> bool:
        return self.answers_cost or self.opened.budget.tally.calls > 0

    def _why(self, lack: str) -> str:
        names = listed(self.needed)
        return f"{lack}; {names} cannot be {'recorded' if self.recording else 'judged'}"

    def _remedy(self, remedy: str) -> str:
        if self.recording:
            return f"{remedy}; the baseline is unchanged"
        return f"{remedy}, or {JUDGE_FREE}"

    def _providers(self) -> list[str]:
        names = [self.settings.provider, *(table.get("provider") for table in self._tables())]
        known = self.config.policy.providers
        return list(dict.fromkeys(name for name in names if name in known))

    def _tables(self) -> list[dict[str, Any]]:
        """Return the tables of the judge that are used: its embedder is for one metric alone."""
        unused = set() if "semantic_similarity" in self.needed else {"embedder"}
        settings = self.settings.settings
        return [settings[k] for k in settings.keys() - unused if isinstance(settings[k], dict)]


@dataclass(frozen=True)
class _Looked:
    """A client that is looked at before its first call, where answers are paid for as well."""

    client: ChatClient
    readiness: JudgeReadiness

    async def __call__(self, request: ChatRequest, *, draw: int = 0) -> ChatReply:
        try:
            await self.readiness.look()
        except RagateError as error:
            raise ProviderError(error.message, remedy=error.remedy, fatal=True) from error
        return await self.client(request, draw=draw)
