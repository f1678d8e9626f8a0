#!/usr/bin/env bash
# Installs what is missing, builds, and runs every test. Arguments go to ctest: ./test.sh -R trace
set -euo pipefail
cd "$(dirname "$0")"

scripts/install_dependencies.sh
scripts/build.sh
# Tests write hundreds of small traces, each synced to disk when it is whole; in memory that costs nothing.
if [ -z "${TMPDIR:-}" ] && [ "$(df --output=avail -k /dev/shm 2>/dev/null | tail -n 1)" -gt 1000000 ] 2>/dev/null; then
  export TMPDIR=/dev/shm
fi
printf '\n== running the tests\n'
exec ctest --preset release -j "$(nproc)" "$@"
