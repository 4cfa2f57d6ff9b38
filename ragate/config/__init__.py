"""ragate.toml: where it is, what it says, and what is wrong with it."""

from ragate.config.execution import Execution
from ragate.config.model import Config, JudgeSettings, Policy, SystemConfig
from ragate.config.profile import Profile
from ragate.config.provider import Provider
from ragate.config.read import load_config, parse_config
from ragate.config.rules import check_rule
from ragate.config.scorecard import check_stage
from ragate.config.scorecard_table import preset_file
from ragate.config.slices import check_slice_metric, known_info
from ragate.support.find_files import CONFIG_NAME, find_config
