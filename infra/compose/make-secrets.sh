#!/bin/sh
# Creates the secrets of the compose files in ./secrets; keeps those that exist.
#
#   infra/compose/make-secrets.sh             for compose.yaml
#   infra/compose/make-secrets.sh --cluster   for compose.cluster.yaml
#
# With --cluster, AUTH_HOST and API_HOST are the names in a certificate of a new private authority. For certificates of
# another one, replace tls.crt, tls.key and ca.crt.
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

[ "${1:-}" = --cluster ] || exit 0

auth_host=${AUTH_HOST:-auth.example.com}
api_host=${API_HOST:-api.example.com}

# MongoDB refuses a key that others can read. The user of its container is 999.
if [ ! -e secrets/mongo-key ]; then
  openssl rand -base64 512 >secrets/mongo-key
  chmod 400 secrets/mongo-key
  chown 999:999 secrets/mongo-key
fi
for name in mongo-root-password mongo-password redis-password grafana-password; do random | create "$name"; done

mongo="keydesk:$(cat secrets/mongo-password)@mongo1:27017,mongo2:27017,mongo3:27017"
options='replicaSet=keydesk&authSource=admin'
echo "mongodb://$mongo/keydesk_auth?$options" | create auth-storage-url
echo "mongodb://$mongo/keydesk_tickets?$options" | create api-storage-url
redis=$(cat secrets/redis-password)
echo "redis://:$redis@redis:6379" | create redis-url
printf '%s\n' "requirepass $redis" 'save ""' 'appendonly no' | create redis.conf

if [ ! -e secrets/tls.crt ]; then
  new_key='-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes'
  # shellcheck disable=SC2086
  openssl req -x509 $new_key -days 3650 -keyout secrets/ca.key -out secrets/ca.crt \
    -subj '/CN=Keydesk private authority' 2>/dev/null
  # shellcheck disable=SC2086
  openssl req -x509 $new_key -days 825 -CA secrets/ca.crt -CAkey secrets/ca.key \
    -keyout secrets/tls.key -out secrets/tls.crt -subj "/CN=$auth_host" \
    -addext "subjectAltName=DNS:$auth_host,DNS:$api_host" -addext 'basicConstraints=critical,CA:FALSE' 2>/dev/null
  chmod 444 secrets/ca.crt secrets/tls.crt secrets/tls.key
fi
