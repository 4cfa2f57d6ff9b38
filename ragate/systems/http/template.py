"""The texts of a request: Jinja in its sandbox, with nothing but the question."""

from collections.abc import Mapping
from typing import Any

from jinja2 import StrictUndefined, TemplateError, meta
from jinja2.exceptions import SecurityError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from ragate.errors import ConfigError
from ragate.models import Sample
from ragate.systems._output import OutputError

NAMES = frozenset({"id", "query", "metadata", "messages"})
MAX_CHARACTERS = 1_000_000


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
