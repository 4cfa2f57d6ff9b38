#!/usr/bin/env bash
# A container engine and the base image of our Dockerfile, where a machine may lack both.
#
#   tests/container/setup_engine.sh
#
# An engine that answers is used as it is. Else, as root on Debian or a relative of it, podman comes
# from the distribution, and the base image from the distribution's own packages where no image
# registry can be reached. What was made is kept in RAGATE_ENGINE_DIR (~/.cache/ragate-engine), so that
# the next run is quick.
#
# Exit code: 0 ready, 3 cannot be had on this machine (the last line says why), else a failure.
set -euo pipefail
exec </dev/null

suite=bookworm
image=docker.io/library/debian:$suite-slim
folder=${RAGATE_ENGINE_DIR:-${HOME:-/root}/.cache/ragate-engine}
log=$folder/log.txt
settings=$folder/containers.conf
export DEBIAN_FRONTEND=noninteractive
if [ -z "${CONTAINERS_CONF:-}" ] && [ -f "$settings" ]; then export CONTAINERS_CONF=$settings; fi

say() { printf 'setup_engine: %s\n' "$*"; }
unavailable() { say "no engine: $*"; exit 3; }
# Long output goes to the log; its end is shown when something fails.
quietly() {
  if ! "$@" >>"$log" 2>&1; then
    say "failed: $*"
    tail -n 20 "$log"
    exit 1
  fi
}

mkdir -p "$folder"
exec 9>"$folder/lock"
flock 9
: >"$log"

find_engine() {
  for engine in ${RAGATE_ENGINE:-docker podman}; do
    if timeout 30 "$engine" info >/dev/null 2>&1; then return 0; fi
  done
  engine=""
}

installable() {
  command -v apt-get >/dev/null || unavailable "no docker or podman answers, and this is not Debian"
  [ "$(id -u)" = 0 ] || unavailable "no docker or podman answers, and only root may install one"
}

packages() {
  local missing=()
  for package in "$@"; do
    dpkg-query --show --showformat '${Status}' "$package" 2>/dev/null | grep -q ' installed$' \
      || missing+=("$package")
  done
  if [ ${#missing[@]} -gt 0 ]; then
    say "installing ${missing[*]}"
    quietly apt-get -o DPkg::Lock::Timeout=300 update -q
    quietly apt-get -o DPkg::Lock::Timeout=300 install -y -q --no-install-recommends "${missing[@]}"
  fi
}

# Debian's slim image in small: the minimal variant without manuals and translations.
bootstrap() {
  local mirror root=$folder/rootfs
  installable
  packages debootstrap ca-certificates
  # shellcheck disable=SC2016  # apt fills them in
  mirror=$(apt-get indextargets --format '$(REPO_URI) $(ORIGIN) $(LABEL)' 'Created-By: Packages' \
    | awk '$2 == "Debian" && $3 == "Debian" { print $1; exit }')
  [ -n "$mirror" ] || unavailable "apt knows no Debian mirror to make a base image from"
  say "making the base image from Debian's packages; this takes a minute or two"
  rm -rf "$root"
  quietly debootstrap --variant=minbase --include=ca-certificates "$suite" "$root" "$mirror"
  find "$root/usr/share/doc" -type f ! -name copyright -delete
  rm -rf "$root"/usr/share/{man,info,locale,lintian}/* "$root"/var/cache/apt/* \
    "$root"/var/lib/apt/lists/* "$root"/var/cache/debconf/*-old "$root"/var/log/*
  printf 'path-exclude=/usr/share/%s/*\n' man info locale lintian >"$root/etc/dpkg/dpkg.cfg.d/slim"
  tar -C "$root" --numeric-owner -cf "$folder/base.tar.part" .
  mv "$folder/base.tar.part" "$folder/base.tar"
  rm -rf "$root"
}

base_image() {
  if "$engine" image inspect "$image" >/dev/null 2>&1; then return 0; fi
  if [ ! -f "$folder/base.tar" ] && timeout 120 "$engine" pull -q "$image" >>"$log" 2>&1; then
    say "pulled $image"
    return 0
  fi
  [ -f "$folder/base.tar" ] || bootstrap
  say "importing $image"
  quietly "$engine" import --change 'CMD ["bash"]' "$folder/base.tar" "$image"
}

runs() { "$engine" run --rm --network none "$image" true >>"$log" 2>&1; }

# The defaults of podman want a unified cgroup tree and limits that a sandbox does not grant.
modest_settings() {
  [ "$engine" = podman ] || return 0
  say "podman's defaults do not run here; using runc, cgroupfs and lower limits ($settings)"
  packages runc
  cat >"$settings" <<'CONF'
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]
CONF
  export CONTAINERS_CONF=$settings
}

find_engine
if [ -z "$engine" ]; then
  installable
  # The names of a network's containers are resolved by aardvark-dns.
  packages podman runc netavark aardvark-dns iptables uidmap
  find_engine
  [ -n "$engine" ] || { say "podman was installed and does not answer"; podman info || true; exit 1; }
fi
base_image
runs || modest_settings
runs || { say "$engine runs no container:"; tail -n 20 "$log"; exit 1; }
say "ready: $("$engine" --version), $image"
