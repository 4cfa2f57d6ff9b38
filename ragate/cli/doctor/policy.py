"""The policy: what it demands, its waivers, and the keys that it names."""

import datetime
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from ragate import plugins
from ragate.cli.finding import Finding, ok, plural, problem, warning
from ragate.config import Config, Provider
from ragate.core.rules.waivers import expired
from ragate.core.text.listed_names import listed
from ragate.models import DrillProof, Needs, Waiver


def configuration(config: Config) -> list[Finding]:
    """Say what is configured."""
    levels = [rule.level for rule in config.policy.metrics]
    return [
        ok(
            "configuration",
            f"{config.path.name}: system {config.system.use}, "
            f"{plural(len(levels), 'metric')}, {levels.count('error')} of level error",
        )
    ]


def waivers(
    policy_waivers: Sequence[Waiver], ids: Collection[str] | None, *, today: datetime.date
) -> list[Finding]:
    """Say which waivers are over, or are for no sample.

    Args:
        ids: Of the golden set; None where it cannot be read.
    """
    check = "waivers"
    findings = []
    if over := [
        f"{waiver.id} ({waiver.metric}, until {waiver.until})"
        for waiver in expired(policy_waivers, today)
    ]:
        findings.append(
            problem(
                check,
                f"{plural(len(over), 'waiver')} past the last day: {listed(over)}",
                "mend the sample and remove the waiver, or set a new `until`",
            )
        )
    if ids is not None and (
        lost := [waiver.id for waiver in policy_waivers if waiver.id not in ids]
    ):
        findings.append(
            warning(
                check, f"no sample has the id {listed(lost)}", "remove the waiver, or correct it"
            )
        )
    if policy_waivers and not findings:
        findings.append(ok(check, f"{plural(len(policy_waivers), 'waiver')}, none over"))
    return findings


def proof(last: DrillProof | None) -> list[Finding]:
    """Say when the gate last proved that it can fail.

    Args:
        last: Result of the last drill on this machine; None where there was none.
    """
    if last is None:
        return [ok("drill", "none on this machine yet; `ragate drill` shows what the gate catches")]
    outcome = f"{last.caught} of {last.planted} planted breaks caught on {last.date}"
    if last.caught:
        return [ok("drill", outcome)]
    return [
        problem(
            "drill",
            f"{outcome}: this gate cannot fail",
            "`ragate drill` says why each break passes; set level, pass_at or minimum accordingly",
        )
    ]


def used_providers(system: Mapping[str, Any]) -> set[str]:
    """Return the providers that the tables of ``[system]``, or of the judge, name."""
    tables = [value for value in system.values() if isinstance(value, dict)]
    return {name for table in tables if isinstance(name := table.get("provider"), str) and name}


def judging_providers(config: Config) -> set[str]:
    """Return the judge's providers where a metric needs the judge; a foreign metric may."""
    judge = config.policy.judge
    measured = [rule.metric for rule in config.policy.metrics if rule.level != "off"]
    if judge is None or not any(_may_need_judge(name, config) for name in measured):
        return set()
    return ({judge.provider} if judge.provider else set()) | used_providers(judge.settings)


def _may_need_judge(name: str, config: Config) -> bool:
    if not plugins.is_builtin("metrics", plugins.split_metric(name)[0]):
        return True
    metric = plugins.metric(name, settings=config.metric_settings.get(name))
    return metric.info.needs is Needs.JUDGE


def keys(
    providers: Mapping[str, Provider],
    used: Collection[str],
    environment: Mapping[str, str],
    *,
    recorded: Collection[str] = (),
    spared: Collection[str] = (),
) -> list[Finding]:
    """Say which key variables are set; their values are looked at, and never shown.

    Args:
        recorded: Providers that recorded calls go to: without the key they are replayed.
        spared: Providers of a judge that a run without the key leaves out.
    """
    findings = [_unknown(name, providers) for name in sorted(set(used) - providers.keys())]
    for name, provider in sorted(providers.items()):
        missing = bool(provider.key_env) and not environment.get(provider.key_env)
        if name in recorded and name not in used and missing:
            findings += _replayed(name, provider)
        elif name in spared and name not in used and missing:
            findings.append(_spared(name, provider))
        else:
            findings += _key(name, provider, environment, used=name in {*used, *recorded, *spared})
    return findings


def _unknown(name: str, providers: Mapping[str, Provider]) -> Finding:
    return problem(
        "keys",
        f"[system] uses the provider {name!r}, which is not in [policy.providers]",
        f"add [policy.providers.{name}] with base_url and key_env; known: "
        f"{', '.join(sorted(providers)) or 'none'}",
    )


def _replayed(name: str, provider: Provider) -> Iterable[Finding]:
    return [
        warning(
            "keys",
            f"provider {name}: {provider.key_env} is not set: recorded calls are replayed, and new "
            "ones stay pending",
            f"set {provider.key_env}, or answer them elsewhere with `ragate record fulfil`",
        )
    ]


def _spared(name: str, provider: Provider) -> Finding:
    return warning(
        "keys",
        f"provider {name}: {provider.key_env} is not set: judged metrics are left out "
        "([policy] without_key = judge-free)",
        f"set {provider.key_env} where they should count",
    )


def _key(
    name: str, provider: Provider, environment: Mapping[str, str], *, used: bool
) -> Iterable[Finding]:
    variable = provider.key_env
    value = environment.get(variable, "")
    if not variable:
        yield ok("keys", f"provider {name} needs no key")
    elif not value and used:
        yield problem(
            "keys",
            f"provider {name}: the environment variable {variable} is not set",
            f"set {variable}: in your shell, in .env (read on your machine only), or as a secret "
            "of the workflow; pull requests from forks get no secrets",
            exit_code=3,
        )
    elif not value:
        yield ok("keys", f"provider {name}: {variable} is not set; nothing here uses it")
    elif value != value.strip():
        yield warning(
            "keys",
            f"provider {name}: {variable} begins or ends with white space",
            "set it again without the line end that was pasted along",
        )
    else:
        yield ok("keys", f"provider {name}: {variable} is set")
