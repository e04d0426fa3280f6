#!/usr/bin/env bash
# Generates clients of /openapi.json, compiles them and runs them against a new Keydesk:
#
#   tools/generated-clients.sh [LANGUAGE …]
# Without arguments, runs every language with installed tools: typescript, python, go (needs Go and Java) and java
# (needs Maven). Maven fetches OpenAPI Generator with its own settings.
set -euo pipefail
cd "$(dirname "$0")/.."

version=7.25.0
tools=$(tools/generated-clients/install.sh)
eval "$tools"

home="${XDG_CACHE_HOME:-$HOME/.cache}/keydesk"
OPENAPI_GENERATOR="$home/openapi-generator-cli-$version.jar"
if [ ! -e "$OPENAPI_GENERATOR" ] && command -v mvn >/dev/null; then
  echo "generated-clients: fetching OpenAPI Generator $version (once)"
  mvn --quiet --batch-mode dependency:copy "-DoutputDirectory=$home" \
    "-Dartifact=org.openapitools:openapi-generator-cli:$version"
fi
export OPENAPI_GENERATOR
exec node tools/run.mjs tools/generated-clients/main.ts "$@"
