#!/usr/bin/env bash
# Checks the alert rules, their tests and the expressions of the dashboards with promtool: the one on the PATH, or that of Debian's package, which is
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

# promtool reads rules only, so each expression of a dashboard becomes one; JSON is YAML.
expressions=$(mktemp --suffix .json)
trap 'rm "$expressions"' EXIT
node -e '
  const { readdirSync, readFileSync } = require("node:fs");
  const targets = readdirSync("../grafana").flatMap((file) =>
    JSON.parse(readFileSync(`../grafana/${file}`, "utf8")).panels.flatMap(({ targets = [] }) => targets));
  const rules = targets.map(({ expr }, i) =>
    ({ record: `dashboard:panel:${i}`, expr: expr.replaceAll("$__rate_interval", "5m") }));
  console.log(JSON.stringify({ groups: [{ name: "dashboards", rules }] }));
' >"$expressions"
"$promtool" check rules "$expressions"
