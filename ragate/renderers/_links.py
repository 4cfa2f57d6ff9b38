"""Links of the comment: an address is used only where it is a plain https one."""

import re
from html import escape

from ragate.models import Report
from ragate.support.escape import name

_ADDRESS = re.compile(r"https://[A-Za-z0-9.:-]{1,200}/[A-Za-z0-9._~/%#?=&@+-]{0,600}")


def linked(shown: str, url: str) -> str:
    """Return safe HTML as a link to `url`; without one where that is no plain https address."""
    return f'<a href="{escape(url)}">{shown}</a>' if plain_address(url) else shown


def plain_address(url: str) -> str:
    """Return the address, "" where it is no plain https one."""
    return url if _ADDRESS.fullmatch(url) else ""


def sample_link(report: Report, sample_id: str) -> str:
    """Return a sample's name, which leads to its line in the golden set."""
    return linked(name(sample_id), report.links.samples.get(sample_id, ""))
