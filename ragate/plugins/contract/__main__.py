"""The child of `check_apart`; its one argument is the task."""

import sys

from ragate.plugins.contract.check_file import run_task

if __name__ == "__main__":
    run_task(sys.argv[1])
