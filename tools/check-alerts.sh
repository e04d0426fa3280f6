#!/usr/bin/env bash
# Checks the alert rules and their tests with promtool: the one on the PATH, or that of Debian's package, which is
# unpacked into a cache and not installed, because it would start a server. Skips loudly where there is neither.
set -euo pipefail
cd "$(dirname "$0")/../infra/prometheus"

find_promtool() {
  local cache=${XDG_CACHE_HOME:-$HOME/.cache}/keydesk/promtool
  command -v promtool && return
  if [ ! -x "$cache/usr/bin/promtool" ]; then
    command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || return 1
    local download
    download=$(mktemp -d)
    (cd "$download" && apt-get download -qq prometheus) >&2 && dpkg-deb -x "$download"/prometheus_*.deb "$cache" || return 1
    rm -r "$download"
  fi
  echo "$cache/usr/bin/promtool"
}

if ! promtool=$(find_promtool); then
  echo "SKIPPED: the alert rules are not checked, because promtool is missing (Debian's package prometheus)." >&2
  exit 0
fi
"$promtool" check config prometheus.yml
"$promtool" test rules alerts.test.yml
