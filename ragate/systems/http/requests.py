"""The request for a sample: its headers, parameters and body."""

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from jinja2 import StrictUndefined, TemplateError, meta
from jinja2.exceptions import SecurityError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from ragate.errors import ConfigError
from ragate.models import Sample
from ragate.systems._foreign import no_place_for_turns
from ragate.systems._output import OutputError
from ragate.systems.http.settings import BODY, CHAT_BODY, Settings
from ragate.version import MANUAL
from ragate.worker.naming import HEADER

NAMES = frozenset({"id", "query", "metadata", "messages"})
MAX_CHARACTERS = 1_000_000
_ACCEPTED = {"sse": "text/event-stream, */*;q=0.5", "ndjson": "application/x-ndjson, */*;q=0.5"}


class SampleRequests:
    """Makes the requests.

    Args:
        secrets: Headers whose values are in variables.

    Raises:
        ConfigError: a text is no template.
    """

    def __init__(self, settings: Settings, secrets: Mapping[str, str]) -> None:
        self._settings = settings
        self._headers = {"Content-Type": "application/json", **settings.headers, **secrets}
        accepted = _ACCEPTED.get(settings.stream.format, "")
        if accepted and not any(name.lower() == "accept" for name in self._headers):
            self._headers["Accept"] = accepted
        self._body = Template(settings.body, where="[system] body")
        # The default body has a place for earlier turns only where there are any.
        chat_body = CHAT_BODY if settings.body == BODY else settings.body
        self._chat_body = Template(chat_body, where="[system] body")
        self._params = {
            name: Template(text, where=f"[system] params {name}")
            for name, text in settings.params.items()
        }

    def parts(self, sample: Sample) -> dict[str, Any]:
        """Return the parts of the request for a sample.

        Raises:
            ConfigError: it has earlier turns, and no template has a place for them.
            OutputError: a template cannot be filled in, or gives no JSON.
        """
        settings = self._settings
        if sample.messages:
            self._check_takes_turns(sample)
        parts: dict[str, Any] = {"headers": dict(self._headers)}
        if settings.record:
            parts["headers"][HEADER] = quote(sample.id)
        if self._params:
            parts["params"] = {name: text.render(sample) for name, text in self._params.items()}
        if settings.method == "GET":
            parts["headers"].pop("Content-Type")
        else:
            parts["content"] = self._content(sample)
        return parts

    def _check_takes_turns(self, sample: Sample) -> None:
        texts = list(self._params.values())
        texts += [] if self._settings.method == "GET" else [self._chat_body]
        if not any(text.takes_messages for text in texts):
            place = "params" if self._settings.method == "GET" else "body"
            remedy = f"put {{{{ messages | tojson }}}} into {place} ({MANUAL}/system-http.md)"
            raise no_place_for_turns(sample, f"[system] {place}", remedy=remedy)

    def _content(self, sample: Sample) -> bytes:
        text = (self._chat_body if sample.messages else self._body).render(sample)
        kind = next(v for k, v in reversed(self._headers.items()) if k.lower() == "content-type")
        if kind.partition(";")[0].strip() == "application/json":
            try:
                json.loads(text)
            except ValueError as error:
                raise OutputError(
                    f"[system] body gives no JSON for {sample.id}: write {{{{ query | tojson }}}}, "
                    "without quotes around it"
                ) from error
        return text.encode()


# The texts of a request: Jinja in its sandbox, with nothing but the question.


class _Sandbox(ImmutableSandboxedEnvironment):
    """A sandbox without the operators that fill the memory with a few characters."""

    intercepted_binops = frozenset({"*", "**"})

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        del context, left, right
        raise SecurityError(f"the operator {operator} is not available here")


class Template:
    """One text with placeholders: ``{{ query | tojson }}``."""

    def __init__(self, text: str, *, where: str, names: frozenset[str] = NAMES) -> None:
        environment = _Sandbox(undefined=StrictUndefined, autoescape=False)
        environment.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "allow_nan": False}
        environment.globals.clear()
        try:
            used = meta.find_undeclared_variables(environment.parse(text))
            self._template = environment.from_string(text)
        except TemplateError as error:
            raise ConfigError(f"{where}: not a template: {error}") from error
        self.takes_messages = "messages" in used
        if unknown := sorted(used - names):
            raise ConfigError(
                f"{where}: unknown name {unknown[0]!r}",
                remedy=f"a template knows {', '.join(sorted(names)) or 'no name here'}",
            )
        self._where = where

    def render(self, sample: Sample) -> str:
        """Return the text for one sample; what it is expected to answer is not given.

        Raises:
            OutputError: a metadata field is missing, or the text is out of all proportion.
        """
        return self.fill(
            {
                "id": sample.id,
                "query": sample.query,
                "metadata": sample.metadata,
                "messages": sample.turns,
            }
        )

    def fill(self, values: Mapping[str, Any]) -> str:
        """Return the text with `values` for its names.

        Raises:
            OutputError: as `render`.
        """
        try:
            text: str = self._template.render(values)
        except (TemplateError, ArithmeticError, TypeError, ValueError, LookupError) as error:
            raise OutputError(f"{self._where}: {error}") from error
        if len(text) > MAX_CHARACTERS:
            raise OutputError(f"{self._where}: gives more than {MAX_CHARACTERS} characters")
        return text
