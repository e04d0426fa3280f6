#!/usr/bin/env bash
# Starts the services that the tests use and prints the variables to export:
#
#   eval "$(tools/test-services.sh)"; npm test; kill $TEST_SERVICES_PIDS
# Redis: every suite starts its own redis-server, so the program only has to be installed.
# Chromium, Go, Apache: they only have to be installed.
# Python: TEST_PYTHON is the Python of a virtual environment with tools/interop/python/requirements.txt.
# OpenAPI: TEST_OPENAPI_TOOLS and TEST_OPENAPI_PYTHON locate the generators and linters of tools/generated-clients.
# MongoDB: TEST_MONGODB_URL, if set, is a replica set or several separated by spaces; test files are distributed over
# them. Otherwise several SecantusDB servers are started, which implement MongoDB's protocol on its storage engine
# (docs/decisions/0005-what-stands-in-for-mongodb.md). Several, because a server becomes slower the more it has stored.
set -euo pipefail

say() { echo "test-services: $*" >&2; }

# Ports below the ephemeral range, so that no outgoing connection takes one before the server does.
free_port() {
  python3 - <<'PY'
import random, socket
while True:
    port = random.randrange(15000, 32000)
    try:
        socket.socket().bind(("127.0.0.1", port))
    except OSError:
        continue
    print(port)
    break
PY
}

SERVERS=4

install_secantus() {
  [ -x "$home/bin/secantusd-py" ] && return
  say "installing SecantusDB (once)"
  python3 -m venv "$home" && "$home/bin/pip" install --quiet --disable-pip-version-check --pre "SecantusDB>=0.7.0b3" >&2
}

# Installs the client libraries for tools/interop and prints the path of their Python.
install_python_clients() {
  local requirements sum venv
  requirements=$(dirname "$0")/interop/python/requirements.txt
  sum=$(sha256sum "$requirements")
  venv="${XDG_CACHE_HOME:-$HOME/.cache}/keydesk/python-clients-${sum:0:12}"
  if [ ! -e "$venv/installed" ]; then
    say "installing client libraries for Python (once)"
    python3 -m venv "$venv" >&2 &&
      "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$requirements" >&2 &&
      touch "$venv/installed" || return
  fi
  echo "$venv/bin/python"
}

# Installs the web frameworks for tools/interop and prints their folder. They are not dependencies of the repository,
# because every `npm start` would install them.
install_express_clients() {
  local folder
  folder=$(cd "$(dirname "$0")/interop/javascript" && pwd)
  if [ "$folder/package-lock.json" -nt "$folder/node_modules/.package-lock.json" ]; then
    say "installing client libraries for Express (once)"
    (cd "$folder" && npm ci --loglevel=error >&2) || return
  fi
  echo "$folder"
}

# Starts a server and adds it to urls and pids.
start_secantus() {
  local log port pid
  log=$(mktemp)
  port=$(free_port)
  "$home/bin/secantusd-py" --port "$port" --storage-path :memory: >"$log" 2>&1 &
  pid=$!
  pids+=("$pid")
  for _ in $(seq 600); do
    kill -0 "$pid" 2>/dev/null || break
    if python3 -c "import socket; socket.create_connection(('127.0.0.1', $port), 0.2).close()" 2>/dev/null; then
      # It has one Python thread per connection; the dozens that Keydesk opens by default stall it. So requests queue.
      urls+=("mongodb://127.0.0.1:$port/?maxPoolSize=10&waitQueueTimeoutMS=60000")
      rm "$log"
      return
    fi
    sleep 0.1
  done
  say "SecantusDB did not start:"; cat "$log" >&2
  kill "${pids[@]}" 2>/dev/null || true
  return 1
}

for program in redis-server chromium go apache2; do
  command -v "$program" >/dev/null || say "$program is not installed; suites that need it are skipped"
done
express=$(install_express_clients)
echo "export TEST_EXPRESS_CLIENTS='$express'"
"$(dirname "$0")/generated-clients/install.sh"
if command -v python3 >/dev/null; then
  python=$(install_python_clients)
  echo "export TEST_PYTHON='$python'"
fi
if [ -n "${TEST_MONGODB_URL:-}" ]; then
  echo "export TEST_MONGODB_URL='$TEST_MONGODB_URL' TEST_SERVICES_PIDS="
elif command -v python3 >/dev/null; then
  home="${XDG_CACHE_HOME:-$HOME/.cache}/keydesk/secantusdb"
  urls=() pids=()
  install_secantus
  for _ in $(seq $SERVERS); do start_secantus; done
  echo "export TEST_MONGODB_URL='${urls[*]}' TEST_SERVICES_PIDS='${pids[*]}'"
else
  say "neither TEST_MONGODB_URL nor python3; suites that need MongoDB are skipped"
fi
