#!/usr/bin/env bash
# Chromium for tests/browser, where a machine lacks it: as root on Debian or a relative of it, from the
# distribution. Does nothing where one is there, or is named in RAGATE_CHROMIUM.
#
# Exit code: 0 ready, 3 cannot be had on this machine (the last line says why), else a failure.
set -euo pipefail
exec </dev/null
export DEBIAN_FRONTEND=noninteractive

for name in "${RAGATE_CHROMIUM:-}" chromium chromium-browser google-chrome; do
  if [ -n "$name" ] && command -v "$name" >/dev/null; then exit 0; fi
done
command -v apt-get >/dev/null || { echo "install_browser: no Chromium, and this is not Debian"; exit 3; }
[ "$(id -u)" = 0 ] || { echo "install_browser: no Chromium, and only root may install it"; exit 3; }
apt-get -o DPkg::Lock::Timeout=600 update -q
# Fonts, since a page without any has boxes in place of letters.
apt-get -o DPkg::Lock::Timeout=600 install -y -q --no-install-recommends chromium fonts-dejavu-core
