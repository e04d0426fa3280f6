#!/usr/bin/env bash
# Fuzzes the API with its own OpenAPI document: no 5xx, no undocumented status, header, media type or body, no invalid
# input accepted, no valid input refused. The first argument may set the role of the token (default: admin); further
# options are passed to Schemathesis:
#
#   tools/fuzz-contract.sh [--role customer] [--max-examples 500] [--seed 7]
# Schemathesis is installed in a virtual environment outside of the repository.
set -uo pipefail
cd "$(dirname "$0")/.."

version=4.32.5
home="${XDG_CACHE_HOME:-$HOME/.cache}/keydesk/schemathesis-$version"
if [ ! -x "$home/bin/schemathesis" ]; then
  echo "fuzz-contract: installing Schemathesis $version (once)"
  python3 -m venv "$home" &&
    "$home/bin/pip" install --quiet --disable-pip-version-check "schemathesis==$version" openapi-spec-validator ||
    exit 1
fi

role=admin
if [ "${1:-}" = --role ]; then
  role=$2
  shift 2
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
export PYTHONDONTWRITEBYTECODE=1
node tools/run.mjs tools/fuzz/serve.ts "$role" tools/fuzz/run.sh "$home/bin" "$@" 2>&1 | tee "$log"
status=${PIPESTATUS[0]}
# Schemathesis continues after one of its threads has died, and then finds nothing.
if grep -qE 'Exception in thread|NEVER ACCEPTED|CANNOT BE MADE' "$log"; then status=1; fi
[ "$status" -eq 0 ] && echo 'fuzz-contract: passed' || echo 'fuzz-contract: FAILED'
exit "$status"
