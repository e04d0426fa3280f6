#!/usr/bin/env bash
# Installs generators and linters from npm and PyPI, separately from the repository's dependencies, and prints the
# variables with their locations. Used by tools/test-services.sh and tools/generated-clients.sh.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
say() { echo "generated-clients: $*" >&2; }

install_javascript() {
  local folder=$here/typescript
  if [ "$folder/package-lock.json" -nt "$folder/node_modules/.package-lock.json" ]; then
    say "installing openapi-typescript, Spectral and Redocly (once)"
    (cd "$folder" && npm ci --loglevel=error >&2) || return
  fi
  echo "$folder/node_modules"
}

install_python() {
  local requirements=$here/python/requirements.txt sum venv
  sum=$(sha256sum "$requirements")
  venv="${XDG_CACHE_HOME:-$HOME/.cache}/keydesk/openapi-python-client-${sum:0:12}"
  if [ ! -e "$venv/installed" ]; then
    say "installing openapi-python-client (once)"
    python3 -m venv "$venv" >&2 &&
      "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$requirements" >&2 &&
      touch "$venv/installed" || return
  fi
  echo "$venv/bin"
}

tools=$(install_javascript)
echo "export TEST_OPENAPI_TOOLS='$tools'"
if command -v python3 >/dev/null; then
  tools=$(install_python)
  echo "export TEST_OPENAPI_PYTHON='$tools'"
fi
