"""``python -m ragate``."""

from ragate.cli.main import main

main()
