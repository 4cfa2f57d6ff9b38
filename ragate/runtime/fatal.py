"""Errors that end a run, since they are wrong for every sample."""

from ragate.errors import (
    BudgetError,
    ConfigError,
    DatabaseError,
    NoKeyError,
    StorageError,
    SystemMismatchError,
)

# What is wrong with the machine or the settings is wrong for every sample: it ends the run.
FATAL = (BudgetError, ConfigError, DatabaseError, NoKeyError, StorageError, SystemMismatchError)
