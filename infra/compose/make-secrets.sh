#!/bin/sh
# Creates the secrets of the compose files in ./secrets; keeps those that exist.
#
#   infra/compose/make-secrets.sh
set -eu
cd "$(dirname "$0")"
umask 077
mkdir -p secrets

# The folder is closed to others; the files are not, because the user of the containers reads them.
create() { # name; the text comes from standard input
  if [ -e "secrets/$1" ]; then cat >/dev/null; else cat >"secrets/$1"; chmod 444 "secrets/$1"; fi
}

random() { openssl rand -hex 24; }

openssl rand -base64 32 | create master-secret
