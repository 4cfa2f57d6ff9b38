"""Prompts that a user may write: Jinja files, compiled in a sandbox."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragate.errors import ConfigError
from ragate.files.foreign_files import inside, read_text

MAX_BYTES = 256 * 1024


@dataclass(frozen=True)
class PromptFile:
    """A prompt, compiled.

    Attributes:
        text: As it stands in the file.
        where: The key that names the file and its name, for messages.
        remedy: What a prompt knows.
    """

    text: str
    template: Any
    where: str
    remedy: str

    def render(self, **values: Any) -> str:
        """Return the text with `values` for its names.

        Raises:
            ConfigError: it uses a name that is not given, or something forbidden.
        """
        from jinja2 import TemplateError

        try:
            text = self.template.render(values)
        except (TemplateError, ArithmeticError, TypeError, ValueError, LookupError) as error:
            raise ConfigError(f"{self.where}: {error}", remedy=self.remedy) from error
        return str(text).strip()


def load_prompt_file(
    root: Path, configured: str, built_in: Path, *, key: str, remedy: str, **options: bool
) -> PromptFile:
    """Return the prompt that is configured, below `root`, or else the built-in one.

    Args:
        key: What names the file, for messages.
        options: Of Jinja's environment.

    Raises:
        ConfigError: the file is absent, outside the project, or no template.
    """
    from jinja2 import StrictUndefined, TemplateSyntaxError
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    path = inside(root, configured, where=key, error=ConfigError) if configured else built_in
    text, where = read_text(path, error=ConfigError, max_bytes=MAX_BYTES), f"{key}: {path.name}"
    # Text for a model, not HTML; the sandbox is what keeps a template from running code.
    environment = ImmutableSandboxedEnvironment(
        undefined=StrictUndefined, autoescape=False, **options
    )
    try:
        return PromptFile(text, environment.from_string(text), where, remedy)
    except TemplateSyntaxError as error:
        raise ConfigError(f"{where}:{error.lineno}: {error.message}") from error
