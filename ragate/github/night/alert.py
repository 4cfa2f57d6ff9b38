"""One message to a webhook when the night's run did not pass: counts, and no text of anybody's."""

import json
from typing import Any
from urllib.parse import urlsplit

from ragate.github.rest.connection import Connection
from ragate.github.rest.http_call import send
from ragate.models import Report, Verdict

SECONDS = 10.0
_MOST_BYTES = 64 * 1024
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_WORSE = frozenset({"worse", "mixed"})


def alert_body(
    gate: str, *, head: str, exit_code: int, run_url: str, report: Report | None
) -> dict[str, Any]:
    """Return what is sent: verdict, commit, address of the run, and counts.

    No name of a metric, no id and no text of a sample is in it. The key ``text`` is what a chat
    shows.

    Args:
        report: None where the night ended in an error.
    """
    verdict = str(report.decision.verdict if report is not None else Verdict.NO_DECISION)
    counts = _counts(report) if report is not None else {}
    words = "; ".join(f"{name.replace('_', ' ')}: {count:,}" for name, count in counts.items())
    sentence = f"{gate} at {head[:7]}: {verdict.replace('_', ' ')} (exit {exit_code})"
    return {
        "text": ". ".join(filter(None, [f"ragate, night of {sentence}", words, run_url])),
        "gate": gate,
        "commit": head,
        "verdict": verdict,
        "exit_code": exit_code,
        "run_url": run_url,
        "counts": counts,
    }


def _counts(report: Report) -> dict[str, int]:
    changes = [row.change for row in report.samples]
    return {
        "metrics": len(report.decision.metrics),
        "metrics_that_fail": sum(row.blocks for row in report.decision.metrics),
        "samples": report.facts.samples,
        "samples_worse": sum(change in _WORSE for change in changes),
        "samples_failed": changes.count("failed"),
        "samples_better": changes.count("better"),
    }


def send_alert(url: str, text: str) -> str:
    """Post JSON to a webhook; return why it was not taken, "" where it was.

    The address is a secret: it is in no answer of this function. Nothing is sent twice, no redirect
    is followed, and no variable of the environment leads elsewhere.
    """
    import httpx

    try:
        parts = urlsplit(url)
        is_safe = parts.scheme == "https" or (
            parts.scheme == "http" and parts.hostname in _LOOPBACK
        )
    except ValueError:
        is_safe = False
    if not is_safe or not parts.hostname:
        return "its variable holds no https address"
    headers = {"content-type": "application/json", "user-agent": "ragate"}
    with Connection().client(httpx.Timeout(SECONDS)) as client:
        answer = send(
            client, "POST", url, max_bytes=_MOST_BYTES, content=text.encode(), headers=headers
        )
    if 200 <= answer.status < 300 or answer.status == -1:
        return ""
    return f"HTTP {answer.status}" if answer.status else "no connection, or no answer in time"


def as_text(body: dict[str, Any]) -> str:
    """Return the body as JSON."""
    return json.dumps(body, ensure_ascii=True, allow_nan=False)
