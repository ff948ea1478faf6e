#!/usr/bin/env bash
# Starts a whole cluster in network namespaces of this machine, breaks it under load, and counts what was lost, doubled or left. Ends with 1 when a count is
# not 0. Needs Debian, root, and a built tree (npm run build). Nothing that it starts can be reached from outside or reaches anything, and all of it ends with it.
# PATH may name other versions of patroni, etcd, haproxy and pgbouncer first.
#   gateway/deploy/cluster/prove.sh [--rounds 10] [--minutes 90] [--only leader,disk] [--rate 40] [--failover 60] [--hold 60] [--logs FOLDER] [--write]
set -euo pipefail
cd "$(dirname "$0")"

packages="patroni etcd-server python3-etcd haproxy pgbouncer postgresql iproute2 util-linux"
for program in patroni etcd haproxy pgbouncer ip unshare nsenter setpriv node; do
  command -v "$program" >/dev/null || { echo "$program is missing: apt-get install -y --no-install-recommends $packages" >&2; exit 2; }
done
[ "$(id -u)" = 0 ] || { echo "only root may make network namespaces" >&2; exit 2; }
# What runs is what the tree says.
node ../../../node_modules/typescript/bin/tsc -b ../.. ../../../admin-server || { echo "build first: npm run build" >&2; exit 2; }
# The shell is the first process there, which buries what others leave behind.
exec unshare --net --mount --pid --fork --kill-child --mount-proc bash -c 'nice -n 5 node prove.mjs "$@" & wait $!' prove "$@"
