"""The arguments of a call: a template of JSON, filled in for each sample."""

import json
from typing import Any

from ragate.models import Sample
from ragate.systems._foreign import no_place_for_turns
from ragate.systems._output import OutputError
from ragate.systems.http.template import Template
from ragate.systems.mcp.settings import ARGUMENTS, CHAT_ARGUMENTS

_WHERE = "[system] arguments"


class Arguments:
    """The template of ``[system] arguments``.

    Raises:
        ConfigError: it is none.
    """

    def __init__(self, text: str) -> None:
        self._template = Template(text, where=_WHERE)
        # The default has a place for earlier turns only where there are any.
        chat = CHAT_ARGUMENTS if text == ARGUMENTS else text
        self._chat_template = Template(chat, where=_WHERE)

    def of(self, sample: Sample) -> dict[str, Any]:
        """Return the arguments for a sample.

        Raises:
            ConfigError: the sample has earlier turns, and the template has no place for them.
            OutputError: it gives no JSON, or no object.
        """
        if sample.messages and not self._chat_template.takes_messages:
            remedy = "put {{ messages | tojson }} into them"
            raise no_place_for_turns(sample, _WHERE, remedy=remedy)
        template = self._chat_template if sample.messages else self._template
        try:
            arguments = json.loads(template.render(sample))
        except ValueError as error:
            raise OutputError(
                f"{_WHERE} give no JSON for {sample.id}: write {{{{ query | tojson }}}}, without "
                "quotes around it"
            ) from error
        if not isinstance(arguments, dict):
            raise OutputError(f"{_WHERE} give no object for {sample.id}")
        return arguments
