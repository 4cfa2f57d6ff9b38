"""The files of examples/telemetry: valid, of one piece, and sent to by what they say.

No image is started: whether the commands of a container and its files fit is read from both.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml

from tools.telemetry_files import DASHBOARDS, EXAMPLE, RULES

pytestmark = pytest.mark.integration
COMPOSE = yaml.safe_load((EXAMPLE / "compose.yaml").read_text())
SERVICES = COMPOSE["services"]


def loaded(name: str) -> Any:
    return yaml.safe_load((EXAMPLE / name).read_text())


def mounted(service: str, path: str) -> Path:
    """Return the file of the example that a container finds at a path."""
    for volume in SERVICES[service].get("volumes", []):
        source, target, *_ = volume.split(":")
        if source.startswith("./") and (path == target or path.startswith(f"{target}/")):
            found: Path = EXAMPLE / source / path.removeprefix(target).lstrip("/")
            return found
    raise AssertionError(f"{service} has no {path}")


def test_the_compose_file_is_valid() -> None:
    pytest.importorskip(
        "check_jsonschema", reason="check-jsonschema, of the extra dev, is not installed"
    )
    schema = ("--builtin-schema", "vendor.compose-spec")
    done = subprocess.run(
        [sys.executable, "-m", "check_jsonschema", *schema, str(EXAMPLE / "compose.yaml")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("service", SERVICES)
def test_an_image_is_pinned_by_a_version(service: str) -> None:
    _, _, tag = SERVICES[service]["image"].rpartition(":")

    assert re.fullmatch(r"v?\d+\.\d+\.\d+(-pg\d+)?", tag)


@pytest.mark.parametrize("service", SERVICES)
def test_ports_are_of_this_machine_alone_and_what_is_waited_for_is_there(service: str) -> None:
    for port in SERVICES[service].get("ports", []):
        assert port.startswith("127.0.0.1:")
    assert set(SERVICES[service].get("depends_on", [])) <= SERVICES.keys()
    for volume in SERVICES[service].get("volumes", []):
        source = volume.partition(":")[0]
        assert (
            (EXAMPLE / source).exists() if source.startswith(".") else source in COMPOSE["volumes"]
        )


def test_the_collector_reads_its_file_and_every_pipe_leads_somewhere() -> None:
    (command,) = SERVICES["collector"]["command"]
    config = yaml.safe_load(mounted("collector", command.removeprefix("--config=")).read_text())

    for signal in ("metrics", "traces", "logs"):
        pipe = config["service"]["pipelines"][signal]
        assert set(pipe["receivers"]) <= config["receivers"].keys()
        assert set(pipe.get("processors", [])) <= config["processors"].keys()
        assert set(pipe["exporters"]) <= config["exporters"].keys()
    assert config["service"]["pipelines"]["metrics"]["processors"] == ["deltatocumulative"]
    for exporter in config["exporters"].values():
        host = str(exporter.get("endpoint", "0.0.0.0")).partition(":")[0]
        assert host == "0.0.0.0" or host in SERVICES
    listened = {
        each["endpoint"].rpartition(":")[2]
        for each in config["receivers"]["otlp"]["protocols"].values()
    }
    assert listened == {port.rpartition(":")[2] for port in SERVICES["collector"]["ports"]}


def test_prometheus_asks_the_collector_and_has_the_rules() -> None:
    file = mounted("prometheus", "/etc/prometheus/prometheus.yaml")
    config = yaml.safe_load(file.read_text())
    ((target,),) = [each["targets"] for each in config["scrape_configs"][0]["static_configs"]]
    host, port = target.split(":")

    assert config["rule_files"] == [RULES.name]
    assert file.parent.resolve() == RULES.parent.resolve()
    assert host in SERVICES
    assert loaded("collector.yaml")["exporters"]["prometheus"]["endpoint"].endswith(f":{port}")


def test_grafana_has_its_sources_and_the_dashboards() -> None:
    sources = loaded("grafana/provisioning/datasources/sources.yaml")["datasources"]
    (provider,) = loaded("grafana/provisioning/dashboards/ragate.yaml")["providers"]

    assert {urlsplit(each["url"]).hostname for each in sources} == {"prometheus", "jaeger"}
    assert mounted("grafana", provider["options"]["path"]).resolve() == DASHBOARDS.resolve()
    mounted("grafana", "/etc/grafana/provisioning")


def test_a_shell_that_reads_the_variables_reaches_what_compose_starts() -> None:
    script = f"set -eu; . {EXAMPLE / 'ragate.env'}; env"
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True, env={})
    variables = dict(line.split("=", 1) for line in done.stdout.splitlines() if "=" in line)
    server = SERVICES["postgres"]["environment"]

    assert variables["RAGATE_TELEMETRY"] == "1"
    assert variables["OTEL_EXPORTER_OTLP_PROTOCOL"] == "grpc"
    assert urlsplit(variables["OTEL_EXPORTER_OTLP_ENDPOINT"]).netloc == "127.0.0.1:4317"
    for name in ("RAGATE_DATABASE_URL", "RAGATE_RUNS_URL"):
        url = urlsplit(variables[name])
        assert (url.username, url.password) == (
            server["POSTGRES_USER"],
            server["POSTGRES_PASSWORD"],
        )
        assert (url.netloc.rpartition("@")[2], url.path) == (
            "127.0.0.1:5432",
            f"/{server['POSTGRES_DB']}",
        )
    assert "127.0.0.1:5432:5432" in SERVICES["postgres"]["ports"]
