"""What is said in a status, and where there is no report or no permission."""

import re
from html import escape

from ragate.errors import RagateError
from ragate.github.event.event import Event
from ragate.github.rest.api_error import GitHubApiError
from ragate.github.rest.repository import LONGEST_DESCRIPTION
from ragate.models import Report
from ragate.renderers._headline import verdict_words
from ragate.renderers._numbers import COMMENT
from ragate.renderers.markdown import marker
from ragate.support.escape import code, name, one_line, short_sha

_SCOPES = {"the comment": "pull-requests: write", "the status": "statuses: write"}
_LONGEST = 1000


def description(report: Report, *, exit_code: int) -> str:
    """Return line 1 of the comment for a status: plain text, without the gate's name."""
    part = "part of the set: " if report.partial else ""
    text = part + "".join(verdict_words(report, COMMENT))
    if exit_code == 0 and report.decision.exit_code != 0:
        text = f"{text.removesuffix(' · blocks')} · does not block (fail-on)"
    elif exit_code != 0 and report.decision.exit_code == 0:
        text = f"{text.removesuffix(' · does not block')} · blocks (fail-on)"
    return one_line(text, LONGEST_DESCRIPTION)


def error_page(error: RagateError, *, gate: str, head: str, run_url: str) -> str:
    """Return the comment of a run that came to no verdict."""
    link = run_url if re.fullmatch(r"https://[^\s\"'<>`]{1,500}", run_url) else ""
    title = f"{name(gate) if gate else 'ragate'}: no verdict, the run ended in an error · blocks"
    log = f'<a href="{escape(link)}">log</a>' if link else ""
    footer = " · ".join(filter(None, [short_sha(head), log]))
    lines = [
        marker(gate, head),
        f"<h3>⏸️ {title}</h3>",
        "",
        f"<p><b>Why:</b> {code(error.message, _LONGEST)}</p>",
        f"<p><b>Next:</b> {code(error.remedy, _LONGEST)}</p>" if error.remedy else "",
        f"<p><sub>{footer}</sub></p>" if footer else "",
    ]
    return "\n".join(lines[:3] + [line for line in lines[3:] if line]) + "\n"


def hint(error: GitHubApiError, target: str, event: Event) -> str:
    """Return what a reader can do about a call that was refused."""
    if error.status not in (401, 403, 404) or "rate limit" in error.message.lower():
        return ""
    if event.pull is not None and event.pull.is_fork:
        return (
            "The token of a pull request from a fork may only read: "
            "the verdict is in the job summary, and docs/action.md has the pair of workflows "
            "that publishes it"
        )
    scope = _SCOPES.get(target)
    if not scope:
        return ""
    if event.actor == "dependabot[bot]":
        # Unlike a fork's, its token goes by the job's permissions; only secrets are others.
        return f"Dependabot's token may only read where the job does not say 'permissions: {scope}'"
    return f"The job needs 'permissions: {scope}'"
