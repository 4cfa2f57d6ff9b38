"""The tables of ragate.toml as types. docs/configuration.md says what each key means."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, Field

from ragate.config.addresses import host, pattern, url_path
from ragate.config.execution import Execution
from ragate.config.profile import Profile, ProfileName
from ragate.config.provider import Provider
from ragate.models import (
    DecisionSettings,
    Frozen,
    Publish,
    Rule,
    Scorecard,
    Slice,
    Waiver,
    rated_metric,
)

_Variable = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]


class JudgeSettings(Frozen):
    """``[policy.judge]``: the model that gives the judged metrics; the rest its plugin reads.

    Attributes:
        provider: A table of ``[policy.providers]``, for a judge that has one.
        concurrency: Judgements under way at once.
        timeout_s: Seconds for one judgement.
        settings: The plugin's own keys.
    """

    use: str = Field(min_length=1)
    provider: str = ""
    model: str = ""
    concurrency: int = Field(default=8, ge=1, le=1024)
    timeout_s: float = Field(default=60.0, gt=0)
    settings: dict[str, Any] = {}

    @property
    def own(self) -> dict[str, Any]:
        """Return what the plugin gets: its keys, and provider and model where set."""
        named = {"provider": self.provider, "model": self.model}
        return {**{key: value for key, value in named.items() if value}, **self.settings}

    @property
    def prompt_files(self) -> tuple[str, ...]:
        """Return the files that `prompt` and the table `prompts` name, as written."""
        table = self.settings.get("prompts", {})
        named = [self.settings.get("prompt"), *(table.values() if isinstance(table, dict) else ())]
        return tuple(path for path in named if path and isinstance(path, str))


# More would leave each with too little of alpha to see anything.
MOST_SLICES = 10


class Policy(DecisionSettings):
    """``[policy]``: how a run is judged, and what a change may use. In CI from the base commit.

    Attributes:
        dataset, baseline: As written; `Config` holds the real paths.
        alert_env: Names the variable that holds the address of a webhook for the night's alerts.
        embedder: Table of the embedder of metrics on embeddings that name none of their own.
    """

    dataset: str
    baseline: str
    systems: tuple[str, ...] = Field(min_length=1)
    gate: str = Field(default="", pattern=r"^([A-Za-z0-9][A-Za-z0-9._-]{0,59})?$")
    inputs: tuple[Annotated[str, AfterValidator(pattern)], ...] = ()
    replay_paths: tuple[Annotated[str, AfterValidator(pattern)], ...] = ()
    http_hosts: tuple[Annotated[str, AfterValidator(host)], ...] = ()
    http_methods: tuple[Literal["POST", "GET", "PUT"], ...] = Field(
        default=("POST", "GET", "PUT"), min_length=1
    )
    http_paths: tuple[Annotated[str, AfterValidator(url_path)], ...] = Field(
        default=("/**",), min_length=1
    )
    http_header_env: dict[Annotated[str, AfterValidator(host)], tuple[_Variable, ...]] = {}
    accept_own: bool = True
    without_key: Literal["fail", "judge-free"] = "fail"
    store: Literal["full", "answers", "hashes"] = "answers"
    publish: Publish = "full"
    alert_env: str = Field(default="", pattern=r"^([A-Za-z_][A-Za-z0-9_]*)?$")
    max_calls: int = Field(default=5000, ge=0)
    max_cost_usd: float = Field(default=20.0, ge=0)
    max_minutes: float = Field(default=30.0, gt=0)
    providers: dict[str, Provider] = {}
    judge: JudgeSettings | None = None
    execution: Execution | None = None
    embedder: dict[str, Any] = {}
    metrics: tuple[Rule, ...]
    scorecard: Scorecard | None = None
    waivers: tuple[Waiver, ...] = ()
    slices: tuple[Slice, ...] = Field(default=(), max_length=MOST_SLICES)
    profiles: dict[ProfileName, Profile] = {}

    @property
    def key_names(self) -> frozenset[str]:
        """Return the names of all variables that hold a key, or the address of the alerts."""
        keys = {table.key_env for table in self.providers.values()} | {self.alert_env}
        sent = () if self.execution is None else self.execution.headers_env.values()
        return frozenset(keys - {""}).union(*self.http_header_env.values(), sent)

    def unset_key(self, provider: str, environment: Mapping[str, str]) -> str:
        """Return the variable that a provider's key is missing from, "" where none is."""
        table = self.providers.get(provider)
        name = table.key_env if table is not None else ""
        return name if name and not environment.get(name) else ""

    @property
    def rules(self) -> tuple[Rule, ...]:
        """Return the rules of all metrics, then of those that the scorecard makes of them."""
        return (*self.metrics, *(self.scorecard.rules if self.scorecard is not None else ()))

    @property
    def gated(self) -> frozenset[str]:
        """Return the metrics that can fail the gate: over the whole set, by a share, on a slice."""
        named = {name for each in self.slices if each.level == "error" for name in each.metrics}
        on_slices = {rated_metric(name) or name for name in named}
        return frozenset(on_slices).union(rule.metric for rule in self.rules if rule.gates)

    @property
    def needed(self) -> frozenset[str]:
        """Return the metrics without which the gate cannot pass: gated ones, and their stages."""
        card = self.scorecard
        made = {rule.metric for rule in card.rules} if card is not None else set()
        stages = card.stages if card is not None and made & self.gated else ()
        return self.gated.union(stage.metric for stage in stages)

    @property
    def judge_keys(self) -> frozenset[str]:
        """Return the names of the variables that hold the judge's key."""
        table = self.providers.get(self.judge.provider) if self.judge is not None else None
        return frozenset({table.key_env} if table is not None and table.key_env else ())

    def address(self, provider: str) -> str:
        """Return where a provider is, "" for one that is not named here."""
        table = self.providers.get(provider)
        return table.base_url if table is not None else ""

    @property
    def decision(self) -> DecisionSettings:
        """Return the figures of the decision rule alone."""
        return DecisionSettings(
            **{key: getattr(self, key) for key in DecisionSettings.model_fields}
        )


class SystemConfig(Frozen):
    """``[system]``: the system under test; its settings are read by its plugin."""

    use: str
    settings: dict[str, Any] = {}


class Config(Frozen):
    """A whole ragate.toml, read from `path`.

    Attributes:
        root: The project's folder, as a real path; the system's paths start here.
        policy_root: Where the policy's paths start; None where that is `root` as well. In CI the
            policy's files are the base's, outside of the workspace.
        dataset, baseline: Real paths, inside the policy's folder.
        metric_settings: By metric, the keys of its table that are the metric's own.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: Path
    root: Path
    policy_root: Path | None = None
    dataset: Path
    baseline: Path
    policy: Policy
    metric_settings: dict[str, dict[str, Any]] = {}
    system: SystemConfig

    @property
    def rules_root(self) -> Path:
        """Return the folder that the policy's paths start from."""
        return self.policy_root or self.root

    @property
    def gate(self) -> str:
        """Return the gate's name: the policy's, or the baseline's file name without its ending."""
        return self.policy.gate or self.baseline.stem
