"""A certificate for this machine that no public authority signed."""

from __future__ import annotations

import ssl
import subprocess
from pathlib import Path

import pytest


def signed_by_nobody(folder: Path) -> Path:
    """Return a file with a key and its certificate; skips where openssl is missing."""
    key, certificate = folder / "pair.pem", folder / "certificate.pem"
    made = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    made += ["-nodes", "-days", "2", "-subj", "/CN=company.example", "-addext"]
    made += ["subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(certificate)]
    try:
        subprocess.run(made, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"openssl cannot make a certificate: {error}")
    key.write_text(key.read_text() + certificate.read_text())
    return key


def server_context(pair: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pair)
    return context
