"""What the pytest plugin costs a project that does not use it: its import, in milliseconds of CPU.

python -m benchmarks.pytest_plugin_cost
"""

import subprocess
import sys

ROUNDS = 20
SCRIPT = """
import time, pytest, tempfile, shutil
began = time.process_time()
import ragate.pytest_plugin
print((time.process_time() - began) * 1000)
"""


def main() -> None:
    took = sorted(
        float(
            subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, check=True).stdout
        )
        for _ in range(ROUNDS)
    )
    print(f"import of the plugin, {ROUNDS} processes: median {took[ROUNDS // 2]:.2f} ms of CPU,")
    print(f"least {took[0]:.2f} ms, most {took[-1]:.2f} ms")


if __name__ == "__main__":
    main()
