"""The subcommands of ``ragate dataset``, one module each."""
