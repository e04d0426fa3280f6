#!/usr/bin/env bash
# Runs the checks of fuzz-contract.sh while the API is up: run.sh BIN_OF_VIRTUAL_ENVIRONMENT [option …]
set -euo pipefail
bin=$1
shift
"$bin/python" -m openapi_spec_validator - < <(curl -sf "$API_URL/openapi-full.json")
# Health checks concern the speed of data generation, not the API.
exec "$bin/schemathesis" --config-file tools/fuzz/schemathesis.toml run "$API_URL/openapi-full.json" \
  --max-examples 25 --seed 1 --suppress-health-check all --no-color "$@"
