"""ragate.toml: where it is, what it says, and what is wrong with it.

A path goes in, a `Config` comes out, or an error that names the place in the file. Read `model.py`
for the tables as types, `read.py` for how they are read, and `rules.py` for the metrics' rules.
"""

from ragate.config.model import (
    Config,
    Execution,
    JudgeSettings,
    Policy,
    Profile,
    Provider,
    SystemConfig,
)
from ragate.config.read import config_of, load_config, parse_config
from ragate.config.rules import check_rule
from ragate.config.scorecard import check_stage, preset_file
from ragate.config.slices import check_slice_metric, known_info
from ragate.files.find_files import CONFIG_NAME, find_config
