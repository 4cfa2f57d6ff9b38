"""The tables of ragate.toml as types. docs/configuration.md says what each key means."""

import datetime
import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, ConfigDict, Field, model_validator

from ragate.clients.prices import Price
from ragate.config.toml_lines import with_place
from ragate.extension import extensions, lacking
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

# The form of paths, hosts and addresses in the policy; each function returns what it was given.

_HOST = re.compile(
    r"(\*\.)?[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]{1,5})?|\[[0-9a-f:]+\](:[0-9]{1,5})?"
)


def pattern(value: str) -> str:
    path = PurePosixPath(value)
    if not path.parts or path.is_absolute() or ".." in path.parts or "\0" in value:
        raise ValueError("a pattern is relative to the folder of ragate.toml and stays inside it")
    return value


def host(value: str) -> str:
    if not _HOST.fullmatch(value):
        raise ValueError("write a host in lower case, with a port or without: rag.example:8080")
    if value.startswith("*.") and "." not in value[2:]:
        raise ValueError("below * there must be a domain of your own: *.preview.example")
    return value


def secret_host(value: str) -> str:
    """Check a host that secrets go to; ``http://`` before it lets them go unencrypted."""
    host(value.removeprefix("http://"))
    return value


def url_path(value: str) -> str:
    """Check a pattern of paths; a query is no part of a path."""
    plain = value.isascii() and value.isprintable() and not set(value) & set(" ?#%\\")
    if not value.startswith("/") or not plain or {".", ".."} & set(value.split("/")):
        raise ValueError("write a path from its first slash, with * or **: /ask, /v1/*/ask, /v1/**")
    return value


def base_url(value: str) -> str:
    parts = urlsplit(value)
    plain = not (parts.username or parts.password or parts.query or parts.fragment)
    if parts.port == 0 or parts.scheme not in {"http", "https"} or not parts.hostname or not plain:
        raise ValueError("write http(s)://host[:port][/path], without a user, a key or a query")
    return value


def known_protocol(value: str) -> str:
    known = {"openai", *(name for each in extensions() for name in each.protocols)}
    if value not in known:
        raise ValueError(f"no such protocol; there are {', '.join(sorted(known))}{lacking()}")
    return value


def heard_alert(value: str) -> str:
    if value and not any(each.after_step for each in extensions()):
        raise ValueError(f"nothing that is installed sends alerts{lacking()}")
    return value


SCORES = "scores"
ProfileName = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,39}$")]
_Variable = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
# More would leave each with too little of alpha to see anything.
MOST_SLICES = 10


class Provider(Frozen):
    """A server that speaks the OpenAI protocol (Ollama, vLLM), or Anthropic's.

    Addresses and names of keys stand only here, so a change cannot send a key elsewhere.

    Attributes:
        base_url: `http(s)://host[:port][/path]`, without user, key or query; with `key_env`, plain
            `http://` to this machine or a private network only.
        key_env: The variable that holds the key; empty: it needs none.
        protocol: `openai`, `anthropic` ([the messages API](judge.md#anthropic)), or one of an
            extension.
        prices: What its models cost, by model; a name with a dot stands in quotes.
        calls_per_minute: Of one run, divided among its workers and shards; 0: as many as the server
            takes.
        models: What [recorded systems](replay.md) may ask for; empty: any, and of [pending
            requests](commands.md#ragate-record-fulfil) those of the baseline.
    """

    base_url: Annotated[str, AfterValidator(base_url)]
    key_env: str = Field(default="", pattern=r"^([A-Za-z_][A-Za-z0-9_]*)?$")
    protocol: Annotated[str, AfterValidator(known_protocol)] = "openai"
    prices: dict[str, Price] = {}
    calls_per_minute: float = Field(default=0.0, ge=0, le=1e9, allow_inf_nan=False)
    models: tuple[str, ...] = ()


class Profile(Frozen):
    """Options of a run under one name, for `--profile`.

    Two exist: `retrieval` asks for no answers, `full` narrows nothing.

    Attributes:
        retrieval_only: As `--retrieval-only`.
        top_k: As `--top-k`.
        tags: As `--tags`.
        where: As `--where`: each a condition on metadata.
        limit: As `--limit`.
        skip: As `--skip`: each has a table `[policy.metrics]`.
        eval_date: As `--eval-date`: what `{today}` stands for, a TOML date without quotes.
    \f

    ```toml
    [policy.profiles.reviewed]
    where = ["review_status=approved", "complexity<=3"]
    skip  = ["faithfulness"]
    ```
    """

    retrieval_only: bool = False
    top_k: int | None = Field(default=None, ge=1)
    tags: tuple[str, ...] = ()
    where: tuple[str, ...] = ()
    limit: int | None = Field(default=None, ge=1)
    skip: tuple[str, ...] = ()
    eval_date: datetime.date | None = None


class JudgeSettings(Frozen):
    """The model that scores the judged metrics: [The judge](judge.md).

    Other keys are the judge's own: [`rubric`](#judge-rubric), [`llamaindex`](#judge-llamaindex).

    Attributes:
        use: The judge: `rubric`, `llamaindex`, or a dotted path.
        provider: A table of `[policy.providers]`, for a judge that has one.
        model: The model, best with its date.
        concurrency: Judgements under way at once.
        timeout_s: Seconds for one judgement.
        max_retries: How often a request that failed is made again.
        settings: The plugin's own keys.
    """

    use: str = Field(min_length=1)
    provider: str = ""
    model: str = ""
    concurrency: int = Field(default=8, ge=1, le=1024)
    timeout_s: float = Field(default=60.0, gt=0)
    max_retries: int = Field(default=5, ge=0, le=50)
    settings: dict[str, Any] = {}

    @property
    def own(self) -> dict[str, Any]:
        """Return what the plugin gets: its keys, and provider and model where set."""
        named = {"provider": self.provider, "model": self.model}
        return {**{key: value for key, value in named.items() if value}, **self.settings}

    @property
    def shown(self) -> str:
        """Return who judges: judge, provider and model."""
        return " ".join(filter(None, (self.use, self.provider, self.model)))

    @property
    def prompt_files(self) -> tuple[str, ...]:
        """Return the files that `prompt` and the table `prompts` name, as written."""
        table = self.settings.get("prompts", {})
        named = [self.settings.get("prompt"), *(table.values() if isinstance(table, dict) else ())]
        return tuple(path for path in named if path and isinstance(path, str))


class Execution(Frozen):
    """What carries out [calls of tools](tool-calls.md); without the table nothing does.

    Attributes:
        target: A function of the project, `my.module:function`: called with a tool's name and its
            arguments.
        timeout_s: Seconds for one call.
    """

    target: str = Field(min_length=1)
    timeout_s: float = Field(default=10.0, gt=0, le=600)


class Policy(DecisionSettings):
    """How a run is judged, and what a change may use.

    In CI it comes from the base commit, so a pull request cannot loosen its own gate.

    Attributes:
        dataset: The [golden set](golden-set.md): a file, a BEIR folder, or its qrels file; inside
            the folder of ragate.toml. Only with [scores](scores.md) it may be left out.
        baseline: The committed [baseline](baseline.md), inside that folder too.
        systems: What `[system] use` may name; at least one.
        gate: Name in reports; at most 60 letters, digits, `.`, `_`, `-`; empty: the baseline's file
            name without its ending.
        inputs: Patterns of files that can change an output (`["app/**"]`): a pull request that
            touches none of them, nor a file that `[system]` names, [passes at once](forks.md)
            without running; empty: unknown, every pull request is run.
        replay_paths: Patterns of allowed locations of [recorded files](replay.md).
        scores_paths: Patterns of allowed locations of [an evaluator's scores](scores.md).
        scores_tracked: Whether the action takes scores that are in the commit, or older than the
            checkout.
        scores_measured_by: Patterns of the evaluator's own files (`["evals/**"]`): a pull request
            that edits one of them [is no decision](security.md) until a maintainer accepts it.
        http_hosts: Hosts that [`http`](system-http.md) may call: `name`, `name:port`, or `*.name`.
        http_methods: The methods with which it may call them.
        http_paths: Patterns of the paths at which it may call them: `*` within a part, `**` for
            any.
        http_header_env: By host, the variables whose values [may be sent to it](system-http.md):
            `name`, `name:port`, `*.name`, or one with `http://` before it.
        accept_own: Whether an author's own [accept](comment-commands.md) counts.
        without_key: Where the judge's key is not set: no decision (`fail`), or judged metrics are
            left out with a warning (`judge-free`).
        store: What the baseline keeps in git history beside scores: answers with passages (`full`),
            answers, or hashes alone.
        publish: [Texts](reports.md) that comment, log, page and artifacts may hold: all, answers
            without passages, or ids alone.
        alert_env: The variable with the address of a webhook that hears of [a night that did not
            pass](reports.md); empty: nobody does.
        max_calls: Model calls of one run; a limit that is reached is no decision (exit 3).
        max_cost_usd: Cost of one run, in US dollars.
        max_minutes: Wall time of one run, in minutes.
        providers: Servers of models, by a name of yours.
        judge: The model that scores the judged metrics; none: none are judged.
        execution: What carries out calls of tools; none: nothing does.
        embedder: The embedder of metrics on embeddings that name none of their own: `use`, and the
            keys of [an embedder](#embedder-hashing).
        metrics: What is measured, a table for each metric; required unless a scorecard brings them.
        scorecard: What a sample has to reach as a whole.
        waivers: Questions that one metric does not count, until a date.
        slices: Parts of the golden set that are held on their own; at most ten.
        profiles: Options of a run under one name, for `--profile`.
    """

    dataset: str = ""
    baseline: str
    systems: tuple[str, ...] = Field(min_length=1)
    gate: str = Field(default="", pattern=r"^([A-Za-z0-9][A-Za-z0-9._-]{0,59})?$")
    inputs: tuple[Annotated[str, AfterValidator(pattern)], ...] = ()
    replay_paths: tuple[Annotated[str, AfterValidator(pattern)], ...] = ()
    scores_paths: tuple[Annotated[str, AfterValidator(pattern)], ...] = ()
    scores_tracked: bool = False
    scores_measured_by: tuple[Annotated[str, AfterValidator(pattern)], ...] = ()
    http_hosts: tuple[Annotated[str, AfterValidator(host)], ...] = ()
    http_methods: tuple[Literal["POST", "GET", "PUT"], ...] = Field(
        default=("POST", "GET", "PUT"), min_length=1
    )
    http_paths: tuple[Annotated[str, AfterValidator(url_path)], ...] = Field(
        default=("/**",), min_length=1
    )
    http_header_env: dict[Annotated[str, AfterValidator(secret_host)], tuple[_Variable, ...]] = {}
    accept_own: bool = True
    without_key: Literal["fail", "judge-free"] = "fail"
    store: Literal["full", "answers", "hashes"] = "answers"
    publish: Publish = "full"
    alert_env: Annotated[
        str, Field(pattern=r"^([A-Za-z_][A-Za-z0-9_]*)?$"), AfterValidator(heard_alert)
    ] = ""
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

    @model_validator(mode="after")
    def _scores_stand_alone(self) -> Self:
        if "scores" in self.systems and len(self.systems) > 1:
            raise ValueError("systems: scores stands alone: its metrics are the evaluator's")
        return self

    @property
    def of_scores(self) -> bool:
        """Whether an evaluator's scores are gated: metrics are what it calls so."""
        return self.systems == (SCORES,)

    @property
    def key_names(self) -> frozenset[str]:
        """Return the names of all variables that hold a key, or the address of the alerts."""
        keys = {table.key_env for table in self.providers.values()} | {self.alert_env}
        return frozenset(keys - {""}).union(*self.http_header_env.values())

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


class SystemConfig(Frozen):
    """Which system is under test. Other keys are the system's own: see its section below.

    Attributes:
        use: The system, one of `[policy] systems`: a built-in one, or a plugin's dotted path.
    """

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
        tables: What extensions read of their own tables, by name; in CI it is the base's.
        text: What was read.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: Path
    text: str = Field(default="", repr=False)
    root: Path
    policy_root: Path | None = None
    dataset: Path
    baseline: Path
    policy: Policy
    metric_settings: dict[str, dict[str, Any]] = {}
    tables: dict[str, Any] = {}
    system: SystemConfig

    def located(self, sentence: str) -> str:
        """Return a sentence with file and line of what it says to change, where it is known."""
        return with_place(self.text, self.path.name, sentence)

    @property
    def rules_root(self) -> Path:
        """Return the folder that the policy's paths start from."""
        return self.policy_root or self.root

    @property
    def prompts(self) -> list[Path]:
        """Return the files of the judge's prompts."""
        judge = self.policy.judge
        return [self.rules_root / name for name in (judge.prompt_files if judge else ())]

    @property
    def gate(self) -> str:
        """Return the gate's name: the policy's, or the baseline's file name without its ending."""
        return self.policy.gate or self.baseline.stem
