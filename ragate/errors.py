"""Every error that a user can meet. Each names the thing, the value and the remedy."""


class RagateError(Exception):
    """Root of all expected errors; `exit_code` is what the command ends with."""

    exit_code = 3

    def __init__(self, message: str, *, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.message}\n  -> {self.remedy}" if self.remedy else self.message


class UsageError(RagateError):
    """The command line or a filter makes no sense."""

    exit_code = 2


class ConfigError(RagateError):
    """ragate.toml, or a plugin's settings in it, cannot be read or are wrong."""

    exit_code = 2


class NotInstalledError(ConfigError):
    """What a configuration names, a library or a model, is not on this machine."""


class DatasetError(RagateError):
    """The golden set, or recorded outputs, cannot be read."""

    exit_code = 2


class BaselineError(RagateError):
    """The baseline file is there and cannot be read."""

    exit_code = 2


class PluginError(ConfigError):
    """A plugin's name leads nowhere, or what it leads to is no plugin."""


class NoBaselineError(RagateError):
    """There is no baseline to compare with: no decision."""


class DatabaseError(RagateError):
    """The database cannot be reached or used: no decision."""


class SystemStartError(RagateError):
    """The system under test cannot be started or reached at all: no decision."""


class LeftBehindError(SystemStartError):
    """What code under test started may still run: no decision."""


class TamperedError(LeftBehindError):
    """What ragate or its environment consists of changed while foreign code ran: no decision."""


class SystemMismatchError(RagateError):
    """What answers is not the build that is being judged: no decision."""


# Of an answer that a later attempt need not meet: timeouts, conflicts, too many requests.
TRANSIENT_STATUS = frozenset({408, 409, 425, 429})


class ProviderError(RagateError):
    """A model service failed after retries, or refused: what depends on it is unscored.

    Attributes:
        fatal: Every further call would fail too: wrong key, unknown model, the service is out.
        status: The HTTP status of the last answer, where there was one.
    """

    def __init__(
        self, message: str, *, remedy: str = "", fatal: bool = False, status: int | None = None
    ) -> None:
        super().__init__(message, remedy=remedy)
        self.fatal = fatal
        self.status = status

    @property
    def refused(self) -> bool:
        """Return whether it was this very request that was refused: the service is there."""
        status = self.status or 0
        return 400 <= status < 500 and not self.fatal and status not in TRANSIENT_STATUS


class NotReadyError(RagateError):
    """What the run is going to need cannot be had: it ends before it pays for the rest."""


class NoKeyError(NotReadyError):
    """A model has to be asked and its key is not set: the run ends, whatever the sample."""


class HopelessError(NotReadyError):
    """More was lost than the policy allows, however the run goes on: it asks nothing more."""


class StorageError(RagateError):
    """A file of ours could not be written or read back."""


class BudgetError(RagateError):
    """A cap of the policy on calls, cost or time is reached."""


# What is wrong with the machine or the settings is wrong for every sample: it ends a run.
FATAL = (BudgetError, ConfigError, DatabaseError, NotReadyError, StorageError, SystemMismatchError)
